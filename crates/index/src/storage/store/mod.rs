//! One generation of an index on disk: a state that is changed by operations, which are acknowledged when durable.
//!
//! Changes need the [`StoreWriter`]. Readers only need the lock of the state. Neither wait while a checkpoint is written
//! or keys are merged, which happens in the background. Syncing to disk does not hold the writer's lock, and covers
//! everyone who wrote meanwhile.
//!
//! * `open` makes a store out of files, and changes none of them before all are checked;
//! * `load` fills an empty store;
//! * `write` applies operations, `upkeep` tells when they are to move from the journal and memory to their final files;
//! * `background` does that beside everything else: `checkpoint` the state, `move_keys` the keys;
//! * `compact` frees the space of removed texts.

mod background;
mod checkpoint;
mod compact;
mod load;
mod move_keys;
mod new_file;
mod open;
mod pin;
#[cfg(test)]
mod tests;
mod upkeep;
mod write;

pub use load::{ContentPair, Load};
pub use open::StoreParts;
pub use pin::damaged_files;
pub use write::StoreWriter;

use std::fs::File;
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock, RwLockReadGuard};

use lookalike_core::cluster::Clusterer;
use lookalike_core::{Error, Result};
use lookalike_plumbing::log::{Framing, Log};

use background::Background;

use crate::storage::acknowledged::Acknowledged;
use crate::storage::keys::Head;
use crate::storage::limits::IndexLimits;
use crate::storage::manifest::Manifest;
use crate::storage::state::State;
use crate::storage::texts::{End, Texts};

/// The operations since the last checkpoint, a frame for each batch. Which of the frames were acknowledged the frames
/// themselves tell, and the file beside the journal: opening refuses rather than forgets one of those.
const JOURNAL: Framing = Framing::Marked(JOURNAL_MARK);
const JOURNAL_MARK: u32 = 0x6a4c_4b4c;

/// A store that is open. Work in its background ends with this.
pub struct OpenStore(Arc<Store>);

pub struct Store {
    folder: PathBuf,
    pub texts: Arc<Texts>,
    how: Box<dyn Clusterer>,
    limits: IndexLimits,
    state: RwLock<State>,
    writer: Mutex<WriterState>,
    /// Frames written, and frames known to be on disk.
    written: AtomicU64,
    acknowledged: AtomicU64,
    /// The segment in which the texts end: earlier ones are not written any more.
    segment: AtomicU32,
    synced: Mutex<SyncState>,
    failed: AtomicBool,
    background: Background,
}

struct WriterState {
    manifest: Manifest,
    journal: Log,
    end: End,
    /// Operations since the last checkpoint.
    operations: u64,
    /// Whether texts were moved since then, which no operation records.
    moved: bool,
}

struct SyncState {
    frames: u64,
    journal: File,
    path: PathBuf,
    /// The segment in which the texts ended then.
    segment: u32,
    acknowledged: Acknowledged,
}

/// The frame up to which everything must be synced.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
#[must_use]
pub struct Ticket(u64);

impl Store {
    pub fn state(&self) -> RwLockReadGuard<'_, State> {
        self.state.read().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn clusterer(&self) -> &dyn Clusterer {
        &*self.how
    }

    /// How many frames of operations were written; grows with every change.
    pub fn written(&self) -> u64 {
        self.written.load(Ordering::Acquire)
    }

    /// Locks the store for writing, waiting for other writers; also for work in the background if that is far behind.
    pub fn write(self: &Arc<Self>) -> Result<StoreWriter<'_>> {
        self.background.wait_if_behind();
        self.lock()
    }

    fn lock(self: &Arc<Self>) -> Result<StoreWriter<'_>> {
        let writing = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        self.refuse_if_failed()?;
        Ok(StoreWriter { store: self, writing })
    }

    fn refuse_if_failed(&self) -> Result<()> {
        if self.is_failed() {
            return Err(Error::damaged(&self.folder, "could not be forced to disk before; open it again"));
        }
        Ok(())
    }

    /// Returns when everything up to the ticket is on disk.
    pub fn sync(&self, ticket: Ticket) -> Result<()> {
        let mut synced = self.synced.lock().unwrap_or_else(PoisonError::into_inner);
        if synced.frames >= ticket.0 {
            return Ok(());
        }
        // After a failed sync the next one may succeed without the data that the kernel dropped.
        self.refuse_if_failed()?;
        let written = self.written.load(Ordering::Acquire);
        let segment = self.segment.load(Ordering::Acquire);
        let texts = self.texts.sync(synced.segment);
        let journal = synced.journal.sync_data().map_err(Error::io(&synced.path));
        if let Err(error) = texts.and(journal) {
            // The kernel may have dropped what it could not write: only reading the files again shows.
            self.refuse_writes();
            return Err(error);
        }
        synced.frames = written;
        synced.acknowledged.write(written);
        self.acknowledged.store(written, Ordering::Release);
        synced.segment = segment;
        Ok(())
    }

    /// Returns when everything that was written so far is on disk.
    pub fn sync_all(&self) -> Result<()> {
        self.sync(Ticket(self.written.load(Ordering::Acquire)))
    }

    /// Whether it is unknown what is on disk.
    fn is_failed(&self) -> bool {
        self.failed.load(Ordering::Relaxed)
    }

    /// Refuses all further writes, because it is unknown which of the last ones are on disk.
    pub fn refuse_writes(&self) {
        self.failed.store(true, Ordering::Relaxed);
    }

    /// Operations since the last checkpoint, and bytes of the files besides the texts.
    pub fn sizes(&self) -> Result<(u64, u64)> {
        let writing = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        let mut bytes = writing.journal.bytes();
        for name in writing.manifest.runs.iter().chain(&writing.manifest.snapshot) {
            let path = self.folder.join(name);
            bytes += std::fs::metadata(&path).map_err(Error::io(path))?.len();
        }
        Ok((writing.operations, bytes))
    }
}

impl Deref for OpenStore {
    type Target = Arc<Store>;

    fn deref(&self) -> &Arc<Store> {
        &self.0
    }
}

impl Drop for OpenStore {
    fn drop(&mut self) {
        // Its files are somebody else's from now on.
        self.0.background.end_for_good();
    }
}

fn as_pair(end: End) -> (u32, u64) {
    (end.segment, end.offset)
}

/// For the keys that come until it is full; with no more room than usual, though the limit may be none.
fn empty_head(limits: &IndexLimits) -> Head {
    Head::with_room(limits.head_entries.min(IndexLimits::default().head_entries))
}

/// Removes a file that no manifest names.
fn remove(path: &Path) -> Result<()> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(Error::io(path)(error)),
        _ => Ok(()),
    }
}
