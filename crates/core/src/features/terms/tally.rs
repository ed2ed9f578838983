//! Merges occurrences into distinct features: how often each occurs, and what its occurrences weigh
//! together.

use crate::maths;

/// Buffers for the distinct features of a document, reused from one to the next.
#[derive(Default)]
pub struct Tally {
    /// Open addressing: one more than the place of a distinct feature, 0 where there is none.
    slots: Vec<u32>,
    counts: Vec<u32>,
    /// The sum of the occurrences' weights.
    sums: Vec<f64>,
}

/// How repeated occurrences are weighed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Repeats {
    /// The sum of their weights: tf times their mean.
    Sum,
    /// 1 + ln tf times their mean.
    Log,
}

impl Tally {
    /// Leaves each hash once, at its first place, with the weight of all its occurrences. Without
    /// weights, an occurrence weighs 1.
    pub fn merge(&mut self, hashes: &mut Vec<u64>, weights: &mut Vec<f32>, repeats: Repeats) {
        let size = (hashes.len() * 2).next_power_of_two().max(64);
        self.slots.clear();
        self.counts.clear();
        self.sums.clear();
        // One giant document must not keep its memory for the rest of the run.
        if self.slots.capacity() > KEEP {
            *self = Tally::default();
        }
        self.slots.resize(size, 0);
        let mask = size - 1;
        for i in 0..hashes.len() {
            let hash = hashes[i];
            let weight = weights.get(i).map_or(1.0, |&weight| f64::from(weight));
            let mut slot = hash as usize & mask;
            loop {
                let place = self.slots[slot] as usize;
                if place == 0 {
                    hashes[self.counts.len()] = hash;
                    self.counts.push(1);
                    self.sums.push(weight);
                    self.slots[slot] = self.counts.len() as u32;
                    break;
                }
                if hashes[place - 1] == hash {
                    self.counts[place - 1] += 1;
                    self.sums[place - 1] += weight;
                    break;
                }
                slot = (slot + 1) & mask;
            }
        }
        hashes.truncate(self.counts.len());
        weights.clear();
        weights.extend(self.counts.iter().zip(&self.sums).map(|(&count, &sum)| match repeats {
            Repeats::Log if count > 1 => {
                let tf = f64::from(count);
                finite((1.0 + maths::ln(tf)) * sum / tf)
            }
            _ => finite(sum),
        }));
    }
}

/// As a weight, which is finite.
pub fn finite(weight: f64) -> f32 {
    weight.min(f64::from(f32::MAX)) as f32
}

/// Slots that are kept for the next document.
const KEEP: usize = 1 << 20;

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn equals_a_map(
            documents in proptest::collection::vec(
                proptest::collection::vec((prop_oneof![0u64..20, any::<u64>()], 0.0f32..5.0), 0..200), 1..4)
        ) {
            let mut tally = Tally::default();
            for document in documents {
                let (mut hashes, mut weights): (Vec<u64>, Vec<f32>) = document.iter().copied().unzip();
                tally.merge(&mut hashes, &mut weights, Repeats::Log);
                let mut twin = BTreeMap::<u64, Vec<f64>>::new();
                let mut order = Vec::new();
                for (hash, weight) in document {
                    let all = twin.entry(hash).or_default();
                    if all.is_empty() {
                        order.push(hash);
                    }
                    all.push(f64::from(weight));
                }
                prop_assert_eq!(&hashes, &order);
                for (hash, weight) in hashes.iter().zip(weights) {
                    let tf = twin[hash].len() as f64;
                    let expected = (1.0 + tf.ln()) * twin[hash].iter().sum::<f64>() / tf;
                    prop_assert!((f64::from(weight) - expected).abs() < 1e-5, "{} is not {}", weight, expected);
                }
            }
        }
    }

    #[test]
    fn without_weights_occurrences_are_counted() {
        let (mut hashes, mut weights) = (vec![7, 0, 7, 7], Vec::new());
        Tally::default().merge(&mut hashes, &mut weights, Repeats::Sum);
        assert_eq!((hashes, weights), (vec![7, 0], vec![3.0, 1.0]));
    }
}
