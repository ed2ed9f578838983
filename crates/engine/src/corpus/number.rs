//! The pass that numbers the documents of a corpus.

use std::ops::ControlFlow;
use std::sync::atomic::AtomicU64;

use lookalike_core::{Error, Result};
use lookalike_io::inputs::Input;
use lookalike_io::read::ReadOptions;
use lookalike_io::record::Fields;
use lookalike_plumbing::log::{Framing, Log};
use tempfile::TempDir;

use super::block::{Layout, NO_FEATURES};
use super::catalog::{Block, Catalog};
use super::pass::{BlockWriter, ChunkWorker, for_each_chunk, goes_on};
use super::source::{ChunkPlace, ChunkReader, Source};
use super::unread::check_none_rejected;
use super::{Corpus, FileSource, check_rejected};
use crate::progress::Quiet;

/// How a corpus is read.
#[derive(Clone, Debug)]
pub struct Reading {
    /// The field with a document's id.
    pub id_field: String,
    /// The field with its text.
    pub text_field: String,
    /// Worker threads.
    pub threads: usize,
    /// Longer lines are rejected.
    pub max_line: u64,
    /// A bad line is an error.
    pub strict: bool,
    /// How many bytes of what is remembered of documents may stay in memory; the rest goes to disk.
    pub cache: u64,
}

/// Nothing is computed from a document, so only its place and its id are remembered.
const LAYOUT: Layout = Layout { keep_rules: 0, keys: 0, signature: 0 };

impl Corpus {
    /// Reads all documents once. It is an error if none can be read: a wrong field name or a wrong file must
    /// not look like an empty corpus.
    pub fn open(inputs: &[Input], reading: &Reading) -> Result<Corpus> {
        let corpus = Corpus::number(inputs, reading)?;
        // Any document may be read again, and in any order.
        corpus.catalog.gather(&corpus.source, reading.threads, corpus.catalog.documents())?;
        Ok(corpus)
    }

    /// The documents, of which those that are not in place cannot be read again yet.
    pub(super) fn number(inputs: &[Input], reading: &Reading) -> Result<Corpus> {
        if inputs.is_empty() {
            return Err(Error::config("no input files"));
        }
        let folder = TempDir::with_prefix("lookalike-").map_err(Error::io(std::env::temp_dir()))?;
        let options = ReadOptions {
            max_line: reading.max_line,
            // Code that reads a document again may ask for any of its fields.
            columns: Vec::new(),
            text: reading.text_field.clone(),
            cursors: reading.threads,
        };
        let source = FileSource::new(inputs.to_vec(), 0, options, folder.path());
        let log = Log::open(&folder.path().join("documents"), Framing::Plain, |_, _| Ok(()))?;
        let room = AtomicU64::new(reading.cache);
        let fields =
            Fields { id: reading.id_field.clone(), text: reading.text_field.clone(), wanted: Vec::new() };
        let worker = || Worker { strict: reading.strict, writer: BlockWriter::new(&LAYOUT, &log, &room) };
        let blocks = for_each_chunk(&*source.pass()?, &fields, reading.threads, &|_, _| false, worker)?;
        source.check_unchanged()?;
        let blocks = blocks.into_iter().flatten().collect();
        let catalog = Catalog::new(LAYOUT, blocks, &source, log)?;
        if reading.strict {
            check_none_rejected(&catalog, &source)?;
        }
        check_rejected(&catalog, &source, &Quiet)?;
        let Fields { id, text, .. } = fields;
        Ok(Corpus { source, catalog, id_field: id, text_field: text, _folder: folder })
    }
}

struct Worker<'a> {
    strict: bool,
    writer: BlockWriter<'a>,
}

impl ChunkWorker for Worker<'_> {
    type Output = Vec<Block>;

    fn take(&mut self, chunk: &ChunkPlace, documents: &mut dyn ChunkReader) -> Result<ControlFlow<()>> {
        let builder = &mut self.writer.builder;
        documents.for_each(&mut |entry| {
            match entry.record {
                Ok(record) => {
                    let id = record.id.as_ref().map_or("", |id| id.json());
                    builder.start_document(entry.start, entry.length, entry.line, id, None);
                    builder.features(NO_FEATURES, 0, &[], &[]);
                }
                Err(reason) => builder.reject(entry.line, reason),
            }
            Ok(())
        })?;
        Ok(goes_on(self.strict, &self.writer.end_chunk(chunk)?))
    }

    fn finish(self) -> Vec<Block> {
        self.writer.blocks
    }
}
