//! What a partitioner is, and what it finds.

use std::sync::Arc;

use super::centres::FinalCentres;
use super::vectors::{Terms, Vectors};
use crate::error::Result;
use crate::part::Spec;

/// Puts documents into clusters. The result depends on the documents alone, not on the number of
/// threads.
pub trait Partitioner: Send + Sync {
    /// The type and parameters that rebuild this clustering.
    fn spec(&self) -> Spec;

    /// Puts every document into at least one cluster.
    fn partition(&self, vectors: &Vectors, threads: usize) -> Result<Partition>;

    /// Which terms of the documents it must be given: all, if documents are to have no influence on each other.
    fn terms(&self) -> Terms {
        if self.assignment().is_some() { Terms::All } else { Terms::Shared }
    }

    /// How one document finds its clusters, if other documents have no influence on them.
    fn assignment(&self) -> Option<Arc<dyn Assignment>> {
        None
    }
}

/// Finds the clusters of one document at a time.
pub trait Assignment: Send + Sync {
    /// Appends the clusters of a document with these features, each once, whose weights have been scaled to a
    /// length of 1.
    fn clusters_of(&self, features: &[(u64, f32)], out: &mut Vec<u32>);
}

/// Clusters that may overlap.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Partition {
    /// The members of each cluster, rising. None is empty, and each document is in at least one.
    pub clusters: Vec<Vec<u32>>,
    /// How they came about.
    pub notes: Notes,
    /// What they lie around, by which later documents find their clusters.
    pub centres: Option<FinalCentres>,
}

/// How a partition came about.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Notes {
    /// The value that was minimised, at the beginning of each iteration; the search ends when it falls no more.
    pub objective: Vec<f64>,
    /// What a person should know before trusting the partition.
    pub warnings: Vec<String>,
}

impl Notes {
    /// Rounds of moving the centres.
    pub fn iterations(&self) -> usize {
        self.objective.len()
    }
}

impl Partition {
    /// Takes clusters as they were found: drops empty ones, and gives every document without a cluster
    /// one of its own.
    pub(super) fn complete(documents: usize, mut clusters: Vec<Vec<u32>>, notes: Notes) -> Self {
        let mut has_cluster = vec![false; documents];
        for &member in clusters.iter().flatten() {
            has_cluster[member as usize] = true;
        }
        clusters.retain(|cluster| !cluster.is_empty());
        clusters.extend(
            (0..documents as u32).filter(|&place| !has_cluster[place as usize]).map(|alone| vec![alone]),
        );
        Partition { clusters, notes, centres: None }
    }
}
