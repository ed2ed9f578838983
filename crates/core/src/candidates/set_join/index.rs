//! Which sets have a feature among their rarest, and a sketch of each set.

use super::bounds::Sizes;
use super::ranks::Ranked;

/// For every rank, the sets that have it in their prefix.
pub(super) struct Index {
    postings: Vec<Posting>,
    /// Where the postings of each rank end.
    ends: Vec<usize>,
}

#[derive(Clone, Copy, Default)]
pub(super) struct Posting {
    pub(super) set: u32,
    /// How many ranks follow in the set.
    pub(super) rest: u32,
}

impl Index {
    /// Two sets that share `least` features share one among the first `length - least + 1` of either,
    /// so these are enough.
    pub(super) fn new(sizes: &Sizes, ranked: &Ranked) -> Index {
        let prefixes = || {
            let sets = sizes.all().iter().flat_map(|size| size.sets.clone().map(move |set| (set, size)));
            sets.map(|(set, size)| {
                let ranks = ranked.set(set as usize);
                let length = (ranks.len() + 1).saturating_sub(size.least_with_larger as usize);
                (set, ranks.len(), &ranks[..length])
            })
        };
        // First the number of postings of each rank, then where they begin; filling moves that on to
        // where they end.
        let mut ends = vec![0; ranked.terms];
        prefixes().flat_map(|(.., prefix)| prefix).for_each(|&rank| ends[rank as usize] += 1);
        let mut total = 0;
        for end in &mut ends {
            total += std::mem::replace(end, total);
        }
        let mut postings = vec![Posting::default(); total];
        for (set, length, prefix) in prefixes() {
            for (place, &rank) in prefix.iter().enumerate() {
                let end = &mut ends[rank as usize];
                postings[*end] = Posting { set, rest: (length - place - 1) as u32 };
                *end += 1;
            }
        }
        Index { postings, ends }
    }

    /// By rising number of the set.
    #[inline]
    pub(super) fn postings(&self, rank: u32) -> &[Posting] {
        let rank = rank as usize;
        let start = if rank == 0 { 0 } else { self.ends[rank - 1] };
        &self.postings[start..self.ends[rank]]
    }
}

/// A bit for each rank, several ranks to a bit: what differs here differs in the sets.
#[derive(Clone, Copy)]
pub(super) struct Outline {
    bits: [u64; 4],
    /// How many ranks the set has.
    length: u32,
    /// The number of its size.
    pub(super) size: u32,
}

impl Outline {
    pub(super) fn all(sizes: &Sizes, ranked: &Ranked) -> Vec<Outline> {
        let sets = sizes.all().iter().enumerate();
        sets.flat_map(|(number, size)| size.sets.clone().map(move |set| (number as u32, set)))
            .map(|(size, set)| Outline::new(ranked.set(set as usize), size))
            .collect()
    }

    fn new(ranks: &[u32], size: u32) -> Outline {
        let mut bits = [0; 4];
        for rank in ranks {
            let bit = rank.wrapping_mul(0x9e37_79b1) >> 24;
            bits[bit as usize / 64] |= 1 << (bit % 64);
        }
        Outline { bits, length: ranks.len() as u32, size }
    }

    /// At least as many as the sets share: each bit that only one of them has is a feature that only
    /// this one has.
    #[inline]
    pub(super) fn most_shared(&self, other: &Outline) -> u32 {
        let (mut own, mut others) = (0, 0);
        for (a, b) in self.bits.iter().zip(&other.bits) {
            own += (a & !b).count_ones();
            others += (b & !a).count_ones();
        }
        (self.length - own).min(other.length - others)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn sketches_never_underestimate(
            a in proptest::collection::btree_set(0u32..500, 0..300),
            b in proptest::collection::btree_set(0u32..500, 0..300),
        ) {
            let outline = |set: &BTreeSet<u32>| Outline::new(&set.iter().copied().collect::<Vec<u32>>(), 0);
            let shared = a.intersection(&b).count() as u32;
            prop_assert!(outline(&a).most_shared(&outline(&b)) >= shared);
            prop_assert_eq!(outline(&a).most_shared(&outline(&a)), a.len() as u32);
        }
    }
}
