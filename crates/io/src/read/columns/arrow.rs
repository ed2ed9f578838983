//! Chunks of an Arrow file or stream: pieces of its record batches as lines of JSON.

use std::collections::HashMap;
use std::io::{BufReader, Read};

use arrow_array::RecordBatch;
use arrow_ipc::reader::{FileReader, StreamReader};
use arrow_ipc::{CompressionType, MessageHeader};
use arrow_schema::{ArrowError, DataType, Schema, SchemaRef};
use lookalike_core::{Error, Result};

use super::cells::write_lines;
use super::guard::guarded;
use super::source::ColumnSource;
use crate::format::Layout;
use crate::inputs::Input;
use crate::read::records::open_decoded;
use crate::read::{CHUNK_BYTES, Chunk, ReadOptions};

/// The record batches of a file or stream with all columns, in order.
pub struct Batches {
    reader: Either,
    name: String,
    /// The indices of the columns to read; none means all.
    chosen: Option<Vec<usize>>,
    finished: bool,
}

enum Either {
    File(Box<FileReader<BufReader<ColumnSource>>>),
    Stream(Box<StreamReader<Tail>>),
}

/// The next part of an input.
pub enum Next {
    Batch(RecordBatch),
    End,
    /// The stream is damaged or truncated, with the reason.
    Broken(String),
}

impl Batches {
    pub fn open(input: &Input, columns: &[String]) -> Result<Batches> {
        let damaged = |error| damaged(&input.name, &error);
        let is_file = input.format.layout == Layout::ArrowFile;
        let mut reader = guarded(|| {
            Ok(if is_file {
                let file = ColumnSource::open(&input.place, 1)
                    .map_err(|error| ArrowError::IoError(error.to_string(), error))?;
                Either::File(Box::new(FileReader::try_new(BufReader::new(file), None)?))
            } else {
                let stream = open_decoded(input).map_err(|error| ArrowError::IpcError(error.to_string()))?;
                Either::Stream(Box::new(StreamReader::try_new(Tail { inner: stream, last: [0; 8] }, None)?))
            })
        })
        .map_err(damaged)?;
        let schema = reader.schema();
        check_names(&schema, columns).map_err(|reason| Error::Input(format!("{}: {reason}", input.name)))?;
        let mut chosen = (!columns.is_empty()).then(|| wanted(&schema, columns));
        if let (true, Some(columns)) = (is_file, &chosen) {
            // A file is opened again to read only the requested columns.
            let file = ColumnSource::open(&input.place, 1).map_err(Error::io(&input.name))?;
            let columns = columns.clone();
            let open = || FileReader::try_new(BufReader::new(file), Some(columns));
            reader = Either::File(Box::new(guarded(open).map_err(damaged)?));
            chosen = None;
        }
        Ok(Batches { reader, name: input.name.clone(), chosen, finished: false })
    }

    pub fn schema(&self) -> SchemaRef {
        self.reader.schema()
    }

    pub fn next(&mut self) -> Result<Next> {
        if self.finished {
            return Ok(Next::End);
        }
        let batch = guarded(|| match &mut self.reader {
            Either::File(reader) => reader.next().transpose(),
            Either::Stream(reader) => reader.next().transpose(),
        });
        match (batch, &self.reader) {
            (Ok(Some(batch)), _) => match &self.chosen {
                Some(columns) => {
                    batch.project(columns).map(Next::Batch).map_err(|error| damaged(&self.name, &error))
                }
                None => Ok(Next::Batch(batch)),
            },
            (Ok(None), Either::Stream(reader)) if !reader.get_ref().ends_as_it_should() => {
                self.finished = true;
                let cut = "the stream has no end mark: it is cut here; what follows is lost";
                Ok(Next::Broken(cut.to_owned()))
            }
            (Ok(None), _) => {
                self.finished = true;
                // The batches may be complete although their compression is truncated.
                let rest = match &mut self.reader {
                    Either::Stream(reader) => std::io::copy(reader.get_mut(), &mut std::io::sink()),
                    Either::File(_) => Ok(0),
                };
                Ok(match rest {
                    Ok(_) => Next::End,
                    Err(error) => {
                        Next::Broken(format!("the compressed stream is damaged or cut at its end ({error})"))
                    }
                })
            }
            (Err(error), Either::Stream(_)) => {
                self.finished = true;
                Ok(Next::Broken(format!("the stream is damaged or cut here ({error}); what follows is lost")))
            }
            (Err(error), Either::File(_)) => Err(damaged(&self.name, &error)),
        }
    }
}

impl Either {
    fn schema(&self) -> SchemaRef {
        match self {
            Either::File(reader) => reader.schema(),
            Either::Stream(reader) => reader.schema(),
        }
    }
}

/// Remembers the last bytes of a stream, where its end mark should be.
struct Tail {
    inner: Box<dyn Read + Send>,
    last: [u8; 8],
}

impl Tail {
    fn ends_as_it_should(&self) -> bool {
        self.last == [0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0]
    }
}

impl Read for Tail {
    fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
        let read = self.inner.read(out)?;
        let new = read.min(8);
        self.last.rotate_left(new);
        self.last[8 - new..].copy_from_slice(&out[read - new..read]);
        Ok(read)
    }
}

fn damaged(name: &str, error: &dyn std::fmt::Display) -> Error {
    Error::Input(format!("{name} is not a readable Arrow file, or is cut: {error}"))
}

/// The places of the requested columns, and of those that contain a requested path.
pub fn wanted(schema: &Schema, columns: &[String]) -> Vec<usize> {
    let holds = |column: &str, asked: &str| {
        asked.strip_prefix(column).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    };
    let fields = schema.fields().iter().enumerate();
    let fields = fields.filter(|(_, field)| columns.iter().any(|asked| holds(field.name(), asked)));
    fields.map(|(place, _)| place).collect()
}

/// Of two columns with one name it is unclear which is meant.
pub fn check_names(schema: &Schema, columns: &[String]) -> std::result::Result<(), String> {
    let mut seen: HashMap<&str, usize> = HashMap::new();
    schema.fields().iter().for_each(|field| *seen.entry(field.name()).or_default() += 1);
    let is_asked = |name: &str| columns.is_empty() || columns.iter().any(|column| column == name);
    match seen.into_iter().find(|&(name, times)| times > 1 && is_asked(name)) {
        Some((name, _)) => Err(format!("the column `{name}` is there twice; rename one of them")),
        None => Ok(()),
    }
}

/// A text that is equal for inputs whose rows can be written into one file. A file has one dictionary for a
/// column, so files with dictionaries stay apart.
pub fn columns_of(input: &Input) -> Result<String> {
    let schema = Batches::open(input, &[])?.schema();
    let has_dictionary =
        schema.flattened_fields().iter().any(|field| matches!(field.data_type(), DataType::Dictionary(..)));
    let apart =
        if has_dictionary { input.place.identity().to_string_lossy().into_owned() } else { String::new() };
    Ok(format!("{:?} {apart}", schema.fields()))
}

/// The compression inside a file or stream, taken from its first batch.
pub fn inner_compression(input: &Input) -> Result<Option<CompressionType>> {
    let mut reader = open_decoded(input)?;
    let mut read = |length: usize| -> Option<Vec<u8>> {
        let mut bytes = Vec::new();
        reader.by_ref().take(length as u64).read_to_end(&mut bytes).ok()?;
        (bytes.len() == length).then_some(bytes)
    };
    if input.format.layout == Layout::ArrowFile && read(8).is_none() {
        return Ok(None);
    }
    // The schema, dictionaries, then batches; each after its mark and its length.
    loop {
        let Some(head) = read(8) else { return Ok(None) };
        let length = u32::from_le_bytes([head[4], head[5], head[6], head[7]]) as usize;
        let Some(bytes) = (length > 0).then(|| read(length)).flatten() else { return Ok(None) };
        let Ok(message) = arrow_ipc::root_as_message(&bytes) else { return Ok(None) };
        if message.header_type() == MessageHeader::RecordBatch {
            let batch = message.header_as_record_batch();
            return Ok(batch.and_then(|batch| batch.compression()).map(|compression| compression.codec()));
        }
        let Ok(body) = usize::try_from(message.bodyLength()) else { return Ok(None) };
        if read(body).is_none() {
            return Ok(None);
        }
    }
}

pub struct ArrowCursor {
    input: Input,
    columns: Vec<String>,
    max_line: u64,
    /// Opened when the first chunk is requested.
    batches: Option<Batches>,
    /// A batch of which some rows were returned, and how many.
    begun: Option<(RecordBatch, usize)>,
    part: u64,
    written: u64,
    finished: bool,
}

impl ArrowCursor {
    pub fn new(input: &Input, options: &ReadOptions) -> Self {
        ArrowCursor {
            input: input.clone(),
            columns: options.columns.clone(),
            max_line: options.max_line,
            batches: None,
            begun: None,
            part: 0,
            written: 0,
            finished: false,
        }
    }

    pub fn next(&mut self, chunk: &mut Chunk) -> Result<bool> {
        if self.finished {
            return Ok(false);
        }
        chunk.clear();
        if self.batches.is_none() {
            self.batches = Some(Batches::open(&self.input, &self.columns)?);
        }
        let Some(batches) = &mut self.batches else { return Ok(false) };
        let (batch, from) = match self.begun.take() {
            Some(begun) => begun,
            None => loop {
                match batches.next()? {
                    Next::Batch(batch) if batch.num_rows() == 0 => {}
                    Next::Batch(batch) => break (batch, 0),
                    ending => {
                        self.finished = true;
                        self.batches = None;
                        let Next::Broken(reason) = ending else { return Ok(false) };
                        chunk.broken = Some(reason);
                        chunk.part = self.part;
                        chunk.base = self.written;
                        return Ok(true);
                    }
                }
            },
        };
        let row_bytes = (batch.get_array_memory_size() / batch.num_rows()).max(1) as u64;
        let rows = (CHUNK_BYTES / row_bytes).clamp(16, 65_536) as usize;
        let rows = rows.min(batch.num_rows() - from);
        chunk.part = self.part;
        chunk.base = self.written;
        write_lines(&batch.slice(from, rows), chunk, self.max_line);
        chunk.take_all();
        self.part += 1;
        chunk.raw_bytes = chunk.bytes().len() as u64;
        self.written += chunk.bytes().len() as u64;
        if from + rows < batch.num_rows() {
            self.begun = Some((batch, from + rows));
        }
        Ok(true)
    }
}
