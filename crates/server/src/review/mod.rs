//! How people share the work of deciding: notes and tags on pairs, batches, saved filters.
//! The decisions themselves are in the index.

mod people;
mod store;

pub use people::{Progress, agreement, people};
pub use store::{Batch, PairName, Remarks, ReviewStore, SavedFilter};
