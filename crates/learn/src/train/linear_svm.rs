//! The linear support vector machine: the plane that separates the classes with the widest margin.
//!
//! Uses the squared hinge loss, whose second derivative makes it as fast to solve as a regression.

use super::learner::{Fit, Fitter, Learner};
use super::linear::{LEAST_REGULARISATION, MOST_REGULARISATION, REGULARISATION, linear};
use super::loss::SquaredHinge;
use super::pipeline;
use super::rows::Rows;
use super::settings::{AIM, CLASS_WEIGHT, POSITIVE_WEIGHT, PRECISION, SEED, Settings};
use crate::Examples;
use lookalike_core::Result;
use lookalike_core::decide::classifier::Function;
use lookalike_core::registry::{Params, PartInfo, Spec};
use lookalike_core::threads;

pub struct LinearSvm {
    pub regularisation: f64,
    pub settings: Settings,
}

impl LinearSvm {
    pub const INFO: PartInfo = PartInfo {
        name: "linear-svm",
        summary: "Linear support vector machine: the plane with the widest margin between the classes",
        paper: "X15",
        params: &[REGULARISATION, CLASS_WEIGHT, POSITIVE_WEIGHT, AIM, PRECISION, SEED],
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
        pipeline::train(self, examples, threads::available())
    }
}

impl Fitter for LinearSvm {
    fn settings(&self) -> &Settings {
        &self.settings
    }

    fn function(&self, rows: &Rows, _threads: usize, notes: &mut Vec<String>) -> Result<Function> {
        linear(rows, self.regularisation, &SquaredHinge, notes)
    }
}
