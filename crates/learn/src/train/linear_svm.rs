//! The linear support vector machine: the plane that parts the classes with the widest margin.
//!
//! With squared hinge loss, whose second derivative makes it as quick to solve as a regression.

use super::newton::{Loss, minimise};
use super::pipeline::{self, Rows};
use super::settings::{AIM, CLASS_WEIGHT, POSITIVE_WEIGHT, SEED, Settings};
use super::{Fit, Learner, Method, parallel};
use crate::Examples;
use lookalike_core::Result;
use lookalike_core::decide::classifier::Function;
use lookalike_core::registry::{Param, Params, PartInfo, Spec};

pub(super) const REGULARISATION: Param = Param {
    name: "regularisation",
    default: "1",
    help: "C: the more, the closer to the examples; the less, the smoother",
};
pub(super) const LEAST_REGULARISATION: f64 = 1e-6;
pub(super) const MOST_REGULARISATION: f64 = 1e6;

pub struct LinearSvm {
    pub regularisation: f64,
    pub settings: Settings,
}

impl LinearSvm {
    pub const INFO: PartInfo = PartInfo {
        name: "linear-svm",
        summary: "Linear support vector machine: the plane with the widest margin between the classes",
        paper: "X15",
        params: &[REGULARISATION, CLASS_WEIGHT, POSITIVE_WEIGHT, AIM, SEED],
    };

    pub fn from_params(params: &mut Params) -> Result<Self> {
        let range = LEAST_REGULARISATION..=MOST_REGULARISATION;
        let regularisation = params.number(REGULARISATION.name, 1.0, range)?;
        Ok(LinearSvm { regularisation, settings: Settings::from_params(params)? })
    }
}

impl Learner for LinearSvm {
    fn spec(&self) -> Spec {
        self.settings.write(Spec::new(Self::INFO.name).with(REGULARISATION.name, self.regularisation))
    }

    fn train(&self, examples: &Examples) -> Result<Fit> {
        pipeline::train(self, examples, parallel::threads())
    }
}

impl Method for LinearSvm {
    fn settings(&self) -> &Settings {
        &self.settings
    }

    fn function(&self, rows: &Rows, _threads: usize, notes: &mut Vec<String>) -> Result<Function> {
        linear(rows, self.regularisation, &SquaredHinge, notes)
    }
}

/// The linear function with the least penalised loss.
pub(super) fn linear(
    rows: &Rows,
    regularisation: f64,
    loss: &dyn Loss,
    notes: &mut Vec<String>,
) -> Result<Function> {
    let solution = minimise(rows, 1.0 / regularisation, loss)?;
    if !solution.converged {
        notes
            .push("the weights had not settled when training stopped; try a lower regularisation".to_owned());
    }
    Ok(Function::Linear { weights: solution.weights, bias: solution.bias })
}

struct SquaredHinge;

impl Loss for SquaredHinge {
    fn at(&self, margin: f64) -> (f64, f64, f64) {
        let short = 1.0 - margin;
        if short > 0.0 { (short * short, -2.0 * short, 2.0) } else { (0.0, 0.0, 0.0) }
    }
}
