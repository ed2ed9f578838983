//! Clusters as somebody sees them.

use std::collections::HashMap;

use lookalike_core::document::Id;
use lookalike_index::clusters::SeenClusters;
use lookalike_index::population::{NONE, Sight};
use lookalike_index::state::State;

use super::answer::{ClusterView, MemberView};
use super::generation::Generation;
use super::tell;

/// How alike a document is to the master, and its number.
pub type Other = (Option<f64>, u32);

/// Clusters as somebody sees them: those that are kept if that is everybody, else made up for the occasion.
pub struct Clusters<'a> {
    pub state: &'a State,
    pub sight: &'a Sight,
    seen: Option<SeenClusters<'a>>,
}

impl<'a> Clusters<'a> {
    pub fn new(generation: &'a Generation, state: &'a State, sight: &'a Sight) -> Self {
        let how = generation.store.clusterer();
        let seen = (!tell::sees_all(state, sight))
            .then(|| SeenClusters::new(&state.clusters, &state.population, how, sight));
        Clusters { state, sight, seen }
    }

    pub fn master(&mut self, content: u32) -> u32 {
        self.seen.as_mut().map_or_else(|| self.state.clusters.master(content), |seen| seen.master(content))
    }

    pub fn best(&mut self, content: u32) -> Option<u32> {
        match &mut self.seen {
            Some(seen) => seen.best(content),
            None => self
                .state
                .population
                .contents
                .get(content as usize)
                .map(|entry| entry.best)
                .filter(|&best| best != NONE),
        }
    }

    pub fn is_master(&mut self, content: u32) -> bool {
        self.best(content).is_some() && self.master(content) == content
    }

    fn members(&mut self, master: u32) -> Vec<u32> {
        match &mut self.seen {
            Some(seen) => seen.members(master),
            None => self.state.clusters.members(master).collect(),
        }
    }

    pub fn has_members(&mut self, master: u32) -> bool {
        match &mut self.seen {
            Some(seen) => !seen.members(master).is_empty(),
            None => self.state.clusters.members(master).next().is_some(),
        }
    }

    /// How many copies of a content are seen.
    pub fn copies(&self, content: u32) -> u64 {
        let population = &self.state.population;
        let seen = |copy: &u32| self.sight.sees(&population.documents[*copy as usize]);
        population.copies(content).filter(seen).count() as u64
    }

    fn id(&self, number: u32) -> Id {
        Id::from_json(self.state.population.ids.get(number))
    }

    /// The id of the master of a document's cluster.
    pub fn master_id(&mut self, number: u32) -> Option<Id> {
        let content = self.state.population.documents[number as usize].content;
        if content == NONE {
            return None;
        }
        let master = self.master(content);
        self.best(master).map(|best| self.id(best))
    }

    /// How alike a document is to the master of its cluster; `None` for the master itself.
    pub fn likeness(&mut self, number: u32) -> Option<f64> {
        let content = self.state.population.documents[number as usize].content;
        if content == NONE {
            return None;
        }
        let master = self.master(content);
        if master == content {
            return (self.best(content) != Some(number)).then_some(1.0);
        }
        self.similarity(content, master)
    }

    fn similarity(&self, a: u32, b: u32) -> Option<f64> {
        self.state.clusters.links(a).iter().find(|link| link.other == b).map(|link| link.similarity)
    }

    /// The document that stands for a cluster, and the others with their similarity to it, the most similar first.
    pub fn documents(&mut self, master: u32) -> Option<(u32, Vec<Other>)> {
        let best = self.best(master)?;
        let mut contents: Vec<(u32, Option<f64>)> = vec![(master, Some(1.0))];
        let to_master: HashMap<u32, f64> =
            self.state.clusters.links(master).iter().map(|link| (link.other, link.similarity)).collect();
        contents
            .extend(self.members(master).into_iter().map(|member| (member, to_master.get(&member).copied())));
        let population = &self.state.population;
        let mut members: Vec<Other> = Vec::new();
        for &(content, similarity) in &contents {
            let seen = |copy: &u32| *copy != best && self.sight.sees(&population.documents[*copy as usize]);
            members.extend(population.copies(content).filter(seen).map(|copy| (similarity, copy)));
        }
        members.sort_by(|a, b| {
            let alike = b.0.unwrap_or(0.0).total_cmp(&a.0.unwrap_or(0.0));
            alike.then_with(|| population.order(a.1, b.1))
        });
        Some((best, members))
    }

    /// A cluster with all its members.
    pub fn view(&mut self, master: u32) -> Option<ClusterView> {
        let (best, members) = self.documents(master)?;
        let id = self.id(best);
        let weakest = members.last().map_or(1.0, |member| member.0.unwrap_or(0.0));
        let told = members.iter().map(|&(similarity, copy)| MemberView { id: self.id(copy), similarity });
        let members: Vec<MemberView> = told.collect();
        Some(ClusterView { cluster: id.clone(), master: id, size: members.len() + 1, weakest, members })
    }
}
