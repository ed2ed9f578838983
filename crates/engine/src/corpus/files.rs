//! Files of records as a source of documents.
//!
//! A document of a plain file is read again at its offset. Of inputs that are compressed, not JSON Lines, or not on this
//! machine, those that are needed again are gathered in a file.

use std::collections::BTreeMap;
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};

use lookalike_core::document::Document;
use lookalike_core::threads::try_on_threads;
use lookalike_core::{Error, Result};
use lookalike_io::files::Files;
use lookalike_io::format::Layout;
use lookalike_io::inputs::{self, Input};
use lookalike_io::read::{Chunk, ReadOptions, Reader};
use lookalike_io::record::{Fields, TextBuffer};
use lookalike_io::write::KeptFrom;
use tempfile::TempDir;

use super::source::{
    Choice, ChosenLines, ChunkPlace, ChunkReader, DocumentReader, Entry, Pass, Source, Span,
};
use super::unread::explain_missing;

/// Inputs on disk, and how they are read.
pub struct FileSource {
    inputs: Vec<Input>,
    reference_inputs: usize,
    options: ReadOptions,
    /// The inputs that are read where they are.
    files: Files,
    /// Where gathered lines are put.
    folder: PathBuf,
    gathered: RwLock<Vec<Arc<File>>>,
    /// Removed with the source.
    _folder: Option<TempDir>,
}

impl FileSource {
    /// `reference_inputs`: how many of the inputs belong to the corpus compared against; they come
    /// first. Lines that are needed again are gathered in `folder`.
    pub fn new(
        inputs: Vec<Input>,
        reference_inputs: usize,
        options: ReadOptions,
        folder: impl Into<PathBuf>,
    ) -> Self {
        let path = |input: &Input| input.place.path().map(Path::to_owned).unwrap_or_default();
        let files = Files::new(inputs.iter().map(path).collect());
        let (folder, gathered) = (folder.into(), RwLock::default());
        FileSource { inputs, reference_inputs, options, files, folder, gathered, _folder: None }
    }

    /// Removes the folder when the source is no longer used.
    pub fn with_folder(self, folder: TempDir) -> Self {
        FileSource { _folder: Some(folder), ..self }
    }

    /// The files.
    pub fn inputs(&self) -> &[Input] {
        &self.inputs
    }

    /// From where lines that are kept are copied.
    pub fn kept(&self, threads: usize) -> KeptFrom<'_> {
        KeptFrom { inputs: &self.inputs, files: &self.files, options: &self.options, threads }
    }

    /// Reads a document's line again.
    pub fn read_line(&self, span: &Span, out: &mut Vec<u8>) -> Result<()> {
        out.resize(span.length as usize, 0);
        if let Some(store) = span.store {
            let gathered = self.gathered.read().unwrap_or_else(PoisonError::into_inner).get(store).cloned();
            let file = gathered.ok_or_else(|| Error::Internal("no such file was gathered".to_owned()))?;
            return file.read_exact_at(out, span.offset).map_err(Error::io(&self.folder));
        }
        self.files.get(span.input)?.read_exact_at(out, span.offset).map_err(|source| {
            if source.kind() == std::io::ErrorKind::UnexpectedEof {
                let name = &self.inputs[span.input].name;
                Error::Incompatible(format!("{name} became shorter while it was being read"))
            } else {
                Error::Io { path: self.files.path(span.input).to_owned(), source }
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

    fn is_in_place(&self, input: usize) -> bool {
        self.inputs[input].is_in_place()
    }

    fn gather(&self, threads: usize, choice: &dyn Choice) -> Result<usize> {
        let failed = |source| Error::Io { path: self.folder.clone(), source };
        // Without a name: nothing is left of it, however the run ends.
        let file = tempfile::tempfile_in(&self.folder).map_err(failed)?;
        let options = self.options.clone();
        let reader = Reader::open_some(&self.inputs, options, |input| choice.has_some_of(input))?;
        try_on_threads(threads, |stop| {
            let (mut chunk, mut chosen) = (Chunk::default(), Vec::new());
            while !stop.is_set() && reader.next(&mut chunk, &|input, part| !choice.is_chosen(input, part))? {
                let ChosenLines { place, lines } = choice.lines(chunk.input, chunk.part)?;
                chosen.clear();
                for (start, length) in lines {
                    let line = chunk.bytes().get(start as usize..start as usize + length as usize);
                    chosen.extend_from_slice(line.ok_or_else(|| {
                        let name = &self.inputs[chunk.input].name;
                        Error::Incompatible(format!("{name} changed while it was being read"))
                    })?);
                }
                file.write_all_at(&chosen, place).map_err(failed)?;
            }
            Ok(())
        })?;
        self.check_unchanged()?;
        let mut gathered = self.gathered.write().unwrap_or_else(PoisonError::into_inner);
        gathered.push(Arc::new(file));
        Ok(gathered.len() - 1)
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
            bytes: chunk.raw_bytes,
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
