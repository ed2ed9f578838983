//! The search for the partners of each set among the sets before it.
//!
//! Sets are numbered by rising size. For each rank of a set, rarest first, the postings say which
//! smaller sets have it. Most of these are dropped at once: because of their size, because too
//! little can follow the first shared rank (the positional filter of PPJoin), or because of their
//! sketch. For the rest, shared ranks are counted, and the sets are merged from the last shared
//! place to the end.

use super::bounds::{Bounds, Sizes};
use super::index::{Index, List};
use super::outlines::Outlines;
use super::ranks::Ranked;
use crate::candidates::emitter::Emitted;
use crate::decide::Overlap;

pub(super) struct Search<'a> {
    bounds: &'a Bounds,
    ranked: &'a Ranked,
    sizes: Sizes,
    index: Index,
    outlines: Outlines,
}

/// What a thread needs to search, reused from set to set.
pub(super) struct Scratch {
    /// For each set its place among the candidates, or [`NONE`].
    slots: Vec<u32>,
    /// Where the postings of the first ranks are.
    lists: Vec<List>,
    candidates: Vec<Candidate>,
    allowed: Allowed,
}

const NONE: u32 = u32::MAX;

struct Candidate {
    set: u32,
    least: u32,
    shared: u32,
    /// How many ranks follow the last shared one, in the searching set and in the candidate.
    rest: u32,
    candidate_rest: u32,
}

impl<'a> Search<'a> {
    pub(super) fn new(bounds: &'a Bounds, ranked: &'a Ranked) -> Search<'a> {
        let sizes = Sizes::new(bounds, &ranked.sizes);
        let index = Index::new(&sizes, ranked);
        let outlines = Outlines::new(&sizes, ranked);
        Search { bounds, ranked, sizes, index, outlines }
    }

    pub(super) fn scratch(&self) -> Scratch {
        Scratch {
            slots: vec![NONE; self.ranked.len()],
            lists: Vec::new(),
            candidates: Vec::new(),
            allowed: Allowed::default(),
        }
    }

    /// Calls `found` with every partner of a set that is smaller, or of the same size with a
    /// smaller number.
    pub(super) fn partners(
        &self,
        set: u32,
        scratch: &mut Scratch,
        mut found: impl FnMut(u32) -> Emitted,
    ) -> Emitted {
        self.gather(set, scratch);
        let ranks = self.ranked.set(set as usize);
        for candidate in scratch.candidates.drain(..) {
            scratch.slots[candidate.set as usize] = NONE;
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
        Ok(())
    }

    /// Finds the candidates of a set and counts what they share according to the postings.
    ///
    /// The shared ranks that are counted for a candidate are always its first ones: the allowed
    /// ranges only shrink from rank to rank, so once one shared rank is skipped, all later ones
    /// are.
    fn gather(&self, set: u32, scratch: &mut Scratch) {
        let Scratch { slots, lists, candidates, allowed } = scratch;
        allowed.prepare(self.bounds, &self.sizes, self.outlines.get(set).size);
        let ranks = self.ranked.set(set as usize);
        let ranges = (1..=ranks.len() as u32).rev().map(|left| allowed.with(left));
        let ranges = ranges.map(|(first, end)| first..end.min(set)).take_while(|sets| !sets.is_empty());
        self.index.find(ranks.iter().copied().zip(ranges), lists);
        for (place, list) in lists.iter().enumerate() {
            let rest = (ranks.len() - place - 1) as u32;
            for posting in self.index.postings(list) {
                // The most that can be shared: this rank and all ranks after it.
                let (first, end) = allowed.with(posting.rest.min(rest) + 1);
                if posting.set < first || posting.set >= end {
                    continue;
                }
                let slot = slots[posting.set as usize];
                if slot == NONE {
                    let least = allowed.least(self.outlines.get(posting.set).size);
                    if self.outlines.may_share(set, posting.set, least) {
                        slots[posting.set as usize] = candidates.len() as u32;
                        candidates.push(Candidate {
                            set: posting.set,
                            least,
                            shared: 1,
                            rest,
                            candidate_rest: posting.rest,
                        });
                    }
                    continue;
                }
                let candidate = &mut candidates[slot as usize];
                candidate.shared += 1;
                candidate.rest = rest;
                candidate.candidate_rest = posting.rest;
            }
        }
    }
}

/// With which sets the sets of one size can be paired.
#[derive(Default)]
struct Allowed {
    /// The number of the size and of the smallest one that it can be paired with.
    size: Option<u32>,
    lowest: u32,
    /// How much must be shared with sets of each size, from the lowest on.
    least: Vec<u32>,
    /// For each number of shared ranks, the range of sets for which that number can be enough.
    ranges: Vec<(u32, u32)>,
}

impl Allowed {
    fn prepare(&mut self, bounds: &Bounds, sizes: &Sizes, size: u32) {
        if self.size == Some(size) {
            return;
        }
        let own = &sizes.all()[size as usize];
        let partners = &sizes.all()[own.lowest as usize..=size as usize];
        (self.size, self.lowest) = (Some(size), own.lowest);
        self.least.clear();
        self.least.extend(partners.iter().map(|partner| bounds.least_shared(partner.features, own.features)));
        self.ranges.clear();
        self.ranges.resize(own.features as usize + 1, (u32::MAX, 0));
        for (partner, &least) in partners.iter().zip(&self.least) {
            // Absent if sets of this size cannot be paired.
            if let Some((first, end)) = self.ranges.get_mut(least as usize) {
                (*first, *end) = (partner.sets.start.min(*first), partner.sets.end.max(*end));
            }
        }
        let mut reached = (u32::MAX, 0);
        for (first, end) in &mut self.ranges {
            reached = (reached.0.min(*first), reached.1.max(*end));
            (*first, *end) = reached;
        }
    }

    #[inline]
    fn with(&self, shared: u32) -> (u32, u32) {
        self.ranges[shared as usize]
    }

    /// How much must be shared with sets of this size, which must be allowed.
    #[inline]
    fn least(&self, size: u32) -> u32 {
        self.least[(size - self.lowest) as usize]
    }
}

/// How many values two rising lists share; `None` if fewer than `least`.
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
