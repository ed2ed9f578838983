//! Clusters, which may overlap, of documents that are worth comparing.
//!
//! Near-duplicates lie close together, so a coarse clustering by subject puts them into one cluster,
//! and only documents of one cluster need to be compared. A pair that is divided between clusters
//! without a common document is lost, which is why clusters may overlap; the join `clusters` measures
//! the loss.
//!
//! Every document is in at least one cluster. A document that shares no term with any other has a
//! cluster of its own: it can be like no other, and in a common cluster it would only cost
//! comparisons.
//!
//! A clustering around centres can be frozen: kept as a file by which later documents find their clusters
//! one at a time, see [`FrozenPartition`].

mod centres;
mod distance;
mod frozen;
pub mod frozen_partition;
mod fuzzy;
mod k_means;
mod none;
pub(crate) mod partitioner;
mod settings;
mod start;
mod vectors;

#[cfg(test)]
mod tests;

pub use centres::FinalCentres;
pub use frozen::Frozen;
pub use frozen_partition::FrozenPartition;
pub use fuzzy::FuzzyCMeans;
pub use k_means::KMeans;
pub use none::NoClustering;
pub use partitioner::{Assignment, Notes, Partition, Partitioner};
pub(crate) use vectors::scale_to_unit;
pub use vectors::{ReadFeatures, Terms, Vectors};
