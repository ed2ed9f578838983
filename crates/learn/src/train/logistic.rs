//! Logistic regression: the linear function under which the labels are likeliest.

use super::linear_svm::{LEAST_REGULARISATION, MOST_REGULARISATION, REGULARISATION, linear};
use super::newton::Loss;
use super::pipeline::{self, Rows};
use super::settings::{AIM, CLASS_WEIGHT, POSITIVE_WEIGHT, SEED, Settings};
use super::{Fit, Learner, Method, parallel};
use crate::Examples;
use lookalike_core::Result;
use lookalike_core::decide::classifier::Function;
use lookalike_core::features::terms::maths::{exp, ln};
use lookalike_core::registry::{Params, PartInfo, Spec};

pub struct Logistic {
    pub regularisation: f64,
    pub settings: Settings,
}

impl Logistic {
    pub const INFO: PartInfo = PartInfo {
        name: "logistic",
        summary: "Logistic regression: a weighted sum that estimates the odds of a near-duplicate",
        paper: "",
        params: &[REGULARISATION, CLASS_WEIGHT, POSITIVE_WEIGHT, AIM, SEED],
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
        pipeline::train(self, examples, parallel::threads())
    }
}

impl Method for Logistic {
    fn settings(&self) -> &Settings {
        &self.settings
    }

    fn function(&self, rows: &Rows, _threads: usize, notes: &mut Vec<String>) -> Result<Function> {
        linear(rows, self.regularisation, &LogLoss, notes)
    }
}

/// ln(1 + e^-margin).
pub struct LogLoss;

impl Loss for LogLoss {
    fn at(&self, margin: f64) -> (f64, f64, f64) {
        // The exponential of the side that cannot overflow.
        let small = exp(-margin.abs());
        let wrong = if margin > 0.0 { small / (1.0 + small) } else { 1.0 / (1.0 + small) };
        (ln(1.0 + small) + (-margin).max(0.0), -wrong, wrong * (1.0 - wrong))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn derivatives_are_those_of_the_loss() {
        for margin in [-40.0, -3.0, -0.5, 0.0, 0.7, 5.0, 40.0] {
            let width = 1e-4;
            let (low, here, high) =
                (LogLoss.at(margin - width), LogLoss.at(margin), LogLoss.at(margin + width));
            assert!(((high.0 - low.0) / (2.0 * width) - here.1).abs() < 1e-7, "{margin}");
            assert!(((high.1 - low.1) / (2.0 * width) - here.2).abs() < 1e-7, "{margin}");
        }
    }
}
