//! Logistic regression: the linear function that makes the labels most likely.

use super::learner::{Fit, Fitter, Learner};
use super::linear::{LEAST_REGULARISATION, MOST_REGULARISATION, REGULARISATION, linear};
use super::loss::LogLoss;
use super::pipeline;
use super::rows::Rows;
use super::settings::{AIM, CLASS_WEIGHT, POSITIVE_WEIGHT, PRECISION, SEED, Settings};
use crate::Examples;
use lookalike_core::Result;
use lookalike_core::decide::classifier::Function;
use lookalike_core::registry::{Params, PartInfo, Spec};
use lookalike_core::threads;

pub struct Logistic {
    pub regularisation: f64,
    pub settings: Settings,
}

impl Logistic {
    pub const INFO: PartInfo = PartInfo {
        name: "logistic",
        summary: "Logistic regression: a weighted sum that estimates the odds of a near-duplicate",
        paper: "",
        params: &[REGULARISATION, CLASS_WEIGHT, POSITIVE_WEIGHT, AIM, PRECISION, SEED],
    };

    pub fn from_params(params: &mut Params) -> Result<Self> {
        let range = LEAST_REGULARISATION..=MOST_REGULARISATION;
        let regularisation = params.number(REGULARISATION.name, 1.0, range)?;
        Ok(Logistic { regularisation, settings: Settings::from_params(params)? })
    }
}

impl Learner for Logistic {
    fn spec(&self) -> Spec {
        self.settings.write(Spec::new(Self::INFO.name).with(REGULARISATION.name, self.regularisation))
    }

    fn train(&self, examples: &Examples) -> Result<Fit> {
        pipeline::train(self, examples, threads::available())
    }
}

impl Fitter for Logistic {
    fn settings(&self) -> &Settings {
        &self.settings
    }

    fn function(&self, rows: &Rows, _threads: usize, notes: &mut Vec<String>) -> Result<Function> {
        linear(rows, self.regularisation, &LogLoss, notes)
    }
}
