//! Documents out of files of any format, as lines that the engine reads like a corpus.
//!
//! [`find`](find::find) → [`Gather::run`] → [`Gathered`]. Files are read in child processes by all threads at once.
//! The documents are kept in a [`store`], so that an unchanged file is read only once, and in memory as far as there
//! is room, so that they need not be parsed again, either.

mod corpus;
pub mod find;
mod gathered;
mod held;
mod in_links;
pub mod line;
mod single;
mod store;

pub use corpus::{CorpusInputs, corpus};
pub use find::{Found, Inode, Sources, Unread};
pub(crate) use gathered::site_of;
pub use gathered::{DocumentPlace, Gathered};
pub use lookalike_engine::extraction::Extraction;
pub use lookalike_io::names::name_of;
pub use single::{Reference, read_document};

use std::path::PathBuf;
use std::sync::atomic::AtomicU64;

use lookalike_core::threads::try_spread;
use lookalike_core::{Error, Result};
use lookalike_extract::worker::{Program, Worker};
use lookalike_extract::{ExtractOutcome, Extracted};

use self::gathered::GatheredFile;
use self::held::HeldDocuments;
use self::store::{Entry, Store};
use lookalike_engine::run::Progress;

/// The ids of documents whose text is weak, with the reasons.
pub type WeakTexts = Vec<(String, String)>;

/// How files are read.
pub struct Gather<'a> {
    /// The settings of the recipe.
    pub extraction: &'a Extraction,
    /// The program that reads files as a child process.
    pub program: &'a Program,
    /// How many files are read at once.
    pub threads: usize,
    /// Bytes of documents that may stay in memory; the others are read from the store again.
    pub memory: u64,
    /// The folder of the cache; if absent, nothing is kept beyond this run.
    pub cache: Option<PathBuf>,
}

/// What is known of a file, and its documents if they stay in memory.
type Known = (Entry, Option<Vec<Extracted>>);

impl Gather<'_> {
    /// Reads files in child processes and keeps their documents.
    pub fn run(&self, found: Vec<Found>, places: Unread, progress: &dyn Progress) -> Result<Gathered> {
        let (store, temporary, trouble) = self.open_store()?;
        let room = AtomicU64::new(self.memory);
        let known = |file: &Found| store.entries.get(&file.id).filter(|entry| entry.is_of(file)).cloned();
        let mut entries: Vec<Option<Known>> =
            found.iter().map(|file| known(file).map(|entry| (entry, None))).collect();
        let mut to_read: Vec<usize> = (0..found.len()).filter(|&file| entries[file].is_none()).collect();
        let from_cache = (found.len() - to_read.len()) as u64;
        // The largest first, so that no thread is still busy with one at the end.
        to_read.sort_by_key(|&file| std::cmp::Reverse(found[file].bytes));
        progress.stage("reading files", to_read.iter().map(|&file| found[file].bytes + 1).sum());
        for (file, read) in self.read_all(&found, &to_read, &store, &room, progress)? {
            entries[file] = Some(read);
        }
        let trouble = trouble.or_else(|| store.failure().map(str::to_owned));
        if let Some(trouble) = &trouble {
            progress.warn(&format!(
                "the cache cannot be written, so the next time files are read again: {trouble}"
            ));
        }
        let files = found.into_iter().zip(entries);
        let files = files.filter_map(|(found, known)| {
            let (entry, held) = known?;
            Some(GatheredFile { found, entry, held })
        });
        let mut gathered = Gathered::new(files.collect(), places, store, temporary);
        gathered.from_cache = from_cache;
        gathered.cache_lost = trouble.is_some();
        gathered.hold_more(&room)?;
        gathered.held_bytes = self.memory - room.into_inner();
        if self.extraction.options.main && self.extraction.page_structure {
            gathered.learn_templates()?;
        }
        if self.extraction.options.anchors {
            gathered.learn_anchors()?;
        }
        Ok(gathered)
    }

    /// The cache, or a temporary store; and why the cache cannot be used.
    fn open_store(&self) -> Result<(Store, Option<tempfile::TempDir>, Option<String>)> {
        let trouble = match self.cache.as_deref().map(Store::open) {
            Some(Ok(Some(store))) => return Ok((store, None, None)),
            // Without a cache, or while another scan uses it.
            None | Some(Ok(None)) => None,
            Some(Err(error)) => Some(error.to_string()),
        };
        let temporary = tempfile::tempdir().map_err(Error::io(std::env::temp_dir()))?;
        let store = Store::open(temporary.path())?;
        let store = store.ok_or_else(|| Error::Internal("a new folder is in use".to_owned()))?;
        Ok((store, Some(temporary), trouble))
    }

    fn read_all(
        &self,
        found: &[Found],
        to_read: &[usize],
        store: &Store,
        room: &AtomicU64,
        progress: &dyn Progress,
    ) -> Result<Vec<(usize, Known)>> {
        let threads = self.threads.min(to_read.len());
        try_spread(
            threads,
            to_read,
            || Worker::new(self.program),
            |worker, &file| {
                let read = self.read(worker, &found[file], store, room)?;
                progress.advance(found[file].bytes + 1, read.0.documents)?;
                Ok((file, read))
            },
        )
    }

    fn read(&self, worker: &mut Worker<'_>, file: &Found, store: &Store, room: &AtomicU64) -> Result<Known> {
        let (mut recording, mut holding) = (store.record(file), HeldDocuments::new(room));
        let mut recorded = Ok(0);
        let mut keep = |outcome: ExtractOutcome| {
            if recorded.is_ok() {
                recorded = recording.push(&outcome);
            }
            if let (ExtractOutcome::Document(document), Ok(bytes)) = (outcome, &recorded) {
                holding.push(*document, *bytes);
            }
        };
        let name = file.path.file_name().unwrap_or_default().to_string_lossy();
        worker.read(&file.path, &name, &self.extraction.options, &mut keep).map_err(|error| {
            Error::config(format!("cannot start {} to read files: {error}", self.program.path.display()))
        })?;
        recorded?;
        Ok((recording.finish()?, holding.finish()))
    }
}
