//! A corpus as a value: its documents counted, numbered, and read again by their numbers.
//!
//! ```no_run
//! use lookalike_engine::run::Job;
//! let corpus = Job::new(["corpus.jsonl"], "").corpus()?;
//! println!("{} documents", corpus.len());
//! corpus.for_each(&["title".to_owned()], |number, id, document| {
//!     println!("{number:?}: {} has {} bytes", id.display(), document.text.len());
//!     Ok(())
//! })?;
//! # Ok::<(), lookalike_core::Error>(())
//! ```
//!
//! Documents are numbered by their place in the input, so every pass and every run gives them the same
//! numbers. Only the place and the id of each are remembered; the text is read again when needed.

mod bits;
pub(crate) mod block;
pub(crate) mod catalog;
mod files;
mod gather;
mod gathered;
mod keep_order;
mod number;
mod part;
pub(crate) mod pass;
pub(crate) mod reread;
mod source;
mod unread;

use lookalike_core::Result;
use lookalike_core::document::{Document, Id};
use lookalike_core::numbers::Number;
use lookalike_io::record::Fields;
use tempfile::TempDir;

pub(crate) use self::bits::Bits;
use self::catalog::Catalog;
pub use self::files::FileSource;
pub use self::number::Reading;
pub use self::pass::{ChunkWorker, for_each_chunk};
pub use self::reread::Reread;
pub use self::source::{
    Choice, ChosenLines, ChunkPlace, ChunkReader, DocumentReader, Entry, Pass, Source, Span,
};
pub use self::unread::{PassedOver, explain_missing, warn_passed_over};
pub(crate) use self::unread::{check_none_rejected, check_rejected};

/// A document of a corpus.
pub enum CorpusDocument {}

/// A document's place in the input of a corpus, from 0.
pub type CorpusNumber = Number<CorpusDocument>;

/// The documents of some inputs.
pub struct Corpus {
    source: FileSource,
    catalog: Catalog,
    id_field: String,
    text_field: String,
    /// Holds what did not fit into memory.
    _folder: TempDir,
}

impl Corpus {
    /// The number of documents.
    pub fn len(&self) -> u32 {
        self.catalog.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The document's own id, or the one derived from its place.
    pub fn id(&self, document: CorpusNumber) -> Result<Id> {
        self.catalog.id(document)
    }

    /// How long a document's line is.
    pub fn bytes(&self, document: CorpusNumber) -> Result<u64> {
        Ok(u64::from(self.catalog.length(document)?))
    }

    /// What a [`reader`](Corpus::reader) has to find in each document, besides its text.
    pub fn fields(&self, wanted: &[String]) -> Fields {
        Fields { id: self.id_field.clone(), text: self.text_field.clone(), wanted: wanted.to_vec() }
    }

    /// Reads documents again by their numbers, in any order. Each thread has one of its own.
    pub fn reader<'a>(&'a self, fields: &'a Fields) -> Reread<'a> {
        Reread::new(&self.catalog, &self.source, fields)
    }

    /// Calls `visit` with number, id and document of each, in order.
    pub fn for_each(
        &self,
        wanted: &[String],
        mut visit: impl FnMut(CorpusNumber, Id, &Document<'_>) -> Result<()>,
    ) -> Result<()> {
        let fields = self.fields(wanted);
        let mut reader = self.reader(&fields);
        self.catalog
            .documents()
            .try_for_each(|document| visit(document, self.id(document)?, &reader.read(document)?))
    }
}
