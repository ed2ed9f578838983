//! A document's features as a set, ready for exact comparison.

use super::extractor::Features;

/// Distinct feature hashes in rising order, and their weights if there are any.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FeatureSet {
    /// The distinct hashes, rising.
    pub hashes: Vec<u64>,
    /// Summed weight of each hash, or empty when all weigh the same.
    pub weights: Vec<f32>,
    /// See [`Features::class`].
    pub class: Option<u64>,
    /// The document by other kinds of features, in the order of [`Decider::views`]; mostly none.
    ///
    /// [`Decider::views`]: crate::decide::Decider::views
    pub views: Vec<FeatureSet>,
}

impl FeatureSet {
    /// Sorts features and leaves each once.
    pub fn from_features(features: &Features) -> Self {
        let mut set = FeatureSet::default();
        set.fill(features);
        set
    }

    /// Rebuilds the set in place, so that its memory is reused.
    pub fn fill(&mut self, features: &Features) {
        self.hashes.clear();
        self.weights.clear();
        self.class = features.class;
        if features.weights.is_empty() {
            sort_hashes(&features.hashes, &mut self.hashes);
            self.hashes.dedup();
            return;
        }
        let mut weighted: Vec<(u64, f32)> =
            features.hashes.iter().copied().zip(features.weights.iter().copied()).collect();
        weighted.sort_by_key(|&(hash, _)| hash);
        for (hash, weight) in weighted {
            if self.hashes.last() == Some(&hash) {
                if let Some(sum) = self.weights.last_mut() {
                    *sum += weight;
                }
            } else {
                self.hashes.push(hash);
                self.weights.push(weight);
            }
        }
    }

    /// How many distinct features there are.
    pub fn len(&self) -> usize {
        self.hashes.len()
    }

    /// Whether there are no features.
    pub fn is_empty(&self) -> bool {
        self.hashes.is_empty()
    }
}

/// Sorts hashes, which are spread evenly over 64 bits: one pass puts each near its place, an
/// insertion sort does the rest. When they are not spread evenly after all, it falls back to a
/// general sort.
pub(crate) fn sort_hashes(hashes: &[u64], sorted: &mut Vec<u64>) {
    // About one bucket for each hash: with fewer more is left to do, and of more most of the time goes into counting.
    match hashes.len() {
        32..96 => spread::<128>(hashes, sorted),
        96..256 => spread::<256>(hashes, sorted),
        256..640 => spread::<512>(hashes, sorted),
        640..=8192 => spread::<1024>(hashes, sorted),
        _ => {
            sorted.extend_from_slice(hashes);
            sorted.sort_unstable();
        }
    }
}

fn spread<const BUCKETS: usize>(hashes: &[u64], sorted: &mut Vec<u64>) {
    const CROWDED: u32 = 64;
    let bucket = |hash: u64| (hash >> (64 - BUCKETS.ilog2())) as usize;
    let mut starts = [0u32; BUCKETS];
    for &hash in hashes {
        starts[bucket(hash)] += 1;
    }
    let (mut next, mut fullest) = (0, 0);
    for start in &mut starts {
        fullest = fullest.max(*start);
        next += std::mem::replace(start, next);
    }
    sorted.resize(hashes.len(), 0);
    for &hash in hashes {
        let place = &mut starts[bucket(hash)];
        sorted[*place as usize] = hash;
        *place += 1;
    }
    if fullest > CROWDED {
        sorted.sort_unstable();
        return;
    }
    for i in 1..sorted.len() {
        let hash = sorted[i];
        let mut hole = i;
        while hole > 0 && sorted[hole - 1] > hash {
            sorted[hole] = sorted[hole - 1];
            hole -= 1;
        }
        sorted[hole] = hash;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn sorts_like_the_standard_library(
            hashes in proptest::collection::vec(prop_oneof![any::<u64>(), 0u64..50], 0..1500)
        ) {
            let mut expected = hashes.clone();
            expected.sort_unstable();
            let mut sorted = Vec::new();
            sort_hashes(&hashes, &mut sorted);
            prop_assert_eq!(sorted, expected);
        }
    }

    #[test]
    fn weights_of_repeats_add_up() {
        let features =
            Features { hashes: vec![5, 3, 5], weights: vec![1.0, 2.0, 0.5], ..Features::default() };
        let set = FeatureSet::from_features(&features);
        assert_eq!((set.hashes, set.weights), (vec![3, 5], vec![2.0, 1.5]));
    }
}
