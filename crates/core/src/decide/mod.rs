//! From a candidate pair to a verdict, on the documents' full feature sets.

pub mod classifier;
mod length_ratio;
mod measures;
mod overlap;
mod rule;
mod threshold;
mod weighted;

pub use length_ratio::LengthRatio;
pub use measures::{Containment, Cosine, Dice, Jaccard, Longer};
pub use overlap::Overlap;
pub use rule::OverlapAndLength;
pub use threshold::Threshold;
pub use weighted::{Euclidean, ExtendedJaccard, WeightedCosine, WeightedDice, WeightedJaccard};

use crate::features::{FeatureExtractor, FeatureSet};
use crate::registry::Spec;

/// How alike two documents are, from 0 to 1.
pub trait Measure: Send + Sync {
    /// The type and parameters that rebuild this measure.
    fn spec(&self) -> Spec;

    /// The similarity of two non-empty sets whose overlap has been counted. Must be symmetric.
    fn similarity(&self, a: &FeatureSet, b: &FeatureSet, overlap: &Overlap) -> f64;

    /// The least number of shared features with which two sets of these sizes can reach the
    /// similarity; lets the comparison of a hopeless pair stop early. 0 if unknown.
    fn least_shared(&self, _a: usize, _b: usize, _similarity: f64) -> usize {
        0
    }

    /// The least Jaccard resemblance of two documents with this similarity. Candidates are found by
    /// resemblance, so this is what a promise of recall rests on. `None` if there is no such bound.
    fn least_jaccard(&self, _similarity: f64) -> Option<f64> {
        None
    }

    /// Whether the weights of features count, not only which features there are.
    fn weighs(&self) -> bool {
        false
    }

    /// Whether a pair may be accepted by this measure alone. False for what describes a pair but
    /// says nothing about its content.
    fn decides(&self) -> bool {
        true
    }
}

/// Says whether a pair is a near-duplicate.
pub trait Decider: Send + Sync {
    /// The type and parameters that rebuild this decider.
    fn spec(&self) -> Spec;

    /// The similarity below which no pair is ever accepted.
    fn threshold(&self) -> f64;

    /// See [`Measure::least_jaccard`].
    fn least_jaccard(&self, _similarity: f64) -> Option<f64> {
        None
    }

    /// Kinds of features to compare beside the recipe's own: the sets that [`FeatureSet::views`] must
    /// hold.
    fn views(&self) -> &[Box<dyn FeatureExtractor>] {
        &[]
    }

    /// Names of what [`Verdict::because`] counts.
    fn reasons(&self) -> Vec<String> {
        Vec::new()
    }

    /// The verdict. May stop counting as soon as it is clear that the pair is none.
    fn decide(&self, a: &FeatureSet, b: &FeatureSet) -> Verdict;

    /// The verdict with everything counted to the end.
    fn measure(&self, a: &FeatureSet, b: &FeatureSet) -> Verdict;

    /// The verdict on an estimated similarity, when the user chose speed over verification.
    fn decide_estimate(&self, similarity: f64) -> Verdict {
        Verdict { duplicate: similarity >= self.threshold(), similarity, overlap: None, because: NO_REASON }
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Verdict {
    pub duplicate: bool,
    pub similarity: f64,
    /// Absent when the similarity is an estimate, or when counting stopped early because the pair
    /// could not reach the threshold any more.
    pub overlap: Option<Overlap>,
    /// What weighed most, the weightiest first.
    pub because: Because,
}

/// Up to three of a decider's [`reasons`](Decider::reasons), counted from 1; negative for what spoke
/// against the pair, 0 for none. Three bytes, since every verified pair keeps them.
pub type Because = [i8; 3];

pub const NO_REASON: Because = [0; 3];
