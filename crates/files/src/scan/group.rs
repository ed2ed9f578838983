//! A group of documents that are compared with each other: a source of documents for the engine, with further data
//! about them.

use std::sync::atomic::{AtomicUsize, Ordering};

use lookalike_core::document::Document;
use lookalike_core::{Error, Result};
use lookalike_engine::corpus::{ChunkPlace, ChunkReader, DocumentReader, Entry, Pass, Source, Span};
use lookalike_extract::Extracted;
use lookalike_io::read::CHUNK_BYTES;
use lookalike_io::record::{Fields, Record};

use super::info::Info;
use crate::documents::line::FileDocument;
use crate::documents::{DocumentPlace, Gathered};

/// Documents without text take time, too, so a chunk has at most this many documents.
const LEAST_BYTES: u64 = 64;

pub struct Group<'a> {
    gathered: &'a Gathered,
    marked: bool,
    /// By the numbers of the documents.
    pub infos: Vec<Info>,
    documents: Vec<Member>,
    /// The number of each chunk's first document.
    chunks: Vec<u32>,
    bytes: u64,
}

#[derive(Clone, Copy)]
struct Member {
    place: DocumentPlace,
    /// Bytes of its text.
    length: u32,
    /// Whether its text is compared.
    is_compared: bool,
}

impl<'a> Group<'a> {
    pub fn new(gathered: &'a Gathered, marked: bool) -> Self {
        Group { gathered, marked, infos: Vec::new(), documents: Vec::new(), chunks: Vec::new(), bytes: 0 }
    }

    pub fn push(&mut self, place: DocumentPlace, document: &Extracted, info: Info) {
        let member = Member { place, length: document.text.len() as u32, is_compared: info.has_text() };
        let before = self.bytes / CHUNK_BYTES;
        self.bytes += u64::from(member.length) + LEAST_BYTES;
        if self.documents.is_empty() || self.bytes / CHUNK_BYTES > before {
            self.chunks.push(self.documents.len() as u32);
        }
        self.documents.push(member);
        self.infos.push(info);
    }

    /// The numbers of a chunk's documents.
    fn documents_of(&self, chunk: usize) -> Option<std::ops::Range<u32>> {
        let start = *self.chunks.get(chunk)?;
        Some(start..self.chunks.get(chunk + 1).copied().unwrap_or(self.documents.len() as u32))
    }

    fn reader_of(&'a self, fields: &'a Fields) -> GroupReader<'a> {
        GroupReader { group: self, wanted: &fields.wanted, buffer: Vec::new(), document: None }
    }
}

impl Source for Group<'_> {
    fn names(&self) -> Vec<String> {
        vec!["files".to_owned()]
    }

    fn bytes(&self) -> u64 {
        self.bytes
    }

    fn pass(&self) -> Result<Box<dyn Pass + '_>> {
        Ok(Box::new(GroupPass { group: self, next: AtomicUsize::new(0) }))
    }

    fn reader<'a>(&'a self, fields: &'a Fields) -> Box<dyn DocumentReader + 'a> {
        Box::new(self.reader_of(fields))
    }
}

struct GroupPass<'a> {
    group: &'a Group<'a>,
    next: AtomicUsize,
}

impl Pass for GroupPass<'_> {
    fn chunks<'a>(&'a self, fields: &'a Fields) -> Box<dyn ChunkReader + 'a> {
        Box::new(GroupChunks { next: &self.next, reader: self.group.reader_of(fields), taken: 0..0 })
    }
}

struct GroupChunks<'a> {
    next: &'a AtomicUsize,
    reader: GroupReader<'a>,
    /// The documents of the last chunk taken.
    taken: std::ops::Range<u32>,
}

impl ChunkReader for GroupChunks<'_> {
    fn next(&mut self, done: &dyn Fn(usize, u64) -> bool) -> Result<Option<ChunkPlace>> {
        loop {
            let chunk = self.next.fetch_add(1, Ordering::Relaxed);
            let Some(documents) = self.reader.group.documents_of(chunk) else { return Ok(None) };
            if done(0, chunk as u64) {
                continue;
            }
            let members = &self.reader.group.documents[documents.start as usize..documents.end as usize];
            let bytes = members.iter().map(|member| u64::from(member.length) + LEAST_BYTES).sum();
            self.taken = documents.clone();
            return Ok(Some(ChunkPlace {
                input: 0,
                part: chunk as u64,
                // A document's place is its number.
                base: u64::from(documents.start),
                lines: documents.len() as u32,
                bytes,
            }));
        }
    }

    fn for_each(&mut self, visit: &mut dyn FnMut(Entry<'_>) -> Result<()>) -> Result<()> {
        for (number, line) in self.taken.clone().zip(0..) {
            let length = self.reader.group.documents[number as usize].length;
            let record = Ok(self.reader.record(number as usize)?);
            visit(Entry { line, start: line, length, record })?;
        }
        Ok(())
    }
}

struct GroupReader<'a> {
    group: &'a Group<'a>,
    wanted: &'a [String],
    buffer: Vec<u8>,
    /// The document read last, unless it is in memory anyway.
    document: Option<Extracted>,
}

impl GroupReader<'_> {
    fn record(&mut self, number: usize) -> Result<Record<'_>> {
        let unknown = || Error::Internal(format!("there is no document {number}"));
        let &Member { place, is_compared, .. } = self.group.documents.get(number).ok_or_else(unknown)?;
        let (file, document) = self.group.gathered.document(place, &mut self.buffer)?;
        let document = match document {
            std::borrow::Cow::Borrowed(document) => document,
            std::borrow::Cow::Owned(document) => self.document.insert(document),
        };
        let document = FileDocument { file, document, marked: self.group.marked, is_compared };
        Ok(document.record(self.wanted))
    }
}

impl DocumentReader for GroupReader<'_> {
    fn read(&mut self, span: &Span) -> Result<Option<Document<'_>>> {
        Ok(Some(self.record(span.offset as usize)?.document))
    }
}
