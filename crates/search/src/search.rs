//! The search index: writing to it and reading its snapshots.
//!
//! One thread at a time writes: documents by rising number, then a commit, which makes them visible and records how
//! far it got. Queries use the last snapshot and never wait. A writer that fails, for example on a full disk, is
//! dropped: the index is then as its last commit left it, and [`Search::next`] returns where to continue.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

use lookalike_core::{Error, Result};
use tantivy::directory::MmapDirectory;
use tantivy::indexer::{IndexWriterOptions, LogMergePolicy};
use tantivy::query::TermSetQuery;
use tantivy::{Index, IndexReader, IndexWriter, TantivyError, Term};

use crate::budget::{Budget, Charged};
use crate::collapse::DocumentAccess;
use crate::folder::{self, Opened, State};
use crate::schema::{Fields, SearchSettings};
use crate::snapshot::Snapshot;

/// Memory for documents that are indexed but not written yet.
const WRITER_MEMORY: usize = 50 << 20;
/// How often files are looked at until none holds a removed document, and how long to wait in between.
const PURGES: usize = 600;
const PURGE_PAUSE: std::time::Duration = std::time::Duration::from_millis(100);
/// Segments with this many documents are not merged any more: it would take too long for what it saves.
const LARGEST_MERGED: usize = 2_000_000;
/// Segments with a larger share of removed documents are rewritten.
const MOST_REMOVED: f32 = 0.25;

/// Full-text search over numbered documents; see the documentation of the crate.
pub struct Search {
    pub(crate) fields: Fields,
    pub(crate) settings: SearchSettings,
    folder: PathBuf,
    writing: Mutex<Writing>,
    snapshot: RwLock<Arc<Snapshot>>,
    /// Set by a query that found damage, so that [`Search::next`] rebuilds the index.
    damaged: AtomicBool,
    rebuilt: Mutex<Option<String>>,
}

struct Writing {
    index: Index,
    directory: MmapDirectory,
    reader: IndexReader,
    writer: Option<IndexWriter<Charged>>,
    budget: Arc<Budget>,
    next: u32,
    /// The next number as of the last commit.
    committed: u32,
    /// Whether there is anything to commit.
    changed: bool,
}

impl Search {
    /// Opens the search index in a folder, or creates one. If the folder does not fit the settings or is damaged,
    /// the index is rebuilt: [`Search::rebuilt`] says why, and [`Search::next`] is 0.
    pub fn open(dir: &Path, settings: SearchSettings) -> Result<Search> {
        let fields = Fields::new(&settings)?;
        let folder = folder::place(dir);
        let mut opened = folder::open(&folder, &settings, &fields)?;
        let snapshot = match Snapshot::new(opened.reader.searcher(), None) {
            Ok(snapshot) => snapshot,
            Err(error) => {
                opened = folder::recreate(&folder, &fields, format!("it is damaged ({error})"))?;
                Snapshot::new(opened.reader.searcher(), None)
                    .map_err(|error| folder::failed(&folder, error))?
            }
        };
        let Opened { rebuilt, .. } = &mut opened;
        let rebuilt = Mutex::new(rebuilt.take());
        let (writing, snapshot) = (Mutex::new(Writing::new(opened)), RwLock::new(Arc::new(snapshot)));
        Ok(Search { fields, settings, folder, writing, snapshot, damaged: AtomicBool::new(false), rebuilt })
    }

    /// Identifies the numbering of documents, as in the settings.
    pub fn generation(&self) -> u64 {
        self.settings.generation
    }

    /// Why the index had to be rebuilt since the last call; `None` if it had not.
    pub fn rebuilt(&self) -> Option<String> {
        self.rebuilt.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// The next number to add: all documents below it have been added. Smaller than before if a commit failed; 0 if
    /// damage was found, in which case the index is rebuilt here.
    pub fn next(&self) -> Result<u32> {
        let mut writing = self.writing();
        if self.damaged.load(Ordering::Acquire) {
            // The writer thread must end before its files are deleted.
            writing.writer = None;
            let reason = "a query found it damaged".to_owned();
            let mut opened = folder::recreate(&self.folder, &self.fields, reason)?;
            let rebuilt = opened.rebuilt.take();
            *writing = Writing::new(opened);
            self.publish(&writing)?;
            *self.rebuilt.lock().unwrap_or_else(PoisonError::into_inner) = rebuilt;
            self.damaged.store(false, Ordering::Release);
        }
        Ok(writing.next)
    }

    /// Adds a document, given as a JSON line. It is visible after the next [`Search::commit`]. Numbers must rise;
    /// one that was already added is ignored. Returns `false` if the line is no JSON object, and so can never be
    /// found.
    pub fn add(&self, number: u32, line: &[u8]) -> Result<bool> {
        let mut writing = self.writing();
        if number < writing.next {
            return Ok(true);
        }
        let document = self.fields.document(number, line);
        let is_readable = document.is_some();
        if let Some(document) = document {
            let document = writing.budget.charge(document, line.len())?;
            self.write(&mut writing, |writer| writer.add_document(document))?;
        }
        writing.next = number.saturating_add(1);
        writing.changed = true;
        Ok(is_readable)
    }

    /// Records that there are no more documents below `next` to add.
    pub fn skip_to(&self, next: u32) {
        let mut writing = self.writing();
        if next > writing.next {
            writing.next = next;
            writing.changed = true;
        }
    }

    /// Drops removed documents. This only saves work: they are not shown anyway.
    pub fn remove(&self, numbers: &[u32]) -> Result<()> {
        if numbers.is_empty() {
            return Ok(());
        }
        let mut writing = self.writing();
        let terms = numbers.iter().map(|&number| Term::from_field_u64(self.fields.number, u64::from(number)));
        // In one query: the library keeps every pending deletion in memory, and a single term takes over a
        // kilobyte.
        let all = Box::new(TermSetQuery::new(terms));
        self.write(&mut writing, |writer| writer.delete_query(all))?;
        writing.changed = true;
        Ok(())
    }

    /// Drops all documents that even `access`, which must see everything, cannot see, and returns how many. To be
    /// called at the start and from time to time, since what [`Search::remove`] was told is lost if the process is
    /// killed.
    pub fn sweep(&self, access: &dyn DocumentAccess) -> Result<u64> {
        const BLOCK: usize = 8192;
        let snapshot = self.snapshot();
        let numbers: Vec<u32> = snapshot.living().collect();
        let mut dead = Vec::new();
        for block in numbers.chunks(BLOCK) {
            let masters = access.masters(block);
            dead.extend(
                block.iter().zip(masters).filter(|(_, master)| master.is_none()).map(|(&number, _)| number),
            );
        }
        self.remove(&dead)?;
        Ok(dead.len() as u64)
    }

    /// Makes all added documents visible and durable. Cheap if there is nothing new.
    pub fn commit(&self) -> Result<()> {
        let mut writing = self.writing();
        if !writing.changed {
            return Ok(());
        }
        let state = State::new(&self.settings, writing.next).json()?;
        self.write(&mut writing, |writer| {
            let mut prepared = writer.prepare_commit()?;
            prepared.set_payload(&state);
            prepared.commit()
        })?;
        (writing.committed, writing.changed) = (writing.next, false);
        self.publish(&writing)
    }

    /// All documents below this number have been added.
    pub fn reached(&self) -> u32 {
        self.writing().next
    }

    /// Drops removed documents as [`Search::sweep`] does, and writes the files anew that hold them: nothing of them is left
    /// on disk when this returns.
    pub fn purge(&self, access: &dyn DocumentAccess) -> Result<()> {
        self.sweep(access)?;
        self.commit()?;
        let failed = |error| folder::failed(&self.folder, error);
        for _ in 0..PURGES {
            let mut writing = self.writing();
            let metas = writing.index.searchable_segment_metas().map_err(failed)?;
            let holding: Vec<_> = metas
                .iter()
                .filter(|meta| meta.num_deleted_docs() > 0)
                .map(tantivy::SegmentMeta::id)
                .collect();
            drop(metas);
            if holding.is_empty() {
                self.publish(&writing)?;
                return self.write(&mut writing, |writer| writer.garbage_collect_files().wait().map(drop));
            }
            // One that is being merged already cannot be merged here: it is looked at again.
            self.write(&mut writing, |writer| {
                holding.iter().for_each(|&segment| drop(writer.merge(&[segment]).wait()));
                Ok(())
            })?;
            drop(writing);
            std::thread::sleep(PURGE_PAUSE);
        }
        Err(Error::Internal("the files of the search index could not be written anew".to_owned()))
    }

    /// How many documents are indexed and not dropped, whoever may see them.
    pub fn len(&self) -> u64 {
        self.snapshot().searcher.num_docs()
    }

    /// Whether no document is indexed.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub(crate) fn snapshot(&self) -> Arc<Snapshot> {
        Arc::clone(&self.snapshot.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Records damage, so that the index is rebuilt, and returns the error for queries until then.
    pub(crate) fn report_damage(&self, what: &str) -> Error {
        self.damaged.store(true, Ordering::Release);
        Error::damaged(&self.folder, format!("is damaged ({what}); it is made anew, ask again later"))
    }

    fn writing(&self) -> MutexGuard<'_, Writing> {
        self.writing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn publish(&self, writing: &Writing) -> Result<()> {
        let failed = |error| folder::failed(&self.folder, error);
        writing.reader.reload().map_err(failed)?;
        let snapshot = Snapshot::new(writing.reader.searcher(), Some(&self.snapshot())).map_err(failed)?;
        *self.snapshot.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(snapshot);
        writing.forget_closed_files();
        Ok(())
    }

    /// Runs `step` with the writer, which is created when first needed and dropped when it fails.
    fn write<T>(
        &self,
        writing: &mut Writing,
        step: impl FnOnce(&mut IndexWriter<Charged>) -> tantivy::Result<T>,
    ) -> Result<T> {
        let done = match &mut writing.writer {
            Some(writer) => step(writer),
            None => writer(&writing.index).and_then(|writer| step(writing.writer.insert(writer))),
        };
        done.map_err(|error| {
            writing.give_up();
            match error {
                TantivyError::LockFailure(tantivy::directory::error::LockError::LockBusy, _) => {
                    let folder = self.folder.display();
                    Error::config(format!("the search index in {folder} is in use by another process"))
                }
                error => folder::failed(&self.folder, error),
            }
        })
    }
}

impl Writing {
    fn new(opened: Opened) -> Writing {
        let Opened { index, directory, reader, next, .. } = opened;
        let budget = Arc::default();
        Writing { index, directory, reader, writer: None, budget, next, committed: next, changed: false }
    }

    /// The library remembers the path of every file that it ever opened, until it is asked which ones are open. Each
    /// commit opens new ones, and such small blocks among larger ones also keep the heap from shrinking.
    fn forget_closed_files(&self) {
        self.directory.get_cache_info();
    }

    fn give_up(&mut self) {
        self.writer = None;
        (self.next, self.changed) = (self.committed, false);
    }
}

fn writer(index: &Index) -> tantivy::Result<IndexWriter<Charged>> {
    let options = IndexWriterOptions::builder()
        .num_worker_threads(1)
        .num_merge_threads(1)
        .memory_budget_per_thread(WRITER_MEMORY)
        .build();
    let writer = index.writer_with_options(options)?;
    let mut policy = LogMergePolicy::default();
    policy.set_max_docs_before_merge(LARGEST_MERGED);
    policy.set_del_docs_ratio_before_merge(MOST_REMOVED);
    writer.set_merge_policy(Box::new(policy));
    Ok(writer)
}
