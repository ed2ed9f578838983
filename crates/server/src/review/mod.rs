//! How people share the work of deciding: the queue of pairs that wait, notes and tags on pairs, batches, saved filters.
//! The decisions themselves are in the index.

mod people;
mod queue;
mod store;

pub use people::{Progress, agreement, people};
pub use queue::{Among, Asked, Queue};
pub use store::{Batch, PairName, Remarks, ReviewStore, SavedFilter};
