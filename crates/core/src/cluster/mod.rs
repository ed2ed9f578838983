//! From verified pairs to clusters, each with the master that is kept.

pub(crate) mod clusterer;
mod components;
pub(crate) mod keep;
pub(crate) mod keep_rule;
mod star;

pub use clusterer::{Cluster, Clusterer, Edge};
pub use components::Components;
pub use keep::{KeepRules, seconds_of};
pub use keep_rule::{Keep, KeepRule};
pub use star::Star;
