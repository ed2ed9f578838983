//! What clusters are made of, copied out of the index a little at a time, so that neither writers nor other
//! readers wait for long. Whatever changes meanwhile is seen before or after its change.

use std::cmp::Ordering;

use lookalike_core::union_find::UnionFind;
use lookalike_index::population::Sight;

use super::super::generation::Generation;

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
    pub fn take(generation: &Generation, sight: &Sight) -> Picture {
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
                let links = state.clusters.links(content).iter().filter(|link| link.other < content);
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
        // Sorted by counting: there are as many roots as contents.
        let mut ends = vec![0u32; self.best.len() + 1];
        let roots: Vec<u32> = self.edges.iter().map(|edge| sets.find(edge.a)).collect();
        roots.iter().for_each(|&root| ends[root as usize + 1] += 1);
        for place in 1..ends.len() {
            ends[place] += ends[place - 1];
        }
        let bounds: Vec<u32> = ends.windows(2).filter(|two| two[0] < two[1]).map(|two| two[0]).collect();
        let mut edges = vec![Resemblance { a: 0, b: 0, similarity: 0.0 }; self.edges.len()];
        for (&edge, &root) in self.edges.iter().zip(&roots) {
            let next = &mut ends[root as usize];
            edges[*next as usize] = edge;
            *next += 1;
        }
        Groups { edges, bounds }
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
        (first..groups.len().min(first + count)).map(|group| component(groups.edges(group), order)).collect()
    }
}

/// Resemblances by group.
pub struct Groups {
    edges: Vec<Resemblance>,
    /// Where each group begins.
    bounds: Vec<u32>,
}

impl Groups {
    pub fn len(&self) -> usize {
        self.bounds.len()
    }

    fn edges(&self, group: usize) -> &[Resemblance] {
        let end = self.bounds.get(group + 1).map_or(self.edges.len(), |&end| end as usize);
        &self.edges[self.bounds[group] as usize..end]
    }
}

fn component(edges: &[Resemblance], order: impl Fn(&u32, &u32) -> Ordering) -> Component {
    let mut contents: Vec<u32> = edges.iter().flat_map(|edge| [edge.a, edge.b]).collect();
    contents.sort_unstable();
    contents.dedup();
    let numbers = contents.clone();
    contents.sort_by(order);
    // From a content to its rank, by way of its place among the sorted numbers.
    let at = |content: u32| numbers.binary_search(&content).unwrap_or_default();
    let mut ranks = vec![0; contents.len()];
    for (&content, rank) in contents.iter().zip(0..) {
        ranks[at(content)] = rank;
    }
    let edges = edges.iter().map(|edge| {
        let (a, b): (u32, u32) = (ranks[at(edge.a)], ranks[at(edge.b)]);
        Resemblance { a: a.min(b), b: a.max(b), similarity: edge.similarity }
    });
    let edges = edges.collect();
    Component { contents, edges }
}
