//! No clustering: all documents in one cluster, to measure what a clustering saves and loses.

use std::sync::Arc;

use super::partitioner::{Assignment, Notes, Partition, Partitioner};
use super::vectors::Vectors;
use crate::error::Result;
use crate::part::{PartInfo, Spec};

/// One cluster with all documents.
pub struct NoClustering;

impl NoClustering {
    /// The description of this part in the registry.
    pub const INFO: PartInfo = PartInfo {
        name: "none",
        summary: "One cluster with all documents: every pair is compared",
        paper: "",
        params: &[],
    };
}

impl Partitioner for NoClustering {
    fn spec(&self) -> Spec {
        Spec::new(Self::INFO.name)
    }

    fn partition(&self, vectors: &Vectors, _: usize) -> Result<Partition> {
        let all = (0..vectors.len() as u32).collect();
        Ok(Partition::complete(vectors.len(), vec![all], Notes::default()))
    }

    fn assignment(&self) -> Option<Arc<dyn Assignment>> {
        Some(Arc::new(NoClustering))
    }
}

impl Assignment for NoClustering {
    fn clusters_of(&self, _: &[(u64, f32)], out: &mut Vec<u32>) {
        out.push(0);
    }
}
