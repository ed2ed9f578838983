//! Clusters as somebody sees them.

use std::collections::HashMap;

use crate::storage::clusters::{Link, SeenClusters};
use crate::storage::population::{NONE, Sight};
use crate::storage::state::State;
use lookalike_core::document::Id;

use super::answer::{ClusterView, MemberView};
use super::generation::Generation;
use super::links::{Needs, own_links};
use super::name::labels_of;
use super::tell;

/// How alike a document is to the master, and its number.
pub type Other = (Option<f64>, u32);

/// Clusters as somebody sees them: those that are kept if that is everybody, else made up for the occasion.
pub struct Clusters<'a> {
    pub generation: &'a Generation,
    pub state: &'a State,
    pub sight: &'a Sight,
    seen: Option<SeenClusters<'a>>,
}

impl<'a> Clusters<'a> {
    /// What is missing for a right answer is noted in `needs`; [`super::links::look`] takes care of that.
    pub fn new(generation: &'a Generation, state: &'a State, sight: &'a Sight, needs: &'a Needs) -> Self {
        let how = generation.store.clusterer();
        let seen = (!tell::sees_all(state, sight)).then(|| {
            let own = Box::new(move |content: u32| own_links(generation, state, sight, needs, content));
            SeenClusters::new(&state.clusters, &state.population, how, sight, own)
        });
        Clusters { generation, state, sight, seen }
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

    /// The contents that a content is linked to.
    pub fn links(&mut self, content: u32) -> &[Link] {
        match &mut self.seen {
            Some(seen) => seen.links(content),
            None => self.state.clusters.links(content),
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

    /// The id and the labels of a document.
    pub fn name(&self, number: u32) -> (Id, Vec<String>) {
        (Id::from_json(self.state.population.ids.get(number)), labels_of(self.state, number).to_vec())
    }

    /// The document that stands for the cluster of another.
    pub fn master_document(&mut self, number: u32) -> Option<u32> {
        let content = self.state.population.documents[number as usize].content;
        if content == NONE {
            return None;
        }
        let master = self.master(content);
        self.best(master)
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
        self.links(content).iter().find(|link| link.other == master).map(|link| link.similarity)
    }

    /// The document that stands for a cluster, and the others with their similarity to it, the most similar first.
    pub fn documents(&mut self, master: u32) -> Option<(u32, Vec<Other>)> {
        let best = self.best(master)?;
        let mut contents: Vec<(u32, Option<f64>)> = vec![(master, Some(1.0))];
        let to_master: HashMap<u32, f64> =
            self.links(master).iter().map(|link| (link.other, link.similarity)).collect();
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
        let (id, labels) = self.name(best);
        let weakest = members.last().map_or(1.0, |member| member.0.unwrap_or(0.0));
        let told = members.iter().map(|&(similarity, copy)| {
            let (id, labels) = self.name(copy);
            MemberView { id, labels, similarity }
        });
        let members: Vec<MemberView> = told.collect();
        Some(ClusterView {
            cluster: id.clone(),
            master: id,
            labels,
            size: members.len() + 1,
            weakest,
            members,
        })
    }
}
