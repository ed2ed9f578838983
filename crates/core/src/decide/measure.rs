//! What a measure is.

use super::overlap::Overlap;
use crate::features::set::FeatureSet;
use crate::part::Spec;

/// How alike two documents are, from 0 to 1.
pub trait Measure: Send + Sync {
    /// The type and parameters that rebuild this measure.
    fn spec(&self) -> Spec;

    /// The similarity of two non-empty sets whose overlap has been counted. Must be symmetric.
    fn similarity(&self, a: &FeatureSet, b: &FeatureSet, overlap: &Overlap) -> f64;

    /// The similarity of two sets of which only the overlap is known; `None` if it depends on more.
    fn by_overlap(&self, _overlap: &Overlap) -> Option<f64> {
        None
    }

    /// The least number of shared features with which two sets of these sizes can reach the
    /// similarity; lets the comparison of a hopeless pair stop early. 0 if unknown. It must not fall when one of the
    /// sets grows.
    fn least_shared(&self, _a: usize, _b: usize, _similarity: f64) -> usize {
        0
    }

    /// The least Jaccard resemblance of two documents with this similarity. Candidates are found by
    /// resemblance, so the expected recall is computed from this. `None` if there is no such bound.
    fn least_jaccard(&self, _similarity: f64) -> Option<f64> {
        None
    }

    /// The least cosine of the weight vectors of two documents with this similarity. `None` if there is no such bound,
    /// or if weights do not count.
    fn least_cosine(&self, _similarity: f64) -> Option<f64> {
        None
    }

    /// Whether the weights of features count, not only which features there are.
    fn weighs(&self) -> bool {
        false
    }

    /// Whether a pair may be accepted by this measure alone. False for measures that describe a
    /// pair but say nothing about its content.
    fn decides(&self) -> bool {
        true
    }
}
