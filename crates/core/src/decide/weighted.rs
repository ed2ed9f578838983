//! Measures of weighted term vectors: how much two documents share, heavy features counting more.
//!
//! A document is a vector with one coordinate for each feature. Without weights all coordinates are 1,
//! and every measure here equals the set measure of the same name. One pass over both sorted sets
//! computes all the sums that the measures need, in 64-bit floats and in the order of the hashes, so
//! that a similarity is the same on every machine.
//!
//! None of them bounds the resemblance of a pair: a single feature that outweighs all others makes
//! two documents alike that share nothing else.

use super::measure::Measure;
use super::overlap::Overlap;
use crate::features::FeatureSet;
use crate::part::{PartInfo, Spec};

macro_rules! weighted_measure {
    ($type:ident, $name:literal, $summary:literal, $paper:literal, $least_shared:literal, $least_cosine:expr,
     $similarity:expr) => {
        #[doc = $summary]
        pub struct $type;

        impl $type {
            /// The description of this part in the registry.
            pub const INFO: PartInfo =
                PartInfo { name: $name, summary: $summary, paper: $paper, params: &[] };
        }

        impl Measure for $type {
            fn spec(&self) -> Spec {
                Spec::new($name)
            }

            fn similarity(&self, a: &FeatureSet, b: &FeatureSet, overlap: &Overlap) -> f64 {
                let similarity: fn(&Sums) -> f64 = $similarity;
                let sums = Sums::of(a, b, overlap);
                if sums.squares_a > 0.0 && sums.squares_b > 0.0 {
                    // The lower bound also turns NaN into 0.
                    return similarity(&sums).max(0.0).min(1.0);
                }
                // A document without weight is like nothing but itself.
                f64::from(!a.is_empty() && a == b)
            }

            fn weighs(&self) -> bool {
                true
            }

            fn least_shared(&self, _: usize, _: usize, similarity: f64) -> usize {
                if similarity > 0.0 { $least_shared } else { 0 }
            }

            fn least_cosine(&self, similarity: f64) -> Option<f64> {
                let least: fn(f64) -> Option<f64> = $least_cosine;
                least(similarity)
            }
        }
    };
}

weighted_measure!(
    WeightedCosine,
    "weighted-cosine",
    "The cosine of the angle between the two weight vectors",
    "X15 §2, eq. 5",
    1,
    Some,
    // One root of the product instead of two roots: the root of a square is exact, so a document is
    // exactly like itself.
    |s| s.dot / (s.squares_a * s.squares_b).sqrt()
);

weighted_measure!(
    Euclidean,
    "euclidean",
    "1 / (1 + d), d being the distance of the two weight vectors",
    "X15 §2, eq. 6",
    // Light vectors are close to each other whatever they contain.
    0,
    |_| None,
    |s| 1.0 / (1.0 + s.squared_distance.sqrt())
);

weighted_measure!(
    ExtendedJaccard,
    "extended-jaccard",
    "Dot product over the sum of both squared lengths less the dot product (Tanimoto)",
    "X15 §2, eq. 7",
    1,
    // For a given cosine the vectors are most alike when they are of one length.
    |s| Some(2.0 * s / (1.0 + s)),
    |s| s.dot / (s.squares_a + s.squares_b - s.dot)
);

weighted_measure!(
    WeightedDice,
    "weighted-dice",
    "Twice the dot product over the sum of both squared lengths",
    "X15 §2, eq. 8",
    1,
    Some,
    |s| 2.0 * s.dot / (s.squares_a + s.squares_b)
);

weighted_measure!(
    WeightedJaccard,
    "weighted-jaccard",
    "The smaller weight of every feature over the larger one, summed",
    "",
    1,
    |_| None,
    |s| s.smaller / s.larger
);

/// The sums from which all measures follow.
#[derive(Default)]
struct Sums {
    dot: f64,
    squares_a: f64,
    squares_b: f64,
    squared_distance: f64,
    /// Sums of the smaller and of the larger of both weights; a missing feature weighs 0.
    smaller: f64,
    larger: f64,
}

impl Sums {
    fn of(a: &FeatureSet, b: &FeatureSet, overlap: &Overlap) -> Sums {
        if a.weights.is_empty() && b.weights.is_empty() {
            return Sums::of_counts(overlap);
        }
        let mut sums = Sums::default();
        let (mut i, mut j) = (0, 0);
        while i < a.len() && j < b.len() {
            let (x, y) = (a.hashes[i], b.hashes[j]);
            sums.add(if x <= y { weight(a, i) } else { 0.0 }, if y <= x { weight(b, j) } else { 0.0 });
            i += usize::from(x <= y);
            j += usize::from(y <= x);
        }
        (i..a.len()).for_each(|i| sums.add(weight(a, i), 0.0));
        (j..b.len()).for_each(|j| sums.add(0.0, weight(b, j)));
        sums
    }

    /// When every feature weighs 1, the counts are the sums.
    fn of_counts(overlap: &Overlap) -> Sums {
        let (shared, a, b) = (f64::from(overlap.shared), f64::from(overlap.a), f64::from(overlap.b));
        Sums {
            dot: shared,
            squares_a: a,
            squares_b: b,
            squared_distance: a + b - 2.0 * shared,
            smaller: shared,
            larger: a + b - shared,
        }
    }

    fn add(&mut self, a: f64, b: f64) {
        self.dot += a * b;
        self.squares_a += a * a;
        self.squares_b += b * b;
        self.squared_distance += (a - b) * (a - b);
        self.smaller += a.min(b);
        self.larger += a.max(b);
    }
}

fn weight(set: &FeatureSet, place: usize) -> f64 {
    set.weights.get(place).map_or(1.0, |&weight| f64::from(weight))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;
    use crate::decide::{Cosine, Dice, Jaccard};
    use crate::testing::check_measure;

    const ALL: [&dyn Measure; 5] =
        [&WeightedCosine, &Euclidean, &ExtendedJaccard, &WeightedDice, &WeightedJaccard];

    fn set(weights: &BTreeMap<u64, f32>) -> FeatureSet {
        FeatureSet {
            hashes: weights.keys().copied().collect(),
            weights: weights.values().copied().collect(),
            ..FeatureSet::default()
        }
    }

    fn similarity(measure: &dyn Measure, a: &FeatureSet, b: &FeatureSet) -> f64 {
        measure.similarity(a, b, &Overlap::count(a, b))
    }

    #[test]
    fn pass_the_conformance_suite() {
        ALL.iter().for_each(|&measure| check_measure(measure));
    }

    /// By hand: a = (1, 2, 2, 0), b = (0, 2, 1, 2). Dot 6, squares 9 and 9, distance √(1+0+1+4),
    /// smaller weights 0+2+1+0, larger 1+2+2+2.
    #[test]
    fn worked_example() {
        let a = set(&BTreeMap::from([(10, 1.0), (20, 2.0), (30, 2.0)]));
        let b = set(&BTreeMap::from([(20, 2.0), (30, 1.0), (40, 2.0)]));
        let expected = [6.0 / 9.0, 1.0 / (1.0 + 6f64.sqrt()), 6.0 / 12.0, 12.0 / 18.0, 3.0 / 7.0];
        for (measure, expected) in ALL.iter().zip(expected) {
            assert!((similarity(*measure, &a, &b) - expected).abs() < 1e-15, "{}", measure.spec().kind);
        }
    }

    #[test]
    fn without_weights_they_are_their_set_twins() {
        let plain =
            |range: std::ops::Range<u64>| FeatureSet { hashes: range.collect(), ..FeatureSet::default() };
        let twins: [(&dyn Measure, &dyn Measure); 4] = [
            (&WeightedCosine, &Cosine),
            (&ExtendedJaccard, &Jaccard),
            (&WeightedDice, &Dice),
            (&WeightedJaccard, &Jaccard),
        ];
        for (a, b) in [(0..8, 3..7), (0..5, 0..5), (0..9, 8..100), (0..3, 5..6)] {
            let (a, b) = (plain(a), plain(b));
            for (weighted, twin) in twins {
                assert_eq!(similarity(weighted, &a, &b), similarity(twin, &a, &b));
            }
            assert_eq!(similarity(&Euclidean, &a, &a), 1.0);
        }
        assert_eq!(similarity(&Euclidean, &plain(0..3), &plain(1..2)), 1.0 / (1.0 + 2f64.sqrt()));
        // Weights of 1 that are spelled out change nothing.
        let (a, b) = (plain(0..8), plain(3..10));
        let ones = |set: &FeatureSet| FeatureSet { weights: vec![1.0; set.len()], ..set.clone() };
        for measure in ALL {
            let expected = similarity(measure, &a, &b);
            assert_eq!(similarity(measure, &ones(&a), &b), expected);
            assert_eq!(similarity(measure, &ones(&a), &ones(&b)), expected);
        }
    }

    #[test]
    fn what_weighs_nothing_is_like_nothing_but_itself() {
        let nothing = set(&BTreeMap::from([(1, 0.0), (2, 0.0)]));
        let other = set(&BTreeMap::from([(3, 0.0)]));
        let some = set(&BTreeMap::from([(1, 0.5)]));
        for measure in ALL {
            assert_eq!(similarity(measure, &nothing, &nothing), 1.0);
            assert_eq!(similarity(measure, &nothing, &other), 0.0);
            assert_eq!(similarity(measure, &nothing, &some), 0.0);
        }
    }

    /// Each measure by its formula, over a table of all coordinates.
    fn brute_force(a: &BTreeMap<u64, f32>, b: &BTreeMap<u64, f32>) -> [f64; 5] {
        let at = |map: &BTreeMap<u64, f32>, key| f64::from(map.get(&key).copied().unwrap_or(0.0));
        let sum = |of: fn(f64, f64) -> f64| (0..60).map(|key| of(at(a, key), at(b, key))).sum::<f64>();
        let (dot, aa, bb) = (sum(|x, y| x * y), sum(|x, _| x * x), sum(|_, y| y * y));
        [
            dot / aa.sqrt() / bb.sqrt(),
            1.0 / (1.0 + sum(|x, y| (x - y).powi(2)).sqrt()),
            dot / (aa + bb - dot),
            2.0 * dot / (aa + bb),
            sum(f64::min) / sum(f64::max),
        ]
    }

    fn vector(weights: std::ops::Range<f32>) -> impl Strategy<Value = BTreeMap<u64, f32>> {
        proptest::collection::btree_map(0u64..60, weights, 1..50)
    }

    proptest! {
        #[test]
        fn equal_brute_force(a in vector(0.001..100.0), b in vector(0.001..100.0)) {
            let expected = brute_force(&a, &b);
            let (a, b) = (set(&a), set(&b));
            for (measure, expected) in ALL.iter().zip(expected) {
                let found = similarity(*measure, &a, &b);
                prop_assert!((found - expected).abs() < 1e-12, "{}: {found}", measure.spec().kind);
                let shared = Overlap::count(&a, &b).shared as usize;
                prop_assert!(found == 0.0 || shared >= measure.least_shared(a.len(), b.len(), found));
                let cosine = similarity(&WeightedCosine, &a, &b);
                prop_assert!(measure.least_cosine(found).is_none_or(|least| cosine >= least - 1e-9));
            }
        }

        /// Whatever the weights, even ones that no extractor produces.
        #[test]
        fn are_symmetric_from_0_to_1_and_exactly_1_for_the_same(
            a in vector(-1e30..1e30),
            b in prop_oneof![vector(-1e30..1e30), vector(0.0..1e-30)],
        ) {
            let (a, b) = (set(&a), set(&b));
            for measure in ALL {
                let found = similarity(measure, &a, &b);
                prop_assert!((0.0..=1.0).contains(&found), "{}: {found}", measure.spec().kind);
                prop_assert_eq!(found, similarity(measure, &b, &a));
                for same in [&a, &b] {
                    let positive =
                        FeatureSet { weights: same.weights.iter().map(|w| w.abs()).collect(), ..same.clone() };
                    prop_assert_eq!(similarity(measure, &positive, &positive), 1.0);
                }
            }
        }
    }
}
