//! Which documents are worth comparing: clusters that may overlap.
//!
//! Near-duplicates lie close together, so a coarse clustering by subject has them in one cluster, and
//! only documents of one cluster need to be compared. Every pair on a border between clusters that
//! share no document is lost, which is why clusters may overlap; the join `clusters` measures the loss.
//!
//! Every document is in at least one cluster. One that shares no term with any other is one by itself:
//! it can be like none, and in a common cluster it would only cost comparisons.

mod centres;
mod fuzzy;
mod k_means;
mod none;
mod start;
mod vectors;

#[cfg(test)]
mod tests;

pub use fuzzy::FuzzyCMeans;
pub use k_means::KMeans;
pub use none::NoClustering;
pub use vectors::{ReadFeatures, Vectors};

use crate::error::{Error, Result};
use crate::registry::{Param, Params, Spec};

/// Puts documents into clusters. The result depends on the documents alone, not on the number of
/// threads.
pub trait Partitioner: Send + Sync {
    /// The type and parameters that rebuild this clustering.
    fn spec(&self) -> Spec;

    fn partition(&self, vectors: &Vectors, threads: usize) -> Result<Partition>;
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Partition {
    /// The members of each cluster, rising. None is empty, and each document is in at least one.
    pub clusters: Vec<Vec<u32>>,
    pub notes: Notes,
}

/// How a partition came about.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Notes {
    /// What was minimised, as it was at the beginning of each iteration; it never rises.
    pub objective: Vec<f64>,
    /// What a person should know before trusting the partition.
    pub warnings: Vec<String>,
}

impl Notes {
    pub fn iterations(&self) -> usize {
        self.objective.len()
    }
}

impl Partition {
    /// Takes clusters as they were found: drops the empty ones, and gives every document that is in none
    /// a cluster of its own.
    fn complete(documents: usize, mut clusters: Vec<Vec<u32>>, notes: Notes) -> Self {
        let mut has_cluster = vec![false; documents];
        for &member in clusters.iter().flatten() {
            has_cluster[member as usize] = true;
        }
        clusters.retain(|cluster| !cluster.is_empty());
        clusters.extend(
            (0..documents as u32).filter(|&place| !has_cluster[place as usize]).map(|alone| vec![alone]),
        );
        Partition { clusters, notes }
    }
}

/// What every clustering around centres has to be told.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Settings {
    /// 0 chooses by the number of documents.
    clusters: usize,
    iterations: usize,
    tolerance: f64,
    seed: u64,
}

const MOST_CLUSTERS: u64 = 1 << 16;
const MOST_ITERATIONS: u64 = 10_000;

impl Settings {
    const CLUSTERS: Param = Param {
        name: "clusters",
        default: "0",
        help: "how many, up to 65536; 0 takes the root of half the number of documents",
    };
    const ITERATIONS: Param =
        Param { name: "iterations", default: "20", help: "rounds of moving the centres, at most" };
    const TOLERANCE: Param = Param {
        name: "tolerance",
        default: "0.0001",
        help: "stop when a round improves the objective by less than this share",
    };
    const SEED: Param =
        Param { name: "seed", default: "1", help: "another seed starts from other documents" };

    fn from_params(params: &mut Params) -> Result<Self> {
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

    fn write(&self, spec: Spec) -> Spec {
        spec.with("clusters", self.clusters as i64)
            .with("iterations", self.iterations as i64)
            .with("tolerance", self.tolerance)
            .with("seed", self.seed as i64)
    }

    /// How many clusters so many documents get.
    fn clusters_for(&self, documents: usize) -> usize {
        match self.clusters {
            0 => ((documents as f64 / 2.0).sqrt().round() as usize).max(1),
            given => given,
        }
    }

    /// Whether another round is worth its while, after these values of the objective.
    fn goes_on(&self, objective: &[f64]) -> bool {
        let improved = match objective {
            [.., before, now] => before - now > self.tolerance * before,
            _ => true,
        };
        improved && objective.len() < self.iterations
    }
}
