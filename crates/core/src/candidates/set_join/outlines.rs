//! A sketch of each set: a bit for each rank, several ranks to a bit.
//!
//! If only one of two sets has a bit, it has a feature that the other lacks. So sketches show in a
//! few instructions how much two sets can share at most. Nearly all pairs are dropped here, most of
//! them after a few machine words.

use super::bounds::Sizes;
use super::ranks::Ranked;

pub(super) struct Outlines {
    outlines: Vec<Outline>,
    /// The sketches, end to end.
    blocks: Vec<Block>,
    blocks_each: usize,
}

#[derive(Clone, Copy)]
pub(super) struct Outline {
    /// How many ranks the set has.
    length: u32,
    /// The number of its size.
    pub(super) size: u32,
}

/// The words of a sketch that are compared at a time.
type Block = [u64; WORDS];
const WORDS: usize = 4;

impl Outlines {
    /// About four bits for each rank of a typical set, so that few features of two sets share a
    /// bit.
    pub(super) fn new(sizes: &Sizes, ranked: &Ranked) -> Outlines {
        const MOST: usize = 64;
        let ranks: usize = (0..ranked.len()).map(|set| ranked.set(set).len()).sum();
        let blocks = (4 * ranks / ranked.len().max(1)).div_ceil(WORDS * 64);
        Outlines::with_blocks(sizes, ranked, blocks.clamp(1, MOST))
    }

    fn with_blocks(sizes: &Sizes, ranked: &Ranked, blocks_each: usize) -> Outlines {
        let mut outlines = Vec::with_capacity(ranked.len());
        let mut blocks = vec![[0; WORDS]; ranked.len() * blocks_each];
        let sets = sizes
            .all()
            .iter()
            .zip(0..)
            .flat_map(|(size, number)| size.sets.clone().map(move |set| (set, number)));
        for ((set, size), sketch) in sets.zip(blocks.chunks_exact_mut(blocks_each)) {
            let ranks = ranked.set(set as usize);
            outlines.push(Outline { length: ranks.len() as u32, size });
            for rank in ranks {
                let spread = u64::from(rank.wrapping_mul(0x9e37_79b1));
                let bit = ((spread * (blocks_each * WORDS * 64) as u64) >> 32) as usize;
                sketch[bit / 64 / WORDS][bit / 64 % WORDS] |= 1 << (bit % 64);
            }
        }
        Outlines { outlines, blocks, blocks_each }
    }

    pub(super) fn get(&self, set: u32) -> Outline {
        self.outlines[set as usize]
    }

    /// False only if the sets share less than `least`.
    #[inline]
    pub(super) fn may_share(&self, a: u32, b: u32, least: u32) -> bool {
        // How many features each of the two may have that the other lacks.
        let allowed = |set: u32| self.get(set).length.checked_sub(least);
        let (Some(mut of_a), Some(mut of_b)) = (allowed(a), allowed(b)) else { return false };
        for (a, b) in self.sketch(a).iter().zip(self.sketch(b)) {
            let count =
                |only: fn(u64, u64) -> u64| a.iter().zip(b).map(|(&a, &b)| only(a, b).count_ones()).sum();
            let (Some(a), Some(b)) =
                (of_a.checked_sub(count(|a, b| a & !b)), of_b.checked_sub(count(|a, b| b & !a)))
            else {
                return false;
            };
            (of_a, of_b) = (a, b);
        }
        true
    }

    fn sketch(&self, set: u32) -> &[Block] {
        &self.blocks[set as usize * self.blocks_each..][..self.blocks_each]
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::super::super::Records;
    use super::super::bounds::Bounds;
    use super::super::groups::Groups;
    use super::*;
    use crate::decide::Jaccard;

    proptest! {
        #[test]
        fn no_pair_is_lost(
            sets in proptest::collection::btree_set(proptest::collection::btree_set(0u64..300, 1..150), 2..8),
            blocks in 1usize..5,
        ) {
            let mut records = Records::default();
            for set in &sets {
                records.push(&set.iter().flat_map(|hash| hash.to_le_bytes()).collect::<Vec<u8>>());
            }
            let groups = Groups::new(&records).unwrap();
            let ranked = Ranked::new(&records, &groups, 1).unwrap();
            let sizes = Sizes::new(&Bounds::of(Box::new(Jaccard), 0.5), &ranked.sizes);
            let outlines = Outlines::with_blocks(&sizes, &ranked, blocks);
            let terms = |set: u32| ranked.set(set as usize).iter().copied().collect::<BTreeSet<u32>>();
            for a in 0..ranked.len() as u32 {
                for b in 0..ranked.len() as u32 {
                    let shared = terms(a).intersection(&terms(b)).count() as u32;
                    prop_assert!(outlines.may_share(a, b, shared));
                    prop_assert!(!outlines.may_share(a, b, terms(a).len() as u32 + 1));
                }
            }
        }
    }

    /// Sets that have nothing in common are told apart by their sketches alone.
    #[test]
    fn different_sets_are_dropped() {
        let mut records = Records::default();
        for first in [0u64, 0, 1000, 1000] {
            // One term of its own each, so that no two sets are equal.
            let terms = (first + 1..first + 101).chain([first + 500 + records.len() as u64]);
            records.push(&terms.flat_map(u64::to_le_bytes).collect::<Vec<u8>>());
        }
        let groups = Groups::new(&records).unwrap();
        let ranked = Ranked::new(&records, &groups, 1).unwrap();
        let sizes = Sizes::new(&Bounds::of(Box::new(Jaccard), 0.5), &ranked.sizes);
        let outlines = Outlines::new(&sizes, &ranked);
        let partners = |a: u32| (0..4).filter(|&b| outlines.may_share(a, b, 67)).count();
        assert_eq!([0, 1, 2, 3].map(partners), [2; 4]);
    }
}
