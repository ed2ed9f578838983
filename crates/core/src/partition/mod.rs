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
pub(crate) mod partitioner;
mod settings;
mod start;
mod vectors;

#[cfg(test)]
mod tests;

pub use fuzzy::FuzzyCMeans;
pub use k_means::KMeans;
pub use none::NoClustering;
pub use partitioner::{Notes, Partition, Partitioner};
pub use vectors::{ReadFeatures, Vectors};
