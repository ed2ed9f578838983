//! The baseline: the single component and threshold with the best F1.

use super::cut::best_single;
use super::learner::{Fit, Fitter, Learner};
use super::pipeline;
use super::rows::Rows;
use super::settings::{CLASS_WEIGHT, POSITIVE_WEIGHT, SEED, Settings};
use crate::Examples;
use lookalike_core::Result;
use lookalike_core::decide::classifier::Function;
use lookalike_core::registry::{Params, PartInfo, Spec};
use lookalike_core::threads;

pub struct BestThreshold {
    pub settings: Settings,
}

impl BestThreshold {
    pub const INFO: PartInfo = PartInfo {
        name: "threshold",
        summary: "The single component and threshold with the best F1: the least that others must beat",
        paper: "",
        params: &[CLASS_WEIGHT, POSITIVE_WEIGHT, SEED],
    };

    pub fn from_params(params: &mut Params) -> Result<Self> {
        Ok(BestThreshold { settings: Settings::without_aim(params)? })
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

    fn function(&self, rows: &Rows, _threads: usize, _notes: &mut Vec<String>) -> Result<Function> {
        let cut = best_single(rows.width, &rows.values, &rows.labels, &rows.weights);
        Ok(Function::Threshold { component: cut.component, threshold: cut.threshold })
    }
}
