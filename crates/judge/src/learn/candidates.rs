//! The pairs about which a run asks a classifier, and those that it finds without one.
//!
//! A run is made with a decision that accepts everything its recipe proposes. So the pairs are those that
//! a model will see later, in the same proportions, however the recipe finds them: hardly any pair of a
//! corpus is a candidate, and a model trained and tested on other pairs would promise results that no run
//! gives.

use std::sync::Arc;

use lookalike_core::Result;
use lookalike_core::decide::classifier::{Calibration, Function, Model, Schema, Standard, Trained};
use lookalike_core::decide::{Decider, NO_REASON, Verdict};
use lookalike_core::features::{FeatureExtractor, FeatureSet};
use lookalike_core::lexicon::{Assets, Lexicon};
use lookalike_core::registry::{BuildContext, Registry, Spec};

use crate::FULL_BUCKET;
use lookalike_engine::Recipe;
use lookalike_engine::lexicon::AssetFiles;
use lookalike_engine::run::{Job, Progress, find, prepare};

/// What a run with the recipe proposes.
pub struct Candidates {
    /// Pairs a < b in order, those of exact copies included.
    pub pairs: Vec<(u32, u32)>,
    /// For each document the first of its exact copies: a run compares only those, and copies are pairs
    /// whatever a model says.
    representatives: Vec<u32>,
}

impl Candidates {
    /// Finds the candidates of a recipe in which a model with this schema decides.
    pub fn find(
        recipe: &Recipe,
        schema: &Schema,
        job: &Job,
        registry: &Registry,
        progress: &dyn Progress,
    ) -> Result<Candidates> {
        let job = Job { full_bucket: FULL_BUCKET, ..job.clone() };
        let mut recipe = recipe.clone();
        recipe.set("decide.type", "classifier")?;
        recipe.set("decide.model", UNTRAINED)?;
        let prepared = prepare(&recipe, registry, &job, progress)?;
        let lexicons = Untrained { assets: &prepared.assets, schema };
        let mut pipeline = recipe.build_with(registry, &lexicons)?;
        let vector = schema.build(&BuildContext::new(registry, &lexicons))?;
        let with_fields = vector.views.into_iter().filter(|view| !view.fields().is_empty()).collect();
        pipeline.decider = Box::new(EveryPair { with_fields });
        let outcome = find(&pipeline, &job, progress)?;
        let mut representatives: Vec<u32> = (0..outcome.masters.len() as u32).collect();
        outcome.copies.iter().for_each(|&(copy, first)| representatives[copy as usize] = first);
        let pairs = outcome.all_pairs()?.into_iter().map(|(a, b, _)| (a, b)).collect();
        Ok(Candidates { pairs, representatives })
    }

    pub fn are_copies(&self, a: u32, b: u32) -> bool {
        self.representatives[a as usize] == self.representatives[b as usize]
    }

    #[cfg(test)]
    pub fn made(pairs: Vec<(u32, u32)>, representatives: Vec<u32>) -> Self {
        Candidates { pairs, representatives }
    }
}

/// Accepts every pair of documents with features.
struct EveryPair {
    /// The classifier's views of fields: documents that differ in these are no copies. Its other views say
    /// nothing about which pairs it is asked about, and computing them would be most of the work.
    with_fields: Vec<Box<dyn FeatureExtractor>>,
}

impl Decider for EveryPair {
    fn spec(&self) -> Spec {
        Spec::new("every-pair")
    }

    fn threshold(&self) -> f64 {
        0.0
    }

    fn views(&self) -> &[Box<dyn FeatureExtractor>] {
        &self.with_fields
    }

    fn decide(&self, a: &FeatureSet, b: &FeatureSet) -> Verdict {
        let duplicate = !a.is_empty() && !b.is_empty();
        Verdict { duplicate, similarity: f64::from(u8::from(duplicate)), overlap: None, because: NO_REASON }
    }

    fn measure(&self, a: &FeatureSet, b: &FeatureSet) -> Verdict {
        self.decide(a, b)
    }
}

/// A placeholder until there is a model.
const UNTRAINED: &str = "untrained";

/// Gives the recipe an untrained model: how candidates are found must not depend on it.
struct Untrained<'a> {
    assets: &'a AssetFiles,
    schema: &'a Schema,
}

impl Assets for Untrained<'_> {
    fn load(&self, name: &str) -> Result<Arc<Lexicon>> {
        self.assets.load(name)
    }

    fn model(&self, _: &str) -> Result<Arc<Trained>> {
        let model = Model {
            standard: Standard::identity(self.schema.components.len()),
            function: Function::Threshold { component: 0, threshold: 0.5 },
            calibration: Calibration { slope: 1.0, intercept: 0.0 },
        };
        Ok(Arc::new(Trained { schema: self.schema.clone(), model, id: UNTRAINED.to_owned() }))
    }
}
