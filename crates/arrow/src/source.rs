//! The rows of a table as documents.

use std::borrow::Cow;
use std::sync::atomic::{AtomicUsize, Ordering};

use arrow_array::{ArrayRef, RecordBatch};
use lookalike_core::document::Document;
use lookalike_core::{Error, Result};
use lookalike_engine::corpus::{ChunkPlace, ChunkReader, DocumentReader, Entry, Pass, Source, Span};
use lookalike_io::read::{CHUNK_BYTES, RowWriter, check_names, too_long, wanted};
use lookalike_io::record::{Fields, Record, TextBuffer};

use crate::texts::{self, bytes_at, holds_texts};
use crate::values::{Table, arrow_error};

/// Documents without text take time, too, so a chunk has at most this many.
const MOST_ROWS: usize = 1 << 16;

/// Tables as a source of documents. Their texts are read where they lie; of the other columns those that a recipe asks
/// for are read as a file's would be.
pub struct TableSource {
    batches: Vec<Batch>,
    chunks: Vec<ChunkOfRows>,
    bytes: u64,
    max_text: u64,
    has_known: bool,
}

struct Batch {
    input: usize,
    /// Its first row among those of its input.
    first_row: u64,
    /// The texts, if they can be read where they lie.
    texts: Option<ArrayRef>,
    /// The other columns that are read, the texts among them if they cannot.
    others: RecordBatch,
}

pub(crate) struct ChunkOfRows {
    batch: usize,
    first: usize,
    pub rows: usize,
    /// Its number among those of its input.
    part: u64,
    bytes: u64,
}

impl TableSource {
    /// The documents of a table, and of another that is compared against. `fields` are the columns that are read.
    pub fn new(table: &Table, known: Option<&Table>, fields: &Fields, max_text: u64) -> Result<TableSource> {
        let mut source = TableSource {
            batches: Vec::new(),
            chunks: Vec::new(),
            bytes: 0,
            max_text,
            has_known: known.is_some(),
        };
        for (input, table) in known.into_iter().chain([table]).enumerate() {
            source.add(input, table, fields)?;
        }
        Ok(source)
    }

    fn add(&mut self, input: usize, table: &Table, fields: &Fields) -> Result<()> {
        let schema = table.schema();
        let mut columns = vec![fields.id.clone(), fields.text.clone()];
        columns.extend(fields.wanted.iter().cloned());
        check_names(schema, &columns).map_err(Error::Input)?;
        let text = schema.index_of(&fields.text).ok();
        if text.is_none() && !wanted(schema, std::slice::from_ref(&fields.text)).is_empty() {
            // It is within another column.
        } else if text.is_none() {
            let names: Vec<&str> = schema.fields().iter().map(|field| field.name().as_str()).collect();
            return Err(Error::Input(format!(
                "the table has no column `{}`; it has {}",
                fields.text,
                if names.is_empty() { "none".to_owned() } else { names.join(", ") }
            )));
        }
        // A text that is also read as another field has to be among the others.
        let is_apart = fields.id != fields.text && !fields.wanted.contains(&fields.text);
        let direct = text.filter(|&text| is_apart && holds_texts(schema.field(text).data_type()));
        let mut places = wanted(schema, &columns);
        places.retain(|&place| Some(place) != direct);
        let (mut first_row, mut part) = (0, 0);
        for batch in table.batches() {
            let rows = batch.num_rows();
            let texts = direct.map(|text| batch.column(text).clone());
            if let Some(texts) = &texts {
                texts::check(texts, &fields.text)?;
            }
            let others = batch.project(&places).map_err(arrow_error)?;
            let bytes = match &texts {
                Some(texts) => texts::total_bytes(texts),
                None => others.get_array_memory_size() as u64,
            };
            let row_bytes = bytes.checked_div(rows as u64).unwrap_or(0).max(1);
            let step = ((CHUNK_BYTES / row_bytes) as usize).clamp(1, MOST_ROWS);
            for first in (0..rows).step_by(step) {
                let rows = step.min(rows - first);
                let bytes = row_bytes * rows as u64;
                self.chunks.push(ChunkOfRows { batch: self.batches.len(), first, rows, part, bytes });
                part += 1;
            }
            self.batches.push(Batch { input, first_row, texts, others });
            first_row += rows as u64;
            self.bytes += bytes;
        }
        Ok(())
    }

    /// The rows in pieces of which each is work for one thread.
    pub(crate) fn chunks(&self) -> &[ChunkOfRows] {
        &self.chunks
    }

    /// Calls `visit` with the document of every row of a chunk.
    pub(crate) fn visit(
        &self,
        chunk: &ChunkOfRows,
        parser: &mut Parser<'_>,
        visit: &mut dyn FnMut(Entry<'_>) -> Result<()>,
    ) -> Result<()> {
        let batch = &self.batches[chunk.batch];
        let others = batch.others.slice(chunk.first, chunk.rows);
        let rows = RowWriter::new(&others);
        for row in 0..chunk.rows {
            let text = batch.texts.as_ref().map(|texts| bytes_at(texts, chunk.first + row));
            let record = parser.record(text, &rows, &others, row, self.max_text);
            let length = text.flatten().map_or(1, |text| text.len().clamp(1, u32::MAX as usize)) as u32;
            visit(Entry { line: row as u32, start: row as u32, length, record })?;
        }
        Ok(())
    }

    /// The batch of a row, and the row in it.
    fn locate(&self, input: usize, row: u64) -> Option<(&Batch, usize)> {
        let after = self.batches.partition_point(|batch| (batch.input, batch.first_row) <= (input, row));
        let batch = self.batches.get(after.checked_sub(1)?)?;
        let row = usize::try_from(row - batch.first_row).ok()?;
        (batch.input == input && row < batch.others.num_rows()).then_some((batch, row))
    }
}

impl Source for TableSource {
    fn names(&self) -> Vec<String> {
        let known = self.has_known.then(|| "against".to_owned());
        known.into_iter().chain(["table".to_owned()]).collect()
    }

    fn reference_inputs(&self) -> usize {
        usize::from(self.has_known)
    }

    fn bytes(&self) -> u64 {
        self.bytes
    }

    fn pass(&self) -> Result<Box<dyn Pass + '_>> {
        Ok(Box::new(TablePass { source: self, next: AtomicUsize::new(0) }))
    }

    fn reader<'a>(&'a self, fields: &'a Fields) -> Box<dyn DocumentReader + 'a> {
        Box::new(RowReader { source: self, parser: Parser::new(fields) })
    }

    fn has_rows(&self) -> bool {
        true
    }
}

struct TablePass<'a> {
    source: &'a TableSource,
    next: AtomicUsize,
}

impl Pass for TablePass<'_> {
    fn chunks<'a>(&'a self, fields: &'a Fields) -> Box<dyn ChunkReader + 'a> {
        Box::new(Chunks { pass: self, taken: None, parser: Parser::new(fields) })
    }
}

struct Chunks<'a> {
    pass: &'a TablePass<'a>,
    taken: Option<&'a ChunkOfRows>,
    parser: Parser<'a>,
}

impl ChunkReader for Chunks<'_> {
    fn next(&mut self, done: &dyn Fn(usize, u64) -> bool) -> Result<Option<ChunkPlace>> {
        let TablePass { source, next } = self.pass;
        loop {
            let Some(chunk) = source.chunks.get(next.fetch_add(1, Ordering::Relaxed)) else {
                self.taken = None;
                return Ok(None);
            };
            let batch = &source.batches[chunk.batch];
            if done(batch.input, chunk.part) {
                continue;
            }
            self.taken = Some(chunk);
            return Ok(Some(ChunkPlace {
                input: batch.input,
                part: chunk.part,
                // A document's place is its row.
                base: batch.first_row + chunk.first as u64,
                lines: chunk.rows as u32,
                bytes: chunk.bytes,
            }));
        }
    }

    fn for_each(&mut self, visit: &mut dyn FnMut(Entry<'_>) -> Result<()>) -> Result<()> {
        let Some(chunk) = self.taken else { return Ok(()) };
        self.pass.source.visit(chunk, &mut self.parser, visit)
    }
}

struct RowReader<'a> {
    source: &'a TableSource,
    parser: Parser<'a>,
}

impl DocumentReader for RowReader<'_> {
    fn read(&mut self, span: &Span) -> Result<Option<Document<'_>>> {
        let Some((batch, row)) = self.source.locate(span.input, span.offset) else { return Ok(None) };
        let text = batch.texts.as_ref().map(|texts| bytes_at(texts, row));
        let others = batch.others.slice(row, 1);
        let rows = RowWriter::new(&others);
        let record = self.parser.record(text, &rows, &others, 0, self.source.max_text);
        Ok(record.ok().map(|record| record.document))
    }
}

/// Makes documents of rows, in buffers that are reused.
pub(crate) struct Parser<'a> {
    fields: &'a Fields,
    line: Vec<u8>,
    text: TextBuffer,
}

impl<'a> Parser<'a> {
    pub(crate) fn new(fields: &'a Fields) -> Self {
        Parser { fields, line: Vec::new(), text: TextBuffer::default() }
    }

    /// The document of a row, or why there is none. `text`: its text if that is read where it lies; otherwise it is
    /// among the other columns.
    fn record<'d>(
        &'d mut self,
        text: Option<Option<&'d [u8]>>,
        rows: &RowWriter<'_>,
        others: &RecordBatch,
        row: usize,
        max_text: u64,
    ) -> std::result::Result<Record<'d>, String> {
        let Parser { fields, line, text: buffer } = self;
        let text = match text {
            None => None,
            Some(None) => return Err(format!("field `{}` is null, not text", fields.text)),
            Some(Some(bytes)) => {
                if bytes.len() as u64 > max_text {
                    return Err(too_long(bytes.len() as u64, max_text));
                }
                let text = simdutf8::basic::from_utf8(bytes);
                Some(text.map_err(|_| format!("field `{}` is not valid UTF-8", fields.text))?)
            }
        };
        if let (Some(text), 0) = (text, others.num_columns()) {
            let document =
                Document { text: Cow::Borrowed(text), fields: vec![None; fields.wanted.len()], position: 0 };
            return Ok(Record { id: None, document });
        }
        line.clear();
        rows.write(row, line);
        if text.is_some() {
            // A column of that name is not among the others, so this is the text that the parser finds.
            line.pop();
            line.extend_from_slice(b",");
            serde_json::to_writer(&mut *line, &fields.text).map_err(|error| error.to_string())?;
            line.extend_from_slice(b":\"\"}");
        }
        if line.len() as u64 > max_text {
            return Err(too_long(line.len() as u64, max_text));
        }
        let line = simdutf8::basic::from_utf8(line).map_err(|error| error.to_string())?;
        let mut record = fields.parse(line, buffer)?;
        if let Some(text) = text {
            record.document.text = Cow::Borrowed(text);
        }
        Ok(record)
    }
}
