//! The stages of one recipe, built and ready: the one way in which documents are signed, looked up and compared.
//!
//! The batch run, the index and `compare` differ in where documents lie and in which order they come. What is made of
//! a document and what two documents are to each other stands here and nowhere else:
//!
//! - [`FieldPlan`]: which fields the stages read, and a document as each of them sees it;
//! - [`Signatures`]: features, digest, signatures and keys of one document;
//! - [`Lookup`]: the keys under which one document finds its candidates among those that are known;
//! - [`pivots`]: whom the documents of a crowd are compared with;
//! - [`Pipeline::compare`], [`Pipeline::estimate`]: the verdict on two documents.

mod fields;
mod lookup;
mod pivots;
mod sign;
mod verdict;

pub use fields::FieldPlan;
pub use lookup::{Lookup, LookupEntry};
pub use pivots::pivots;
pub use sign::{BranchPlaces, JoinRecords, Signatures};
pub use verdict::Compare;

use lookalike_core::candidates::{Finder, JoinSource, Keyer};
use lookalike_core::cluster::{Clusterer, KeepRules};
use lookalike_core::decide::Decider;
use lookalike_core::features::FeatureExtractor;
use lookalike_core::scheme::Scheme;
use lookalike_core::sign::Signer;
use toml::Table;

use crate::extraction::Extraction;

/// What candidates are judged by.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Verify {
    /// Every pair is compared on the full feature sets.
    #[default]
    Exact,
    /// Pairs are judged by their signatures alone: faster, wrong near the threshold.
    Estimate,
    /// Whatever the signatures pair is a near-duplicate, as in the papers; how alike the two are is
    /// still measured on the full feature sets.
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

/// A recipe, built: the parts that sign and compare documents.
pub struct Pipeline {
    /// The method that the recipe began as.
    pub method: String,
    /// What pairs are compared by.
    pub features: Box<dyn FeatureExtractor>,
    /// The ways candidates are found: one, or several in an ensemble.
    pub branches: Vec<Branch>,
    /// How many branches must propose a pair.
    pub votes: usize,
    /// Says whether two documents are near-duplicates.
    pub decider: Box<dyn Decider>,
    /// What candidates are judged by.
    pub verify: Verify,
    /// Makes clusters of verified pairs.
    pub clusterer: Box<dyn Clusterer>,
    /// Which document of a cluster stays.
    pub keep: KeepRules,
    /// Names what signatures are made by.
    pub scheme: Scheme,
    /// The recipe that it was built from, for [`crate::Recipe::of_report`].
    pub given: Table,
}

/// One way to find candidates.
pub struct Branch {
    /// The method's name.
    pub name: String,
    /// Absent when these are the features that pairs are compared by.
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

    /// Keys of a document.
    pub fn keys(&self) -> usize {
        self.keyer().map_or(0, Keyer::keys)
    }

    /// Whether candidates are found from signatures that must be remembered.
    pub fn joins_signatures(&self) -> bool {
        matches!(&self.finder, Finder::Join(join) if join.source() == JoinSource::Signature)
    }

    /// Whether a signature is of any use: a join over features needs none.
    pub fn signs(&self) -> bool {
        self.keyer().is_some() || self.joins_signatures()
    }
}

impl Pipeline {
    /// The chance that a pair of this similarity is found, if it can be told.
    pub fn expected_recall(&self, similarity: f64) -> Option<f64> {
        // What one of several finds is told by none of them.
        let [branch] = &self.branches[..] else { return None };
        match &branch.finder {
            Finder::Keys(keyer) => {
                self.decider.least_jaccard(similarity).and_then(|jaccard| keyer.recall_at(jaccard))
            }
            Finder::Join(join) => join.recall_at(similarity),
        }
    }

    /// Notes that documents come from files: how these are read decides what is compared.
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
        table.insert("decide".into(), decide.into());
        table.insert("cluster".into(), self.clusterer.spec().to_table().into());
        let mut keep = Table::new();
        keep.insert("rule".into(), self.keep.text.clone().into());
        table.insert("keep".into(), keep.into());
        table
    }
}
