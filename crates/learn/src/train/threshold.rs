//! The baseline: the single component and threshold with the best F1.

use super::cut::best_single;
use super::goal::Goal;
use super::learner::{Fit, Fitter, Learner};
use super::pipeline;
use super::rows::Rows;
use super::settings::{CLASS_WEIGHT, POSITIVE_WEIGHT, PRECISION, SEED, Settings};
use crate::Examples;
use lookalike_core::decide::classifier::Function;
use lookalike_core::registry::{Params, PartInfo, Spec};
use lookalike_core::threads;
use lookalike_core::{Error, Result};

pub struct BestThreshold {
    pub settings: Settings,
}

impl BestThreshold {
    pub const INFO: PartInfo = PartInfo {
        name: "threshold",
        summary: "The single component and threshold with the best F1: the least that others must beat",
        paper: "",
        params: &[CLASS_WEIGHT, POSITIVE_WEIGHT, PRECISION, SEED],
    };

    pub fn from_params(params: &mut Params) -> Result<Self> {
        let settings = Settings::without_aim(params)?;
        if settings.goal() != Goal::F1 && !settings.counts_alike() {
            return Err(Error::config(
                "precision is that of the examples as they are: leave out class_weight and positive_weight",
            ));
        }
        Ok(BestThreshold { settings })
    }
}

impl Learner for BestThreshold {
    fn spec(&self) -> Spec {
        self.settings.write_without_aim(Spec::new(Self::INFO.name))
    }

    fn train(&self, examples: &Examples) -> Result<Fit> {
        pipeline::train(self, examples, threads::available())
    }
}

impl Fitter for BestThreshold {
    fn settings(&self) -> &Settings {
        &self.settings
    }

    fn standardises(&self) -> bool {
        false
    }

    /// Held-out scores of different components cannot be compared with each other.
    fn moves(&self) -> bool {
        false
    }

    fn function(&self, rows: &Rows, _threads: usize, _notes: &mut Vec<String>) -> Result<Function> {
        let (component, threshold) = best_single(rows, self.settings.goal());
        Ok(Function::Threshold { component, threshold })
    }
}
