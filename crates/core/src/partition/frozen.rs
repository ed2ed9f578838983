//! The clusters that an earlier clustering found, for documents that come later (X15: the offline part feeds
//! the online one).

use std::sync::Arc;

use super::frozen_partition::FrozenPartition;
use super::partitioner::{Assignment, Partition, Partitioner};
use super::vectors::Vectors;
use crate::error::{Error, Result};
use crate::part::{Param, Params, PartInfo, Spec};
use crate::registry::BuildContext;

/// The clusters of a frozen partition.
pub struct Frozen(Arc<FrozenPartition>);

impl Frozen {
    /// The description of this part in the registry.
    pub const INFO: PartInfo = PartInfo {
        name: "frozen",
        summary: "The centres of an earlier clustering, kept as a file; the only one for an index",
        paper: "X15 §3",
        params: &[Param {
            name: "partition",
            default: "",
            help: "the file `clusters.partition` that a run with another clustering left with its results",
        }],
    };

    /// Documents find their clusters by this partition.
    pub fn new(partition: Arc<FrozenPartition>) -> Self {
        Frozen(partition)
    }

    /// Reads its parameters from a section of a recipe.
    pub fn from_params(params: &mut Params, context: &BuildContext<'_>) -> Result<Self> {
        let Some(name) = params.optional_text("partition") else {
            return Err(Error::config(
                "candidates.clustering: `frozen` needs `partition`, the file `clusters.partition` that a run with \
                 another clustering left with its results",
            ));
        };
        let partition = context.lexicons.partition(&name)?;
        let made_of = &partition.about().features;
        if !context.features.is_empty() && *made_of != context.features {
            return Err(Error::Incompatible(format!(
                "partition `{name}` was made of other features: {}",
                made_of.trim().replace('\n', ", ")
            )));
        }
        Ok(Frozen(partition))
    }
}

impl Partitioner for Frozen {
    fn spec(&self) -> Spec {
        Spec::new(Self::INFO.name).with("partition", self.0.id())
    }

    fn partition(&self, vectors: &Vectors, threads: usize) -> Result<Partition> {
        Ok(self.0.partition(vectors, threads))
    }

    fn assignment(&self) -> Option<Arc<dyn Assignment>> {
        Some(self.0.clone())
    }
}
