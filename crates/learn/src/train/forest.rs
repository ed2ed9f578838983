//! A random forest: many trees, each grown from other rows and components, outvote each other's errors.

use super::grow::{Binned, Limits, grow};
use super::learner::{Fit, Fitter, Learner};
use super::pipeline;
use super::rows::Rows;
use super::settings::{AIM, CLASS_WEIGHT, POSITIVE_WEIGHT, PRECISION, SEED, Settings};
use super::tree::limits_from_params;
use crate::Examples;
use crate::random::Random;
use lookalike_core::decide::classifier::Function;
use lookalike_core::registry::{Param, Params, PartInfo, Spec};
use lookalike_core::threads;
use lookalike_core::{Error, Result};

pub struct Forest {
    pub trees: usize,
    pub depth: usize,
    pub least_rows: usize,
    pub settings: Settings,
}

impl Forest {
    pub const INFO: PartInfo = PartInfo {
        name: "forest",
        summary: "Random forest: the mean of many decision trees, each grown on a random draw",
        paper: "",
        params: &[
            Param { name: "trees", default: "100", help: "number of trees, from 1 to 10000" },
            Param {
                name: "depth",
                default: "12",
                help: "most questions on the way to an answer, from 1 to 64",
            },
            Param { name: "least_rows", default: "3", help: "fewest examples behind an answer" },
            CLASS_WEIGHT,
            POSITIVE_WEIGHT,
            AIM,
            PRECISION,
            SEED,
        ],
    };

    pub fn from_params(params: &mut Params) -> Result<Self> {
        const MOST_TREES: u64 = 10_000;
        let trees = params.integer("trees", 100)?;
        if trees == 0 || trees > MOST_TREES {
            return Err(Error::config(format!("trees is {trees}, it must be from 1 to {MOST_TREES}")));
        }
        let (depth, least_rows) = limits_from_params(params, 12, 3)?;
        Ok(Forest { trees: trees as usize, depth, least_rows, settings: Settings::from_params(params)? })
    }
}

impl Learner for Forest {
    fn spec(&self) -> Spec {
        let spec = Spec::new(Self::INFO.name).with("trees", self.trees as i64);
        let spec = spec.with("depth", self.depth as i64).with("least_rows", self.least_rows as i64);
        self.settings.write(spec)
    }

    fn train(&self, examples: &Examples) -> Result<Fit> {
        pipeline::train(self, examples, threads::available())
    }
}

impl Fitter for Forest {
    fn settings(&self) -> &Settings {
        &self.settings
    }

    fn standardises(&self) -> bool {
        false
    }

    fn function(&self, rows: &Rows, threads: usize, _notes: &mut Vec<String>) -> Result<Function> {
        let components = rows.width.isqrt().max(1);
        let limits = Limits { depth: self.depth, least_rows: self.least_rows, components };
        let binned = Binned::new(rows);
        let trees = threads::spread(threads.min(self.trees), 0..self.trees, |tree| {
            // Each tree has random numbers of its own, whichever thread grows it.
            let mut random = Random::new(self.settings.seed, 1 + tree as u64);
            let mut weights = vec![0.0; rows.len()];
            for _ in 0..rows.len() {
                let drawn = random.below(rows.len());
                weights[drawn] += rows.weights[drawn];
            }
            grow(&binned, &rows.labels, &weights, limits, &mut random)
        });
        Ok(Function::Trees { trees, offset: 0.0 })
    }
}
