//! A columnar file as record batches.

use std::path::Path;

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use lookalike_core::{Error, Result};

use super::arrow::{self, Next};
use super::parquet;
use crate::format::Layout;
use crate::inputs::Input;

/// A Parquet or Arrow file with all its columns.
pub struct ColumnFile {
    input: Input,
    schema: SchemaRef,
}

impl ColumnFile {
    /// Opens a file; `None` if it is of another format.
    pub fn open(path: &Path) -> Result<Option<ColumnFile>> {
        let input = Input::open(path, &path.to_string_lossy())?;
        let schema = match input.format.layout {
            Layout::Parquet => parquet::batches(&input)?.0.schema().clone(),
            Layout::ArrowFile | Layout::ArrowStream => arrow::Batches::open(&input, &[])?.schema(),
            _ => return Ok(None),
        };
        Ok(Some(ColumnFile { input, schema }))
    }

    /// Names and types of the columns.
    pub fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }

    /// The rows in their order; the last may be an error.
    pub fn batches(self) -> Box<dyn Iterator<Item = Result<RecordBatch>> + Send> {
        if self.input.format.layout == Layout::Parquet {
            return match parquet::batches(&self.input) {
                Ok((_, batches)) => Box::new(batches),
                Err(error) => Box::new(std::iter::once(Err(error))),
            };
        }
        let mut opened = Some(arrow::Batches::open(&self.input, &[]));
        let mut batches = None;
        Box::new(std::iter::from_fn(move || {
            match opened.take() {
                Some(Ok(open)) => batches = Some(open),
                Some(Err(error)) => return Some(Err(error)),
                None => {}
            }
            match batches.as_mut()?.next() {
                Ok(Next::Batch(batch)) => Some(Ok(batch)),
                Ok(Next::End) => None,
                Ok(Next::Broken(reason)) => Some(Err(Error::Input(format!("{}: {reason}", self.input.name)))),
                Err(error) => Some(Err(error)),
            }
        }))
    }
}
