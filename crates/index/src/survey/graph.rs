//! The similarity graph of a view, copied out of the index a block at a time, so that neither writers nor other
//! readers wait for long. A change made meanwhile may or may not be included.

use std::cmp::Ordering;

use crate::storage::clusters::Reach;
use crate::storage::document::{Content, ContentNumber, Document, DocumentNumber};
use crate::storage::population::Visibility;
use lookalike_core::Result;
use lookalike_core::cluster::Edge;
use lookalike_core::numbers::{Number, Numbered};
use lookalike_core::union_find::UnionFind;

use super::super::generation::Generation;
use super::super::links::{MissingData, link_overrides};

/// How many contents are copied under one lock of the state.
const BLOCK: usize = 4096;

/// A visible content. Visible contents are numbered again, without the hidden ones.
pub enum VisibleContent {}

pub type VisibleNumber = Number<VisibleContent>;

/// The visible contents and the similarities between them.
pub struct SimilarityGraph {
    /// The best copy of each content, by the keep rules.
    pub best: Numbered<VisibleContent, DocumentNumber>,
    /// Where the copies of each content end in `copies`.
    ends: Numbered<VisibleContent, u32>,
    copies: Vec<DocumentNumber>,
    pub edges: Vec<SimilarityEdge>,
    /// When each document was added; 0 for documents that are not visible.
    pub added: Numbered<Document, u32>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SimilarityEdge {
    pub a: VisibleNumber,
    pub b: VisibleNumber,
    pub similarity: f64,
}

/// Connected contents, the best first, and their edges by place in this list.
pub struct ConnectedComponent {
    pub contents: Vec<VisibleNumber>,
    pub edges: Vec<Edge>,
}

impl SimilarityGraph {
    pub fn copy_from(generation: &Generation, visibility: &Visibility) -> Result<SimilarityGraph> {
        loop {
            let missing = MissingData::default();
            let graph = SimilarityGraph::copy_with(generation, visibility, &missing);
            if !missing.fetch(generation)? {
                return Ok(graph);
            }
        }
    }

    /// Copies the graph with the links that are cached so far.
    fn copy_with(generation: &Generation, visibility: &Visibility, missing: &MissingData) -> SimilarityGraph {
        let store = &generation.store;
        let (contents, documents) = {
            let state = store.state();
            (state.population.contents.next_number(), state.population.documents.next_number())
        };
        let mut graph = SimilarityGraph {
            best: Numbered::default(),
            ends: Numbered::default(),
            copies: Vec::new(),
            edges: Vec::new(),
            added: Numbered::default(),
        };
        // The numbers of contents in the copy.
        let mut numbers: Numbered<Content, Option<VisibleNumber>> = Numbered::default();
        numbers.reserve_exact(contents.index());
        let mut edges: Vec<(ContentNumber, ContentNumber, f64)> = Vec::new();
        while numbers.next_number() < contents {
            let state = store.state();
            let population = &state.population;
            for content in numbers.next_number().up_to(contents).take(BLOCK) {
                let best = population.best_visible(content, visibility);
                numbers.push(best.map(|best| graph.best.push(best)));
                if best.is_none() {
                    continue;
                }
                let seen = |copy: &DocumentNumber| visibility.includes(&population.documents[*copy]);
                graph.copies.extend(population.copies(content).filter(seen));
                graph.ends.push(graph.copies.len() as u32);
                let own = link_overrides(generation, &state, visibility, missing, content, Reach::All);
                let links = own.as_deref().unwrap_or_else(|| state.clusters.links(content));
                let links = links.iter().filter(|link| link.other() < content);
                edges.extend(links.map(|link| (link.other(), content, link.similarity())));
            }
        }
        let seen = |(a, b, similarity): (ContentNumber, ContentNumber, f64)| {
            Some(SimilarityEdge { a: numbers[a]?, b: numbers[b]?, similarity })
        };
        graph.edges = edges.into_iter().filter_map(seen).collect();
        graph.added.reserve_exact(documents.index());
        while graph.added.next_number() < documents {
            let state = store.state();
            for document in graph.added.next_number().up_to(documents).take(BLOCK) {
                let known = &state.population.documents[document];
                graph.added.push(if visibility.includes(known) { known.added.max(1) } else { 0 });
            }
        }
        graph
    }

    /// The visible documents of a content.
    pub fn copies(&self, content: VisibleNumber) -> &[DocumentNumber] {
        let start = content.before().map_or(0, |before| self.ends[before]);
        &self.copies[start as usize..self.ends[content] as usize]
    }

    /// Which contents resemble another.
    fn linked(&self) -> Numbered<VisibleContent, bool> {
        let mut linked = Numbered::default();
        linked.resize(self.best.len(), false);
        for edge in &self.edges {
            linked[edge.a] = true;
            linked[edge.b] = true;
        }
        linked
    }

    /// Contents that resemble no other.
    pub fn alone(&self) -> Vec<VisibleNumber> {
        let linked = self.linked();
        linked.numbers().filter(|&content| !linked[content]).collect()
    }

    /// The edges, grouped by connected component.
    pub fn groups(&self) -> ComponentGroups {
        let mut sets = UnionFind::new(self.best.len());
        self.edges.iter().for_each(|edge| sets.union(edge.a.raw(), edge.b.raw()));
        let linked = self.linked();
        let linked = linked.numbers().filter(|&content| linked[content]);
        let linked: Vec<(u32, VisibleNumber)> =
            linked.map(|content| (sets.find(content.raw()), content)).collect();
        let edges: Vec<(u32, SimilarityEdge)> =
            self.edges.iter().map(|&edge| (sets.find(edge.a.raw()), edge)).collect();
        ComponentGroups {
            edges: Grouped::new(&edges, self.best.len()),
            contents: Grouped::new(&linked, self.best.len()),
        }
    }

    /// Some of the components, with their contents in keep order.
    pub fn components(
        &self,
        generation: &Generation,
        groups: &ComponentGroups,
        first: usize,
        count: usize,
    ) -> Vec<ConnectedComponent> {
        // Only the index can order documents by the keep rules.
        let state = generation.store.state();
        let order = |&a: &VisibleNumber, &b: &VisibleNumber| -> Ordering {
            state.population.order(self.best[a], self.best[b])
        };
        (first..groups.len().min(first + count)).map(|group| groups.component(group, order)).collect()
    }
}

/// The connected components: their contents by rising number, and their edges.
pub struct ComponentGroups {
    edges: Grouped<SimilarityEdge>,
    contents: Grouped<VisibleNumber>,
}

impl ComponentGroups {
    pub fn len(&self) -> usize {
        self.contents.bounds.len()
    }

    fn component(
        &self,
        group: usize,
        order: impl Fn(&VisibleNumber, &VisibleNumber) -> Ordering,
    ) -> ConnectedComponent {
        let numbers = self.contents.get(group);
        let mut contents = numbers.to_vec();
        contents.sort_by(order);
        // From a content to its rank, by way of its place among the numbers.
        let at = |content: VisibleNumber| numbers.binary_search(&content).unwrap_or_default();
        let mut ranks = vec![0; contents.len()];
        for (&content, rank) in contents.iter().zip(0..) {
            ranks[at(content)] = rank;
        }
        let edges = self.edges.get(group).iter().map(|edge| {
            let (a, b): (u32, u32) = (ranks[at(edge.a)], ranks[at(edge.b)]);
            Edge { a: a.min(b), b: a.max(b), similarity: edge.similarity }
        });
        let edges = edges.collect();
        ConnectedComponent { contents, edges }
    }
}

/// Items sorted by group.
struct Grouped<T> {
    all: Vec<T>,
    /// Where each group begins.
    bounds: Vec<u32>,
}

impl<T: Copy> Grouped<T> {
    /// Groups items by the root of their group, of which there are at most `roots`, by counting sort.
    fn new(things: &[(u32, T)], roots: usize) -> Grouped<T> {
        let mut ends = vec![0u32; roots + 1];
        things.iter().for_each(|&(root, _)| ends[root as usize + 1] += 1);
        for place in 1..ends.len() {
            ends[place] += ends[place - 1];
        }
        let bounds: Vec<u32> = ends.windows(2).filter(|two| two[0] < two[1]).map(|two| two[0]).collect();
        let mut all: Vec<T> = things.iter().map(|&(_, thing)| thing).collect();
        for &(root, thing) in things {
            let next = &mut ends[root as usize];
            all[*next as usize] = thing;
            *next += 1;
        }
        Grouped { all, bounds }
    }

    fn get(&self, group: usize) -> &[T] {
        let end = self.bounds.get(group + 1).map_or(self.all.len(), |&end| end as usize);
        &self.all[self.bounds[group] as usize..end]
    }
}
