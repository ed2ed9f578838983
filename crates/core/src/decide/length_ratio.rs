//! How equal two documents are in length. Length says nothing about content, so this measure is only
//! used together with another condition, as in [`OverlapAndLength`](super::OverlapAndLength).

use super::measure::Measure;
use super::overlap::Overlap;
use crate::features::FeatureSet;
use crate::part::{PartInfo, Spec};

/// The size of the smaller document over that of the larger.
pub struct LengthRatio;

impl LengthRatio {
    /// The description of this part in the registry.
    pub const INFO: PartInfo = PartInfo {
        name: "length-ratio",
        summary: "Features of the smaller document over those of the larger; only compares, never decides",
        paper: "S09 §2.5.1",
        params: &[],
    };
}

impl Measure for LengthRatio {
    fn spec(&self) -> Spec {
        Spec::new(Self::INFO.name)
    }

    fn similarity(&self, _: &FeatureSet, _: &FeatureSet, overlap: &Overlap) -> f64 {
        f64::from(overlap.a.min(overlap.b)) / f64::from(overlap.a.max(overlap.b).max(1))
    }

    fn decides(&self) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::check_measure;

    #[test]
    fn passes_the_conformance_suite() {
        check_measure(&LengthRatio);
    }

    #[test]
    fn worked_example() {
        let none = FeatureSet::default();
        let of = |a, b| LengthRatio.similarity(&none, &none, &Overlap { shared: 0, a, b });
        assert_eq!((of(8, 10), of(10, 8), of(7, 7)), (0.8, 0.8, 1.0));
        assert_eq!((of(0, 5), of(0, 0)), (0.0, 0.0));
    }
}
