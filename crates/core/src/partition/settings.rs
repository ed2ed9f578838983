//! The parameters that every clustering around centres shares.

use crate::error::{Error, Result};
use crate::part::{Param, Params, Spec};

/// The settings of every clustering around centres.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Settings {
    /// 0 chooses by the number of documents.
    pub(super) clusters: usize,
    pub(super) iterations: usize,
    pub(super) tolerance: f64,
    pub(super) seed: u64,
}

pub(super) const MOST_CLUSTERS: u64 = 1 << 16;
const MOST_ITERATIONS: u64 = 10_000;

impl Settings {
    pub(super) const CLUSTERS: Param = Param {
        name: "clusters",
        default: "0",
        help: "how many, up to 65536; 0 takes the root of half the number of documents",
    };
    pub(super) const ITERATIONS: Param =
        Param { name: "iterations", default: "20", help: "rounds of moving the centres, at most" };
    pub(super) const TOLERANCE: Param = Param {
        name: "tolerance",
        default: "0.0001",
        help: "stop when a round improves the objective by less than this share",
    };
    pub(super) const SEED: Param =
        Param { name: "seed", default: "1", help: "another seed starts from other documents" };

    pub(super) fn from_params(params: &mut Params) -> Result<Self> {
        let clusters = params.integer("clusters", 0)?;
        if clusters > MOST_CLUSTERS {
            return Err(Error::config(format!(
                "clusters is {clusters}, it must be from 0 to {MOST_CLUSTERS}"
            )));
        }
        let iterations = params.integer("iterations", 20)?;
        if !(1..=MOST_ITERATIONS).contains(&iterations) {
            return Err(Error::config(format!(
                "iterations is {iterations}, it must be from 1 to {MOST_ITERATIONS}"
            )));
        }
        Ok(Settings {
            clusters: clusters as usize,
            iterations: iterations as usize,
            tolerance: params.number("tolerance", 0.0001, 0.0..=1.0)?,
            seed: params.integer("seed", 1)?,
        })
    }

    pub(super) fn write(&self, spec: Spec) -> Spec {
        spec.with("clusters", self.clusters as i64)
            .with("iterations", self.iterations as i64)
            .with("tolerance", self.tolerance)
            .with("seed", self.seed as i64)
    }

    /// How many clusters this number of documents gets.
    pub(super) fn clusters_for(&self, documents: usize) -> usize {
        match self.clusters {
            0 => ((documents as f64 / 2.0).sqrt().round() as usize).max(1),
            given => given,
        }
    }

    /// Whether another round is worthwhile, after these values of the objective.
    pub(super) fn goes_on(&self, objective: &[f64]) -> bool {
        let improved = match objective {
            [.., before, now] => before - now > self.tolerance * before,
            _ => true,
        };
        improved && objective.len() < self.iterations
    }
}
