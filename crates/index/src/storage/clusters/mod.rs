//! Links between contents and the clusters they form, kept up to date as contents are added and removed.
//!
//! In star clustering a content is a master if no better content that it is linked to is a master. So a change only
//! affects worse contents: those whose state may have changed are settled from the best to the worst, and the
//! others are never looked at. Other clusterers are run again on the connected components that changed.

mod links;
#[cfg(test)]
mod tests;
mod visible;

pub use links::{Link, Links};
pub use visible::{Reach, VisibleClusters};

use std::cmp::{Ordering, Reverse};
use std::collections::{BTreeSet, BinaryHeap};

use lookalike_core::cluster::{Clusterer, Edge};

use crate::storage::column::Column;
use crate::storage::document::{Content, ContentNumber};
use crate::storage::population::Population;
use lookalike_core::numbers::NumberMap;

#[derive(Default)]
pub struct Clusters {
    pub(super) links: Links,
    /// For each content its master; `None` if it is a master itself, as are contents past the end.
    pub(super) masters: Column<Content, Option<ContentNumber>>,
    /// Contents that are not the master of their cluster.
    pub member_count: u64,
    /// (master, member).
    pub(super) members: BTreeSet<(ContentNumber, ContentNumber)>,
    pub pairs: u64,
}

impl Clusters {
    pub fn links(&self, content: ContentNumber) -> &[Link] {
        self.links.get(content)
    }

    /// The master of a content's cluster; a content alone is its own.
    pub fn master(&self, content: ContentNumber) -> ContentNumber {
        self.assigned(content).unwrap_or(content)
    }

    /// The master of a content that is none itself.
    fn assigned(&self, content: ContentNumber) -> Option<ContentNumber> {
        self.masters.get(content).copied().flatten()
    }

    pub fn members(&self, master: ContentNumber) -> impl Iterator<Item = ContentNumber> + '_ {
        let members = self.members.range((master, ContentNumber::FIRST)..);
        members.take_while(move |&&(other, _)| other == master).map(|&(_, member)| member)
    }

    /// Masters of at least one other content, by rising number.
    pub fn masters_from(&self, first: ContentNumber) -> impl Iterator<Item = ContentNumber> + '_ {
        let mut next = Some(first);
        std::iter::from_fn(move || {
            let &(master, _) = self.members.range((next?, ContentNumber::FIRST)..).next()?;
            next = ContentNumber::from_raw(master.raw() + 1);
            Some(master)
        })
    }

    pub fn link(&mut self, a: ContentNumber, b: ContentNumber, similarity: f64) {
        self.unlink(a, b);
        self.link_new(a, b, similarity);
    }

    /// Links two contents that are not linked yet.
    pub(crate) fn link_new(&mut self, a: ContentNumber, b: ContentNumber, similarity: f64) {
        self.links.add(a, Link::new(b, similarity));
        self.links.add(b, Link::new(a, similarity));
        self.pairs += 1;
    }

    pub fn unlink(&mut self, a: ContentNumber, b: ContentNumber) {
        if self.links.drop_half(a, b) {
            self.links.drop_half(b, a);
            self.pairs -= 1;
        }
    }

    /// Removes a content and returns those that were linked to it.
    pub fn remove(&mut self, content: ContentNumber) -> Vec<ContentNumber> {
        let links = self.links.remove(content);
        for link in &links {
            self.links.drop_half(link.other(), content);
        }
        self.pairs -= links.len() as u64;
        self.assign(content, None);
        links.into_iter().map(|link| link.other()).collect()
    }

    /// Updates the clusters after links or ranks of these contents changed. If the rank of a content changed,
    /// `changed` must also list the contents linked to it.
    pub fn settle(
        &mut self,
        population: &Population,
        how: &dyn Clusterer,
        changed: impl IntoIterator<Item = ContentNumber>,
    ) {
        if is_star(how) {
            self.settle_stars(population, changed, None);
        } else {
            self.cluster_again(population, how, changed);
        }
    }

    /// Updates the clusters after a content came with its links. That of others only changes if it is a master, so the many
    /// links of those that a crowd is compared with are not looked at for each that comes.
    pub fn settle_new(&mut self, population: &Population, how: &dyn Clusterer, content: ContentNumber) {
        if is_star(how) {
            self.settle_stars(population, [content], Some(content));
        } else {
            self.cluster_again(population, how, [content]);
        }
    }

    /// `new` has just come: until now it was nobody's master.
    fn settle_stars(
        &mut self,
        population: &Population,
        changed: impl IntoIterator<Item = ContentNumber>,
        new: Option<ContentNumber>,
    ) {
        let mut waiting = Waiting::new(population);
        changed.into_iter().for_each(|content| waiting.push(content));
        while let Some(content) = waiting.pop() {
            let is_master = |link: &&Link| self.assigned(link.other()).is_none();
            let better = |link: &&Link| population.rank(link.other(), content) == Ordering::Less;
            // Most contents of a crowd are no masters, and comparing ranks is dear.
            let masters = self.links(content).iter().filter(is_master).filter(better);
            let best = masters.max_by(|x, y| {
                x.similarity().total_cmp(&y.similarity()).then_with(|| population.rank(y.other(), x.other()))
            });
            let best = best.map(|link| link.other());
            let was_master = self.assigned(content).is_none() && new != Some(content);
            self.assign(content, best);
            if was_master != best.is_none() {
                let worse = self.links.get(content).iter().map(|link| link.other());
                worse
                    .filter(|&other| population.rank(content, other) == Ordering::Less)
                    .for_each(|other| waiting.push(other));
            }
        }
    }

    /// Clusters the connected components of these contents again.
    fn cluster_again(
        &mut self,
        population: &Population,
        how: &dyn Clusterer,
        changed: impl IntoIterator<Item = ContentNumber>,
    ) {
        let start = changed.into_iter().filter(|&content| population.is_alive(content));
        let nodes = reachable(start, |content, others| {
            others.extend(self.links(content).iter().map(|link| link.other()));
        });
        let by_rank = |a: &ContentNumber, b: &ContentNumber| population.rank(*a, *b);
        for (content, master) in clustered(how, nodes, by_rank, |content| self.links(content)) {
            self.assign(content, master);
        }
    }

    pub(crate) fn assign(&mut self, content: ContentNumber, master: Option<ContentNumber>) {
        let before = self.assigned(content);
        if before != master {
            self.masters.set(content, master);
            self.member_count = self.member_count + u64::from(before.is_none()) - u64::from(master.is_none());
            if let Some(before) = before {
                self.members.remove(&(before, content));
            }
            if let Some(master) = master {
                self.members.insert((master, content));
            }
        }
    }
}

/// All contents connected to these.
pub fn reachable(
    start: impl IntoIterator<Item = ContentNumber>,
    mut others_of: impl FnMut(ContentNumber, &mut Vec<ContentNumber>),
) -> Vec<ContentNumber> {
    let mut found: Vec<ContentNumber> = Vec::new();
    let mut known: NumberMap<Content, ()> = NumberMap::default();
    let mut is_new = |content: &ContentNumber| known.insert(*content, ()).is_none();
    found.extend(start.into_iter().filter(&mut is_new));
    let (mut at, mut others) = (0, Vec::new());
    while let Some(&content) = found.get(at) {
        at += 1;
        others_of(content, &mut others);
        found.extend(others.drain(..).filter(&mut is_new));
    }
    found
}

/// The master that the clusterer assigns to each node; `None` for masters and single nodes.
fn clustered<'a>(
    how: &dyn Clusterer,
    mut nodes: Vec<ContentNumber>,
    by_rank: impl FnMut(&ContentNumber, &ContentNumber) -> Ordering,
    links: impl Fn(ContentNumber) -> &'a [Link],
) -> Vec<(ContentNumber, Option<ContentNumber>)> {
    nodes.sort_by(by_rank);
    let places: NumberMap<Content, u32> = nodes.iter().copied().zip(0..).collect();
    let edges: Vec<Edge> = nodes
        .iter()
        .zip(0..)
        .flat_map(|(&content, a)| {
            let places = &places;
            links(content).iter().filter_map(move |link| {
                let b = *places.get(&link.other())?;
                (a < b).then_some(Edge { a, b, similarity: link.similarity() })
            })
        })
        .collect();
    let mut masters: Vec<(ContentNumber, Option<ContentNumber>)> =
        nodes.iter().map(|&content| (content, None)).collect();
    for cluster in how.cluster(nodes.len() as u32, 0, &edges) {
        for member in cluster.members {
            masters[member as usize].1 = Some(nodes[cluster.master as usize]);
        }
    }
    masters
}

fn is_star(how: &dyn Clusterer) -> bool {
    how.spec().kind == lookalike_core::cluster::Star::INFO.name
}

/// Contents still to be settled, the best first.
struct Waiting<'a> {
    population: &'a Population,
    heap: BinaryHeap<Reverse<Ranked<'a>>>,
    known: NumberMap<Content, ()>,
}

impl<'a> Waiting<'a> {
    fn new(population: &'a Population) -> Self {
        Waiting { population, heap: BinaryHeap::new(), known: NumberMap::default() }
    }

    fn push(&mut self, content: ContentNumber) {
        if self.population.is_alive(content) && self.known.insert(content, ()).is_none() {
            self.heap.push(Reverse(Ranked { population: self.population, content }));
        }
    }

    fn pop(&mut self) -> Option<ContentNumber> {
        let Reverse(Ranked { content, .. }) = self.heap.pop()?;
        self.known.remove(&content);
        Some(content)
    }
}

struct Ranked<'a> {
    population: &'a Population,
    content: ContentNumber,
}

impl Ord for Ranked<'_> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.population.rank(self.content, other.content)
    }
}

impl PartialOrd for Ranked<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Ranked<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.content == other.content
    }
}

impl Eq for Ranked<'_> {}
