//! Chunks of a file whose documents are records of a stream: rows of a table, objects of a JSON array, texts of a web
//! archive.

use std::io::Read;

use lookalike_core::{Error, Result};

use super::consumed::{Consumed, Counted};
use super::members::Members;
use super::table::{Fields, Header, Rows};
use super::texts::{Archive, TYPES, Texts};
use super::values::{Values, put_line};
use super::window::{Found, Window};
use super::{CHUNK_BYTES, Chunk, ReadOptions};
use crate::decode::{Compression, decoder};
use crate::format::{Format, Layout};
use crate::inputs::Input;

/// The records of one input in their order. All readers number them in the same way.
pub enum Records {
    Table { rows: Window<Rows>, delimiter: u8, header: Vec<u8> },
    Values(Window<Values>),
    Texts(Texts),
}

impl Records {
    pub fn open(input: &Input, max_line: u64) -> Result<Records> {
        Records::open_counted(input, max_line, &Consumed::default())
    }

    fn open_counted(input: &Input, max_line: u64, consumed: &Consumed) -> Result<Records> {
        let packed = input.format.compression != Compression::None;
        if input.format.layout == Layout::Wet {
            let archive = match input.format.compression {
                Compression::Gzip => Archive::Members(Members::new(Box::new(open_raw(input, consumed)?))),
                _ => Archive::Stream { from: open_counted(input, consumed)?, packed },
            };
            return Ok(Records::Texts(Texts::new(archive, &input.name, max_line)));
        }
        let reader = open_counted(input, consumed)?;
        match input.format.layout {
            Layout::Table { delimiter } => {
                let mut rows = Window::new(reader, &input.name, packed, max_line, Rows::new(delimiter));
                let header = match rows.next()? {
                    None => Vec::new(),
                    Some(Ok(header)) => header.to_vec(),
                    Some(Err(reason)) => {
                        return Err(Error::Input(format!("{}: the header: {reason}", input.name)));
                    }
                };
                Ok(Records::Table { rows, delimiter, header })
            }
            _ => Ok(Records::Values(Window::new(reader, &input.name, packed, max_line, Values::default()))),
        }
    }

    pub fn next(&mut self) -> Result<Option<Found<'_>>> {
        match self {
            Records::Table { rows, .. } => rows.next(),
            Records::Values(values) => values.next(),
            Records::Texts(texts) => texts.next(),
        }
    }
}

/// Opens an input, decompressed and as UTF-8.
#[cfg(feature = "parquet")]
pub fn open_decoded(input: &Input) -> Result<Box<dyn Read + Send>> {
    open_counted(input, &Consumed::default())
}

/// Opens an input, decompressed and as UTF-8, and counts what is read of the file.
pub fn open_counted(input: &Input, consumed: &Consumed) -> Result<Box<dyn Read + Send>> {
    let Format { compression, encoding, .. } = input.format;
    decoder(open_raw(input, consumed)?, compression, encoding).map_err(Error::io(&input.name))
}

fn open_raw(input: &Input, consumed: &Consumed) -> Result<Counted> {
    Ok(consumed.of(input.place.in_order().map_err(Error::io(&input.name))?))
}

/// The columns of a table as a text that is equal for tables with the same columns.
pub fn header_of(input: &Input, max_line: u64) -> Result<String> {
    match Records::open(input, max_line)? {
        Records::Table { header, .. } => Ok(String::from_utf8_lossy(&header).into_owned()),
        Records::Values(_) | Records::Texts(_) => Ok(String::new()),
    }
}

/// Whether a table has a column of this name.
pub fn has_column(input: &Input, name: &str) -> Result<bool> {
    match Records::open(input, 1 << 20)? {
        Records::Table { delimiter, header, .. } => Ok(Header::new(&header, delimiter, &[String::new()], "")
            .is_ok_and(|header| header.names.iter().any(|column| column == name))),
        Records::Values(_) | Records::Texts(_) => Ok(false),
    }
}

pub struct RecordCursor {
    input: Input,
    columns: Vec<String>,
    text: String,
    max_line: u64,
    /// Opened when the first chunk is requested, since there may be thousands of inputs.
    open: Option<Open>,
    consumed: Consumed,
    part: u64,
    written: u64,
    /// Records of a web archive that are no texts, by [`TYPES`].
    passed_over: [u64; TYPES.len()],
    finished: bool,
}

struct Open {
    records: Records,
    header: Option<Header>,
    fields: Fields,
}

impl RecordCursor {
    pub fn new(input: &Input, options: &ReadOptions) -> Self {
        RecordCursor {
            input: input.clone(),
            columns: options.columns.clone(),
            text: options.text.clone(),
            max_line: options.max_line,
            open: None,
            consumed: Consumed::default(),
            part: 0,
            written: 0,
            passed_over: [0; TYPES.len()],
            finished: false,
        }
    }

    pub fn next(&mut self, chunk: &mut Chunk) -> Result<bool> {
        if self.finished {
            return Ok(false);
        }
        chunk.clear();
        chunk.part = self.part;
        chunk.base = self.written;
        if self.open.is_none() {
            self.open = Some(self.open()?);
        }
        let Some(open) = &mut self.open else { return Ok(false) };
        let mut number = 0;
        while chunk.buffer.len() < CHUNK_BYTES as usize {
            let Some(found) = open.records.next()? else {
                self.finished = true;
                break;
            };
            let start = chunk.buffer.len();
            let written = found.and_then(|record| match (&open.header, self.input.format.layout) {
                (Some(header), Layout::Table { delimiter }) => {
                    open.fields.part(record, delimiter);
                    header.write_line(&open.fields, &mut chunk.buffer)
                }
                _ => put_line(record, &mut chunk.buffer),
            });
            if let Err(reason) = written {
                chunk.buffer.truncate(start);
                chunk.bad.push((number, reason));
            }
            chunk.buffer.push(b'\n');
            number += 1;
        }
        if let Records::Texts(texts) = &open.records {
            self.passed_over = texts.passed_over();
        }
        if self.finished {
            self.open = None;
        }
        self.part += 1;
        chunk.take_all();
        chunk.raw_bytes = self.consumed.take();
        self.written += chunk.bytes().len() as u64;
        Ok(number > 0)
    }

    /// How many records were passed over so far, by type.
    pub fn passed_over(&self) -> impl Iterator<Item = (&'static str, u64)> {
        TYPES.into_iter().zip(self.passed_over)
    }

    fn open(&self) -> Result<Open> {
        let records = Records::open_counted(&self.input, self.max_line, &self.consumed)?;
        let header = match &records {
            Records::Table { delimiter, header, .. } => Some(
                Header::new(header, *delimiter, &self.columns, &self.text)
                    .map_err(|reason| Error::Input(format!("{}: {reason}", self.input.name)))?,
            ),
            Records::Values(_) | Records::Texts(_) => None,
        };
        Ok(Open { records, header, fields: Fields::default() })
    }
}
