//! Signing a document for every branch of a pipeline, and where each branch's values are stored.

use lookalike_core::candidates::{Finder, JoinSource, NO_KEY};
use lookalike_core::difference::form_digest;
use lookalike_core::document::Document;
use lookalike_core::features::{FeatureExtractor, FeatureSet, Features, Whole};
use lookalike_core::streams::Streams;

use super::{Branch, FieldPlan, Pipeline, Verify};

/// Where the keys and stored signatures of each branch are among those of a document.
pub struct BranchPlaces {
    /// How many keys all branches have together.
    pub keys: usize,
    /// Bytes of all signatures together.
    pub signature: usize,
    /// For each branch, its first key and the first byte of its signature.
    pub starts: Vec<(usize, usize)>,
}

impl BranchPlaces {
    /// Where the branches of a pipeline have their keys and signatures.
    pub fn new(pipeline: &Pipeline) -> Self {
        let (mut keys, mut signature, mut starts) = (0, 0, Vec::new());
        for branch in &pipeline.branches {
            starts.push((keys, signature));
            keys += branch.keys();
            signature += stored_width(branch, pipeline.verify);
        }
        BranchPlaces { keys, signature, starts }
    }
}

/// How many bytes of a branch's signature are stored. A join over signatures needs one more, which
/// says whether there is one.
fn stored_width(branch: &Branch, verify: Verify) -> usize {
    if branch.joins_signatures() {
        branch.signer.width() + 1
    } else if verify == Verify::Estimate {
        branch.signer.width()
    } else {
        0
    }
}

/// Signs one document after another in buffers that are reused.
#[derive(Default)]
pub struct Signatures {
    /// The features that the document is compared by.
    pub features: Features,
    own: Features,
    streams: Streams,
    signature: Vec<u8>,
    /// The keys of all branches in turn.
    pub keys: Vec<u64>,
    /// The signatures to store, of all branches in turn.
    pub stored: Vec<u8>,
}

/// What joins over features know of one document, as they packed it.
#[derive(Clone, Debug, Default)]
pub struct JoinRecords {
    /// For each branch; empty where there is no such join, or nothing that it could pair.
    pub(super) of_branches: Vec<Vec<u8>>,
}

/// What is remembered of a document.
pub struct Signed {
    /// A digest of all features, or of all words if there are none. Exact copies share it. Absent if there are no
    /// words either: then there is nothing to compare. Never 0.
    pub digest: Option<u128>,
    /// Whether any branch can find the document.
    pub signed: bool,
}

impl Signatures {
    /// Signs a document.
    pub fn fill(&mut self, pipeline: &Pipeline, plan: &FieldPlan, document: &Document<'_>) -> Signed {
        self.keys.clear();
        self.stored.clear();
        self.features.fill(&*pipeline.features, document);
        let empty = self.features.is_empty();
        let mut signed = false;
        for (number, branch) in pipeline.branches.iter().enumerate() {
            let width = stored_width(branch, pipeline.verify);
            let features = match &branch.features {
                Some(extractor) if !empty => {
                    self.own.fill(&**extractor, &plan.view(number, document));
                    &self.own
                }
                _ => &self.features,
            };
            let first = self.keys.len();
            self.keys.resize(first + branch.keys(), NO_KEY);
            // A document without features to compare is never a near-duplicate.
            if empty || features.is_empty() {
                self.stored.resize(self.stored.len() + width, 0);
                continue;
            }
            if !branch.signs() {
                signed = true;
                self.stored.resize(self.stored.len() + width, 0);
                continue;
            }
            self.signature.resize(branch.signer.width(), 0);
            branch.signer.sign(features, &mut self.signature);
            if let Some(keyer) = branch.keyer() {
                let keys = &mut self.keys[first..];
                keyer.write_keys(&self.signature, keys);
                signed |= keys.iter().any(|&key| key != NO_KEY);
            }
            if width > 0 {
                self.stored.extend_from_slice(&self.signature);
            }
            if branch.joins_signatures() {
                self.stored.push(1);
                signed = true;
            }
        }
        // A document without features of the method's kind may still have exact copies.
        let digest = if empty { self.words_digest(document) } else { Some(self.features.digest()) };
        // A decider that also reads fields must see documents that differ only there, so they are
        // not copies.
        let fields = plan.fields_digest(pipeline.decider.views(), document, &mut self.own);
        let digest = digest.map(|digest| match fields {
            0 => digest.max(1),
            fields => (digest.max(1) ^ fields).max(1),
        });
        // Nor are documents copies that differ in what keeps them apart.
        let digest = match pipeline.unless.is_empty() {
            true => digest,
            false => digest.map(|digest| (digest ^ form_digest(&document.text)).max(1)),
        };
        let digest = match pipeline.streams.is_empty() || !plan.has_streams(document) {
            true => digest,
            false => {
                plan.fill_streams(document, &mut self.streams);
                digest.map(|digest| (digest ^ self.streams.digest(&pipeline.streams)).max(1))
            }
        };
        Signed { digest, signed }
    }

    /// The signature of the document that was just signed, for a pipeline with one branch; nothing if it has none.
    pub fn signature(&self) -> Option<&[u8]> {
        (!self.features.is_empty()).then_some(&self.signature)
    }

    /// The features that the document just signed is compared by, in memory that is reused.
    pub fn fill_set(
        &mut self,
        pipeline: &Pipeline,
        plan: &FieldPlan,
        document: &Document<'_>,
        set: &mut FeatureSet,
    ) {
        set.fill(&self.features);
        plan.fill_views(pipeline.decider.views(), document, &mut self.own, set);
    }

    /// Computes what a document is compared by, without signing it.
    pub fn fill_features(&mut self, pipeline: &Pipeline, document: &Document<'_>) {
        self.features.fill(&*pipeline.features, document);
    }

    /// What joins over features know of the document whose features were just computed, in memory that is reused.
    pub fn fill_records(
        &mut self,
        pipeline: &Pipeline,
        plan: &FieldPlan,
        document: &Document<'_>,
        records: &mut JoinRecords,
    ) {
        records.of_branches.resize_with(pipeline.branches.len(), Vec::new);
        for (number, (branch, record)) in pipeline.branches.iter().zip(&mut records.of_branches).enumerate() {
            record.clear();
            let Finder::Join(join) = &branch.finder else { continue };
            // Without features to compare it by, a document is never a near-duplicate.
            if join.source() == JoinSource::Signature || self.features.is_empty() {
                continue;
            }
            let features = match &branch.features {
                Some(extractor) => {
                    self.own.fill(&**extractor, &plan.view(number, document));
                    &self.own
                }
                None => &self.features,
            };
            if !features.is_empty() {
                join.pack(features, record);
            }
        }
    }

    /// Bytes that joins would remember of the document that was just signed.
    pub fn joined_bytes(&mut self, pipeline: &Pipeline, plan: &FieldPlan, document: &Document<'_>) -> u64 {
        let signatures = pipeline.branches.iter().filter(|branch| branch.joins_signatures());
        let signatures: usize = signatures.map(|branch| branch.signer.width()).sum();
        let mut records = JoinRecords::default();
        self.fill_records(pipeline, plan, document, &mut records);
        (signatures + records.of_branches.iter().map(Vec::len).sum::<usize>()) as u64
    }

    /// The features that a branch signs.
    pub(super) fn features_of_branch(
        &mut self,
        pipeline: &Pipeline,
        plan: &FieldPlan,
        number: usize,
        document: &Document<'_>,
    ) -> &Features {
        self.features.fill(&*pipeline.features, document);
        match &pipeline.branches[number].features {
            Some(extractor) if !self.features.is_empty() => {
                self.own.fill(&**extractor, &plan.view(number, document));
                &self.own
            }
            _ => &self.features,
        }
    }

    /// The features that an extractor of no stage makes.
    pub(super) fn features_by(
        &mut self,
        extractor: &dyn FeatureExtractor,
        document: &Document<'_>,
    ) -> &Features {
        self.own.fill(extractor, document);
        &self.own
    }

    /// A digest of all words, if there are any.
    fn words_digest(&mut self, document: &Document<'_>) -> Option<u128> {
        self.own.fill(&Whole::new(true), document);
        (!self.own.is_empty()).then(|| self.own.digest())
    }
}
