//! What a learner is.

use super::goal::Goal;
use super::rows::Rows;
use super::settings::{Aim, Settings};
use crate::Examples;
use lookalike_core::Result;
use lookalike_core::decide::classifier::{Function, Model};
use lookalike_core::registry::Spec;

/// Makes a model from labelled vectors.
pub trait Learner: Send + Sync {
    /// The type and parameters that rebuild this learner.
    fn spec(&self) -> Spec;

    /// The model, and notes on how it was made. Needs near-duplicates as well as others; equal
    /// examples give an equal model on every machine.
    fn train(&self, examples: &Examples) -> Result<Fit>;

    /// The model alone.
    fn fit(&self, examples: &Examples) -> Result<Model> {
        Ok(self.train(examples)?.model)
    }
}

/// A function from rows to scores, with notes.
#[derive(Clone, Debug, PartialEq)]
pub struct Fit {
    /// The function.
    pub model: Model,
    /// Verdicts on rows that were held out inside the training, with a zero chosen without them. By these
    /// learners are chosen, so for the chosen one they are slightly too good to state expected quality.
    pub held_out: Vec<bool>,
    /// What the boundary was chosen for.
    pub goal: Goal,
    /// Limitations of the model: rows left out, a calibration on training scores.
    pub notes: Vec<String>,
}

/// The part of a learner that differs from others.
pub trait Fitter: Send + Sync {
    fn settings(&self) -> &Settings;

    /// Whether rows are standardised first. Trees and thresholds are the same either way, and are
    /// readable in the vector's own units.
    fn standardises(&self) -> bool {
        true
    }

    /// Whether the zero of the function is moved to where held-out rows serve the goal best.
    fn moves(&self) -> bool {
        self.settings().aim != Aim::Boundary
    }

    /// Fits the function to weighted rows of both classes. The result does not depend on `threads`.
    fn function(&self, rows: &Rows, threads: usize, notes: &mut Vec<String>) -> Result<Function>;
}
