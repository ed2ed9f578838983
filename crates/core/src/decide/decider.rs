//! The stage `decide`: what a decider is, and its verdict.

use super::overlap::Overlap;
use crate::features::extractor::FeatureExtractor;
use crate::features::set::FeatureSet;
use crate::part::{Param, Spec};

/// A key of the section that holds for every decider, and that none of them reads itself.
pub(super) const UNLESS: Param = Param {
    name: "unless",
    default: "[]",
    help: "pairs that differ in this way are no near-duplicates: numbers, dates, names, case, order, added, cut, replaced",
};

/// Another such key.
pub(super) const STREAMS: Param = Param {
    name: "streams",
    default: "[]",
    help: "pairs whose images, links, metadata or structure contradict are no near-duplicates",
};

/// Says whether a pair is a near-duplicate.
pub trait Decider: Send + Sync {
    /// The type and parameters that rebuild this decider.
    fn spec(&self) -> Spec;

    /// The similarity below which no pair is ever accepted.
    fn threshold(&self) -> f64;

    /// The least similarity, by the measure of the recipe's own features, of a pair that is accepted.
    fn least_by_features(&self) -> f64 {
        self.threshold()
    }

    /// See [`Measure::least_jaccard`](super::Measure::least_jaccard).
    fn least_jaccard(&self, _similarity: f64) -> Option<f64> {
        None
    }

    /// The least number of features that two documents with so many must share to be accepted; 0 if that is not known.
    /// It must not fall when one of the documents grows.
    fn least_shared(&self, _a: usize, _b: usize) -> usize {
        0
    }

    /// The least cosine of the weight vectors of an accepted pair; `None` if there is no such bound.
    fn least_cosine(&self) -> Option<f64> {
        None
    }

    /// Kinds of features to compare beside the recipe's own: the sets that [`FeatureSet::views`] must
    /// hold.
    fn views(&self) -> &[Box<dyn FeatureExtractor>] {
        &[]
    }

    /// Names for the numbers in [`Verdict::because`].
    fn reasons(&self) -> Vec<String> {
        Vec::new()
    }

    /// The verdict. May stop counting as soon as it is clear that the pair is no near-duplicate.
    fn decide(&self, a: &FeatureSet, b: &FeatureSet) -> Verdict;

    /// The verdict of [`decide`](Decider::decide) on two sets of which only the overlap is known, counted to the end; `None`
    /// if it depends on more.
    fn decide_overlap(&self, _overlap: Overlap) -> Option<Verdict> {
        None
    }

    /// The verdict with everything counted to the end.
    fn measure(&self, a: &FeatureSet, b: &FeatureSet) -> Verdict;

    /// The verdict on an estimated similarity, when the user chose speed over verification.
    fn decide_estimate(&self, similarity: f64) -> Verdict {
        Verdict { duplicate: similarity >= self.threshold(), similarity, overlap: None, because: NO_REASON }
    }
}

/// What a decider says of a pair.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Verdict {
    /// Whether the pair is a near-duplicate.
    pub duplicate: bool,
    /// How alike the two documents are, from 0 to 1.
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

/// For deciders that give no reasons.
pub const NO_REASON: Because = [0; 3];
