//! Clusters computed on demand: for callers who do not see every document, and where there are crowds.

use std::cmp::Ordering;

use lookalike_core::cluster::Clusterer;
use lookalike_core::numbers::NumberMap;

use super::{Clusters, Link, clustered, is_star, reachable};
use crate::storage::document::{Content, ContentNumber, DocumentNumber};
use crate::storage::population::{Population, Visibility};

/// The links of contents that differ in this view, at least those within reach; `None` for contents with the stored
/// links.
pub type LinkOverrides<'a> = dyn Fn(ContentNumber, Reach) -> Option<Vec<Link>> + 'a;

/// To which contents links are asked for. The pivot of a crowd has links to all of it, but only those to better contents
/// decide who is its master, and the best of all pivots has none of these.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    All,
    /// Better contents.
    Better,
    /// Better contents that are pivots of a crowd, which are found quickly.
    Pivots,
}

/// The clusters of a view, as if hidden documents did not exist.
pub struct VisibleClusters<'a> {
    clusters: &'a Clusters,
    population: &'a Population,
    how: &'a dyn Clusterer,
    visibility: &'a Visibility,
    link_overrides: Box<LinkOverrides<'a>>,
    /// The best visible copy of a content.
    best: NumberMap<Content, Option<DocumentNumber>>,
    /// The links of a content to other visible contents.
    links: NumberMap<Content, Vec<Link>>,
    /// The master of a content, once it is known.
    masters: NumberMap<Content, ContentNumber>,
    /// Whether a content is the master of a star, once it is known.
    is_master: NumberMap<Content, bool>,
}

impl<'a> VisibleClusters<'a> {
    pub fn new(
        clusters: &'a Clusters,
        population: &'a Population,
        how: &'a dyn Clusterer,
        visibility: &'a Visibility,
        link_overrides: Box<LinkOverrides<'a>>,
    ) -> Self {
        VisibleClusters {
            clusters,
            population,
            how,
            visibility,
            link_overrides,
            best: NumberMap::default(),
            links: NumberMap::default(),
            masters: NumberMap::default(),
            is_master: NumberMap::default(),
        }
    }

    /// The best visible copy of a content; `None` if none is visible.
    pub fn best(&mut self, content: ContentNumber) -> Option<DocumentNumber> {
        let (population, visibility) = (self.population, self.visibility);
        *self.best.entry(content).or_insert_with(|| population.best_visible(content, visibility))
    }

    /// The links of a content to other visible contents.
    pub fn links(&mut self, content: ContentNumber) -> &[Link] {
        if !self.links.contains_key(&content) {
            let mut links = (self.link_overrides)(content, Reach::All)
                .unwrap_or_else(|| self.clusters.links(content).to_vec());
            links.retain(|link| self.best(link.other()).is_some());
            self.links.insert(content, links);
        }
        self.links.get(&content).map_or(&[], Vec::as_slice)
    }

    /// The content that is master of a content's cluster.
    pub fn master(&mut self, content: ContentNumber) -> ContentNumber {
        if !is_star(self.how) {
            return self.master_of_all(content);
        }
        if let Some(&master) = self.masters.get(&content) {
            return master;
        }
        let mut better = self.better(content, Reach::Better);
        // In a crowd, the best of them settles most of the others.
        if let Some(link) = better.iter().min_by(|x, y| self.order(x.other(), y.other())) {
            self.settle(link.other());
            better.retain(|link| self.may_be_master(link.other()));
        }
        better.sort_by(|x, y| {
            y.similarity().total_cmp(&x.similarity()).then_with(|| self.order(x.other(), y.other()))
        });
        let master =
            better.iter().find(|link| self.settle(link.other())).map_or(content, |link| link.other());
        self.masters.insert(content, master);
        master
    }

    /// Whether a content is the master of a star: whether no better one that it is linked to is.
    ///
    /// Better contents are settled first, of a crowd the pivots, and a master settles everything known to be linked to
    /// it. So in a crowd hardly more than the best content is looked at; finding the links of each would take long.
    fn settle(&mut self, content: ContentNumber) -> bool {
        // Each entry waits for the better contents it is linked to, the best of them last; and whether these are all.
        let mut waiting: Vec<(ContentNumber, Vec<ContentNumber>, bool)> = Vec::new();
        let mut next = Some(content);
        loop {
            if let Some(content) = next.take().filter(|content| !self.is_master.contains_key(content)) {
                waiting.push((content, self.better_in_order(content, Reach::Pivots), false));
            }
            let Some((content, better, is_all)) = waiting.last_mut() else { break };
            let content = *content;
            if self.is_master.contains_key(&content) {
                waiting.pop();
                continue;
            }
            match better.last().map(|other| (*other, self.is_master.get(other).copied())) {
                Some((other, None)) => next = Some(other),
                Some((_, Some(false))) => {
                    better.pop();
                }
                Some((_, Some(true))) => {
                    self.is_master.insert(content, false);
                }
                None if !*is_all => {
                    *is_all = true;
                    *better = self.better_in_order(content, Reach::Better);
                }
                None => {
                    self.best(content);
                    // The links of a pivot are only looked at if they are known already.
                    let links = self.links.get(&content).cloned().unwrap_or_default();
                    for link in links {
                        if self.order(content, link.other()) == Ordering::Less {
                            self.is_master.insert(link.other(), false);
                        }
                    }
                    self.is_master.insert(content, true);
                }
            }
        }
        self.is_master.get(&content).copied().unwrap_or(false)
    }

    /// Links to better visible contents that are masters of stars, or may be. In a crowd most are known to be none, and
    /// asking that first is much cheaper than ordering them.
    fn better(&mut self, content: ContentNumber, reach: Reach) -> Vec<Link> {
        let own =
            if self.links.contains_key(&content) { None } else { (self.link_overrides)(content, reach) };
        let mut links = match own {
            None => self.links(content).to_vec(),
            Some(mut links) => {
                links.retain(|link| self.best(link.other()).is_some());
                links
            }
        };
        self.best(content);
        links.retain(|link| {
            self.may_be_master(link.other()) && self.order(link.other(), content) == Ordering::Less
        });
        links
    }

    /// The same contents, the best last.
    fn better_in_order(&mut self, content: ContentNumber, reach: Reach) -> Vec<ContentNumber> {
        let mut better: Vec<ContentNumber> =
            self.better(content, reach).iter().map(|link| link.other()).collect();
        better.sort_by(|&a, &b| self.order(b, a));
        better
    }

    fn may_be_master(&self, content: ContentNumber) -> bool {
        self.is_master.get(&content) != Some(&false)
    }

    fn order(&self, a: ContentNumber, b: ContentNumber) -> Ordering {
        let best = |content: ContentNumber| self.best.get(&content).copied().flatten();
        match (best(a), best(b)) {
            (Some(a), Some(b)) => self.population.order(a, b),
            (a, b) => b.is_some().cmp(&a.is_some()),
        }
    }

    fn master_of_all(&mut self, content: ContentNumber) -> ContentNumber {
        if let Some(&master) = self.masters.get(&content) {
            return master;
        }
        let nodes = reachable([content], |content, others| {
            others.extend(self.links(content).iter().map(|link| link.other()));
        });
        nodes.iter().for_each(|&node| {
            self.best(node);
        });
        let links = |content: ContentNumber| self.links.get(&content).map_or(&[][..], Vec::as_slice);
        for (node, master) in clustered(self.how, nodes, |a, b| self.order(*a, *b), links) {
            self.masters.insert(node, master.unwrap_or(node));
        }
        self.masters.get(&content).copied().unwrap_or(content)
    }

    /// The other contents of a master's cluster.
    pub fn members(&mut self, master: ContentNumber) -> Vec<ContentNumber> {
        let candidates: Vec<ContentNumber> = if is_star(self.how) {
            self.links(master).iter().map(|link| link.other()).collect()
        } else {
            self.master(master);
            self.masters.iter().filter(|&(_, &other)| other == master).map(|(&content, _)| content).collect()
        };
        let mut members: Vec<ContentNumber> = candidates
            .into_iter()
            .filter(|&content| {
                content != master && self.best(content).is_some() && self.master(content) == master
            })
            .collect();
        members.sort_unstable();
        members
    }
}
