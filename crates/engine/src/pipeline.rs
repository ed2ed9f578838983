//! The stages of one recipe, built and ready.

use lookalike_core::candidates::Keyer;
use lookalike_core::cluster::{Clusterer, KeepRules};
use lookalike_core::decide::Decider;
use lookalike_core::document::{Document, Value};
use lookalike_core::features::FeatureExtractor;
use lookalike_core::scheme::Scheme;
use lookalike_core::sign::Signer;
use toml::Table;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verify {
    /// Every pair is compared on the full feature sets.
    Exact,
    /// Pairs are judged by their signatures alone: faster, wrong near the threshold.
    Estimate,
}

pub struct Pipeline {
    pub method: String,
    pub features: Box<dyn FeatureExtractor>,
    pub signer: Box<dyn Signer>,
    pub keyer: Box<dyn Keyer>,
    pub decider: Box<dyn Decider>,
    pub verify: Verify,
    pub clusterer: Box<dyn Clusterer>,
    pub keep: KeepRules,
    pub scheme: Scheme,
}

/// Which fields of a record the stages read, and where each stage finds its own.
pub struct FieldPlan {
    pub wanted: Vec<String>,
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
        let source = place(source_field.to_owned());
        // Rules know the source by its usual name.
        let mut named = |name: String| if name == "source" { source } else { place(name) };
        let keep =
            self.keep.rules.iter().map(|rule| rule.fields().into_iter().map(&mut named).collect()).collect();
        FieldPlan { wanted, keep, source }
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
        self.decider.least_jaccard(similarity).map(|jaccard| self.keyer.recall_at(jaccard))
    }

    /// The whole recipe with every default and choice spelled out.
    pub fn resolved(&self) -> Table {
        let mut table = self.scheme.parts.clone();
        table.insert("method".into(), self.method.clone().into());
        let mut decide = self.decider.spec().to_table();
        let verify = if self.verify == Verify::Exact { "exact" } else { "estimate" };
        decide.insert("verify".into(), verify.into());
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
}
