//! No clustering: all documents together, for comparison with what a clustering saves and loses.

use super::{Notes, Partition, Partitioner, Vectors};
use crate::error::Result;
use crate::registry::{PartInfo, Spec};

/// One cluster with all documents.
pub struct NoClustering;

impl NoClustering {
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
}
