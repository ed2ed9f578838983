//! Chunks of a Parquet file: each row group has a cursor, each batch of rows a chunk of JSON lines.
//!
//! Rows become JSON lines so that everything after this stage, and reading a document again, is the
//! same for every format. Only the columns that matter are decoded.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use arrow_array::RecordBatch;
use lookalike_core::{Error, Result};
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder,
};

use super::arrow::check_names;
use super::cells::write_lines;
use super::source::ColumnSource;
use crate::inputs::Input;
use crate::place::Place;
use crate::read::{CHUNK_BYTES, Chunk};

pub struct ParquetCursor {
    file: Arc<SharedFile>,
    row_group: usize,
    reader: Option<ParquetRecordBatchReader>,
    /// Whether the last batch was taken; a thread that saw the cursor open may still come after
    /// that.
    finished: bool,
    /// The number of the next chunk; each row group has a chunk per batch.
    part: u64,
    /// Bytes of the file that a chunk stands for.
    raw_bytes: u64,
}

/// What the cursors of a file share.
struct SharedFile {
    input: Input,
    columns: Vec<String>,
    /// Held only while row groups of the file are read: there may be thousands of files, and it takes many kilobytes.
    metadata: Mutex<Option<ArrowReaderMetadata>>,
    unfinished: AtomicUsize,
}

impl SharedFile {
    fn metadata(&self) -> Result<ArrowReaderMetadata> {
        let mut held = self.metadata.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(metadata) = &*held {
            return Ok(metadata.clone());
        }
        Ok(held.insert(load_metadata(&self.input)?).clone())
    }

    /// A row group was read to its end.
    fn finish_one(&self) {
        if self.unfinished.fetch_sub(1, Ordering::Relaxed) == 1 {
            *self.metadata.lock().unwrap_or_else(PoisonError::into_inner) = None;
        }
    }
}

impl ParquetCursor {
    pub fn for_row_groups(input: &Input, columns: &[String]) -> Result<Vec<ParquetCursor>> {
        let metadata = load_metadata(input)?;
        check_names(metadata.schema(), columns)
            .map_err(|reason| Error::Input(format!("{}: {reason}", input.name)))?;
        let row_groups = metadata.metadata().num_row_groups();
        let shared = Arc::new(SharedFile {
            input: input.clone(),
            columns: columns.to_vec(),
            metadata: Mutex::default(),
            unfinished: AtomicUsize::new(row_groups),
        });
        let mut part = 0;
        let cursors = (0..row_groups).map(|row_group| {
            let group = metadata.metadata().row_group(row_group);
            let rows = group.num_rows().max(0) as u64;
            let chunks = rows.div_ceil(rows_per_batch(&metadata, row_group) as u64);
            let raw_bytes = group.compressed_size().max(0) as u64 / chunks.max(1);
            let first = part;
            part += chunks;
            let file = shared.clone();
            ParquetCursor { file, row_group, reader: None, finished: false, part: first, raw_bytes }
        });
        Ok(cursors.collect())
    }

    pub fn next(&mut self, chunk: &mut Chunk, max_line: u64) -> Result<bool> {
        if self.finished {
            return Ok(false);
        }
        if self.reader.is_none() {
            let wanted = Some(&self.file.columns[..]).filter(|columns| !columns.is_empty());
            let Input { place, name, .. } = &self.file.input;
            self.reader = Some(open(place, name, &self.file.metadata()?, self.row_group, wanted)?);
        }
        let Some(reader) = &mut self.reader else { return Ok(false) };
        let Some(batch) = reader.next() else {
            // Closes the file, since there may be thousands of row groups.
            self.reader = None;
            self.finished = true;
            self.file.finish_one();
            return Ok(false);
        };
        let batch = batch.map_err(|error| damaged(&self.file.input.name, &error))?;
        chunk.part = self.part;
        self.part += 1;
        chunk.clear();
        write_lines(&batch, chunk, max_line);
        chunk.take_all();
        chunk.base = 0;
        chunk.raw_bytes = self.raw_bytes;
        Ok(true)
    }
}

/// All columns of a file, batch by batch in row order; the cursors give the same batches.
pub fn batches(
    input: &Input,
) -> Result<(ArrowReaderMetadata, impl Iterator<Item = Result<RecordBatch>> + Send + use<>)> {
    let metadata = load_metadata(input)?;
    let (place, name, shared) = (input.place.clone(), input.name.clone(), metadata.clone());
    let groups = 0..metadata.metadata().num_row_groups();
    let batches = groups.flat_map(move |row_group| {
        let name = name.clone();
        let (reader, failure) = match open(&place, &name, &shared, row_group, None) {
            Ok(reader) => (Some(reader), None),
            Err(error) => (None, Some(Err(error))),
        };
        let rows = reader.into_iter().flatten();
        rows.map(move |batch| batch.map_err(|error| damaged(&name, &error))).chain(failure)
    });
    Ok((metadata, batches))
}

/// A text that is equal for files with the same columns.
pub fn columns_of(input: &Input) -> Result<String> {
    Ok(format!("{:?}", load_metadata(input)?.schema().fields()))
}

fn load_metadata(input: &Input) -> Result<ArrowReaderMetadata> {
    let file = ColumnSource::open(&input.place, 1).map_err(Error::io(&input.name))?;
    ArrowReaderMetadata::load(&file, Default::default()).map_err(|error| damaged(&input.name, &error))
}

fn damaged(name: &str, error: &dyn std::fmt::Display) -> Error {
    Error::Input(format!("{name} is not a readable Parquet file: {error}"))
}

fn open(
    place: &Place,
    name: &str,
    metadata: &ArrowReaderMetadata,
    row_group: usize,
    columns: Option<&[String]>,
) -> Result<ParquetRecordBatchReader> {
    let leaves = metadata.parquet_schema().num_columns();
    let file = ColumnSource::open(place, columns.map_or(leaves, <[String]>::len)).map_err(Error::io(name))?;
    let mask = match columns {
        Some(columns) => {
            // By its name or its path, whether or not dots are part of the name; for a struct everything in it.
            let is_wanted = |path: &str| {
                let within = |name: &String| {
                    path.strip_prefix(name.as_str()).map(|rest| rest.is_empty() || rest.starts_with('.'))
                };
                columns.iter().filter_map(within).any(|wanted| wanted)
            };
            let schema = metadata.parquet_schema();
            let leaves = schema.columns().iter().map(|column| column.path().parts().join("."));
            let wanted = leaves.enumerate().filter(|(_, path)| is_wanted(path)).map(|(leaf, _)| leaf);
            ProjectionMask::leaves(schema, wanted)
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

#[cfg(test)]
mod tests {
    use std::fs::File;

    use arrow_array::{ArrayRef, RecordBatch, StringArray};
    use parquet::arrow::ArrowWriter;

    use super::*;

    /// Two threads see a cursor open; one takes its last batch and finishes it, then the other comes.
    #[test]
    fn a_finished_row_group_is_not_read_again() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.parquet");
        let texts: ArrayRef = Arc::new(StringArray::from(vec!["one", "two"]));
        let batch = RecordBatch::try_from_iter([("text", texts)]).unwrap();
        let mut writer = ArrowWriter::try_new(File::create(&path).unwrap(), batch.schema(), None).unwrap();
        writer.write(&batch).unwrap();
        writer.close().unwrap();
        let input = Input::open(&path, "a.parquet").unwrap();
        let mut cursors = ParquetCursor::for_row_groups(&input, &["text".to_owned()]).unwrap();
        let mut chunk = Chunk::default();
        assert!(cursors[0].next(&mut chunk, 1000).unwrap());
        for _ in 0..2 {
            assert!(!cursors[0].next(&mut chunk, 1000).unwrap());
        }
    }
}
