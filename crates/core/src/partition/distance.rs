//! How far a document is from a centre (X15 §2).
//!
//! Each is squared, as the objective wants it, and for documents of length 1: with the dot product and the
//! centre's squared length, the Euclidean distance is 1 + square − 2 dot. The other two are 1 less a
//! similarity; both are the squared Euclidean distance on another scale: for centres of length 1 the cosine
//! distance is half of it, and the extended Jaccard distance is always it, divided by 1 + square − dot. The
//! mean is the best centre for the Euclidean distance and, scaled to length 1, for the cosine; for extended
//! Jaccard it is a good one only, so the objective may rise, which ends the search.

use crate::error::Result;
use crate::part::{Param, Params};

/// A distance by which documents belong to centres.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Distance {
    Euclidean,
    Cosine,
    ExtendedJaccard,
}

impl Distance {
    pub(super) const PARAM: Param =
        Param { name: "distance", default: "\"euclidean\"", help: "euclidean, cosine or extended-jaccard" };
    const ALL: [Distance; 3] = [Distance::Euclidean, Distance::Cosine, Distance::ExtendedJaccard];

    pub(super) fn from_params(params: &mut Params) -> Result<Self> {
        let name = params.choice("distance", "euclidean", &Self::ALL.map(Distance::name))?;
        Ok(Self::ALL.into_iter().find(|distance| distance.name() == name).unwrap_or(Distance::Euclidean))
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Distance::Euclidean => "euclidean",
            Distance::Cosine => "cosine",
            Distance::ExtendedJaccard => "extended-jaccard",
        }
    }

    #[inline]
    pub(super) fn euclidean(dot: f32, square: f32) -> f32 {
        (1.0 - 2.0 * dot + square).max(0.0)
    }

    /// A centre without a direction is at a right angle to everything.
    #[inline]
    pub(super) fn cosine(dot: f32, square: f32) -> f32 {
        if square > 0.0 { (1.0 - dot / square.sqrt()).max(0.0) } else { 1.0 }
    }

    #[inline]
    pub(super) fn extended_jaccard(dot: f32, square: f32) -> f32 {
        // By Cauchy and Schwarz the divisor is at least 3/4.
        (1.0 - dot / (1.0 + square - dot)).max(0.0)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::decide::{ExtendedJaccard, Measure, Overlap, WeightedCosine};
    use crate::features::FeatureSet;

    proptest! {
        /// As the measures of the same names say it.
        #[test]
        fn distances_are_one_less_the_similarity(
            document in proptest::collection::vec(0.1f32..3.0, 6),
            centre in proptest::collection::vec(0.1f32..3.0, 6),
        ) {
            let length = document.iter().map(|x| x * x).sum::<f32>().sqrt();
            let document: Vec<f32> = document.iter().map(|x| x / length).collect();
            let dot: f32 = document.iter().zip(&centre).map(|(x, c)| x * c).sum();
            let square: f32 = centre.iter().map(|c| c * c).sum();
            let set = |weights: &[f32]| FeatureSet { hashes: (0..6).collect(), weights: weights.to_vec(), ..FeatureSet::default() };
            let (a, b) = (set(&document), set(&centre));
            let similarity = |measure: &dyn Measure| measure.similarity(&a, &b, &Overlap::count(&a, &b)) as f32;
            prop_assert!((Distance::cosine(dot, square) - (1.0 - similarity(&WeightedCosine))).abs() < 1e-4);
            prop_assert!((Distance::extended_jaccard(dot, square) - (1.0 - similarity(&ExtendedJaccard))).abs() < 1e-4);
            let literal: f32 = document.iter().zip(&centre).map(|(x, c)| (x - c) * (x - c)).sum();
            prop_assert!((Distance::euclidean(dot, square) - literal).abs() < 1e-4);
        }
    }

    #[test]
    fn a_centre_at_the_origin_is_far() {
        assert_eq!(Distance::cosine(0.0, 0.0), 1.0);
        assert_eq!(Distance::extended_jaccard(0.0, 0.0), 1.0);
        assert_eq!(Distance::euclidean(0.0, 0.0), 1.0);
    }
}
