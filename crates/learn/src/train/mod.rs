//! Training: from labelled similarity vectors to a discriminative function.
//!
//! A learner is a rule for fitting a [`Function`](lookalike_core::decide::classifier::Function) to standardised rows.
//! The pipeline does what all of them need: class weights, standardisation, scores of held-out rows, the place of the
//! zero and the calibration.

mod calibrate;
mod check;
mod cross_validation;
mod cut;
mod folds;
mod forest;
mod goal;
mod grow;
mod kernel_svm;
mod learner;
mod linear;
mod linear_svm;
mod logistic;
mod loss;
mod newton;
mod pipeline;
mod rows;
mod settings;
mod smo;
mod threshold;
mod tree;
mod vote;
mod zero;

pub use calibrate::{brier, calibration_error};
pub use cross_validation::{CrossValidated, HeldOut, best_fit, cross_validate};
pub use cut::{Cut, best_threshold};
use forest::Forest;
pub use goal::Goal;
use kernel_svm::KernelSvm;
pub use learner::{Fit, Learner};
use linear_svm::LinearSvm;
use logistic::Logistic;
use threshold::BestThreshold;
use tree::DecisionTree;
use vote::Vote;

use lookalike_core::Result;
use lookalike_core::registry::{Params, PartInfo, unknown};

type Build = fn(&mut Params) -> Result<Box<dyn Learner>>;

const LEARNERS: [(PartInfo, Build); 7] = [
    (LinearSvm::INFO, |params| Ok(Box::new(LinearSvm::from_params(params)?))),
    (KernelSvm::INFO, |params| Ok(Box::new(KernelSvm::from_params(params)?))),
    (Logistic::INFO, |params| Ok(Box::new(Logistic::from_params(params)?))),
    (DecisionTree::INFO, |params| Ok(Box::new(DecisionTree::from_params(params)?))),
    (Forest::INFO, |params| Ok(Box::new(Forest::from_params(params)?))),
    (Vote::INFO, |params| Ok(Box::new(Vote::from_params(params)?))),
    (BestThreshold::INFO, |params| Ok(Box::new(BestThreshold::from_params(params)?))),
];

/// All learners.
pub fn learners() -> Vec<PartInfo> {
    LEARNERS.iter().map(|(info, _)| *info).collect()
}

/// A learner by name; unknown parameters are refused.
pub fn learner(name: &str, mut params: Params) -> Result<Box<dyn Learner>> {
    let entry = LEARNERS.iter().find(|(info, _)| info.name == name);
    let (info, build) = entry.ok_or_else(|| unknown("learner", name, LEARNERS.map(|(info, _)| info.name)))?;
    let learner = build(&mut params)?;
    params.finish(info.params.iter().map(|param| param.name))?;
    Ok(learner)
}

#[cfg(test)]
mod tests;
