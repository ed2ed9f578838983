//! The verdict on two documents.

use lookalike_core::decide::Verdict;
use lookalike_core::difference::Difference;
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

/// A document as it is compared.
#[derive(Clone, Copy)]
pub struct Compared<'a> {
    /// All its features.
    pub features: &'a FeatureSet,
    /// Its text.
    pub text: &'a str,
}

/// What is found out about two documents.
#[derive(Clone, Copy, Debug)]
pub struct Judged {
    /// How alike they are.
    pub verdict: Verdict,
    /// How the second differs from the first.
    pub difference: Difference,
}

impl Pipeline {
    /// Compares two documents by their full feature sets, and finds out how their texts differ; `None` if the
    /// question was whether they are near-duplicates and they are not.
    pub fn compare(&self, asked: Compare, a: Compared<'_>, b: Compared<'_>) -> Option<Judged> {
        let verdict = self.by_features(asked, a.features, b.features)?;
        let difference = Difference::between(a.text, b.text);
        let is_near = asked == Compare::Measure || !self.keeps_apart(difference);
        is_near.then_some(Judged { verdict, difference })
    }

    /// Whether documents that differ in this way are no near-duplicates, however alike they are.
    pub fn keeps_apart(&self, difference: Difference) -> bool {
        self.unless.iter().any(|&kind| difference.has(kind))
    }

    fn by_features(&self, asked: Compare, a: &FeatureSet, b: &FeatureSet) -> Option<Verdict> {
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

    /// How alike two documents are by their stored signatures alone.
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
