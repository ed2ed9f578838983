//! Where the documents of a corpus come from.
//!
//! A pass hands out all documents in chunks, to several threads at once. Afterwards each can be read again by the
//! place where the pass found it. [`FileSource`](super::FileSource) reads files of records; for documents that are
//! elsewhere, implement [`Source`] and run the same engine on them.
//!
//! A call through these traits is made once for each document or chunk, never once for each word.

use std::collections::BTreeMap;

use lookalike_core::Result;
use lookalike_core::document::Document;
use lookalike_io::record::{Fields, Record};

/// Documents that can be iterated in chunks, and read again.
pub trait Source: Sync {
    /// The names of the inputs. A document that names no source has its input as source.
    fn names(&self) -> Vec<String>;

    /// How many of the inputs belong to the corpus compared against; they are first.
    fn reference_inputs(&self) -> usize {
        0
    }

    /// How many bytes a pass reads, for showing progress.
    fn bytes(&self) -> u64;

    /// Begins a pass over all documents.
    fn pass(&self) -> Result<Box<dyn Pass + '_>>;

    /// A reader with which one thread reads documents again. `fields` says what else to find in each, besides
    /// its text.
    fn reader<'a>(&'a self, fields: &'a Fields) -> Box<dyn DocumentReader + 'a>;

    /// An error if the documents have changed since they were found.
    fn check_unchanged(&self) -> Result<()> {
        Ok(())
    }

    /// Whether the lines of an input are read in their order, so that they can be counted.
    fn is_in_order(&self, _input: usize) -> bool {
        true
    }

    /// Whether documents are rows of a table at hand, whose numbers the results then tell.
    fn has_rows(&self) -> bool {
        false
    }

    /// Why a document of an input is rejected, with what a person can do about it.
    fn explain(&self, _input: usize, reason: String) -> String {
        reason
    }
}

/// One pass over the documents of a source, shared by the threads that take part.
pub trait Pass: Sync {
    /// A reader with which one thread takes chunks. `fields` says what to find in each document.
    fn chunks<'a>(&'a self, fields: &'a Fields) -> Box<dyn ChunkReader + 'a>;

    /// How many records of web archives were passed over so far since they are no texts, by their type.
    fn other_records(&self) -> BTreeMap<String, u64> {
        BTreeMap::new()
    }
}

/// Takes chunk after chunk, on one thread.
pub trait ChunkReader {
    /// Takes the next chunk that nobody has taken and that is not `done` already, judged by its input and
    /// part. `None` when there is none left.
    fn next(&mut self, done: &dyn Fn(usize, u64) -> bool) -> Result<Option<ChunkPlace>>;

    /// Calls `visit` with every document of the last chunk taken, in order.
    fn for_each(&mut self, visit: &mut dyn FnMut(Entry<'_>) -> Result<()>) -> Result<()>;
}

/// Reads documents again, on one thread, in buffers that are reused.
pub trait DocumentReader {
    /// `None` if the document no longer exists.
    fn read(&mut self, span: &Span) -> Result<Option<Document<'_>>>;
}

/// Which documents of which input are in a chunk.
#[derive(Clone, Copy, Debug)]
pub struct ChunkPlace {
    /// The index of its input.
    pub input: usize,
    /// Rises with the position in the input.
    pub part: u64,
    /// What [`Entry::start`] is counted from.
    pub base: u64,
    /// Lines, including those that are no documents.
    pub lines: u32,
    /// Bytes that were read, for showing progress.
    pub bytes: u64,
}

/// A document of a chunk, or why there is none.
pub struct Entry<'a> {
    /// Its number within the chunk, from 0.
    pub line: u32,
    /// Where it begins, from the chunk's base.
    pub start: u32,
    /// Its length in bytes, or 0 if it has no place of its own.
    pub length: u32,
    /// The document, or why it is none.
    pub record: Result<Record<'a>, String>,
}

/// Where a document was found: its input, the chunk's base and its start together, its length.
#[derive(Clone, Copy, Debug)]
pub struct Span {
    /// The input it is in.
    pub input: usize,
    /// Where it begins.
    pub offset: u64,
    /// Its length in bytes.
    pub length: u32,
}
