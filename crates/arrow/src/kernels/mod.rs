//! The steps of the engine as functions from tables to tables, for engines that group by keys themselves.
//!
//! [`sign`] makes of each document what it is found by; [`candidates`] pairs the documents of a bucket; [`compare`] gives
//! the verdict on pairs; [`cluster`] makes clusters of verified pairs. They hold no state beyond the pipeline and compute
//! what a batch run computes.

mod candidates;
mod cluster;
pub(crate) mod columns;
mod compare;
mod sign;

pub use candidates::candidates;
pub use cluster::cluster;
pub use compare::compare;
pub use sign::sign;
