//! Set measures; each follows from the counted overlap.

use super::measure::Measure;
use super::overlap::Overlap;
use crate::features::FeatureSet;
use crate::part::{PartInfo, Spec};

/// Slack for thresholds that are not exact in binary: stopping early must never lose a pair.
const SLACK: f64 = 1e-9;

macro_rules! set_measure {
    ($type:ident, $name:literal, $summary:literal, $similarity:expr, $least_shared:expr, $least_jaccard:expr) => {
        set_measure!($type, $name, $summary, "X15 §2", $similarity, $least_shared, $least_jaccard);
    };
    ($type:ident, $name:literal, $summary:literal, $paper:literal, $similarity:expr, $least_shared:expr,
     $least_jaccard:expr) => {
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

            fn similarity(&self, _: &FeatureSet, _: &FeatureSet, overlap: &Overlap) -> f64 {
                let similarity: fn(&Overlap) -> f64 = $similarity;
                similarity(overlap)
            }

            fn by_overlap(&self, overlap: &Overlap) -> Option<f64> {
                let similarity: fn(&Overlap) -> f64 = $similarity;
                Some(similarity(overlap))
            }

            fn least_shared(&self, a: usize, b: usize, similarity: f64) -> usize {
                let least: fn(f64, f64, f64) -> f64 = $least_shared;
                (least(a as f64, b as f64, similarity) - SLACK).ceil().max(0.0) as usize
            }

            fn least_jaccard(&self, similarity: f64) -> Option<f64> {
                let least: fn(f64) -> Option<f64> = $least_jaccard;
                least(similarity)
            }
        }
    };
}

set_measure!(
    Jaccard,
    "jaccard",
    "Shared features over all features of both (resemblance)",
    Overlap::jaccard,
    |a, b, s| (a + b) * s / (1.0 + s),
    Some
);

set_measure!(
    Dice,
    "dice",
    "Twice the shared features over the sum of both sizes",
    |o| 2.0 * f64::from(o.shared) / f64::from(o.a + o.b).max(1.0),
    |a, b, s| (a + b) * s / 2.0,
    |s| Some(s / (2.0 - s))
);

set_measure!(
    Cosine,
    "cosine",
    "Shared features over the geometric mean of both sizes",
    |o| f64::from(o.shared) / (f64::from(o.a) * f64::from(o.b)).sqrt().max(1.0),
    |a, b, s| (a * b).sqrt() * s,
    // Least alike when one document lies within the other.
    |s| Some(s * s)
);

set_measure!(
    Containment,
    "containment",
    "Shared features over the features of the smaller document",
    |o| f64::from(o.shared) / f64::from(o.a.min(o.b)).max(1.0),
    |a, b, s| a.min(b) * s,
    // A sentence can lie within a book and hardly resemble it.
    |_| None
);

set_measure!(
    Longer,
    "longer",
    "Shared features over the features of the longer document",
    "L17 §III",
    |o| f64::from(o.shared) / f64::from(o.a.max(o.b)).max(1.0),
    |a, b, s| a.max(b) * s,
    // Least alike when both are of one length, since then neither lies within the other.
    |s| Some(s / (2.0 - s))
);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::check_measure;

    #[test]
    fn pass_the_conformance_suite() {
        check_measure(&Jaccard);
        check_measure(&Dice);
        check_measure(&Cosine);
        check_measure(&Containment);
        check_measure(&Longer);
    }

    #[test]
    fn worked_example() {
        let overlap = Overlap { shared: 4, a: 8, b: 5 };
        let none = FeatureSet::default();
        let of = |measure: &dyn Measure| measure.similarity(&none, &none, &overlap);
        assert_eq!(of(&Jaccard), 4.0 / 9.0);
        assert_eq!(of(&Dice), 8.0 / 13.0);
        assert!((of(&Cosine) - 4.0 / 40f64.sqrt()).abs() < 1e-12);
        assert_eq!(of(&Containment), 0.8);
        assert_eq!(of(&Longer), 0.5);
    }

    /// Brute force over all small cases: fewer shared features than the bound never reach it.
    #[test]
    fn least_shared_is_a_sound_and_tight_bound() {
        let none = FeatureSet::default();
        for measure in [&Jaccard as &dyn Measure, &Dice, &Cosine, &Containment, &Longer] {
            for a in 1..12u32 {
                for b in 1..12u32 {
                    for s in [0.1, 0.25, 0.5, 0.8, 0.9, 1.0] {
                        let least = measure.least_shared(a as usize, b as usize, s) as u32;
                        for shared in 0..=a.min(b) {
                            let overlap = Overlap { shared, a, b };
                            let reaches = measure.similarity(&none, &none, &overlap) >= s;
                            let bound = measure.least_jaccard(s).unwrap_or(0.0);
                            assert!(!reaches || overlap.jaccard() >= bound - 1e-9, "{overlap:?} {s}");
                            assert!(!reaches || shared >= least, "{} {overlap:?} {s}", measure.spec().kind);
                            assert!(reaches || shared < least + 1, "{} {overlap:?} {s}", measure.spec().kind);
                        }
                    }
                }
            }
        }
    }
}
