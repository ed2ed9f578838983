//! Several learners of different kinds that vote: where one of them is wrong by chance, the others outvote it.

use super::forest::Forest;
use super::kernel_svm::KernelSvm;
use super::learner::{Fit, Fitter, Learner};
use super::logistic::Logistic;
use super::pipeline;
use super::rows::Rows;
use super::settings::{AIM, CLASS_WEIGHT, POSITIVE_WEIGHT, PRECISION, SEED, Settings};
use crate::Examples;
use lookalike_core::Result;
use lookalike_core::decide::classifier::Function;
use lookalike_core::registry::{Params, PartInfo, Spec};
use lookalike_core::threads;

pub struct Vote {
    pub settings: Settings,
}

impl Vote {
    pub const INFO: PartInfo = PartInfo {
        name: "vote",
        summary: "Logistic regression, kernel machine and forest vote, each by how sure it is",
        paper: "",
        params: &[CLASS_WEIGHT, POSITIVE_WEIGHT, AIM, PRECISION, SEED],
    };

    pub fn from_params(params: &mut Params) -> Result<Self> {
        Ok(Vote { settings: Settings::from_params(params)? })
    }

    /// A straight, a smooth and a jagged boundary.
    fn members(&self) -> [Box<dyn Fitter>; 3] {
        let settings = self.settings;
        [
            Box::new(Logistic { regularisation: 1.0, settings }),
            Box::new(KernelSvm { regularisation: 1.0, gamma: None, settings }),
            Box::new(Forest { trees: 100, depth: 12, least_rows: 3, settings }),
        ]
    }
}

impl Learner for Vote {
    fn spec(&self) -> Spec {
        self.settings.write(Spec::new(Self::INFO.name))
    }

    fn train(&self, examples: &Examples) -> Result<Fit> {
        pipeline::train(self, examples, threads::available())
    }
}

impl Fitter for Vote {
    fn settings(&self) -> &Settings {
        &self.settings
    }

    fn function(&self, rows: &Rows, threads: usize, notes: &mut Vec<String>) -> Result<Function> {
        let fitted = self.members().map(|member| member.function(rows, threads, notes));
        Ok(Function::Vote { members: fitted.into_iter().collect::<Result<_>>()?, offset: 0.0 })
    }
}
