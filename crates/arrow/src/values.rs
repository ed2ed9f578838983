//! Record batches of one schema.

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use lookalike_core::{Error, Result};

/// Rows in record batches that share a schema.
#[derive(Clone, Debug)]
pub struct Table {
    schema: SchemaRef,
    batches: Vec<RecordBatch>,
}

impl Table {
    /// A table of batches, which must have the schema's columns.
    pub fn new(schema: SchemaRef, batches: Vec<RecordBatch>) -> Result<Table> {
        let differs = |batch: &RecordBatch| {
            batch.num_columns() != schema.fields().len()
                || batch.columns().iter().zip(schema.fields()).any(|(a, b)| a.data_type() != b.data_type())
        };
        if let Some(place) = batches.iter().position(differs) {
            return Err(Error::Input(format!(
                "batch {place} of the table has other columns than its schema"
            )));
        }
        Ok(Table { schema, batches })
    }

    /// Names and types of the columns.
    pub fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// The rows.
    pub fn batches(&self) -> &[RecordBatch] {
        &self.batches
    }

    /// How many rows it has.
    pub fn rows(&self) -> u64 {
        self.batches.iter().map(|batch| batch.num_rows() as u64).sum()
    }
}

/// An error of the Arrow library as one of ours.
pub(crate) fn arrow_error(error: arrow_schema::ArrowError) -> Error {
    Error::Input(error.to_string())
}
