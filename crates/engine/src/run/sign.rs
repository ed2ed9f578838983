//! The pass over the corpus: read, extract, sign, remember.

use std::collections::HashSet;
use std::fs::File;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use lookalike_core::threads::{Stop, try_on_threads};
use lookalike_core::{Error, Result};
use lookalike_io::files::Files;
use lookalike_io::format::Layout as InputLayout;
use lookalike_io::inputs::Input;
use lookalike_io::read::{Chunk, ReadOptions, Reader};
use lookalike_io::record::{Fields, TextBuffer};
use lookalike_plumbing::log::{Framing, Log};

use super::{Job, Progress};
use crate::corpus::block::{BlockBuilder, Header, Layout, NO_FEATURES};
use crate::corpus::catalog::{Block, Catalog};
use crate::pipeline::{BranchPlaces, FieldPlan, Pipeline, Signatures};

pub struct Signing<'a> {
    pub pipeline: &'a Pipeline,
    pub job: &'a Job,
    pub inputs: &'a [Input],
    pub reference_inputs: usize,
    pub work: &'a Path,
    /// Bytes of blocks that may stay in memory.
    pub cache: u64,
}

impl Signing<'_> {
    pub fn layout(&self) -> Layout {
        let places = BranchPlaces::new(self.pipeline);
        Layout { keep_rules: self.pipeline.keep.rules.len(), keys: places.keys, signature: places.signature }
    }

    pub fn fields(&self) -> (Fields, FieldPlan) {
        let plan = self.pipeline.field_plan(&self.job.source_field);
        let fields = Fields {
            id: self.job.id_field.clone(),
            text: self.job.text_field.clone(),
            wanted: plan.wanted.clone(),
        };
        (fields, plan)
    }

    /// Signs whatever an earlier, interrupted run has not.
    pub fn run(&self, progress: &dyn Progress) -> Result<Catalog> {
        let layout = self.layout();
        let (fields, plan) = self.fields();
        let room = AtomicU64::new(self.cache);
        let mut blocks = Vec::new();
        let mut done = HashSet::new();
        let log = Log::open(&self.work.join("signatures"), Framing::Plain, |offset, bytes| {
            let header = Header::read(bytes)?;
            done.insert((header.input as usize, header.part));
            blocks.push(block(header, offset, bytes, &room));
            Ok(())
        })?;
        let mut columns = Vec::new();
        if !self.job.all_columns {
            columns.extend([fields.id.clone(), fields.text.clone()]);
            columns.extend(fields.wanted.iter().cloned());
        }
        let options = ReadOptions {
            max_line: self.job.max_line,
            spool_folder: self.work.to_owned(),
            columns,
            text: fields.text.clone(),
            lanes: self.job.threads,
        };
        let reader = Reader::open(self.inputs, options)?;
        let total = self.inputs.iter().map(|input| input.bytes).sum();
        progress.stage("signing", total);
        let found = try_on_threads(self.job.threads, |stop| {
            Worker::new(self, &reader, &fields, &plan).run(&done, &layout, &log, &room, stop, progress)
        })?;
        blocks.extend(found.into_iter().flatten());
        for input in self.inputs {
            input.check_unchanged()?;
        }
        let stores = (0..self.inputs.len()).map(|input| reader.store(input).to_owned()).collect();
        let names = self.inputs.iter().map(|input| input.name.clone()).collect();
        Catalog::new(layout, blocks, Files::new(stores), names, log, self.reference_inputs)
    }
}

struct Worker<'a> {
    signing: &'a Signing<'a>,
    reader: &'a Reader,
    fields: &'a Fields,
    plan: &'a FieldPlan,
    signatures: Signatures,
    builder: BlockBuilder,
    text: TextBuffer,
}

impl<'a> Worker<'a> {
    fn new(signing: &'a Signing<'a>, reader: &'a Reader, fields: &'a Fields, plan: &'a FieldPlan) -> Self {
        Worker {
            signing,
            reader,
            fields,
            plan,
            signatures: Signatures::default(),
            builder: BlockBuilder::default(),
            text: TextBuffer::default(),
        }
    }

    #[allow(clippy::too_many_arguments)]
    fn run(
        &mut self,
        done: &HashSet<(usize, u64)>,
        layout: &Layout,
        log: &Log,
        room: &AtomicU64,
        stop: &Stop,
        progress: &dyn Progress,
    ) -> Result<Vec<Block>> {
        let (mut chunk, mut found) = (Chunk::default(), Vec::new());
        while !stop.is_set() && self.reader.next(&mut chunk, &|input, part| done.contains(&(input, part)))? {
            let lines = self.sign_chunk(&chunk)?;
            let bytes = self.builder.finish(layout, chunk.input, chunk.part, chunk.base, lines);
            let offset = log.append(&bytes)?;
            found.push(block(Header::read(&bytes)?, offset, &bytes, room));
            progress.advance(chunk.bytes().len() as u64, self.builder.documents() as u64)?;
        }
        Ok(found)
    }

    /// Signs the documents of a chunk and gives the number of its lines.
    fn sign_chunk(&mut self, chunk: &Chunk) -> Result<u32> {
        self.builder.clear();
        for line in chunk.lines() {
            let outcome = line.content.and_then(|text| self.sign_line(text, chunk, line.start, line.number));
            if let Err(reason) = outcome {
                self.reject(line.number, reason, chunk)?;
            }
        }
        Ok(chunk.line_count())
    }

    fn reject(&mut self, line: u32, reason: String, chunk: &Chunk) -> Result<()> {
        if self.signing.job.strict {
            let input = &self.signing.inputs[chunk.input];
            return Err(Error::Input(format!(
                "{}: {}: {reason} (--strict stops at the first bad line)",
                input.name,
                self.place_of(chunk, line)
            )));
        }
        self.builder.reject(line, reason);
        Ok(())
    }

    /// The line's number is only known when all chunks before are counted; but their lines are in
    /// the store already, and counting them there is quick. Rows of a Parquet file are not in order.
    fn place_of(&self, chunk: &Chunk, line: u32) -> String {
        let in_order = self.signing.inputs[chunk.input].format.layout != InputLayout::Parquet;
        let before = count_lines(self.reader.store(chunk.input), chunk.base).filter(|_| in_order);
        match before {
            Some(before) => format!("line {}", before + u64::from(line) + 1),
            None => format!("row {} of part {}", line + 1, chunk.part + 1),
        }
    }

    fn sign_line(&mut self, json: &str, chunk: &Chunk, start: usize, number: u32) -> Result<(), String> {
        let mut record = self.fields.parse(json, &mut self.text)?;
        record.document.position = (chunk.input as u64) << 44 | chunk.part << 22 | u64::from(number);
        let pipeline = self.signing.pipeline;
        let id = record.id.as_ref().map_or("", |id| id.json());
        let source = self.plan.source_of(&record.document);
        self.builder.start_document(start as u32, json.len() as u32, number, id, source);
        let file = &self.signing.inputs[chunk.input].name;
        pipeline.keep_scores(self.plan, &record.document, file, self.builder.keep_scores());
        let outcome = self.signatures.fill(self.signing.pipeline, self.plan, &record.document);
        let digest = outcome.digest.unwrap_or(NO_FEATURES);
        self.builder.features(digest, &self.signatures.keys, &self.signatures.stored);
        if digest != NO_FEATURES && !outcome.signed {
            self.builder.note_unsigned();
        }
        Ok(())
    }
}

/// Keeps the block's bytes if there is room for them.
fn block(header: Header, offset: u64, bytes: &[u8], room: &AtomicU64) -> Block {
    let size = bytes.len() as u64;
    let fits = room.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |room| room.checked_sub(size)).is_ok();
    let cached = fits.then(|| bytes.to_vec().into_boxed_slice());
    Block { header, offset, bytes: size, cached }
}

fn count_lines(path: &Path, before: u64) -> Option<u64> {
    use std::io::Read;
    let mut reader = File::open(path).ok()?.take(before);
    let mut buffer = vec![0; 1 << 20];
    let mut lines = 0;
    loop {
        let read = reader.read(&mut buffer).ok()?;
        if read == 0 {
            return Some(lines);
        }
        lines += memchr::memchr_iter(b'\n', &buffer[..read]).count() as u64;
    }
}
