//! Keys become runs, the state a snapshot, and texts of the dead make room.
//!
//! New files are complete before the manifest names them, and old ones go when it no longer does. So each of
//! these steps may fail or be interrupted anywhere: the index is what it was before or after.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, PoisonError};

use lookalike_core::{Error, Result};

use super::as_pair;
use super::write::Writer;
use crate::journal::Journal;
use crate::keys;
use crate::manifest::Manifest;
use crate::snapshot;
use crate::texts::{End, HEADER, Place};

/// Lines that are copied at once.
const BATCH: usize = 1024;

impl Writer<'_> {
    /// Does what is due: moves keys to disk, writes a checkpoint. Does nothing most of the time.
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

    /// Writes the keys in memory to a run, merged with runs of like size, or with `all` of them.
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
        let alive = |content: u32| state.population.is_alive(content);
        let path = store.folder.join(&name);
        let run = keys::merge(&path, &state.keys.runs[first..], &state.keys.head, &alive)?;
        let keyed = state.population.contents.len() as u32;
        drop(state);
        let old = manifest.runs.split_off(first);
        manifest.runs.push(name);
        manifest.keyed = keyed;
        // Keys of contents that a power cut took away would be those of others later.
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

    /// Writes everything in memory to disk, and begins a new journal.
    pub fn checkpoint(&mut self) -> Result<()> {
        self.checkpoint_with(false)
    }

    fn checkpoint_with(&mut self, all_runs: bool) -> Result<()> {
        let store = self.store;
        store.sync_all()?;
        self.flush(all_runs)?;
        let mut manifest = self.writing.manifest.clone();
        let snapshot = manifest.name("state");
        snapshot::write(&store.folder.join(&snapshot), &store.state())?;
        let old = [manifest.snapshot.replace(snapshot), Some(std::mem::take(&mut manifest.journal))];
        manifest.journal = manifest.name("journal");
        manifest.frames = store.written.load(std::sync::atomic::Ordering::Acquire);
        manifest.texts = as_pair(self.writing.end);
        let journal = Journal::create(&store.folder.join(&manifest.journal))?;
        let (file, path) = journal.handle()?;
        self.name_files(manifest)?;
        let mut synced = store.synced.lock().unwrap_or_else(PoisonError::into_inner);
        (synced.journal, synced.path) = (file, path);
        drop(synced);
        self.writing.journal = journal;
        self.writing.operations = 0;
        old.iter().flatten().try_for_each(|name| remove(&store.folder.join(name)))
    }

    /// Writes the manifest, from which on the index consists of other files.
    fn name_files(&mut self, manifest: Manifest) -> Result<()> {
        let folder = &self.store.folder;
        if let Err(error) = manifest.write(folder) {
            // If the new one has got its name and that may not last, neither journal is the right one.
            if !Manifest::read(folder).is_ok_and(|named| named == self.writing.manifest) {
                self.store.give_up();
            }
            return Err(error);
        }
        self.writing.manifest = manifest;
        Ok(())
    }

    /// Copies living texts out of segments that are mostly dead, merges all runs and forgets the dead.
    pub fn compact(&mut self) -> Result<()> {
        let store = self.store;
        let sizes = store.texts.sizes()?;
        let mut living = BTreeMap::<u32, u64>::new();
        for document in store.state().population.documents.iter().filter(|document| document.alive) {
            *living.entry(document.place.segment).or_default() += HEADER + u64::from(document.place.length);
        }
        // A segment that is nearly full of life is left alone.
        let worth =
            |&&(segment, size): &&(u32, u64)| living.get(&segment).copied().unwrap_or(0) * 10 < size * 9;
        let emptied: Vec<u32> = sizes.iter().filter(worth).map(|&(segment, _)| segment).collect();
        if !emptied.is_empty() {
            // Behind the last one, so that every emptied segment can go as a whole and no number comes again.
            let last = sizes.last().map_or(0, |&(segment, _)| segment).max(self.writing.end.segment);
            let mut end = End { segment: last + 1, offset: 0 };
            let moved = self.copy_living(&emptied, &mut end).and_then(|moved| {
                store.texts.sync(last + 1)?;
                Ok(moved)
            });
            if moved.is_err() {
                // What was copied is of no use, and room may be what is missing.
                let _ = store.texts.truncate(self.writing.end);
            }
            let moved = moved?;
            self.writing.end = end;
            let mut state = store.state.write().unwrap_or_else(PoisonError::into_inner);
            state.move_texts(&moved, &emptied);
        }
        self.checkpoint_with(true)?;
        emptied.iter().try_for_each(|&segment| store.texts.remove_segment(segment))
    }

    fn copy_living(&self, from: &[u32], end: &mut End) -> Result<Vec<(u32, Place)>> {
        let store = self.store;
        let state = store.state();
        let documents = state.population.documents.iter().zip(0u32..);
        let to_move: Vec<(u32, Place)> = documents
            .filter(|(document, _)| document.alive && from.contains(&document.place.segment))
            .map(|(document, number)| (number, document.place))
            .collect();
        drop(state);
        let mut moved = Vec::with_capacity(to_move.len());
        for batch in to_move.chunks(BATCH) {
            let lines = batch
                .iter()
                .map(|&(_, place)| {
                    let mut line = Vec::new();
                    store.texts.read(place, &mut line).map(|()| line)
                })
                .collect::<Result<Vec<_>>>()?;
            let lines: Vec<&[u8]> = lines.iter().map(Vec::as_slice).collect();
            let places = store.texts.write(end, &lines)?;
            moved.extend(batch.iter().zip(places).map(|(&(number, _), place)| (number, place)));
        }
        Ok(moved)
    }
}

fn remove(path: &Path) -> Result<()> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(Error::io(path)(error)),
        _ => Ok(()),
    }
}
