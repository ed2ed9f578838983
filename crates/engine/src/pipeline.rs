//! The stages of one recipe, built and ready.

use std::borrow::Cow;

use lookalike_core::candidates::{Finder, Keyer, Source};
use lookalike_core::cluster::{Clusterer, KeepRules};
use lookalike_core::decide::Decider;
use lookalike_core::document::{Document, Value};
use lookalike_core::features::{FeatureExtractor, FeatureSet, Features};
use lookalike_core::hash;
use lookalike_core::scheme::Scheme;
use lookalike_core::sign::Signer;
use toml::Table;

use crate::extraction::Extraction;

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
    pub const NAMES: [&str; 3] = ["exact", "estimate", "signature"];

    pub fn name(self) -> &'static str {
        Verify::NAMES[self as usize]
    }

    pub fn from_name(name: &str) -> Option<Verify> {
        [Verify::Exact, Verify::Estimate, Verify::Signature].into_iter().find(|verify| verify.name() == name)
    }
}

pub struct Pipeline {
    pub method: String,
    /// What pairs are compared by.
    pub features: Box<dyn FeatureExtractor>,
    /// The ways candidates are found: one, or several in an ensemble.
    pub branches: Vec<Branch>,
    /// How many branches must propose a pair.
    pub votes: usize,
    pub decider: Box<dyn Decider>,
    pub verify: Verify,
    pub clusterer: Box<dyn Clusterer>,
    pub keep: KeepRules,
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
    pub signer: Box<dyn Signer>,
    pub finder: Finder,
}

impl Branch {
    pub fn keyer(&self) -> Option<&dyn Keyer> {
        match &self.finder {
            Finder::Keys(keyer) => Some(&**keyer),
            Finder::Join(_) => None,
        }
    }

    pub fn keys(&self) -> usize {
        self.keyer().map_or(0, Keyer::keys)
    }

    /// Whether candidates are found from signatures that must be remembered.
    pub fn joins_signatures(&self) -> bool {
        matches!(&self.finder, Finder::Join(join) if join.source() == Source::Signature)
    }

    /// Whether a signature is of any use: a join over features needs none.
    pub fn signs(&self) -> bool {
        self.keyer().is_some() || self.joins_signatures()
    }
}

/// Which fields of a record the stages read, and where each stage finds its own.
pub struct FieldPlan {
    pub wanted: Vec<String>,
    /// For each branch with features of its own, the places of their fields.
    branches: Vec<Vec<usize>>,
    /// For each view of the decider, the places of its fields.
    views: Vec<Vec<usize>>,
    /// For each keep rule, the places of its fields.
    keep: Vec<Vec<usize>>,
    source: usize,
}

impl Pipeline {
    pub fn field_plan(&self, source_field: &str) -> FieldPlan {
        // The extractor's fields come first: it finds them by its own order.
        let mut wanted = self.features.fields();
        let mut place = |name: String| match wanted.iter().position(|other| *other == name) {
            Some(place) => place,
            None => {
                wanted.push(name);
                wanted.len() - 1
            }
        };
        let own = |branch: &Branch| branch.features.as_ref().map_or(Vec::new(), |features| features.fields());
        let branches =
            self.branches.iter().map(|branch| own(branch).into_iter().map(&mut place).collect()).collect();
        let views = self.decider.views().iter();
        let views = views.map(|view| view.fields().into_iter().map(&mut place).collect()).collect();
        let source = place(source_field.to_owned());
        // Rules know the source by its usual name.
        let mut named = |name: String| if name == "source" { source } else { place(name) };
        let keep =
            self.keep.rules.iter().map(|rule| rule.fields().into_iter().map(&mut named).collect()).collect();
        FieldPlan { wanted, branches, views, keep, source }
    }

    /// Scores of the keep rules, larger being better.
    pub fn keep_scores(&self, plan: &FieldPlan, document: &Document<'_>, file: &str, out: &mut Vec<u64>) {
        for (rule, places) in self.keep.rules.iter().zip(&plan.keep) {
            // A document without a source has its file as source.
            let file = |place: usize| (place == plan.source).then(|| Value::Text(file.into()));
            let value =
                |&place: &usize| document.fields.get(place).cloned().flatten().or_else(|| file(place));
            let values: Vec<Option<Value<'_>>> = places.iter().map(value).collect();
            out.push(rule.score(document, &values));
        }
    }

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

impl FieldPlan {
    pub fn source_of<'d>(&self, document: &'d Document<'_>) -> Option<&'d str> {
        match document.fields.get(self.source) {
            Some(Some(Value::Text(source))) => Some(source),
            _ => None,
        }
    }

    /// The document as a branch's own extractor must see it: with its fields in its order.
    pub fn view<'d>(&self, branch: usize, document: &'d Document<'d>) -> Cow<'d, Document<'d>> {
        with_fields(&self.branches[branch], document)
    }

    /// Adds to a document's set how the decider's views see it, in memory that is reused.
    pub fn fill_views(
        &self,
        views: &[Box<dyn FeatureExtractor>],
        document: &Document<'_>,
        features: &mut Features,
        set: &mut FeatureSet,
    ) {
        set.views.resize_with(views.len(), FeatureSet::default);
        for ((view, places), seen) in views.iter().zip(&self.views).zip(&mut set.views) {
            features.fill(&**view, &with_fields(places, document));
            seen.fill(features);
        }
    }

    /// A digest of what the decider's views see in fields, beside the text; 0 if they read none.
    pub fn fields_digest(
        &self,
        views: &[Box<dyn FeatureExtractor>],
        document: &Document<'_>,
        features: &mut Features,
    ) -> u128 {
        let reading = views.iter().zip(&self.views).filter(|(_, places)| !places.is_empty());
        reading.fold(0, |digest, (view, places)| {
            features.fill(&**view, &with_fields(places, document));
            let other = features.digest();
            hash::digest(&[digest as u64, (digest >> 64) as u64, other as u64, (other >> 64) as u64])
        })
    }
}

fn with_fields<'d>(places: &[usize], document: &'d Document<'d>) -> Cow<'d, Document<'d>> {
    if places.is_empty() {
        return Cow::Borrowed(document);
    }
    let fields = places.iter().map(|&place| document.fields.get(place).cloned().flatten()).collect();
    Cow::Owned(Document { text: Cow::Borrowed(&document.text), fields, position: document.position })
}
