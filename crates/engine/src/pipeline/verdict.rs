//! The verdict on two documents.

use lookalike_core::decide::Verdict;
use lookalike_core::features::FeatureSet;

use super::{Pipeline, Verify};

/// What to compute for two documents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compare {
    /// Whether the two, a pair of candidates, are near-duplicates.
    Decide,
    /// Whether the decision accepts the two, whatever signatures say of them.
    Accept,
    /// How alike they are, whatever the threshold says.
    Measure,
}

impl Pipeline {
    /// Compares two documents by their full feature sets; `None` if the question was whether they are
    /// near-duplicates and they are not.
    pub fn compare(&self, asked: Compare, a: &FeatureSet, b: &FeatureSet) -> Option<Verdict> {
        // Documents of different classes are never near-duplicates, however alike.
        if a.class != b.class && asked != Compare::Measure {
            return None;
        }
        let all = asked == Compare::Decide && self.verify == Verify::Signature;
        if asked == Compare::Measure || all {
            return Some(self.decider.measure(a, b));
        }
        Some(self.decider.decide(a, b)).filter(|verdict| verdict.duplicate)
    }

    /// The same, by their stored signatures alone.
    pub fn estimate(&self, asked: Compare, a: &[u8], b: &[u8]) -> Option<Verdict> {
        // A recipe that estimates has one branch.
        let similarity = self.branches.first()?.signer.estimate(a, b);
        let verdict = self.decider.decide_estimate(similarity);
        Some(verdict).filter(|verdict| verdict.duplicate || asked == Compare::Measure)
    }

    /// Whether enough branches, a bit for each, propose a pair.
    pub fn has_votes(&self, found_by: u32) -> bool {
        found_by.count_ones() as usize >= self.votes
    }
}
