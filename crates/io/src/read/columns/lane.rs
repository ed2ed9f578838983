//! A lane of a file of columns, of either kind.

use lookalike_core::Result;

use super::arrow::{self, ArrowLane};
use super::parquet::{self, ParquetLane};
use crate::format::Layout;
use crate::inputs::Input;
use crate::read::spool::Spool;
use crate::read::{Chunk, ReadOptions};

pub enum ColumnLane {
    Arrow(ArrowLane),
    Parquet(ParquetLane),
}

impl ColumnLane {
    /// The lanes of an input: one, or one for each row group.
    pub fn all(input: &Input, options: &ReadOptions, spool: Spool) -> Result<Vec<ColumnLane>> {
        if input.format.layout == Layout::Parquet {
            let lanes = ParquetLane::for_row_groups(input, &options.columns, &spool)?;
            return Ok(lanes.into_iter().map(ColumnLane::Parquet).collect());
        }
        Ok(vec![ColumnLane::Arrow(ArrowLane::new(input, options, spool))])
    }

    pub fn next(&mut self, chunk: &mut Chunk, max_line: u64) -> Result<bool> {
        match self {
            ColumnLane::Arrow(lane) => lane.next(chunk),
            ColumnLane::Parquet(lane) => lane.next(chunk, max_line),
        }
    }
}

/// A text that is equal for inputs whose rows can be written into one file.
pub fn columns_of(input: &Input) -> Result<String> {
    if input.format.layout == Layout::Parquet { parquet::columns_of(input) } else { arrow::columns_of(input) }
}
