//! The verdict on two documents.

use lookalike_core::decide::{Overlap, Verdict};
use lookalike_core::difference::Difference;
use lookalike_core::features::FeatureSet;
use lookalike_core::streams::{StreamAgreement, Streams};

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
    /// What it has beside its text.
    pub streams: &'a Streams,
}

/// What is found out about two documents.
#[derive(Clone, Copy, Debug)]
pub struct Judged {
    /// How alike they are.
    pub verdict: Verdict,
    /// How the second differs from the first.
    pub difference: Difference,
    /// How their streams agree.
    pub streams: StreamAgreement,
}

/// What two documents may differ in, however alike their features are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Differs {
    /// How the second text differs from the first.
    pub difference: Difference,
    /// How their streams agree.
    pub streams: StreamAgreement,
}

impl Judged {
    /// What the first document differs in from the second.
    pub fn reversed(self) -> Differs {
        Differs { difference: self.difference.reversed(), streams: self.streams }
    }
}

impl Pipeline {
    /// Compares two documents by their full feature sets, and finds out how their texts differ and their streams agree;
    /// `None` if the question was whether they are near-duplicates and they are not.
    pub fn compare(&self, asked: Compare, a: Compared<'_>, b: Compared<'_>) -> Option<Judged> {
        let verdict = self.by_features(asked, a.features, b.features)?;
        self.judge(asked, verdict, (a.text, a.streams), (b.text, b.streams))
    }

    /// Whether the features that candidates share, and how many they have, are all that counts of them.
    pub fn decides_by_overlap(&self) -> bool {
        self.verify == Verify::Exact && self.decider.decide_overlap(Overlap::default()).is_some()
    }

    /// The same as [`compare`](Self::compare) for candidates of one class of which the overlap was counted, if that [is
    /// enough](Self::decides_by_overlap).
    pub fn compare_by_overlap(
        &self,
        overlap: Overlap,
        a: (&str, &Streams),
        b: (&str, &Streams),
    ) -> Option<Judged> {
        let verdict = self.decider.decide_overlap(overlap).filter(|verdict| verdict.duplicate)?;
        self.judge(Compare::Decide, verdict, a, b)
    }

    fn judge(
        &self,
        asked: Compare,
        verdict: Verdict,
        a: (&str, &Streams),
        b: (&str, &Streams),
    ) -> Option<Judged> {
        let Differs { difference, streams } = self.differs(a, b);
        let is_near = asked == Compare::Measure || !self.keeps_apart(difference, streams);
        is_near.then_some(Judged { verdict, difference, streams })
    }

    /// The verdict of [`compare`](Self::compare) alone. How the documents differ is found out only if the recipe decides
    /// by it: of long texts that are alike in a few words that takes many times as long as the verdict.
    pub fn verdict(&self, asked: Compare, a: Compared<'_>, b: Compared<'_>) -> Option<Verdict> {
        if asked != Compare::Measure && self.decides_by_differences() {
            return self.compare(asked, a, b).map(|judged| judged.verdict);
        }
        self.by_features(asked, a.features, b.features)
    }

    /// Whether two documents may be kept apart by how they differ.
    pub fn decides_by_differences(&self) -> bool {
        !self.unless.is_empty() || !self.streams.is_empty()
    }

    /// What the second of two documents, given by their texts and streams, differs in from the first.
    pub fn differs(&self, a: (&str, &Streams), b: (&str, &Streams)) -> Differs {
        let difference = Difference::between(a.0, b.0);
        Differs { difference, streams: self.stream_agreement(a.1, b.1) }
    }

    /// How the streams of two documents agree.
    pub fn stream_agreement(&self, a: &Streams, b: &Streams) -> StreamAgreement {
        a.agreement(b, self.image_distance)
    }

    /// Whether documents that differ in this way, with streams that agree like this, are no near-duplicates, however
    /// alike they are.
    pub fn keeps_apart(&self, difference: Difference, streams: StreamAgreement) -> bool {
        self.unless.iter().any(|&kind| difference.has(kind))
            || self.streams.iter().any(|&kind| streams.contradicts(kind))
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
