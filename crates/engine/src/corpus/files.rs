//! Files of records as a source of documents.
//!
//! A document is read again at its offset in a plain file: the input itself, or the copy that a pass makes of an
//! input that is compressed, not JSON Lines, or not on this machine.

use std::collections::BTreeMap;
use std::os::unix::fs::FileExt;

use lookalike_core::document::Document;
use lookalike_core::{Error, Result};
use lookalike_io::files::Files;
use lookalike_io::format::Layout;
use lookalike_io::inputs::{self, Input};
use lookalike_io::read::{Chunk, ReadOptions, Reader};
use lookalike_io::record::{Fields, TextBuffer};
use tempfile::TempDir;

use super::source::{ChunkPlace, ChunkReader, DocumentReader, Entry, Pass, Source, Span};
use super::unread::explain_missing;

/// Inputs on disk, and how they are read.
pub struct FileSource {
    inputs: Vec<Input>,
    reference_inputs: usize,
    options: ReadOptions,
    /// For each input, the plain file in which its lines can be read again.
    stores: Files,
    /// Removed with the source.
    _folder: Option<TempDir>,
}

impl FileSource {
    /// `reference_inputs`: how many of the inputs belong to the corpus compared against; they come
    /// first.
    pub fn new(inputs: Vec<Input>, reference_inputs: usize, options: ReadOptions) -> Self {
        let stores = inputs.iter().enumerate().map(|(index, input)| options.store_of(index, input));
        let stores = Files::new(stores.collect());
        FileSource { inputs, reference_inputs, options, stores, _folder: None }
    }

    /// Removes the folder of the copies when the source is no longer used.
    pub fn with_folder(self, folder: TempDir) -> Self {
        FileSource { _folder: Some(folder), ..self }
    }

    /// The files.
    pub fn inputs(&self) -> &[Input] {
        &self.inputs
    }

    /// Where their lines are read from again.
    pub fn stores(&self) -> &Files {
        &self.stores
    }

    /// Reads a document's line again.
    pub fn read_line(&self, span: &Span, out: &mut Vec<u8>) -> Result<()> {
        out.resize(span.length as usize, 0);
        self.stores.get(span.input)?.read_exact_at(out, span.offset).map_err(|source| {
            if source.kind() == std::io::ErrorKind::UnexpectedEof {
                let name = &self.inputs[span.input].name;
                Error::Incompatible(format!("{name} became shorter while it was being read"))
            } else {
                Error::Io { path: self.stores.path(span.input).to_owned(), source }
            }
        })
    }
}

impl Source for FileSource {
    fn names(&self) -> Vec<String> {
        self.inputs.iter().map(|input| input.name.clone()).collect()
    }

    fn reference_inputs(&self) -> usize {
        self.reference_inputs
    }

    fn bytes(&self) -> u64 {
        self.inputs.iter().map(|input| input.bytes).sum()
    }

    fn pass(&self) -> Result<Box<dyn Pass + '_>> {
        Ok(Box::new(Reader::open(&self.inputs, self.options.clone())?))
    }

    fn reader<'a>(&'a self, fields: &'a Fields) -> Box<dyn DocumentReader + 'a> {
        Box::new(LineReader { source: self, fields, line: Vec::new(), text: TextBuffer::default() })
    }

    fn check_unchanged(&self) -> Result<()> {
        inputs::check_unchanged(&self.inputs)
    }

    fn is_in_order(&self, input: usize) -> bool {
        self.inputs[input].format.layout != Layout::Parquet
    }

    fn explain(&self, input: usize, reason: String) -> String {
        explain_missing(reason, &self.inputs[input], &self.options.text, self.options.max_line)
    }
}

impl Pass for Reader {
    fn chunks<'a>(&'a self, fields: &'a Fields) -> Box<dyn ChunkReader + 'a> {
        Box::new(LineChunks { reader: self, fields, chunk: Chunk::default(), text: TextBuffer::default() })
    }

    fn other_records(&self) -> BTreeMap<String, u64> {
        Reader::other_records(self)
    }
}

struct LineChunks<'a> {
    reader: &'a Reader,
    fields: &'a Fields,
    chunk: Chunk,
    text: TextBuffer,
}

impl ChunkReader for LineChunks<'_> {
    fn next(&mut self, done: &dyn Fn(usize, u64) -> bool) -> Result<Option<ChunkPlace>> {
        let LineChunks { reader, chunk, .. } = self;
        Ok(reader.next(chunk, done)?.then(|| ChunkPlace {
            input: chunk.input,
            part: chunk.part,
            base: chunk.base,
            lines: chunk.line_count(),
            bytes: chunk.bytes().len() as u64,
        }))
    }

    fn for_each(&mut self, visit: &mut dyn FnMut(Entry<'_>) -> Result<()>) -> Result<()> {
        let folders = &self.chunk.folders;
        for line in self.chunk.lines() {
            let length = line.content.as_ref().map_or(0, |json| json.len() as u32);
            let record = line.content.and_then(|json| self.fields.parse_in(folders, json, &mut self.text));
            visit(Entry { line: line.number, start: line.start as u32, length, record })?;
        }
        Ok(())
    }
}

struct LineReader<'a> {
    source: &'a FileSource,
    fields: &'a Fields,
    line: Vec<u8>,
    text: TextBuffer,
}

impl DocumentReader for LineReader<'_> {
    fn read(&mut self, span: &Span) -> Result<Option<Document<'_>>> {
        self.source.read_line(span, &mut self.line)?;
        let Ok(line) = simdutf8::basic::from_utf8(&self.line) else { return Ok(None) };
        let folders = &self.source.inputs[span.input].folders;
        let record = self.fields.parse_in(folders, line.trim_start_matches('\u{feff}'), &mut self.text);
        Ok(record.ok().map(|record| record.document))
    }
}
