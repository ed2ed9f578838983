//! Where the documents of a corpus come from.
//!
//! A pass hands out all documents in chunks, to several threads at once. Afterwards each can be read again by the
//! place where the pass found it. [`FileSource`](super::FileSource) reads files of records; for documents that are
//! elsewhere, implement [`Source`] and run the same engine on them.
//!
//! A call through these traits is made once for each document or chunk, never once for each word.

use std::collections::BTreeMap;

use lookalike_core::document::Document;
use lookalike_core::{Error, Result};
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

    /// Whether any document of an input can be read again where it is. Those of other inputs are gathered before.
    fn is_in_place(&self, _input: usize) -> bool {
        true
    }

    /// Reads inputs once more that are not in place, and copies the chosen lines to a file. Returns the number by which
    /// [`Span::store`] names it.
    fn gather(&self, _threads: usize, _choice: &dyn Choice) -> Result<usize> {
        Err(Error::Internal("a source in place has nothing to gather".to_owned()))
    }

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

/// Which documents of inputs that are not in place are needed again.
pub trait Choice: Sync {
    /// Whether some of an input are.
    fn has_some_of(&self, input: usize) -> bool;

    /// Whether some of a chunk are, named by its input and part.
    fn is_chosen(&self, input: usize, part: u64) -> bool;

    /// Those of a chunk.
    fn lines(&self, input: usize, part: u64) -> Result<ChosenLines>;
}

/// Lines of one chunk that are copied.
#[derive(Debug, Default)]
pub struct ChosenLines {
    /// Where they are put in the file, one after the other without line ends.
    pub place: u64,
    /// Where each begins, from the chunk's base, and its length.
    pub lines: Vec<(u32, u32)>,
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
    /// Bytes of the input that were read for it, for showing progress.
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

/// Where a document is read again.
#[derive(Clone, Copy, Debug)]
pub struct Span {
    /// The input it is in.
    pub input: usize,
    /// Where it begins: in the input, the chunk's base and its start together, or in the file of gathered lines.
    pub offset: u64,
    /// Its length in bytes.
    pub length: u32,
    /// The number of the file of gathered lines; absent if it is read where it is.
    pub store: Option<usize>,
}
