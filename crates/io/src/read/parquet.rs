//! Chunks of a Parquet file: each row group is a lane, each batch of rows a chunk of JSON lines.
//!
//! Rows become JSON lines so that everything after this stage, and reading a document again, is the
//! same for every format. Only the columns that matter are decoded.

use std::fs::File;
use std::io::Write as _;
use std::path::PathBuf;

use arrow_array::{Array, RecordBatch};
use arrow_cast::display::{ArrayFormatter, FormatOptions};
use arrow_schema::DataType;
use lookalike_core::{Error, Result};
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder,
};

use super::spool::Spool;
use super::{CHUNK_BYTES, Chunk, too_long};
use crate::inputs::Input;

pub struct ParquetLane {
    path: PathBuf,
    name: String,
    metadata: ArrowReaderMetadata,
    columns: Vec<String>,
    row_group: usize,
    reader: Option<ParquetRecordBatchReader>,
    /// The number of the next chunk; each row group has as many as it has batches.
    part: u64,
    spool: Spool,
}

impl ParquetLane {
    pub fn for_row_groups(input: &Input, columns: &[String], spool: &Spool) -> Result<Vec<ParquetLane>> {
        let file = File::open(&input.path).map_err(Error::io(&input.name))?;
        let metadata = load_metadata(&file, &input.name)?;
        let mut part = 0;
        let lanes = (0..metadata.metadata().num_row_groups()).map(|row_group| {
            let lane = ParquetLane {
                path: input.path.clone(),
                name: input.name.clone(),
                metadata: metadata.clone(),
                columns: columns.to_vec(),
                row_group,
                reader: None,
                part,
                spool: spool.clone(),
            };
            let rows = metadata.metadata().row_group(row_group).num_rows().max(0) as u64;
            part += rows.div_ceil(rows_per_batch(&metadata, row_group) as u64);
            lane
        });
        Ok(lanes.collect())
    }

    pub fn next(&mut self, chunk: &mut Chunk, max_line: u64) -> Result<bool> {
        if self.reader.is_none() {
            self.reader =
                Some(open(&self.path, &self.name, &self.metadata, self.row_group, Some(&self.columns))?);
        }
        let Some(reader) = &mut self.reader else { return Ok(false) };
        let Some(batch) = reader.next() else {
            self.reader = None;
            return Ok(false);
        };
        let batch = batch.map_err(|error| damaged(&self.name, &error))?;
        chunk.part = self.part;
        self.part += 1;
        write_lines(&batch, &mut chunk.bytes, max_line).map_err(|error| damaged(&self.name, &error))?;
        chunk.base = self.spool.append(&chunk.bytes)?;
        Ok(true)
    }
}

/// All columns of a file, batch by batch in row order; the same batches as the lanes give.
pub fn batches(input: &Input) -> Result<(ArrowReaderMetadata, impl Iterator<Item = Result<RecordBatch>>)> {
    let file = File::open(&input.path).map_err(Error::io(&input.name))?;
    let metadata = load_metadata(&file, &input.name)?;
    let (path, name, shared) = (input.path.clone(), input.name.clone(), metadata.clone());
    let groups = 0..metadata.metadata().num_row_groups();
    let batches = groups.flat_map(move |row_group| {
        let name = name.clone();
        let (reader, failure) = match open(&path, &name, &shared, row_group, None) {
            Ok(reader) => (Some(reader), None),
            Err(error) => (None, Some(Err(error))),
        };
        let rows = reader.into_iter().flatten();
        rows.map(move |batch| batch.map_err(|error| damaged(&name, &error))).chain(failure)
    });
    Ok((metadata, batches))
}

/// A text that is equal for files with the same columns.
pub fn schema_of(input: &Input) -> Result<String> {
    let file = File::open(&input.path).map_err(Error::io(&input.name))?;
    Ok(format!("{:?}", load_metadata(&file, &input.name)?.schema().fields()))
}

fn load_metadata(file: &File, name: &str) -> Result<ArrowReaderMetadata> {
    ArrowReaderMetadata::load(file, Default::default()).map_err(|error| damaged(name, &error))
}

fn damaged(name: &str, error: &dyn std::fmt::Display) -> Error {
    Error::Input(format!("{name} is not a readable Parquet file: {error}"))
}

fn open(
    path: &PathBuf,
    name: &str,
    metadata: &ArrowReaderMetadata,
    row_group: usize,
    columns: Option<&[String]>,
) -> Result<ParquetRecordBatchReader> {
    let file = File::open(path).map_err(Error::io(name))?;
    let mask = match columns {
        Some(columns) => {
            ProjectionMask::columns(metadata.parquet_schema(), columns.iter().map(String::as_str))
        }
        None => ProjectionMask::all(),
    };
    ParquetRecordBatchReaderBuilder::new_with_metadata(file, metadata.clone())
        .with_row_groups(vec![row_group])
        .with_projection(mask)
        .with_batch_size(rows_per_batch(metadata, row_group))
        .build()
        .map_err(|error| damaged(name, &error))
}

/// As many rows as fill about one chunk, judged by the file's own statistics.
fn rows_per_batch(metadata: &ArrowReaderMetadata, row_group: usize) -> usize {
    let group = metadata.metadata().row_group(row_group);
    let row_bytes = (group.total_byte_size() / group.num_rows().max(1)).max(1) as u64;
    (CHUNK_BYTES / row_bytes).clamp(16, 65_536) as usize
}

/// Writes each row as one JSON object.
fn write_lines(
    batch: &RecordBatch,
    out: &mut Vec<u8>,
    max_line: u64,
) -> std::result::Result<(), arrow_schema::ArrowError> {
    let options = FormatOptions::new().with_null("null");
    let schema = batch.schema();
    let mut columns = Vec::new();
    for (field, array) in schema.fields().iter().zip(batch.columns()) {
        let key = serde_json::to_string(field.name()).unwrap_or_default();
        columns.push((key, kind_of(array.data_type()), array, ArrayFormatter::try_new(array, &options)?));
    }
    for row in 0..batch.num_rows() {
        let start = out.len();
        out.push(b'{');
        for (index, (key, kind, array, formatter)) in columns.iter().enumerate() {
            if index > 0 {
                out.push(b',');
            }
            out.extend_from_slice(key.as_bytes());
            out.push(b':');
            if array.is_null(row) {
                out.extend_from_slice(b"null");
                continue;
            }
            match kind {
                Kind::Plain => {
                    let mut text = formatter.value(row).to_string();
                    // JSON has no NaN and no infinity.
                    if text.contains("NaN") || text.contains("inf") {
                        text = "null".to_owned();
                    }
                    out.extend_from_slice(text.as_bytes());
                }
                Kind::Nested => out.extend_from_slice(b"[]"),
                Kind::Text => {
                    let text = formatter.value(row).to_string();
                    // Writing into a Vec cannot fail.
                    let _ = serde_json::to_writer(&mut *out, &text);
                }
            }
        }
        out.push(b'}');
        let length = (out.len() - start) as u64;
        if length > max_line {
            // A line that is rejected for what it says, so that rows stay countable.
            out.truncate(start);
            let _ = write!(out, "{}", too_long(length, max_line));
        }
        out.push(b'\n');
    }
    Ok(())
}

enum Kind {
    Plain,
    Text,
    Nested,
}

fn kind_of(data_type: &DataType) -> Kind {
    match data_type {
        DataType::Boolean => Kind::Plain,
        number
            if number.is_numeric()
                && !matches!(number, DataType::Decimal128(..) | DataType::Decimal256(..)) =>
        {
            Kind::Plain
        }
        nested if nested.is_nested() => Kind::Nested,
        DataType::Dictionary(_, values) => kind_of(values),
        _ => Kind::Text,
    }
}
