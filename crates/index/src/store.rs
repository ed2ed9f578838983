//! One generation of an index on disk: the state, changed by operations that are acknowledged when durable.
//!
//! Who changes it holds the [`Writer`]; nobody else waits for the state's lock, so readers go on while a
//! checkpoint is written or keys are merged. Forcing to disk happens without the writer's lock, for all who
//! wrote meanwhile at once.

use std::collections::HashMap;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard};

use lookalike_core::cluster::Clusterer;
use lookalike_core::{Error, Result};

use crate::bytes::{Decoder, Encode};
use crate::journal::{Frames, Journal};
use crate::keys::{self, Head, Run};
use crate::manifest::Manifest;
use crate::operation::{Operation, Version};
use crate::snapshot;
use crate::state::{Layout, State};
use crate::texts::{End, HEADER, Place, Texts};

/// Keys in memory before they become a run.
const HEAD_ENTRIES: u64 = 1 << 20;
/// A checkpoint is due after this many operations, or a quarter of the documents if these are more.
const LEAST_OPERATIONS: u64 = 50_000;
/// Texts of the last operations are read again when opening after a crash: the disk may have got the journal
/// before them.
const CHECKED_BYTES: u64 = 64 << 20;

pub struct Store {
    folder: PathBuf,
    pub texts: Arc<Texts>,
    how: Box<dyn Clusterer>,
    state: RwLock<State>,
    writer: Mutex<Writing>,
    /// Frames written, and frames known to be on disk.
    written: AtomicU64,
    acknowledged: AtomicU64,
    synced: Mutex<Synced>,
    failed: AtomicBool,
}

struct Writing {
    manifest: Manifest,
    journal: Journal,
    end: End,
    /// Operations since the last checkpoint.
    operations: u64,
}

struct Synced {
    frames: u64,
    journal: File,
    path: PathBuf,
    /// The segment in which texts ended then.
    segment: u32,
}

/// The right to change the index.
pub struct Writer<'a> {
    store: &'a Store,
    writing: MutexGuard<'a, Writing>,
}

/// Frames up to this one must be on disk.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
#[must_use]
pub struct Ticket(u64);

impl Store {
    pub fn create(
        folder: &Path,
        texts: Arc<Texts>,
        how: Box<dyn Clusterer>,
        scheme: &str,
        layout: Layout,
    ) -> Result<Store> {
        std::fs::create_dir_all(folder).map_err(Error::io(folder))?;
        let manifest = Manifest { texts: as_pair(texts.end()?), ..Manifest::new(scheme, layout) };
        let journal = Journal::create(&folder.join(&manifest.journal))?;
        manifest.write(folder)?;
        Store::with(folder, texts, how, manifest, journal, State::new(layout), 0)
    }

    /// Opens what is there. Texts that no operation speaks of are cut off if the store `owns` the texts.
    pub fn open(
        folder: &Path,
        texts: Arc<Texts>,
        how: Box<dyn Clusterer>,
        scheme: &str,
        layout: Layout,
        owns: bool,
    ) -> Result<Store> {
        let manifest = Manifest::read(folder)?;
        if manifest.scheme != scheme || manifest.layout != layout {
            return Err(Error::Incompatible(format!(
                "{} was made by scheme {}, this recipe is scheme {scheme}: sign the documents again with \
                 `lookalike index resign`",
                folder.display(),
                manifest.scheme
            )));
        }
        let mut state = match &manifest.snapshot {
            Some(name) => snapshot::read(&folder.join(name), layout)?,
            None => State::new(layout),
        };
        state.keyed = manifest.keyed;
        for name in &manifest.runs {
            state.keys.runs.push(Arc::new(Run::open(&folder.join(name))?));
        }
        let path = folder.join(&manifest.journal);
        let frames = Frames::read(&path)?;
        let mut end = manifest.end();
        let (mut taken, mut operations) = (0, 0);
        let acknowledged = frames
            .iter()
            .map(|frame| Decoder::new(frame).u64())
            .try_fold(0, |most, next| Ok::<u64, Error>(most.max(next?)))?;
        let total = texts.end()?;
        for frame in frames.iter() {
            let (frame_end, all) = decode_frame(frame).map_err(|_| damaged_journal(&path))?;
            let readable = |operation: &Operation| match operation {
                Operation::Put(put) if owns => is_readable(&texts, put.place, total),
                _ => true,
            };
            if !all.iter().all(readable) {
                if manifest.frames + taken < acknowledged {
                    return Err(Error::Incompatible(format!(
                        "texts that {} speaks of are damaged or cut off: restore them from a copy",
                        path.display()
                    )));
                }
                break;
            }
            all.iter().for_each(|operation| state.apply(&*how, operation));
            operations += all.len() as u64;
            taken += 1;
            end = frame_end;
        }
        let journal = Journal::open(&path, &frames, taken as usize)?;
        if owns {
            texts.truncate(end)?;
        }
        manifest.clean(folder)?;
        let store = Store::with(folder, texts, how, manifest, journal, state, operations)?;
        store.writer.lock().unwrap_or_else(PoisonError::into_inner).end = end;
        store.written.fetch_add(taken, Ordering::Relaxed);
        Ok(store)
    }

    fn with(
        folder: &Path,
        texts: Arc<Texts>,
        how: Box<dyn Clusterer>,
        manifest: Manifest,
        journal: Journal,
        state: State,
        operations: u64,
    ) -> Result<Store> {
        let (file, path) = journal.handle()?;
        let end = manifest.end();
        let frames = manifest.frames;
        Ok(Store {
            folder: folder.to_owned(),
            texts,
            how,
            state: RwLock::new(state),
            writer: Mutex::new(Writing { manifest, journal, end, operations }),
            written: AtomicU64::new(frames),
            acknowledged: AtomicU64::new(frames),
            synced: Mutex::new(Synced { frames, journal: file, path, segment: end.segment }),
            failed: AtomicBool::new(false),
        })
    }

    pub fn state(&self) -> RwLockReadGuard<'_, State> {
        self.state.read().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn clusterer(&self) -> &dyn Clusterer {
        &*self.how
    }

    pub fn scheme(&self) -> String {
        self.writer.lock().unwrap_or_else(PoisonError::into_inner).manifest.scheme.clone()
    }

    /// Waits for whoever writes.
    pub fn write(&self) -> Result<Writer<'_>> {
        let writing = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        if self.failed.load(Ordering::Relaxed) {
            return Err(Error::Incompatible(format!(
                "{} could not be forced to disk before; open it again",
                self.folder.display()
            )));
        }
        Ok(Writer { store: self, writing })
    }

    /// Returns when everything up to the ticket is on disk.
    pub fn sync(&self, ticket: Ticket) -> Result<()> {
        let mut synced = self.synced.lock().unwrap_or_else(PoisonError::into_inner);
        if synced.frames >= ticket.0 {
            return Ok(());
        }
        let written = self.written.load(Ordering::Acquire);
        let texts = self.texts.sync(synced.segment);
        let journal = synced.journal.sync_data().map_err(Error::io(&synced.path));
        if let Err(error) = texts.and(journal) {
            // The kernel may have dropped what it could not write: only reading it again tells.
            self.failed.store(true, Ordering::Relaxed);
            return Err(error);
        }
        synced.frames = written;
        self.acknowledged.store(written, Ordering::Release);
        synced.segment = self.texts.end()?.segment;
        Ok(())
    }

    /// Operations since the last checkpoint, and bytes of the files beside the texts.
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

impl Writer<'_> {
    /// Writes documents' lines, to be named by the operations that are committed next.
    pub fn lay(&mut self, lines: &[&[u8]]) -> Result<Laid> {
        let mut end = self.writing.end;
        let places = self.store.texts.write(&mut end, lines)?;
        Ok(Laid { places, end })
    }

    /// Makes operations part of the index, all or none. They are seen at once and durable when the ticket
    /// was given to [`Store::sync`].
    pub fn commit(&mut self, end: Option<End>, operations: &[Operation]) -> Result<Ticket> {
        let end = end.unwrap_or(self.writing.end);
        if operations.is_empty() {
            return Ok(Ticket(0));
        }
        let acknowledged = self.store.acknowledged.load(Ordering::Acquire);
        let mut frame = Vec::new();
        frame.u64(acknowledged);
        frame.u32(end.segment);
        frame.u64(end.offset);
        operations.iter().for_each(|operation| operation.encode(&mut frame));
        self.writing.journal.append(&frame)?;
        let ticket = Ticket(self.store.written.fetch_add(1, Ordering::Release) + 1);
        self.writing.end = end;
        self.writing.operations += operations.len() as u64;
        let mut state = self.store.state.write().unwrap_or_else(PoisonError::into_inner);
        operations.iter().for_each(|operation| state.apply(self.store.clusterer(), operation));
        Ok(ticket)
    }

    /// Does what is due: moves keys to disk, writes a checkpoint. Does nothing most of the time.
    pub fn maintain(&mut self) -> Result<()> {
        let (head, documents) = {
            let state = self.store.state();
            (state.keys.head.entries(), state.population.documents.len() as u64)
        };
        if self.writing.operations >= LEAST_OPERATIONS.max(documents / 4) {
            return self.checkpoint();
        }
        if head >= HEAD_ENTRIES {
            return self.flush(false);
        }
        Ok(())
    }

    /// Writes the keys in memory to a run, merged with runs of like size, or with `all` of them.
    fn flush(&mut self, all: bool) -> Result<()> {
        let state = self.store.state();
        let entries = state.keys.head.entries();
        if entries == 0 && !(all && state.keys.runs.len() > 1) {
            return Ok(());
        }
        let count = if all { state.keys.runs.len() } else { state.keys.to_merge(entries) };
        let first = state.keys.runs.len() - count;
        let name = self.writing.manifest.name("run");
        let path = self.store.folder.join(&name);
        let alive = |content: u32| state.population.is_alive(content);
        let run = keys::merge(&path, &state.keys.runs[first..], &state.keys.head, &alive)?;
        let keyed = state.population.contents.len() as u32;
        drop(state);
        let manifest = &mut self.writing.manifest;
        let old = manifest.runs.split_off(first);
        manifest.runs.push(name);
        manifest.keyed = keyed;
        if let Err(error) = manifest.write(&self.store.folder) {
            manifest.runs.pop();
            manifest.runs.extend(old);
            return Err(error);
        }
        let mut state = self.store.state.write().unwrap_or_else(PoisonError::into_inner);
        state.keys.runs.truncate(first);
        state.keys.runs.push(Arc::new(run));
        state.keys.head = Head::default();
        state.keyed = keyed;
        drop(state);
        old.iter().try_for_each(|name| remove(&self.store.folder.join(name)))
    }

    /// Writes everything in memory to disk, and begins a new journal.
    pub fn checkpoint(&mut self) -> Result<()> {
        self.checkpoint_with(false)
    }

    fn checkpoint_with(&mut self, all_runs: bool) -> Result<()> {
        let store = self.store;
        store.sync(Ticket(store.written.load(Ordering::Acquire)))?;
        self.flush(all_runs)?;
        let mut manifest = self.writing.manifest.clone();
        let snapshot = manifest.name("state");
        snapshot::write(&store.folder.join(&snapshot), &store.state())?;
        let old = [manifest.snapshot.replace(snapshot), Some(std::mem::take(&mut manifest.journal))];
        manifest.journal = manifest.name("journal");
        manifest.frames = store.written.load(Ordering::Acquire);
        manifest.texts = as_pair(self.writing.end);
        let journal = Journal::create(&store.folder.join(&manifest.journal))?;
        let (file, path) = journal.handle()?;
        manifest.write(&store.folder)?;
        let mut synced = store.synced.lock().unwrap_or_else(PoisonError::into_inner);
        (synced.journal, synced.path) = (file, path);
        drop(synced);
        self.writing.manifest = manifest;
        self.writing.journal = journal;
        self.writing.operations = 0;
        old.iter().flatten().try_for_each(|name| remove(&store.folder.join(name)))
    }

    /// Copies living texts out of segments that are mostly dead, merges all runs and forgets the dead.
    pub fn compact(&mut self) -> Result<()> {
        let store = self.store;
        let sizes = store.texts.sizes()?;
        let mut living = std::collections::BTreeMap::<u32, u64>::new();
        for document in store.state().population.documents.iter().filter(|document| document.alive) {
            *living.entry(document.place.segment).or_default() += HEADER + u64::from(document.place.length);
        }
        // A segment that is nearly full of life is left alone.
        let worth =
            |&&(segment, size): &&(u32, u64)| living.get(&segment).copied().unwrap_or(0) * 10 < size * 9;
        let emptied: Vec<u32> = sizes.iter().filter(worth).map(|&(segment, _)| segment).collect();
        if !emptied.is_empty() {
            // Behind the last one, so that every emptied segment can go as a whole.
            let last = sizes.last().map_or(0, |&(segment, _)| segment);
            let mut end = End { segment: last + 1, offset: 0 };
            let moved = self.copy_living(&emptied, &mut end)?;
            store.texts.sync(last + 1)?;
            self.writing.end = end;
            let mut state = store.state.write().unwrap_or_else(PoisonError::into_inner);
            for (number, place) in moved {
                state.population.documents[number as usize].place = place;
            }
            state.dead_bytes = 0;
        }
        self.checkpoint_with(true)?;
        emptied.iter().try_for_each(|&segment| store.texts.remove_segment(segment))
    }

    fn copy_living(&self, from: &[u32], end: &mut End) -> Result<Vec<(u32, Place)>> {
        const BATCH: usize = 1024;
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

    /// Where the texts end.
    pub fn end(&self) -> End {
        self.writing.end
    }

    /// Becomes the generation that owns the texts: writes a checkpoint that knows where these end.
    pub fn adopt(&mut self, end: End) -> Result<()> {
        self.writing.end = end;
        self.checkpoint()
    }

    /// Versions of documents that come from another generation; the next checkpoint makes them last.
    pub fn set_histories(&mut self, histories: HashMap<u32, Vec<Version>>) {
        let mut state = self.store.state.write().unwrap_or_else(PoisonError::into_inner);
        state.history.extend(histories);
    }
}

/// Lines that are written, and where the texts end with them.
pub struct Laid {
    pub places: Vec<Place>,
    pub end: End,
}

fn as_pair(end: End) -> (u32, u64) {
    (end.segment, end.offset)
}

fn remove(path: &Path) -> Result<()> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(Error::io(path)(error)),
        _ => Ok(()),
    }
}

fn decode_frame(frame: &[u8]) -> Result<(End, Vec<Operation>)> {
    let mut from = Decoder::new(frame);
    from.u64()?;
    let end = End { segment: from.u32()?, offset: from.u64()? };
    let mut operations = Vec::new();
    while !from.is_empty() {
        operations.push(Operation::decode(&mut from)?);
    }
    Ok((end, operations))
}

fn damaged_journal(path: &Path) -> Error {
    Error::Incompatible(format!("{} was written by another version", path.display()))
}

/// Whether a line is there, as far as a crash can have lost it.
fn is_readable(texts: &Texts, place: Place, total: End) -> bool {
    let end = u64::from(place.offset) + HEADER + u64::from(place.length);
    if place.segment == total.segment && end > total.offset || place.segment > total.segment {
        return false;
    }
    let behind = if place.segment == total.segment { total.offset - end } else { 0 };
    behind > CHECKED_BYTES || texts.read(place, &mut Vec::new()).is_ok()
}
