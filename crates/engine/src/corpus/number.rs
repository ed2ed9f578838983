//! The pass that numbers the documents of a corpus.

use std::ops::ControlFlow;
use std::sync::atomic::AtomicU64;

use lookalike_core::{Error, Result};
use lookalike_io::files::Files;
use lookalike_io::format::Layout as InputLayout;
use lookalike_io::inputs::Input;
use lookalike_io::read::{Chunk, ReadOptions, Reader};
use lookalike_io::record::{Fields, TextBuffer};
use lookalike_plumbing::log::{Framing, Log};
use tempfile::TempDir;

use super::block::{BlockBuilder, Header, Layout, NO_FEATURES};
use super::catalog::{Block, Catalog};
use super::pass::{ChunkWorker, for_each_chunk};
use super::{Corpus, check_rejected};
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
    /// Bytes of what is remembered of documents that may stay in memory; the rest goes to disk.
    pub cache: u64,
}

/// Nothing is computed of a document, so nothing but its place and its id is remembered.
const LAYOUT: Layout = Layout { keep_rules: 0, keys: 0, signature: 0 };

impl Corpus {
    /// Reads all documents once. That none can be read is an error: a wrong field name or a wrong file must not
    /// look like an empty corpus.
    pub fn open(inputs: &[Input], reading: &Reading) -> Result<Corpus> {
        if inputs.is_empty() {
            return Err(Error::config("no input files"));
        }
        let folder = TempDir::with_prefix("lookalike-").map_err(Error::io(std::env::temp_dir()))?;
        let options = ReadOptions {
            max_line: reading.max_line,
            spool_folder: folder.path().to_owned(),
            // Whoever reads a document again may ask for any of its fields.
            columns: Vec::new(),
            text: reading.text_field.clone(),
            lanes: reading.threads,
        };
        let reader = Reader::open(inputs, options)?;
        let log = Log::open(&folder.path().join("documents"), Framing::Plain, |_, _| Ok(()))?;
        let room = AtomicU64::new(reading.cache);
        let fields =
            Fields { id: reading.id_field.clone(), text: reading.text_field.clone(), wanted: Vec::new() };
        let worker = || Worker {
            fields: &fields,
            strict: reading.strict,
            log: &log,
            room: &room,
            builder: BlockBuilder::default(),
            text: TextBuffer::default(),
            blocks: Vec::new(),
        };
        let blocks = for_each_chunk(&reader, reading.threads, &|_, _| false, worker)?;
        inputs.iter().try_for_each(Input::check_unchanged)?;
        let stores = (0..inputs.len()).map(|input| reader.store(input).to_owned()).collect();
        let names = inputs.iter().map(|input| input.name.clone()).collect();
        let blocks = blocks.into_iter().flatten().collect();
        let catalog = Catalog::new(LAYOUT, blocks, Files::new(stores), names, log, 0)?;
        if reading.strict {
            check_none_rejected(&catalog, inputs)?;
        }
        check_rejected(&catalog, inputs, &reading.text_field, reading.max_line, &Quiet)?;
        let Fields { id, text, .. } = fields;
        Ok(Corpus { catalog, id_field: id, text_field: text, _folder: folder })
    }
}

/// Names the first bad line, if there is any.
fn check_none_rejected(catalog: &Catalog, inputs: &[Input]) -> Result<()> {
    let Some(block) = catalog.blocks.iter().position(|block| block.header.rejected > 0) else {
        return Ok(());
    };
    let Some((line, reason)) = catalog.tail(block)?.rejects.into_iter().next() else { return Ok(()) };
    let Header { input, part, .. } = catalog.blocks[block].header;
    let input = &inputs[input as usize];
    // Rows of a Parquet file are not in order.
    let place = match input.format.layout {
        InputLayout::Parquet => format!("row {} of part {}", line + 1, part + 1),
        _ => format!("line {}", catalog.line_number(block, line)),
    };
    Err(Error::Input(format!("{}: {place}: {reason} (--strict stops at the first bad line)", input.name)))
}

struct Worker<'a> {
    fields: &'a Fields,
    strict: bool,
    log: &'a Log,
    room: &'a AtomicU64,
    builder: BlockBuilder,
    text: TextBuffer,
    blocks: Vec<Block>,
}

impl ChunkWorker for Worker<'_> {
    type Left = Vec<Block>;

    fn take(&mut self, chunk: &Chunk) -> Result<ControlFlow<()>> {
        self.builder.clear();
        for line in chunk.lines() {
            let parsed = line.content.and_then(|json| {
                let record = self.fields.parse(json, &mut self.text)?;
                let id = record.id.as_ref().map_or("", |id| id.json());
                self.builder.start_document(line.start as u32, json.len() as u32, line.number, id, None);
                self.builder.features(NO_FEATURES, &[], &[]);
                Ok(())
            });
            if let Err(reason) = parsed {
                self.builder.reject(line.number, reason);
            }
        }
        let bytes = self.builder.finish(&LAYOUT, chunk.input, chunk.part, chunk.base, chunk.line_count());
        let header = Header::read(&bytes)?;
        let offset = self.log.append(&bytes)?;
        self.blocks.push(Block::new(header, offset, &bytes, self.room));
        // The line is told by its number, which the chunks before it decide; these are in other threads' hands.
        let is_over = self.strict && header.rejected > 0;
        Ok(if is_over { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
    }

    fn finish(self) -> Vec<Block> {
        self.blocks
    }
}
