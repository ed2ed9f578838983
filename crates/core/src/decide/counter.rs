//! Counting what one feature set shares with many others, which need not be sorted for it.

use std::hash::{BuildHasher, RandomState};

use super::overlap::Overlap;
use crate::features::set::sort_hashes;
use crate::hash;

/// The features of one document, ready to be counted among those of others, in memory that is reused.
pub struct OverlapCounter {
    /// Moves all features to other slots in every process, so that nobody can write a text whose features crowd in a few.
    /// Counts do not depend on it.
    seed: u64,
    /// Its features, with open addressing.
    slots: Vec<u64>,
    /// For each slot 0 if it is free, and else the round in which its feature was met last.
    rounds: Vec<u32>,
    round: u32,
    features: u32,
    /// Features of the other document alone, as they come and sorted.
    alone: Vec<u64>,
    sorted: Vec<u64>,
}

impl Default for OverlapCounter {
    fn default() -> OverlapCounter {
        OverlapCounter {
            seed: RandomState::new().hash_one(0u64),
            slots: Vec::new(),
            rounds: Vec::new(),
            round: 0,
            features: 0,
            alone: Vec::new(),
            sorted: Vec::new(),
        }
    }
}

impl OverlapCounter {
    /// Takes the distinct features of a document.
    pub fn fill(&mut self, distinct: &[u64]) {
        // So much room that most features are at the first place where they are looked for.
        let slots = (distinct.len() * 4).next_power_of_two();
        self.slots.resize(slots, 0);
        self.rounds.clear();
        self.rounds.resize(slots, 0);
        self.features = distinct.len() as u32;
        self.round = 1;
        for &feature in distinct {
            let mut place = hash::mix(feature ^ self.seed) as usize & (slots - 1);
            while self.rounds[place] != 0 {
                place = (place + 1) & (slots - 1);
            }
            (self.slots[place], self.rounds[place]) = (feature, self.round);
        }
    }

    /// Counts what the document shares with another, whose features may repeat and have any order.
    pub fn count(&mut self, other: &[u64]) -> Overlap {
        if self.round == u32::MAX {
            self.rounds.iter_mut().for_each(|round| *round = (*round).min(1));
            self.round = 1;
        }
        self.round += 1;
        self.alone.clear();
        let (seed, slots, mask) = (self.seed, &self.slots[..], self.slots.len() - 1);
        let Some(rounds) = self.rounds.get_mut(..slots.len()) else { return Overlap::default() };
        let mut shared = 0;
        for &feature in other {
            // Not all kinds of features are spread evenly.
            let mut place = hash::mix(feature ^ seed) as usize & mask;
            loop {
                let round = rounds[place];
                if round == 0 {
                    self.alone.push(feature);
                    break;
                }
                if slots[place] == feature {
                    shared += u32::from(round != self.round);
                    rounds[place] = self.round;
                    break;
                }
                place = (place + 1) & mask;
            }
        }
        self.sorted.clear();
        sort_hashes(&self.alone, &mut self.sorted);
        self.sorted.dedup();
        Overlap { shared, a: self.features, b: shared + self.sorted.len() as u32 }
    }

    /// Bytes of its memory.
    pub fn bytes(&self) -> usize {
        12 * self.slots.capacity() + 8 * (self.alone.capacity() + self.sorted.capacity())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::features::{FeatureSet, Features};

    fn set(hashes: &[u64]) -> FeatureSet {
        FeatureSet::from_features(&Features { hashes: hashes.to_vec(), ..Features::default() })
    }

    proptest! {
        /// One document against several, of more or fewer features, of which some repeat and some want the same slot.
        #[test]
        fn counts_what_sorted_sets_share(
            lists in proptest::collection::vec(
                proptest::collection::vec(prop_oneof![0u64..60, (0u64..9).prop_map(|i| i << 40)], 0..90), 2..6,
            ),
        ) {
            let mut counter = OverlapCounter::default();
            for own in &lists {
                let own = set(own);
                counter.fill(&own.hashes);
                for (number, other) in lists.iter().enumerate() {
                    if number == 2 {
                        counter.round = u32::MAX;
                    }
                    prop_assert_eq!(counter.count(other), Overlap::count(&own, &set(other)));
                }
            }
        }
    }
}
