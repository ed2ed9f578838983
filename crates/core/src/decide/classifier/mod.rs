//! A trained decision: near-duplicate when the discriminative function of the pair's similarity
//! vector, F(V), is at least 0 (X15).
//!
//! ```toml
//! [decide]
//! type = "classifier"
//! model = "citations.model"      # written by `lookalike train`
//! ```
//!
//! The similarity of a pair is the model's calibrated confidence that it is a near-duplicate, so it
//! is from 0 to 1 as everywhere, and rises with F.

mod calibration;
mod function;
mod model;
mod schema;
mod standard;
pub(crate) mod trained;
mod trees;
mod vector;

use std::sync::Arc;

pub use calibration::Calibration;
pub use function::Function;
pub use model::Model;
pub use schema::{Component, FeatureView, MOST_COMPONENTS, PRESENT, SIZE, Schema};
pub use standard::Standard;
pub use trained::Trained;
pub use trees::{Node, Split, Tree};
pub use vector::Vector;

use super::decider::{Because, Decider, NO_REASON, STREAMS, UNLESS, Verdict};
use super::overlap::Overlap;
use crate::error::{Error, Result};
use crate::features::{FeatureExtractor, FeatureSet};
use crate::part::{Param, Params, PartInfo, Spec};
use crate::registry::BuildContext;

/// A trained model as a decider.
pub struct Classifier {
    vector: Vector,
    trained: Arc<Trained>,
    /// The confidence from which a pair counts as a near-duplicate; absent for that of F = 0.
    confidence: Option<f64>,
}

impl Classifier {
    /// The description of this part in the registry.
    pub const INFO: PartInfo = PartInfo {
        name: "classifier",
        summary: "Near-duplicate when a trained function of many similarities is at least 0",
        paper: "X15 §3",
        params: &[
            Param { name: "model", default: "", help: "the file that `lookalike train` wrote" },
            Param {
                name: "confidence",
                default: "F ≥ 0",
                help: "least calibrated confidence, above 0 and at most 1, instead of F ≥ 0",
            },
            Param { name: "verify", default: "\"exact\"", help: "only exact: signatures cannot tell F" },
            UNLESS,
            STREAMS,
        ],
    };

    /// Reads its parameters from a section of a recipe.
    pub fn from_params(params: &mut Params, context: &BuildContext<'_>) -> Result<Self> {
        let name = params.text("model", "")?;
        if name.is_empty() {
            return Err(Error::config(
                "decide.model is missing: name the file that `lookalike train` wrote for your documents",
            ));
        }
        let confidence = match params.optional_number("confidence", 0.0..=1.0)? {
            Some(0.0) => {
                return Err(Error::config("decide.confidence is 0, it must be above 0 and at most 1"));
            }
            confidence => confidence,
        };
        Classifier::new(context.lexicons.model(&name)?, confidence, context)
    }

    /// A decider that uses this model; `confidence`, if given, replaces the boundary F = 0.
    pub fn new(trained: Arc<Trained>, confidence: Option<f64>, context: &BuildContext<'_>) -> Result<Self> {
        let vector = trained.schema.build(context)?;
        trained.model.check()?;
        if trained.model.width() != vector.width() {
            return Err(Error::Incompatible(format!(
                "the model takes vectors of {} components, its schema has {}",
                trained.model.width(),
                vector.width()
            )));
        }
        Ok(Classifier { vector, trained, confidence })
    }
}

impl Decider for Classifier {
    fn spec(&self) -> Spec {
        let spec = Spec::new(Self::INFO.name).with("model", self.trained.id.clone());
        match self.confidence {
            Some(confidence) => spec.with("confidence", confidence),
            None => spec,
        }
    }

    fn threshold(&self) -> f64 {
        self.confidence.unwrap_or_else(|| self.trained.model.confidence(0.0))
    }

    fn views(&self) -> &[Box<dyn FeatureExtractor>] {
        &self.vector.views
    }

    fn reasons(&self) -> Vec<String> {
        self.vector.names()
    }

    fn decide(&self, a: &FeatureSet, b: &FeatureSet) -> Verdict {
        self.judge(a, b, false)
    }

    fn measure(&self, a: &FeatureSet, b: &FeatureSet) -> Verdict {
        self.judge(a, b, true)
    }
}

impl Classifier {
    /// The verdict. A pair that is no near-duplicate gets its reasons only if `every` pair is to have them,
    /// since finding out what weighed most can cost more than deciding.
    fn judge(&self, a: &FeatureSet, b: &FeatureSet, every: bool) -> Verdict {
        // A document without features is like no other.
        if a.is_empty() || b.is_empty() {
            return Verdict { duplicate: false, similarity: 0.0, overlap: None, because: NO_REASON };
        }
        let Trained { model, .. } = &*self.trained;
        let mut values = Vec::with_capacity(self.vector.width());
        self.vector.fill(a, b, &mut values);
        let score = model.score(&values);
        let similarity = model.confidence(score);
        let duplicate = self.confidence.map_or(score >= 0.0, |least| similarity >= least);
        if !duplicate && !every {
            return Verdict { duplicate, similarity, overlap: None, because: NO_REASON };
        }
        let mut contributions = Vec::with_capacity(values.len());
        model.contributions(&values, &mut contributions);
        let because = weightiest(&contributions);
        Verdict { duplicate, similarity, overlap: Some(Overlap::count(a, b)), because }
    }
}

/// The three components that moved F most.
fn weightiest(contributions: &[f64]) -> Because {
    let mut order: Vec<usize> =
        (0..contributions.len()).filter(|&place| contributions[place] != 0.0).collect();
    order.sort_by(|&x, &y| contributions[y].abs().total_cmp(&contributions[x].abs()).then(x.cmp(&y)));
    let mut because = NO_REASON;
    for (reason, place) in because.iter_mut().zip(order) {
        // A schema never has more components than this number can count.
        let number = i8::try_from(place + 1).unwrap_or(0);
        *reason = if contributions[place] < 0.0 { -number } else { number };
    }
    because
}

#[cfg(test)]
mod tests;
