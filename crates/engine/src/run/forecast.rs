//! How many pairs a run will compare, by the keys of a sample of its documents.

use std::collections::HashSet;

use lookalike_core::candidates::{Buckets, NO_KEY};

/// The keys of sampled documents, of which exact copies count once.
#[derive(Default)]
pub struct SampledKeys {
    digests: HashSet<u128>,
    /// The keys of each document, end to end.
    keys: Vec<u64>,
    width: usize,
}

impl SampledKeys {
    /// Adds a document with something to compare.
    pub fn add(&mut self, digest: u128, keys: &[u64]) {
        if self.digests.insert(digest) {
            self.keys.extend_from_slice(keys);
            self.width = keys.len();
        }
    }

    /// The pairs among this many times as many documents. A pair of the sample stands for the square of that; the
    /// members of a crowd are paired with its pivots.
    pub fn pairs(&self, times: f64, limits: Buckets) -> f64 {
        let (mut pairs, mut in_crowds) = (HashSet::new(), HashSet::new());
        for column in 0..self.width {
            let keys = self.keys.iter().skip(column).step_by(self.width);
            let keys = (0u32..).zip(keys).filter(|&(_, &key)| key != NO_KEY);
            let mut documents: Vec<(u64, u32)> = keys.map(|(document, &key)| (key, document)).collect();
            documents.sort_unstable();
            for bucket in documents.chunk_by(|a, b| a.0 == b.0) {
                if bucket.len() as f64 * times > limits.full as f64 {
                    // Two may meet by chance: the rest of such a bucket is not seen.
                    if bucket.len() > 2 || times <= limits.full as f64 / 2.0 {
                        in_crowds.extend(bucket.iter().map(|&(_, document)| document));
                        continue;
                    }
                }
                for (place, &(_, a)) in bucket.iter().enumerate() {
                    pairs.extend(bucket[place + 1..].iter().map(|&(_, b)| (a, b)));
                }
            }
        }
        pairs.len() as f64 * times * times + (in_crowds.len() * limits.pivots) as f64 * times
    }
}

#[cfg(test)]
mod tests {
    use lookalike_core::hash;

    use super::*;

    /// Documents by number: every tenth one has a partner, and the first thousand are a crowd by another key.
    fn sample(documents: impl Iterator<Item = u64>) -> SampledKeys {
        let mut sampled = SampledKeys::default();
        for document in documents {
            let partner = if document % 20_000 < 10_000 { document % 10_000 } else { document };
            let crowd = if document < 4000 { 7 } else { hash::mix(document) };
            sampled.add(u128::from(document), &[hash::mix(partner) >> 1, crowd >> 1, NO_KEY]);
        }
        sampled
    }

    #[test]
    fn a_sample_tells_the_pairs_of_all() {
        let limits = Buckets::default();
        let all = 40_000;
        // Two documents for each key below 10,000, and each of the crowd with four.
        let truth = 10_000.0 + 4000.0 * 4.0;
        assert_eq!(sample(0..all).pairs(1.0, limits), truth);
        let eighth = (0..all).filter(|&document| hash::mix(document ^ 99).is_multiple_of(8));
        let told = sample(eighth).pairs(8.0, limits);
        assert!((told / truth - 1.0).abs() < 0.25, "{told} for {truth}");
        assert_eq!(SampledKeys::default().pairs(9.0, limits), 0.0);
    }

    #[test]
    fn copies_count_once_and_no_key_is_no_bucket() {
        let mut sampled = SampledKeys::default();
        (0..50).for_each(|_| sampled.add(1, &[5, NO_KEY]));
        sampled.add(2, &[5, NO_KEY]);
        sampled.add(3, &[6, NO_KEY]);
        assert_eq!(sampled.pairs(2.0, Buckets::default()), 4.0);
    }
}
