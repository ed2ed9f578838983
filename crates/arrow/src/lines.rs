//! Lines of JSON as tables.

use std::path::Path;
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_json::ReaderBuilder;
use arrow_json::reader::{Decoder, infer_json_schema_from_iterator};
use arrow_schema::{ArrowError, SchemaRef};
use lookalike_core::{Error, Result};
use lookalike_io::inputs::Input;
use lookalike_io::read::{Chunk, ReadOptions, Reader};

use crate::values::{Table, arrow_error};

const BATCH_ROWS: usize = 8192;

/// The table of lines whose columns are known.
pub fn decode(lines: &[u8], schema: SchemaRef) -> Result<Table> {
    let mut batches = Vec::new();
    let mut decoder = decoder(&schema)?;
    feed(&mut decoder, lines, &mut |batch| batches.push(batch))?;
    batches.extend(decoder.flush().map_err(arrow_error)?);
    Table::new(schema, batches)
}

/// The table of lines of which nothing is known.
pub fn read(lines: &[u8]) -> Result<Table> {
    let values = serde_json::Deserializer::from_slice(lines).into_iter::<serde_json::Value>();
    let values = values.map(|value| value.map_err(|error| ArrowError::JsonError(error.to_string())));
    let schema = infer_json_schema_from_iterator(values).map_err(arrow_error)?;
    decode(lines, Arc::new(schema))
}

/// The rows of files of any format, by way of lines. The columns are found by a first pass.
pub struct FileLines {
    schema: SchemaRef,
    inputs: Vec<Input>,
}

impl FileLines {
    /// Finds out which columns files have.
    pub fn open(files: &[impl AsRef<Path>]) -> Result<FileLines> {
        let open = |path: &Path| Input::open(path, &path.to_string_lossy());
        let inputs = files.iter().map(|path| open(path.as_ref())).collect::<Result<Vec<_>>>()?;
        let mut reader = LineReader::open(&inputs)?;
        let mut failure = None;
        let values = std::iter::from_fn(|| match reader.next_values() {
            Ok(values) => values,
            Err(error) => {
                failure = Some(error);
                None
            }
        });
        let schema = infer_json_schema_from_iterator(values.flatten().map(Ok)).map_err(arrow_error)?;
        match failure {
            Some(error) => Err(error),
            None => Ok(FileLines { schema: Arc::new(schema), inputs }),
        }
    }

    /// The columns.
    pub fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// The rows, batch after batch.
    pub fn batches(&self) -> Result<impl Iterator<Item = Result<RecordBatch>> + Send + use<>> {
        let mut reader = LineReader::open(&self.inputs)?;
        let mut decoder = decoder(&self.schema)?;
        let mut waiting: std::collections::VecDeque<RecordBatch> = std::collections::VecDeque::new();
        let mut is_done = false;
        Ok(std::iter::from_fn(move || {
            loop {
                if let Some(batch) = waiting.pop_front() {
                    return Some(Ok(batch));
                }
                if is_done {
                    return None;
                }
                let mut step = || -> Result<()> {
                    match reader.next_chunk()? {
                        Some(lines) => feed(&mut decoder, lines, &mut |batch| waiting.push_back(batch))?,
                        None => is_done = true,
                    }
                    waiting.extend(decoder.flush().map_err(arrow_error)?);
                    Ok(())
                };
                if let Err(error) = step() {
                    is_done = true;
                    return Some(Err(error));
                }
            }
        }))
    }
}

/// Reads files from the first line to the last, on one thread.
struct LineReader {
    reader: Reader,
    chunk: Chunk,
}

impl LineReader {
    fn open(inputs: &[Input]) -> Result<LineReader> {
        let options = ReadOptions {
            max_line: u64::from(u32::MAX),
            columns: Vec::new(),
            text: String::new(),
            cursors: 1,
        };
        Ok(LineReader { reader: Reader::open(inputs, options)?, chunk: Chunk::default() })
    }

    fn next_chunk(&mut self) -> Result<Option<&[u8]>> {
        if !self.reader.next(&mut self.chunk, &|_, _| false)? {
            return Ok(None);
        }
        match &self.chunk.broken {
            Some(reason) => Err(Error::Input(reason.clone())),
            None => Ok(Some(self.chunk.bytes())),
        }
    }

    fn next_values(&mut self) -> Result<Option<Vec<serde_json::Value>>> {
        let Some(lines) = self.next_chunk()? else { return Ok(None) };
        let values = serde_json::Deserializer::from_slice(lines).into_iter();
        values
            .collect::<std::result::Result<_, _>>()
            .map(Some)
            .map_err(|error| Error::Input(error.to_string()))
    }
}

fn decoder(schema: &SchemaRef) -> Result<Decoder> {
    let builder = ReaderBuilder::new(schema.clone()).with_batch_size(BATCH_ROWS).with_coerce_primitive(true);
    builder.build_decoder().map_err(arrow_error)
}

fn feed(decoder: &mut Decoder, mut lines: &[u8], take: &mut dyn FnMut(RecordBatch)) -> Result<()> {
    loop {
        let read = decoder.decode(lines).map_err(arrow_error)?;
        lines = &lines[read..];
        if lines.is_empty() {
            return Ok(());
        }
        // The decoder stops when it has a whole batch.
        match decoder.flush().map_err(arrow_error)? {
            Some(batch) => take(batch),
            None => return Err(Error::Input("a line is not valid JSON".to_owned())),
        }
    }
}
