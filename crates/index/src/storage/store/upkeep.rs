//! Writes keys to runs and the state to snapshots, and frees the space of removed texts.
//!
//! New files are complete before the manifest names them, and old ones are deleted when it no longer does. So every
//! step may fail or be interrupted at any point: the index is as it was before or after the step.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, PoisonError};
use std::time::Duration;

use lookalike_core::{Error, Result};
use lookalike_plumbing::log::Log;

use super::write::StoreWriter;
use super::{JOURNAL, Store, as_pair};
use crate::storage::document::DocumentNumber;
use crate::storage::keys;
use crate::storage::manifest::Manifest;
use crate::storage::snapshot;
use crate::storage::texts::{End, HEADER, Place, Texts};

/// How many lines, and bytes of them, are copied at once.
const BATCH: usize = 1024;
const BATCH_BYTES: u64 = 4 << 20;
const PAUSE: Duration = Duration::from_millis(1);

impl StoreWriter<'_> {
    /// Does the upkeep that is due: writes keys to disk or a checkpoint. Most of the time there is nothing to do.
    pub fn maintain(&mut self) -> Result<()> {
        let (head, documents) = {
            let state = self.store.state();
            (state.keys.head.entries(), state.population.documents.len() as u64)
        };
        let limits = &self.store.limits;
        if self.writing.operations >= limits.operations.max(documents / 4) {
            return self.checkpoint();
        }
        if head >= limits.head_entries {
            return self.flush(false);
        }
        Ok(())
    }

    /// Writes the keys in memory to a run, merged with runs of similar size, or with `all` of them.
    fn flush(&mut self, all: bool) -> Result<()> {
        let store = self.store;
        let state = store.state();
        let entries = state.keys.head.entries();
        if entries == 0 && !(all && state.keys.runs.len() > 1) {
            return Ok(());
        }
        let count = if all { state.keys.runs.len() } else { state.keys.to_merge(entries) };
        let first = state.keys.runs.len() - count;
        let mut manifest = self.writing.manifest.clone();
        let name = manifest.name("run");
        let alive = keys::asked_once(|content| state.population.is_alive(content));
        let path = store.folder.join(&name);
        let run = keys::merge(&path, &state.keys.runs[first..], &state.keys.head, &alive)?;
        let keyed = state.population.contents.next_number();
        drop(alive);
        drop(state);
        let old = manifest.runs.split_off(first);
        manifest.runs.push(name);
        manifest.keyed = keyed.raw();
        // If a power cut lost these contents, their numbers would be given to others, which would then have the
        // wrong keys.
        store.sync_all()?;
        self.name_files(manifest)?;
        let mut state = store.state.write().unwrap_or_else(PoisonError::into_inner);
        state.keys.runs.truncate(first);
        state.keys.runs.push(Arc::new(run));
        state.keys.head.clear();
        state.keyed = keyed;
        drop(state);
        old.iter().try_for_each(|name| remove(&store.folder.join(name)))
    }

    /// Writes the state to a snapshot, which is used in place of what was in memory, and starts a new journal.
    pub fn checkpoint(&mut self) -> Result<()> {
        let store = self.store;
        store.sync_all()?;
        self.flush(false)?;
        let mut manifest = self.writing.manifest.clone();
        let snapshot = manifest.name("state");
        let path = store.folder.join(&snapshot);
        snapshot::write(&path, &store.state())?;
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
    fn name_files(&mut self, manifest: Manifest) -> Result<()> {
        let folder = &self.store.folder;
        if let Err(error) = manifest.write(folder) {
            // If the new file is in place but may not survive a crash, neither journal is safe to write.
            if !Manifest::read(folder).is_ok_and(|named| named == self.writing.manifest) {
                self.store.refuse_writes();
            }
            return Err(error);
        }
        self.writing.manifest = manifest;
        Ok(())
    }

    /// Segments with enough removed texts to be worth copying the others.
    fn wasteful_segments(&self, all: bool) -> Result<Vec<u32>> {
        let sizes = self.store.texts.sizes()?;
        let mut living = BTreeMap::<u32, u64>::new();
        for document in self.store.state().population.documents.iter().filter(|document| document.is_alive())
        {
            *living.entry(document.place.segment).or_default() += HEADER + u64::from(document.place.length);
        }
        // A segment with mostly living texts is left alone, unless nothing may be left of the others.
        let worth = |&&(segment, size): &&(u32, u64)| {
            let living = living.get(&segment).copied().unwrap_or(0);
            if all { living < size } else { living * 10 < size * 9 }
        };
        Ok(sizes.iter().filter(worth).map(|&(segment, _)| segment).collect())
    }

    /// Copies some living texts of a closed segment to the end, of documents from `first` on; `None` if there are
    /// no more. The segment is deleted after the next checkpoint.
    fn move_some(&mut self, segment: u32, first: DocumentNumber) -> Result<Option<DocumentNumber>> {
        let store = self.store;
        let to_move: Vec<(DocumentNumber, Place)> = {
            let state = store.state();
            let documents = state.population.documents.iter_from(first);
            let living =
                documents.filter(|(_, document)| document.is_alive() && document.place.segment == segment);
            let mut bytes = 0;
            let few = living.take(BATCH).take_while(|(_, document)| {
                let is_room = bytes < BATCH_BYTES;
                bytes += u64::from(document.place.length);
                is_room
            });
            few.map(|(number, document)| (number, document.place)).collect()
        };
        let Some(&(last, _)) = to_move.last() else {
            store.state.write().unwrap_or_else(PoisonError::into_inner).forget_texts(segment);
            return Ok(None);
        };
        let mut end = self.writing.end;
        let from = end.segment;
        let moved = copy(&store.texts, &to_move, &mut end).and_then(|moved| {
            store.texts.sync(from)?;
            Ok(moved)
        });
        if moved.is_err() {
            // The copies are useless now, and the disk may be full.
            let _ = store.texts.truncate(self.writing.end);
        }
        let moved = moved?;
        (self.writing.end, self.writing.moved) = (end, true);
        store.state.write().unwrap_or_else(PoisonError::into_inner).move_texts(&moved);
        Ok(Some(last.next()))
    }

    /// Makes the places of texts durable. There is only something to do after a failed `compact`.
    pub fn persist_places(&mut self) -> Result<()> {
        if self.writing.moved { self.checkpoint() } else { Ok(()) }
    }

    /// Stops writing to a segment.
    fn close_segment(&mut self, segment: u32) {
        if self.writing.end.segment == segment {
            self.writing.end = End { segment: segment + 1, offset: 0 };
        }
    }
}

fn copy(
    texts: &Texts,
    to_move: &[(DocumentNumber, Place)],
    end: &mut End,
) -> Result<Vec<(DocumentNumber, Place)>> {
    let read = |&(_, place): &(DocumentNumber, Place)| {
        let mut line = Vec::new();
        texts.read(place, &mut line).map(|()| line)
    };
    let lines = to_move.iter().map(read).collect::<Result<Vec<_>>>()?;
    let lines: Vec<&[u8]> = lines.iter().map(Vec::as_slice).collect();
    let places = texts.write(end, &lines)?;
    Ok(to_move.iter().zip(places).map(|(&(number, _), place)| (number, place)).collect())
}

impl Store {
    /// Copies living texts out of segments with many removed ones, merges all runs, and writes a checkpoint. Other
    /// writers get their turn in between.
    pub fn compact(&self, all: bool) -> Result<()> {
        let emptied = self.write()?.wasteful_segments(all)?;
        // Starts with the last one, which texts are written to, so that none is copied twice.
        for &segment in emptied.iter().rev() {
            self.write()?.close_segment(segment);
            let mut first = Some(DocumentNumber::FIRST);
            while let Some(from) = first {
                first = self.write()?.move_some(segment, from)?;
                // Without a pause, waiting writers would not get the lock.
                std::thread::sleep(PAUSE);
            }
        }
        self.write()?.flush(true)?;
        std::thread::sleep(PAUSE);
        self.write()?.checkpoint()?;
        emptied.iter().try_for_each(|&segment| self.texts.remove_segment(segment))
    }
}

fn remove(path: &Path) -> Result<()> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(Error::io(path)(error)),
        _ => Ok(()),
    }
}
