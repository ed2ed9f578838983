//! Results on disk, complete or not at all.

#[cfg(feature = "parquet")]
mod columns;
mod kept;
mod pack;
mod rows;

pub use kept::{KeptBlock, write_kept_jsonl};
pub use rows::write_kept_rows;
