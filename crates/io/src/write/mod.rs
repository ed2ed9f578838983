//! Results on disk, complete or not at all.

#[cfg(feature = "parquet")]
mod columns;
mod kept;
mod pack;
mod rows;

pub use kept::{KeptBlock, KeptFrom};
pub use rows::write_kept_rows;
