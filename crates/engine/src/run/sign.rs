//! The pass over the corpus: read, extract, sign, remember.

use std::collections::HashSet;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::atomic::AtomicU64;

use lookalike_core::{Result, hash};
use lookalike_io::record::{Fields, Record};
use lookalike_plumbing::log::{Framing, Log};

use super::recall::{OutlineWriter, Outlines};
use super::{Job, Progress};
use crate::corpus::block::{HAS_STREAMS, Header, Layout, NO_FEATURES};
use crate::corpus::catalog::{Block, Catalog};
use crate::corpus::pass::{BlockWriter, goes_on};
use crate::corpus::{
    ChunkPlace, ChunkReader, ChunkWorker, Entry, Source, check_none_rejected, check_rejected, for_each_chunk,
};
use crate::pipeline::{BranchPlaces, FieldPlan, Pipeline, SeenFields, Signatures};

pub struct Signing<'a> {
    pub pipeline: &'a Pipeline,
    pub job: &'a Job,
    pub source: &'a dyn Source,
    pub work: &'a Path,
    /// Bytes of blocks that may stay in memory.
    pub cache: u64,
    /// Where outlines go, if recall is measured.
    pub outlines: Option<&'a Outlines>,
    /// Which fields documents have.
    pub seen: &'a SeenFields,
}

/// What is remembered of each document.
pub fn layout(pipeline: &Pipeline) -> Layout {
    let places = BranchPlaces::new(pipeline);
    Layout { keep_rules: pipeline.keep.rules.len(), keys: places.keys, signature: places.signature }
}

impl Signing<'_> {
    /// Signs the documents that an earlier, interrupted run has not signed.
    pub fn run(&self, fields: &Fields, plan: &FieldPlan, progress: &dyn Progress) -> Result<Catalog> {
        let layout = layout(self.pipeline);
        let room = AtomicU64::new(self.cache);
        let mut blocks = Vec::new();
        let mut done = HashSet::new();
        let log = Log::open(&self.work.join("signatures"), Framing::Plain, |offset, bytes| {
            let header = Header::read(bytes)?;
            done.insert((header.input as usize, header.part));
            blocks.push(Block::new(header, offset, bytes.into(), &room));
            Ok(())
        })?;
        if !done.is_empty() {
            self.seen.see_all();
        }
        let names = self.source.names();
        let pass = self.source.pass()?;
        progress.stage("signing", self.source.bytes());
        let worker = || Worker {
            signing: self,
            plan,
            names: &names,
            progress,
            signatures: Signatures::default(),
            outlines: self.outlines.map(OutlineWriter::new),
            writer: BlockWriter::new(&layout, &log, &room),
        };
        let is_done = |input, part| done.contains(&(input, part));
        let signed = for_each_chunk(&*pass, fields, self.job.threads, &is_done, worker)?;
        blocks.extend(signed.into_iter().flatten());
        let other_records = pass.other_records();
        drop(pass);
        self.source.check_unchanged()?;
        let mut catalog = Catalog::new(layout, blocks, self.source, log)?;
        catalog.other_records = other_records;
        if self.job.strict {
            check_none_rejected(&catalog, self.source)?;
        }
        check_rejected(&catalog, self.source, progress)?;
        Ok(catalog)
    }
}

struct Worker<'a> {
    signing: &'a Signing<'a>,
    plan: &'a FieldPlan,
    names: &'a [String],
    progress: &'a dyn Progress,
    signatures: Signatures,
    outlines: Option<OutlineWriter<'a>>,
    writer: BlockWriter<'a>,
}

impl ChunkWorker for Worker<'_> {
    type Output = Vec<Block>;

    fn take(&mut self, chunk: &ChunkPlace, documents: &mut dyn ChunkReader) -> Result<ControlFlow<()>> {
        documents.for_each(&mut |Entry { line, start, length, record }| {
            match record {
                Ok(record) => self.sign(chunk, (line, start, length), record),
                Err(reason) => self.writer.builder.reject(line, reason),
            }
            Ok(())
        })?;
        // Outlines first: what an interrupted run has signed has outlines, too.
        self.outlines.as_mut().map_or(Ok(()), |outlines| outlines.end_chunk(chunk))?;
        let header = self.writer.end_chunk(chunk)?;
        self.progress.advance(chunk.bytes, u64::from(header.documents))?;
        Ok(goes_on(self.signing.job.strict, &header))
    }

    fn finish(self) -> Vec<Block> {
        self.writer.blocks
    }
}

impl Worker<'_> {
    fn sign(&mut self, chunk: &ChunkPlace, (line, start, length): (u32, u32, u32), mut record: Record<'_>) {
        record.document.position = (chunk.input as u64) << 44 | chunk.part << 22 | u64::from(line);
        let Signing { pipeline, seen, .. } = *self.signing;
        seen.see(&record.document);
        let builder = &mut self.writer.builder;
        let id = record.id.as_ref().map_or("", |id| id.json());
        let source = self.plan.source_of(&record.document);
        builder.start_document(start, length, line, id, source);
        let file = &self.names[chunk.input];
        pipeline.keep_scores(self.plan, &record.document, file, builder.keep_scores());
        let outcome = self.signatures.fill(pipeline, self.plan, &record.document);
        if let Some(outlines) = &mut self.outlines {
            outlines.add(&self.signatures.features);
        }
        let digest = outcome.digest.unwrap_or(NO_FEATURES);
        let text = hash::text(record.document.text.as_bytes()) & !HAS_STREAMS;
        let text = if self.plan.has_streams(&record.document) { text | HAS_STREAMS } else { text };
        builder.features(digest, text, &self.signatures.keys, &self.signatures.stored);
        if digest != NO_FEATURES && !outcome.signed {
            builder.note_unsigned();
        }
    }
}
