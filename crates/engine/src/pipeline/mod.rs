//! The stages of one recipe, built: the only code that signs, looks up and compares documents.
//!
//! The batch run, the index and `compare` differ in where documents are stored and in which order they come. What is
//! computed from a document and what decides about two documents is here and nowhere else:
//!
//! - [`FieldPlan`]: which fields the stages read, and the document that each stage gets;
//! - [`Signatures`]: features, digest, signatures and keys of one document;
//! - [`Lookup`]: the keys under which one document finds its candidates among those that are known;
//! - [`Fingerprints`]: the simhash by which versions of one document are told apart;
//! - [`SeenFields`]: which of the fields that a recipe names no document has;
//! - [`pivots`]: the documents with which all others of a large bucket are compared;
//! - [`Pipeline::compare`], [`Pipeline::estimate`]: the verdict on two documents.

mod fields;
mod fingerprint;
mod lookup;
mod pivots;
mod seen;
mod sign;
mod verdict;

pub use fields::FieldPlan;
pub use fingerprint::Fingerprints;
pub use lookup::{CrowdsBy, Lookup, LookupEntry, Sought};
pub use pivots::pivots;
pub use seen::SeenFields;
pub use sign::{BranchPlaces, JoinRecords, Signatures};
pub use verdict::{Compare, Compared, Differs, Judged};

use std::sync::Arc;

use lookalike_core::candidates::{Finder, JoinSource, Keyer};
use lookalike_core::cluster::{Clusterer, KeepRules};
use lookalike_core::decide::Decider;
use lookalike_core::difference::DifferenceKind;
use lookalike_core::features::FeatureExtractor;
use lookalike_core::partition::FrozenPartition;
use lookalike_core::scheme::Scheme;
use lookalike_core::sign::Signer;
use lookalike_core::streams::{StreamFields, StreamKind};
use toml::{Table, Value};

use crate::extraction::Extraction;

/// How candidates are verified.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Verify {
    /// Every pair is compared on the full feature sets.
    #[default]
    Exact,
    /// Pairs are judged by their signatures alone: faster, wrong near the threshold.
    Estimate,
    /// Every pair that the signatures propose is a near-duplicate, as in the papers; the similarity
    /// is still measured on the full feature sets.
    Signature,
}

impl Verify {
    /// As recipes name them.
    pub const NAMES: [&str; 3] = ["exact", "estimate", "signature"];

    /// As recipes name it.
    pub fn name(self) -> &'static str {
        Verify::NAMES[self as usize]
    }

    /// By the name that recipes use.
    pub fn from_name(name: &str) -> Option<Verify> {
        [Verify::Exact, Verify::Estimate, Verify::Signature].into_iter().find(|verify| verify.name() == name)
    }
}

/// A recipe with its parts built: they sign and compare documents.
pub struct Pipeline {
    /// The method that the recipe began as.
    pub method: String,
    /// Makes the features by which pairs are compared.
    pub features: Box<dyn FeatureExtractor>,
    /// The ways candidates are found: one, or several in an ensemble.
    pub branches: Vec<Branch>,
    /// How many branches must propose a pair.
    pub votes: usize,
    /// Says whether two documents are near-duplicates.
    pub decider: Box<dyn Decider>,
    /// How candidates are verified.
    pub verify: Verify,
    /// Pairs that differ in one of these ways are no near-duplicates.
    pub unless: Vec<DifferenceKind>,
    /// Pairs for which one of these streams contradicts are no near-duplicates.
    pub streams: Vec<StreamKind>,
    /// The fields that hold the streams of a document.
    pub stream_fields: StreamFields,
    /// Bits in which two images that look the same may differ.
    pub image_distance: u32,
    /// Makes clusters of verified pairs.
    pub clusterer: Box<dyn Clusterer>,
    /// Which document of a cluster stays.
    pub keep: KeepRules,
    /// Identifies what makes signatures.
    pub scheme: Scheme,
    /// The recipe that it was built from, for [`crate::Recipe::of_report`].
    pub given: Table,
}

/// One way to find candidates.
pub struct Branch {
    /// The method's name.
    pub name: String,
    /// Makes this branch's features; absent when these are the features that pairs are compared by.
    pub features: Option<Box<dyn FeatureExtractor>>,
    /// Makes signatures.
    pub signer: Box<dyn Signer>,
    /// Finds candidates by signatures.
    pub finder: Finder,
}

impl Branch {
    /// What makes keys, unless candidates are found by a join.
    pub fn keyer(&self) -> Option<&dyn Keyer> {
        match &self.finder {
            Finder::Keys(keyer) => Some(&**keyer),
            Finder::Join(_) => None,
        }
    }

    /// How many keys a document has.
    pub fn keys(&self) -> usize {
        self.keyer().map_or(0, Keyer::keys)
    }

    /// Whether candidates are found from signatures that must be remembered.
    pub fn joins_signatures(&self) -> bool {
        matches!(&self.finder, Finder::Join(join) if join.source() == JoinSource::Signature)
    }

    /// The clusters that the last search found, for documents that come later.
    pub fn partition(&self) -> Option<Arc<FrozenPartition>> {
        match &self.finder {
            Finder::Join(join) => join.partition(),
            Finder::Keys(_) => None,
        }
    }

    /// Whether a signature is needed: a join over features needs none.
    pub fn signs(&self) -> bool {
        self.keyer().is_some() || self.joins_signatures()
    }
}

impl Pipeline {
    /// The chance that a pair of this similarity is found; `None` if it is not known.
    pub fn expected_recall(&self, similarity: f64) -> Option<f64> {
        // What several branches find together does not follow from any single one.
        let [branch] = &self.branches[..] else { return None };
        match &branch.finder {
            Finder::Keys(keyer) => {
                self.decider.least_jaccard(similarity).and_then(|jaccard| keyer.recall_at(jaccard))
            }
            Finder::Join(join) => join.recall_at(similarity),
        }
    }

    /// Adds how files are read to the scheme, for documents that come from files.
    pub fn reading_files(mut self, extraction: &Extraction) -> Self {
        self.scheme = self.scheme.with_extraction(extraction.spec());
        self
    }

    /// The whole recipe with every default and choice spelled out.
    pub fn resolved(&self) -> Table {
        let mut table = self.scheme.parts.clone();
        table.insert("method".into(), self.method.clone().into());
        let mut decide = self.decider.spec().to_table();
        decide.insert("verify".into(), self.verify.name().into());
        if !self.unless.is_empty() {
            let unless: Vec<Value> = self.unless.iter().map(|kind| kind.name().into()).collect();
            decide.insert("unless".into(), unless.into());
        }
        if !self.streams.is_empty() {
            let streams: Vec<Value> = self.streams.iter().map(|kind| kind.name().into()).collect();
            decide.insert("streams".into(), streams.into());
        }
        table.insert("decide".into(), decide.into());
        // Included only if they are set, so that recipes without them stay the same.
        let usual = StreamFields::default();
        let renamed =
            StreamKind::ALL.into_iter().filter(|&kind| self.stream_fields.of(kind) != usual.of(kind));
        let renamed: Table = renamed
            .map(|kind| (kind.name().to_owned(), self.stream_fields.of(kind).to_vec().into()))
            .collect();
        if !renamed.is_empty() {
            table.insert("streams".into(), renamed.into());
        }
        table.insert("cluster".into(), self.clusterer.spec().to_table().into());
        let mut keep = Table::new();
        keep.insert("rule".into(), self.keep.text.clone().into());
        table.insert("keep".into(), keep.into());
        table
    }
}
