//! Training: from labelled similarity vectors to a discriminative function.
//!
//! A learner is a rule for fitting a [`Function`] to standardised rows. What all of them need, the
//! pipeline does once: weights of classes, standardisation, scores of rows that were held out,
//! the place of the zero and the calibration.

mod calibrate;
mod cross_validation;
mod cut;
mod folds;
mod forest;
mod grow;
mod kernel_svm;
mod linear_svm;
mod logistic;
mod newton;
mod parallel;
mod pipeline;
mod settings;
mod smo;
mod tally;
mod threshold;
mod tree;

pub use calibrate::{brier, calibration_error};
pub use cross_validation::{CrossValidated, HeldOut, best_fit, cross_validate};
pub use cut::{Cut, best_threshold};
pub use folds::{Folds, grouped_folds};
pub use forest::Forest;
pub use kernel_svm::KernelSvm;
pub use linear_svm::LinearSvm;
pub use logistic::Logistic;
pub use settings::{Aim, ClassWeight, Settings};
pub use tally::Tally;
pub use threshold::BestThreshold;
pub use tree::DecisionTree;

use crate::Examples;
use lookalike_core::Result;
use lookalike_core::decide::classifier::{Function, Model};
use lookalike_core::registry::{Params, PartInfo, Spec, unknown};
use pipeline::Rows;

/// Makes a model of labelled vectors.
pub trait Learner: Send + Sync {
    /// The type and parameters that rebuild this learner.
    fn spec(&self) -> Spec;

    /// The model, and what a person should know of how it came about. Needs near-duplicates as well
    /// as others; equal examples give an equal model on every machine.
    fn train(&self, examples: &Examples) -> Result<Fit>;

    /// The model alone.
    fn fit(&self, examples: &Examples) -> Result<Model> {
        Ok(self.train(examples)?.model)
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct Fit {
    pub model: Model,
    /// Verdicts on rows that were held out inside the training, with the zero that was chosen on them: good
    /// enough to choose between learners, a little too good to promise anything.
    pub held_out: Tally,
    /// Whatever makes the model less than it seems: rows left out, a calibration on training scores.
    pub notes: Vec<String>,
}

/// The part of a learner that differs from others.
trait Method: Send + Sync {
    fn settings(&self) -> &Settings;

    /// Whether rows are brought to one scale first. Trees and thresholds are the same either way and
    /// can be read in the vector's own figures.
    fn standardises(&self) -> bool {
        true
    }

    /// Fits the function to weighted rows of both classes. The result does not depend on `threads`.
    fn function(&self, rows: &Rows, threads: usize, notes: &mut Vec<String>) -> Result<Function>;
}

type Build = fn(&mut Params) -> Result<Box<dyn Learner>>;

const LEARNERS: [(PartInfo, Build); 6] = [
    (LinearSvm::INFO, |params| Ok(Box::new(LinearSvm::from_params(params)?))),
    (KernelSvm::INFO, |params| Ok(Box::new(KernelSvm::from_params(params)?))),
    (Logistic::INFO, |params| Ok(Box::new(Logistic::from_params(params)?))),
    (DecisionTree::INFO, |params| Ok(Box::new(DecisionTree::from_params(params)?))),
    (Forest::INFO, |params| Ok(Box::new(Forest::from_params(params)?))),
    (BestThreshold::INFO, |params| Ok(Box::new(BestThreshold::from_params(params)?))),
];

/// All learners.
pub fn learners() -> Vec<PartInfo> {
    LEARNERS.iter().map(|(info, _)| *info).collect()
}

/// A learner by name; every parameter must be understood.
pub fn learner(name: &str, mut params: Params) -> Result<Box<dyn Learner>> {
    let entry = LEARNERS.iter().find(|(info, _)| info.name == name);
    let (info, build) = entry.ok_or_else(|| unknown("learner", name, LEARNERS.map(|(info, _)| info.name)))?;
    let learner = build(&mut params)?;
    params.finish(info.params.iter().map(|param| param.name))?;
    Ok(learner)
}

#[cfg(test)]
mod tests;
