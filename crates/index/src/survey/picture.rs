//! What clusters are made of, copied out of the index a little at a time, so that neither writers nor other
//! readers wait for long. Whatever changes meanwhile is seen before or after its change.

use std::cmp::Ordering;

use crate::storage::population::Sight;
use lookalike_core::Result;
use lookalike_core::union_find::UnionFind;

use super::super::generation::Generation;
use super::super::links::{Needs, own_links};

/// Contents that are looked at while the state is held.
const BLOCK: usize = 4096;

/// The place of a content that is not seen.
const HIDDEN: u32 = u32::MAX;

/// The contents that somebody sees, and how they resemble each other.
pub struct Picture {
    /// For each content the copy that the keep rules like best.
    pub best: Vec<u32>,
    /// Where the copies of each content begin in `copies`, and the end of the last.
    starts: Vec<u32>,
    copies: Vec<u32>,
    /// By places of contents.
    pub edges: Vec<Resemblance>,
    /// When each document came; 0 for those that are not seen.
    pub added: Vec<u32>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Resemblance {
    pub a: u32,
    pub b: u32,
    pub similarity: f64,
}

/// Contents that hang together, the best first, and their resemblances by place in this list.
pub struct Component {
    pub contents: Vec<u32>,
    pub edges: Vec<Resemblance>,
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
            (state.population.contents.len(), state.population.documents.len())
        };
        let mut picture = Picture {
            best: Vec::new(),
            starts: vec![0],
            copies: Vec::new(),
            edges: Vec::new(),
            added: vec![0; documents],
        };
        let mut places = vec![HIDDEN; contents];
        for block in (0..contents).step_by(BLOCK) {
            let state = store.state();
            let population = &state.population;
            for (place, content) in places[block..].iter_mut().zip(block as u32..).take(BLOCK) {
                let Some(best) = population.best_seen(content, sight) else { continue };
                *place = picture.best.len() as u32;
                picture.best.push(best);
                let seen = |copy: &u32| sight.sees(&population.documents[*copy as usize]);
                picture.copies.extend(population.copies(content).filter(seen));
                picture.starts.push(picture.copies.len() as u32);
                let own = own_links(generation, &state, sight, needs, content);
                let links = own.as_deref().unwrap_or_else(|| state.clusters.links(content));
                let links = links.iter().filter(|link| link.other < content);
                picture.edges.extend(links.map(|link| Resemblance {
                    a: link.other,
                    b: content,
                    similarity: link.similarity,
                }));
            }
        }
        picture.edges.retain_mut(|edge| {
            (edge.a, edge.b) = (places[edge.a as usize], places[edge.b as usize]);
            edge.a != HIDDEN && edge.b != HIDDEN
        });
        for block in (0..documents).step_by(BLOCK) {
            let state = store.state();
            let known = state.population.documents[block..].iter().take(BLOCK);
            for (added, document) in picture.added[block..].iter_mut().zip(known) {
                if sight.sees(document) {
                    *added = document.added.max(1);
                }
            }
        }
        picture
    }

    /// The documents of a content that are seen.
    pub fn copies(&self, place: u32) -> &[u32] {
        let place = place as usize;
        &self.copies[self.starts[place] as usize..self.starts[place + 1] as usize]
    }

    /// Contents that resemble no other.
    pub fn alone(&self) -> Vec<u32> {
        let mut linked = vec![false; self.best.len()];
        for edge in &self.edges {
            linked[edge.a as usize] = true;
            linked[edge.b as usize] = true;
        }
        (0..self.best.len() as u32).filter(|&place| !linked[place as usize]).collect()
    }

    /// The resemblances, those of each group of contents that hang together in a row.
    pub fn groups(&self) -> Groups {
        let mut sets = UnionFind::new(self.best.len());
        self.edges.iter().for_each(|edge| sets.union(edge.a, edge.b));
        let mut linked = vec![false; self.best.len()];
        for edge in &self.edges {
            linked[edge.a as usize] = true;
            linked[edge.b as usize] = true;
        }
        let linked = (0..self.best.len() as u32).filter(|&content| linked[content as usize]);
        let linked: Vec<(u32, u32)> = linked.map(|content| (sets.find(content), content)).collect();
        let edges: Vec<(u32, Resemblance)> =
            self.edges.iter().map(|&edge| (sets.find(edge.a), edge)).collect();
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
        let order = |&a: &u32, &b: &u32| -> Ordering {
            state.population.order(self.best[a as usize], self.best[b as usize])
        };
        (first..groups.len().min(first + count)).map(|group| groups.component(group, order)).collect()
    }
}

/// Contents that hang together, by rising number, and their resemblances.
pub struct Groups {
    edges: Rows<Resemblance>,
    contents: Rows<u32>,
}

impl Groups {
    pub fn len(&self) -> usize {
        self.contents.bounds.len()
    }

    fn component(&self, group: usize, order: impl Fn(&u32, &u32) -> Ordering) -> Component {
        let numbers = self.contents.get(group);
        let mut contents = numbers.to_vec();
        contents.sort_by(order);
        // From a content to its rank, by way of its place among the numbers.
        let at = |content: u32| numbers.binary_search(&content).unwrap_or_default();
        let mut ranks = vec![0; contents.len()];
        for (&content, rank) in contents.iter().zip(0..) {
            ranks[at(content)] = rank;
        }
        let edges = self.edges.get(group).iter().map(|edge| {
            let (a, b): (u32, u32) = (ranks[at(edge.a)], ranks[at(edge.b)]);
            Resemblance { a: a.min(b), b: a.max(b), similarity: edge.similarity }
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
