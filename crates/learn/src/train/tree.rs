//! A single decision tree: few questions, readable by people.

use super::grow::{Binned, Limits, grow};
use super::learner::{Fit, Fitter, Learner};
use super::pipeline;
use super::rows::Rows;
use super::settings::{AIM, CLASS_WEIGHT, POSITIVE_WEIGHT, PRECISION, SEED, Settings};
use crate::Examples;
use crate::random::Random;
use lookalike_core::decide::classifier::Function;
use lookalike_core::registry::{Param, Params, PartInfo, Spec};
use lookalike_core::threads;
use lookalike_core::{Error, Result};

pub struct DecisionTree {
    pub depth: usize,
    pub least_rows: usize,
    pub settings: Settings,
}

impl DecisionTree {
    pub const INFO: PartInfo = PartInfo {
        name: "tree",
        summary: "Decision tree (CART, Gini): a few questions about single components, easy to read",
        paper: "",
        params: &[
            Param {
                name: "depth",
                default: "5",
                help: "most questions on the way to an answer, from 1 to 64",
            },
            Param { name: "least_rows", default: "5", help: "fewest examples behind an answer" },
            CLASS_WEIGHT,
            POSITIVE_WEIGHT,
            AIM,
            PRECISION,
            SEED,
        ],
    };

    pub fn from_params(params: &mut Params) -> Result<Self> {
        let (depth, least_rows) = limits_from_params(params, 5, 5)?;
        Ok(DecisionTree { depth, least_rows, settings: Settings::from_params(params)? })
    }
}

/// How deep a tree grows and how many rows its leaves have.
pub(super) fn limits_from_params(params: &mut Params, depth: u64, least_rows: u64) -> Result<(usize, usize)> {
    const DEEPEST: u64 = 64;
    let depth = params.integer("depth", depth)?;
    if depth == 0 || depth > DEEPEST {
        return Err(Error::config(format!("depth is {depth}, it must be from 1 to {DEEPEST}")));
    }
    let least_rows = params.integer("least_rows", least_rows)?;
    if least_rows == 0 {
        return Err(Error::config("least_rows is 0, it must be at least 1"));
    }
    Ok((depth as usize, usize::try_from(least_rows).unwrap_or(usize::MAX)))
}

impl Learner for DecisionTree {
    fn spec(&self) -> Spec {
        let spec = Spec::new(Self::INFO.name).with("depth", self.depth as i64);
        self.settings.write(spec.with("least_rows", self.least_rows as i64))
    }

    fn train(&self, examples: &Examples) -> Result<Fit> {
        pipeline::train(self, examples, threads::available())
    }
}

impl Fitter for DecisionTree {
    fn settings(&self) -> &Settings {
        &self.settings
    }

    fn standardises(&self) -> bool {
        false
    }

    fn function(&self, rows: &Rows, _threads: usize, _notes: &mut Vec<String>) -> Result<Function> {
        let limits = Limits { depth: self.depth, least_rows: self.least_rows, components: rows.width };
        let mut random = Random::new(self.settings.seed, 0);
        let tree = grow(&Binned::new(rows), &rows.labels, &rows.weights, limits, &mut random);
        Ok(Function::Trees { trees: vec![tree], offset: 0.0 })
    }
}
