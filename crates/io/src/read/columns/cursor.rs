//! A cursor over a columnar file, Parquet or Arrow.

use lookalike_core::Result;

use super::arrow::{self, ArrowCursor};
use super::parquet::{self, ParquetCursor};
use crate::format::Layout;
use crate::inputs::Input;
use crate::read::{Chunk, ReadOptions};

pub enum ColumnCursor {
    Arrow(ArrowCursor),
    Parquet(ParquetCursor),
}

impl ColumnCursor {
    /// The cursors of an input: one, or one for each row group.
    pub fn all(input: &Input, options: &ReadOptions) -> Result<Vec<ColumnCursor>> {
        if input.format.layout == Layout::Parquet {
            let cursors = ParquetCursor::for_row_groups(input, &options.columns)?;
            return Ok(cursors.into_iter().map(ColumnCursor::Parquet).collect());
        }
        Ok(vec![ColumnCursor::Arrow(ArrowCursor::new(input, options))])
    }

    pub fn next(&mut self, chunk: &mut Chunk, max_line: u64) -> Result<bool> {
        match self {
            ColumnCursor::Arrow(cursor) => cursor.next(chunk),
            ColumnCursor::Parquet(cursor) => cursor.next(chunk, max_line),
        }
    }
}

/// A text that is equal for inputs whose rows can be written into one file.
pub fn columns_of(input: &Input) -> Result<String> {
    if input.format.layout == Layout::Parquet { parquet::columns_of(input) } else { arrow::columns_of(input) }
}
