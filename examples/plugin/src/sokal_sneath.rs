//! A measure: shared features over shared features plus twice the differing ones.
//!
//! With s shared features among a and b, it is s / (2a + 2b − 3s): Tversky's index with both weights
//! 2. Two files that share 90 of 100 lines each have Jaccard 0.818 and this measure 0.692.
//!
//! MinHash finds candidates by their *Jaccard* resemblance, so a measure should tell the least one
//! that a pair of a given similarity can have: bands are chosen for it, and the promised recall rests
//! on it. A measure that cannot tell leaves `least_jaccard` out, and the report promises nothing.
//!
//! A recipe names a measure and gives it no parameters. Where there is something to choose, register
//! it once under each name, or write a decider, which has a section of its own in the recipe.
//!
//! Paper: R. Sokal, P. Sneath, Principles of Numerical Taxonomy, 1963; A. Tversky, Features of
//! Similarity, 1977.

use lookalike::parts::FeatureSet;
use lookalike::parts::{Measure, Overlap};
use lookalike::parts::{PartInfo, Spec};

pub struct SokalSneath;

impl SokalSneath {
    pub const INFO: PartInfo = PartInfo {
        name: "sokal-sneath",
        summary: "Shared features over shared plus twice the differing ones: stricter than Jaccard",
        paper: "Sokal, Sneath 1963; Tversky 1977",
        params: &[],
    };
}

impl Measure for SokalSneath {
    fn spec(&self) -> Spec {
        Spec::new(Self::INFO.name)
    }

    fn similarity(&self, _: &FeatureSet, _: &FeatureSet, overlap: &Overlap) -> f64 {
        let (shared, a, b) = (f64::from(overlap.shared), f64::from(overlap.a), f64::from(overlap.b));
        shared / (2.0 * a + 2.0 * b - 3.0 * shared)
    }

    /// s / (2a + 2b − 3s) ≥ t, solved for s. May be left out; with it, hopeless pairs end sooner.
    fn least_shared(&self, a: usize, b: usize, similarity: f64) -> usize {
        // Rounding must never lose a pair: one feature less is always allowed.
        const SLACK: f64 = 1e-9;
        let least = 2.0 * (a + b) as f64 * similarity / (1.0 + 3.0 * similarity);
        (least - SLACK).ceil().max(0.0) as usize
    }

    /// In terms of Jaccard the measure is j / (2 − j), solved for j.
    fn least_jaccard(&self, similarity: f64) -> Option<f64> {
        Some(2.0 * similarity / (1.0 + similarity))
    }
}

#[cfg(test)]
mod tests {
    use lookalike::parts::testing::check_measure;

    use super::*;

    #[test]
    fn the_least_jaccard_is_the_pairs_own() {
        let overlap = Overlap { shared: 90, a: 100, b: 100 };
        let least = SokalSneath.least_jaccard(of(90, 100, 100)).unwrap();
        assert!((least - overlap.jaccard()).abs() < 1e-12);
    }

    fn of(shared: u32, a: u32, b: u32) -> f64 {
        let none = FeatureSet::default();
        SokalSneath.similarity(&none, &none, &Overlap { shared, a, b })
    }

    #[test]
    fn passes_the_conformance_suite() {
        check_measure(&SokalSneath);
    }

    #[test]
    fn worked_example() {
        assert!((of(90, 100, 100) - 90.0 / 130.0).abs() < 1e-12);
        assert_eq!((of(5, 5, 5), of(0, 5, 5)), (1.0, 0.0));
    }

    #[test]
    fn it_never_exceeds_jaccard_and_its_bound_loses_no_pair() {
        for a in 1..12u32 {
            for b in 1..12u32 {
                for shared in 0..=a.min(b) {
                    let similarity = of(shared, a, b);
                    assert!(similarity <= Overlap { shared, a, b }.jaccard());
                    for threshold in [0.1, 0.5, 0.8, 1.0] {
                        let least = SokalSneath.least_shared(a as usize, b as usize, threshold);
                        assert!(similarity < threshold || shared as usize >= least);
                    }
                }
            }
        }
    }
}
