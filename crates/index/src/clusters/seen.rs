//! Clusters for those who do not see every document, made up when they ask.

use std::cmp::Ordering;
use std::collections::HashMap;

use lookalike_core::cluster::Clusterer;

use super::{Clusters, Link, clustered, is_star, reachable};
use crate::population::{Population, Sight};

/// Tells the links of contents that somebody sees linked in another way than everybody else; `None` for all others.
pub type OwnLinks<'a> = dyn Fn(u32) -> Option<Vec<Link>> + 'a;

/// The clusters as somebody sees them who does not see every document: as if the others did not exist.
pub struct SeenClusters<'a> {
    clusters: &'a Clusters,
    population: &'a Population,
    how: &'a dyn Clusterer,
    sight: &'a Sight,
    own_links: Box<OwnLinks<'a>>,
    /// The best copy seen of a content.
    best: HashMap<u32, Option<u32>>,
    /// The links of a content to others that are seen.
    links: HashMap<u32, Vec<Link>>,
    /// The master of a content, once it is known.
    masters: HashMap<u32, u32>,
}

impl<'a> SeenClusters<'a> {
    pub fn new(
        clusters: &'a Clusters,
        population: &'a Population,
        how: &'a dyn Clusterer,
        sight: &'a Sight,
        own_links: Box<OwnLinks<'a>>,
    ) -> Self {
        let (best, links, masters) = (HashMap::new(), HashMap::new(), HashMap::new());
        SeenClusters { clusters, population, how, sight, own_links, best, links, masters }
    }

    /// The best copy of a content that is seen.
    pub fn best(&mut self, content: u32) -> Option<u32> {
        let (population, sight) = (self.population, self.sight);
        *self.best.entry(content).or_insert_with(|| population.best_seen(content, sight))
    }

    /// The links of a content to others that are seen.
    pub fn links(&mut self, content: u32) -> &[Link] {
        if !self.links.contains_key(&content) {
            let mut links =
                (self.own_links)(content).unwrap_or_else(|| self.clusters.links(content).to_vec());
            links.retain(|link| self.best(link.other).is_some());
            self.links.insert(content, links);
        }
        self.links.get(&content).map_or(&[], Vec::as_slice)
    }

    /// The content that is master of a content's cluster.
    pub fn master(&mut self, content: u32) -> u32 {
        if self.links(content).is_empty() {
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
        let links = self.links(content).to_vec();
        self.best(content);
        links.into_iter().filter(|link| self.order(link.other, content) == Ordering::Less).collect()
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
        let nodes = reachable([content], |content, others| {
            others.extend(self.links(content).iter().map(|link| link.other));
        });
        nodes.iter().for_each(|&node| {
            self.best(node);
        });
        let links = |content: u32| self.links.get(&content).map_or(&[][..], Vec::as_slice);
        for (node, master) in clustered(self.how, nodes, |a, b| self.order(*a, *b), links) {
            self.masters.insert(node, master.unwrap_or(node));
        }
        self.masters.get(&content).copied().unwrap_or(content)
    }

    /// The other contents of a master's cluster.
    pub fn members(&mut self, master: u32) -> Vec<u32> {
        let candidates: Vec<u32> = if is_star(self.how) {
            self.links(master).iter().map(|link| link.other).collect()
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
