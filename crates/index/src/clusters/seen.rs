//! Clusters for those who do not see every document, made up when they ask.

use std::cmp::Ordering;
use std::collections::HashMap;

use lookalike_core::cluster::Clusterer;

use super::{Clusters, Link, is_star};
use crate::population::{Population, Sight};

/// The clusters as somebody sees them who does not see every document: as if the others did not exist.
pub struct SeenClusters<'a> {
    clusters: &'a Clusters,
    population: &'a Population,
    how: &'a dyn Clusterer,
    sight: &'a Sight,
    /// The best copy seen of a content.
    best: HashMap<u32, Option<u32>>,
    /// The master of a content, once it is known.
    masters: HashMap<u32, u32>,
}

impl<'a> SeenClusters<'a> {
    pub fn new(
        clusters: &'a Clusters,
        population: &'a Population,
        how: &'a dyn Clusterer,
        sight: &'a Sight,
    ) -> Self {
        SeenClusters { clusters, population, how, sight, best: HashMap::new(), masters: HashMap::new() }
    }

    /// The best copy of a content that is seen.
    pub fn best(&mut self, content: u32) -> Option<u32> {
        let (population, sight) = (self.population, self.sight);
        *self.best.entry(content).or_insert_with(|| population.best_seen(content, sight))
    }

    /// The content that is master of a content's cluster.
    pub fn master(&mut self, content: u32) -> u32 {
        if self.clusters.links(content).is_empty() {
            return content;
        }
        if !is_star(self.how) {
            return self.master_of_all(content);
        }
        // A content waits on the stack until all better ones it is linked to are settled.
        let mut stack = vec![content];
        while let Some(&content) = stack.last() {
            if self.masters.contains_key(&content) {
                stack.pop();
                continue;
            }
            let better = self.better(content);
            let open = better.iter().find(|link| !self.masters.contains_key(&link.other));
            if let Some(link) = open {
                stack.push(link.other);
                continue;
            }
            let masters = better.iter().filter(|link| self.masters.get(&link.other) == Some(&link.other));
            let best = masters.max_by(|x, y| {
                x.similarity.total_cmp(&y.similarity).then_with(|| self.order(y.other, x.other))
            });
            let master = best.map_or(content, |link| link.other);
            self.masters.insert(content, master);
            stack.pop();
        }
        self.masters.get(&content).copied().unwrap_or(content)
    }

    /// Links to better contents that are seen.
    fn better(&mut self, content: u32) -> Vec<Link> {
        let links = self.clusters.links(content);
        let seen: Vec<Link> = links.iter().copied().filter(|link| self.best(link.other).is_some()).collect();
        self.best(content);
        seen.into_iter().filter(|link| self.order(link.other, content) == Ordering::Less).collect()
    }

    fn order(&self, a: u32, b: u32) -> Ordering {
        let best = |content: u32| self.best.get(&content).copied().flatten();
        match (best(a), best(b)) {
            (Some(a), Some(b)) => self.population.order(a, b),
            (a, b) => b.is_some().cmp(&a.is_some()),
        }
    }

    fn master_of_all(&mut self, content: u32) -> u32 {
        if let Some(&master) = self.masters.get(&content) {
            return master;
        }
        let seen = |other: u32| self.population.best_seen(other, self.sight).is_some();
        let nodes = self.clusters.reachable([content], seen);
        nodes.iter().for_each(|&node| {
            self.best(node);
        });
        for (node, master) in self.clusters.clustered(self.how, nodes, |a, b| self.order(*a, *b)) {
            self.masters.insert(node, master.unwrap_or(node));
        }
        self.masters.get(&content).copied().unwrap_or(content)
    }

    /// The other contents of a master's cluster.
    pub fn members(&mut self, master: u32) -> Vec<u32> {
        let candidates: Vec<u32> = if is_star(self.how) {
            self.clusters.links(master).iter().map(|link| link.other).collect()
        } else {
            self.master(master);
            self.masters.iter().filter(|&(_, &other)| other == master).map(|(&content, _)| content).collect()
        };
        let mut members: Vec<u32> = candidates
            .into_iter()
            .filter(|&content| {
                content != master && self.best(content).is_some() && self.master(content) == master
            })
            .collect();
        members.sort_unstable();
        members
    }
}
