//! What a learner is.

use super::confusion::Confusion;
use super::rows::Rows;
use super::settings::Settings;
use crate::Examples;
use lookalike_core::Result;
use lookalike_core::decide::classifier::{Function, Model};
use lookalike_core::registry::Spec;

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

/// A function from rows to scores, and what is to be said of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Fit {
    /// The function.
    pub model: Model,
    /// Verdicts on rows that were held out inside the training, with the zero that was chosen on them: good
    /// enough to choose between learners, a little too good to promise anything.
    pub held_out: Confusion,
    /// Whatever makes the model less than it seems: rows left out, a calibration on training scores.
    pub notes: Vec<String>,
}

/// The part of a learner that differs from others.
pub trait Fitter: Send + Sync {
    fn settings(&self) -> &Settings;

    /// Whether rows are brought to one scale first. Trees and thresholds are the same either way and
    /// can be read in the vector's own figures.
    fn standardises(&self) -> bool {
        true
    }

    /// Fits the function to weighted rows of both classes. The result does not depend on `threads`.
    fn function(&self, rows: &Rows, threads: usize, notes: &mut Vec<String>) -> Result<Function>;
}
