//! The search for the partners of each set among the sets before it.
//!
//! Sets are numbered by rising size. For each rank of a set, rarest first, the postings say which
//! smaller sets have it. Most of what they name is dropped at sight: by its size, by how little can
//! still follow the first shared rank (the positional filter of PPJoin), or by its sketch. What is
//! left is counted rank by rank and merged to the end from the last shared place.

use std::ops::ControlFlow;

use super::bounds::{Bounds, Sizes};
use super::index::{Index, Outline};
use super::ranks::Ranked;
use crate::decide::Overlap;

pub(super) struct Search<'a> {
    bounds: &'a Bounds,
    ranked: &'a Ranked,
    sizes: Sizes,
    index: Index,
    outlines: Vec<Outline>,
}

/// What a thread needs to search, reused from set to set.
pub(super) struct Scratch {
    /// For each set: [`UNSEEN`], [`DROPPED`], or its place among the candidates.
    slots: Vec<u32>,
    /// The sets that are not unseen.
    seen: Vec<u32>,
    candidates: Vec<Candidate>,
    /// How much must be shared with sets of each size, from the lowest size on.
    least: Vec<u32>,
    /// The number of the size for which `least` was computed.
    least_of: Option<u32>,
}

const UNSEEN: u32 = u32::MAX;
const DROPPED: u32 = u32::MAX - 1;

struct Candidate {
    set: u32,
    least: u32,
    shared: u32,
    /// How many ranks follow the last shared one, in the set that searches and in the candidate.
    rest: u32,
    candidate_rest: u32,
}

impl<'a> Search<'a> {
    pub(super) fn new(bounds: &'a Bounds, ranked: &'a Ranked) -> Search<'a> {
        let sizes = Sizes::new(bounds, &ranked.sizes);
        let index = Index::new(&sizes, ranked);
        let outlines = Outline::all(&sizes, ranked);
        Search { bounds, ranked, sizes, index, outlines }
    }

    pub(super) fn scratch(&self) -> Scratch {
        Scratch {
            slots: vec![UNSEEN; self.ranked.len()],
            seen: Vec::new(),
            candidates: Vec::new(),
            least: Vec::new(),
            least_of: None,
        }
    }

    /// Calls `found` with every smaller partner of a set; of sets of one size, those with a smaller
    /// number.
    pub(super) fn partners(
        &self,
        set: u32,
        scratch: &mut Scratch,
        mut found: impl FnMut(u32) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        self.gather(set, scratch);
        for seen in scratch.seen.drain(..) {
            scratch.slots[seen as usize] = UNSEEN;
        }
        let ranks = self.ranked.set(set as usize);
        for candidate in scratch.candidates.drain(..).filter(|candidate| candidate.least != 0) {
            let other = self.ranked.set(candidate.set as usize);
            let rest = &ranks[ranks.len() - candidate.rest as usize..];
            let other_rest = &other[other.len() - candidate.candidate_rest as usize..];
            let Some(more) =
                count_at_least(rest, other_rest, candidate.least.saturating_sub(candidate.shared))
            else {
                continue;
            };
            let of = |set: u32| self.ranked.sizes[set as usize];
            let overlap = Overlap { shared: candidate.shared + more, a: of(candidate.set), b: of(set) };
            if self.bounds.reached(&overlap) {
                found(candidate.set)?;
            }
        }
        ControlFlow::Continue(())
    }

    /// Finds the candidates of a set and counts what they share as far as the postings tell.
    fn gather(&self, set: u32, scratch: &mut Scratch) {
        let Scratch { slots, seen, candidates, least, least_of } = scratch;
        let outline = &self.outlines[set as usize];
        let sizes = self.sizes.all();
        let own = &sizes[outline.size as usize];
        if *least_of != Some(outline.size) {
            *least_of = Some(outline.size);
            least.clear();
            let partners = &sizes[own.lowest as usize..=outline.size as usize];
            least.extend(partners.iter().map(|size| self.bounds.least_shared(size.features, own.features)));
        }
        let ranks = self.ranked.set(set as usize);
        let (mut low, mut high) = (0, least.len());
        for (place, &rank) in ranks.iter().enumerate() {
            // Sizes with which the ranks from here on are too few; what was counted before for them
            // stays as it is.
            let remaining = (ranks.len() - place) as u32;
            while low < high && least[high - 1] > remaining {
                high -= 1;
            }
            while low < high && least[low] > remaining {
                low += 1;
            }
            if low == high {
                break;
            }
            let first = sizes[own.lowest as usize + low].sets.start;
            let end = sizes[own.lowest as usize + high - 1].sets.end.min(set);
            let postings = self.index.postings(rank);
            let start = postings.partition_point(|posting| posting.set < first);
            for posting in postings[start..].iter().take_while(|posting| posting.set < end) {
                let slot = &mut slots[posting.set as usize];
                let follow = posting.rest.min(remaining - 1);
                match *slot {
                    DROPPED => {}
                    UNSEEN => {
                        seen.push(posting.set);
                        *slot = DROPPED;
                        let other = &self.outlines[posting.set as usize];
                        let least = least[(other.size - own.lowest) as usize];
                        if follow + 1 >= least && outline.most_shared(other) >= least {
                            *slot = candidates.len() as u32;
                            candidates.push(Candidate {
                                set: posting.set,
                                least,
                                shared: 1,
                                rest: remaining - 1,
                                candidate_rest: posting.rest,
                            });
                        }
                    }
                    known => {
                        let candidate = &mut candidates[known as usize];
                        candidate.shared += 1;
                        candidate.rest = remaining - 1;
                        candidate.candidate_rest = posting.rest;
                        if candidate.shared + follow < candidate.least {
                            // No pair needs to share nothing: this is the mark of one that is none.
                            candidate.least = 0;
                            *slot = DROPPED;
                        }
                    }
                }
            }
        }
    }
}

/// How many values two rising lists share, unless they are fewer than `least`.
fn count_at_least(a: &[u32], b: &[u32], least: u32) -> Option<u32> {
    let (mut a, b) = if a.len() < b.len() { (b, a) } else { (a, b) };
    let mut shared = 0;
    if a.len() / 16 > b.len() {
        for (place, value) in b.iter().enumerate() {
            if shared + ((b.len() - place) as u32) < least {
                return None;
            }
            a = &a[a.partition_point(|other| other < value)..];
            shared += u32::from(a.first() == Some(value));
        }
    } else {
        let (mut i, mut j) = (0, 0);
        while i < a.len() && j < b.len() {
            if shared + ((a.len() - i).min(b.len() - j) as u32) < least {
                return None;
            }
            let (x, y) = (a[i], b[j]);
            shared += u32::from(x == y);
            i += usize::from(x <= y);
            j += usize::from(y <= x);
        }
    }
    (shared >= least).then_some(shared)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn counts_like_a_set(
            a in proptest::collection::btree_set(0u32..400, 0..300),
            b in prop_oneof![
                proptest::collection::btree_set(0u32..400, 0..10),
                proptest::collection::btree_set(0u32..400, 0..300),
            ],
            least in 0u32..100,
        ) {
            let list = |set: &BTreeSet<u32>| set.iter().copied().collect::<Vec<u32>>();
            let shared = a.intersection(&b).count() as u32;
            prop_assert_eq!(count_at_least(&list(&a), &list(&b), least), (shared >= least).then_some(shared));
        }
    }
}
