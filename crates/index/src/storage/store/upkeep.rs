//! Tells when keys are to be written to runs and the state to a snapshot, and does so while everybody waits where it cannot
//! be done in the background.
//!
//! New files are complete before the manifest names them, and old ones are deleted when it no longer does. So every
//! step may fail or be interrupted at any point: the index is as it was before or after the step.

use std::sync::{Arc, PoisonError};

use lookalike_core::Result;
use lookalike_plumbing::log::Log;

use super::write::StoreWriter;
use super::{JOURNAL, as_pair, empty_head, remove};
use crate::storage::keys;
use crate::storage::manifest::{self, Manifest};
use crate::storage::snapshot;

/// Work that is due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Due {
    /// The keys in memory are to be written to a run.
    Keys,
    Checkpoint,
}

/// Writers wait for a checkpoint in the background when there are so many times the operations for which it was due, and
/// move keys themselves when there are so many times more of them than are due; with half as many work in the background
/// takes no rest.
const FAR_BEHIND: u64 = 2;
const MANY_KEYS: u64 = 4;

impl StoreWriter<'_> {
    /// Begins the upkeep that is due, in the background. Most of the time there is nothing to do. Tells how upkeep failed
    /// that was begun before.
    pub fn maintain(&mut self) -> Result<()> {
        let store = self.store;
        let failure = store.background.take_failure();
        let done = match self.due() {
            None => Ok(()),
            Some(Due::Checkpoint) if !self.may_be_in_background() => self.checkpoint(),
            Some(due) => {
                store.begin_work();
                let many = self.writing.operations >= self.most_operations().saturating_mul(FAR_BEHIND);
                let many_keys = store.limits.head_entries.saturating_mul(MANY_KEYS);
                let keys = store.state().keys.entries_in_memory();
                if many || keys >= many_keys / 2 {
                    store.background.hurry();
                }
                if due == Due::Checkpoint && many && store.background.fall_behind() {
                    self.checkpoint()
                } else if keys >= many_keys {
                    self.flush(false)
                } else {
                    Ok(())
                }
            }
        };
        failure.map_or(done, Err)
    }

    pub(super) fn due(&self) -> Option<Due> {
        let (limits, operations) = (&self.store.limits, self.writing.operations);
        let (keys, own) = {
            let state = self.store.state();
            (state.keys.entries_in_memory(), state.own_bytes() as u64)
        };
        let is_large = own >= limits.own_bytes
            && self.may_be_in_background()
            && self.store.background.is_time_for_checkpoint();
        if operations > 0 && (operations >= self.most_operations() || is_large) {
            return Some(Due::Checkpoint);
        }
        (keys >= limits.head_entries).then_some(Due::Keys)
    }

    /// After how many operations a checkpoint is due, however little memory they take.
    fn most_operations(&self) -> u64 {
        let documents = self.store.state().population.documents.len() as u64;
        self.store.limits.operations.max(documents / 4)
    }

    /// Whether operations alone lead from the snapshot to the state. They do not tell where texts were moved, nor what an
    /// earlier version did not record.
    pub(super) fn may_be_in_background(&self) -> bool {
        !self.writing.moved && self.writing.manifest.format == manifest::FORMAT
    }

    /// Writes the keys in memory to a run, merged with runs of similar size, or with `all` of them.
    pub(super) fn flush(&mut self, all: bool) -> Result<()> {
        let store = self.store;
        let state = store.state();
        let entries = state.keys.entries_in_memory();
        if entries == 0 && !(all && state.keys.runs.len() > 1) {
            return Ok(());
        }
        let count = if all { state.keys.runs.len() } else { state.keys.to_merge(entries) };
        let first = state.keys.runs.len() - count;
        let mut manifest = self.writing.manifest.clone();
        let name = manifest.name("run");
        let mut living = keys::living(|content| state.population.is_alive(content));
        let path = store.folder.join(&name);
        let run = keys::merge(&path, &state.keys.runs[first..], state.keys.heads(), &mut living)?;
        let keyed = state.population.contents.next_number();
        drop(living);
        drop(state);
        let old = manifest.runs.split_off(first);
        manifest.runs.push(name);
        manifest.keyed = keyed.raw();
        // If a power cut lost these contents, their numbers would be given to others, which would then have the
        // wrong keys.
        store.sync_all()?;
        self.name_files(manifest)?;
        let mut empty = empty_head(&store.limits);
        let mut state = store.state.write().unwrap_or_else(PoisonError::into_inner);
        state.keys.runs.truncate(first);
        state.keys.runs.push(Arc::new(run));
        std::mem::swap(&mut state.keys.head, &mut empty);
        let frozen = state.keys.frozen.take();
        state.keyed = keyed;
        drop(state);
        drop((empty, frozen));
        old.iter().try_for_each(|name| remove(&store.folder.join(name)))
    }

    /// Writes the state to a snapshot, which is used in place of what was in memory, and starts a new journal. Other
    /// writers wait for all of that: this is for those who close a store, and for what no operation records.
    pub fn checkpoint(&mut self) -> Result<()> {
        let store = self.store;
        store.background.ask_to_end();
        store.sync_all()?;
        self.flush(false)?;
        let mut manifest = self.writing.manifest.clone();
        let snapshot = manifest.name("state");
        let path = store.folder.join(&snapshot);
        snapshot::write(&path, &store.state(), &mut || Ok(()))?;
        let columns = snapshot::map(&path).inspect_err(|_| drop(remove(&path)))?;
        let old = [manifest.snapshot.replace(snapshot), Some(std::mem::take(&mut manifest.journal))];
        manifest.journal = manifest.name("journal");
        manifest.renew();
        manifest.frames = store.written.load(std::sync::atomic::Ordering::Acquire);
        manifest.texts = as_pair(self.writing.end);
        let journal = Log::create(&store.folder.join(&manifest.journal), JOURNAL)?;
        let (file, path) = journal.handle()?;
        self.name_files(manifest)?;
        let mut synced = store.synced.lock().unwrap_or_else(PoisonError::into_inner);
        (synced.journal, synced.path) = (file, path);
        drop(synced);
        self.writing.journal = journal;
        self.writing.operations = 0;
        self.writing.moved = false;
        let mut state = store.state.write().unwrap_or_else(PoisonError::into_inner);
        let replaced = columns.replace(&mut state);
        drop(state);
        // Readers need not wait for the memory to be freed.
        drop(replaced);
        old.iter().flatten().try_for_each(|name| remove(&store.folder.join(name)))
    }

    /// Writes the manifest; from then on the store consists of the files it names.
    pub(super) fn name_files(&mut self, manifest: Manifest) -> Result<()> {
        let folder = &self.store.folder;
        if let Err(error) = manifest.write(folder) {
            // If the new file is in place but may not survive a crash, neither journal is safe to write.
            let before = &self.writing.manifest;
            let is_before = |named: Manifest| Manifest { next_file: before.next_file, ..named } == *before;
            if !Manifest::read(folder).is_ok_and(is_before) {
                self.store.refuse_writes();
            }
            return Err(error);
        }
        self.writing.manifest = manifest;
        Ok(())
    }

    /// Makes the places of texts durable. There is only something to do after a failed `compact`.
    pub fn persist_places(&mut self) -> Result<()> {
        if self.writing.moved { self.checkpoint() } else { Ok(()) }
    }
}
