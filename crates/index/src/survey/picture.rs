//! What clusters are made of, copied out of the index a little at a time, so that neither writers nor other
//! readers wait for long. Whatever changes meanwhile is seen before or after its change.

use std::cmp::Ordering;

use crate::storage::document::{Content, ContentNumber, Document, DocumentNumber};
use crate::storage::population::Sight;
use lookalike_core::Result;
use lookalike_core::cluster::Edge;
use lookalike_core::numbers::{Number, Numbered};
use lookalike_core::union_find::UnionFind;

use super::super::generation::Generation;
use super::super::links::{Needs, own_links};

/// Contents that are looked at while the state is held.
const BLOCK: usize = 4096;

/// A content that somebody sees: they are numbered anew, without those that are hidden.
pub enum SeenContent {}

pub type SeenNumber = Number<SeenContent>;

/// The contents that somebody sees, and how they resemble each other.
pub struct Picture {
    /// For each content the copy that the keep rules like best.
    pub best: Numbered<SeenContent, DocumentNumber>,
    /// Where the copies of each content end in `copies`.
    ends: Numbered<SeenContent, u32>,
    copies: Vec<DocumentNumber>,
    pub edges: Vec<Resemblance>,
    /// When each document came; 0 for those that are not seen.
    pub added: Numbered<Document, u32>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Resemblance {
    pub a: SeenNumber,
    pub b: SeenNumber,
    pub similarity: f64,
}

/// Contents that hang together, the best first, and their resemblances by place in this list.
pub struct Component {
    pub contents: Vec<SeenNumber>,
    pub edges: Vec<Edge>,
}

impl Picture {
    pub fn take(generation: &Generation, sight: &Sight) -> Result<Picture> {
        loop {
            let needs = Needs::default();
            let picture = Picture::take_with(generation, sight, &needs);
            if !needs.meet(generation)? {
                return Ok(picture);
            }
        }
    }

    /// With what is known of links so far.
    fn take_with(generation: &Generation, sight: &Sight, needs: &Needs) -> Picture {
        let store = &generation.store;
        let (contents, documents) = {
            let state = store.state();
            (state.population.contents.next_number(), state.population.documents.next_number())
        };
        let mut picture = Picture {
            best: Numbered::default(),
            ends: Numbered::default(),
            copies: Vec::new(),
            edges: Vec::new(),
            added: Numbered::default(),
        };
        // The contents by their numbers here.
        let mut numbers: Numbered<Content, Option<SeenNumber>> = Numbered::default();
        numbers.reserve_exact(contents.index());
        let mut edges: Vec<(ContentNumber, ContentNumber, f64)> = Vec::new();
        while numbers.next_number() < contents {
            let state = store.state();
            let population = &state.population;
            for content in numbers.next_number().up_to(contents).take(BLOCK) {
                let best = population.best_seen(content, sight);
                numbers.push(best.map(|best| picture.best.push(best)));
                if best.is_none() {
                    continue;
                }
                let seen = |copy: &DocumentNumber| sight.sees(&population.documents[*copy]);
                picture.copies.extend(population.copies(content).filter(seen));
                picture.ends.push(picture.copies.len() as u32);
                let own = own_links(generation, &state, sight, needs, content);
                let links = own.as_deref().unwrap_or_else(|| state.clusters.links(content));
                let links = links.iter().filter(|link| link.other < content);
                edges.extend(links.map(|link| (link.other, content, link.similarity)));
            }
        }
        let seen = |(a, b, similarity): (ContentNumber, ContentNumber, f64)| {
            Some(Resemblance { a: numbers[a]?, b: numbers[b]?, similarity })
        };
        picture.edges = edges.into_iter().filter_map(seen).collect();
        picture.added.reserve_exact(documents.index());
        while picture.added.next_number() < documents {
            let state = store.state();
            for document in picture.added.next_number().up_to(documents).take(BLOCK) {
                let known = &state.population.documents[document];
                picture.added.push(if sight.sees(known) { known.added.max(1) } else { 0 });
            }
        }
        picture
    }

    /// The documents of a content that are seen.
    pub fn copies(&self, content: SeenNumber) -> &[DocumentNumber] {
        let start = content.before().map_or(0, |before| self.ends[before]);
        &self.copies[start as usize..self.ends[content] as usize]
    }

    /// For each content whether it resembles another.
    fn linked(&self) -> Numbered<SeenContent, bool> {
        let mut linked = Numbered::default();
        linked.resize(self.best.len(), false);
        for edge in &self.edges {
            linked[edge.a] = true;
            linked[edge.b] = true;
        }
        linked
    }

    /// Contents that resemble no other.
    pub fn alone(&self) -> Vec<SeenNumber> {
        let linked = self.linked();
        linked.numbers().filter(|&content| !linked[content]).collect()
    }

    /// The resemblances, those of each group of contents that hang together in a row.
    pub fn groups(&self) -> Groups {
        let mut sets = UnionFind::new(self.best.len());
        self.edges.iter().for_each(|edge| sets.union(edge.a.raw(), edge.b.raw()));
        let linked = self.linked();
        let linked = linked.numbers().filter(|&content| linked[content]);
        let linked: Vec<(u32, SeenNumber)> =
            linked.map(|content| (sets.find(content.raw()), content)).collect();
        let edges: Vec<(u32, Resemblance)> =
            self.edges.iter().map(|&edge| (sets.find(edge.a.raw()), edge)).collect();
        Groups { edges: Rows::new(&edges, self.best.len()), contents: Rows::new(&linked, self.best.len()) }
    }

    /// Some of the groups, with their contents in the order in which they are kept.
    pub fn components(
        &self,
        generation: &Generation,
        groups: &Groups,
        first: usize,
        count: usize,
    ) -> Vec<Component> {
        // Only the index knows what the keep rules like better.
        let state = generation.store.state();
        let order = |&a: &SeenNumber, &b: &SeenNumber| -> Ordering {
            state.population.order(self.best[a], self.best[b])
        };
        (first..groups.len().min(first + count)).map(|group| groups.component(group, order)).collect()
    }
}

/// Contents that hang together, by rising number, and their resemblances.
pub struct Groups {
    edges: Rows<Resemblance>,
    contents: Rows<SeenNumber>,
}

impl Groups {
    pub fn len(&self) -> usize {
        self.contents.bounds.len()
    }

    fn component(&self, group: usize, order: impl Fn(&SeenNumber, &SeenNumber) -> Ordering) -> Component {
        let numbers = self.contents.get(group);
        let mut contents = numbers.to_vec();
        contents.sort_by(order);
        // From a content to its rank, by way of its place among the numbers.
        let at = |content: SeenNumber| numbers.binary_search(&content).unwrap_or_default();
        let mut ranks = vec![0; contents.len()];
        for (&content, rank) in contents.iter().zip(0..) {
            ranks[at(content)] = rank;
        }
        let edges = self.edges.get(group).iter().map(|edge| {
            let (a, b): (u32, u32) = (ranks[at(edge.a)], ranks[at(edge.b)]);
            Edge { a: a.min(b), b: a.max(b), similarity: edge.similarity }
        });
        let edges = edges.collect();
        Component { contents, edges }
    }
}

/// Things by group, those of a group in a row.
struct Rows<T> {
    all: Vec<T>,
    /// Where each group begins.
    bounds: Vec<u32>,
}

impl<T: Copy> Rows<T> {
    /// Sorts things by their group's root, of which there are at most `roots`, by counting.
    fn new(things: &[(u32, T)], roots: usize) -> Rows<T> {
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
        Rows { all, bounds }
    }

    fn get(&self, group: usize) -> &[T] {
        let end = self.bounds.get(group + 1).map_or(self.all.len(), |&end| end as usize);
        &self.all[self.bounds[group] as usize..end]
    }
}
