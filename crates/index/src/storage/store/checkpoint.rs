//! Replaces snapshot and journal by new ones, in the background.
//!
//! A second state is made as opening makes one: of the snapshot, and of the operations in the journal up to some moment. It
//! is written to a new snapshot, and then uses that. What came since that moment is applied to it, too, and copied to
//! a new journal, until hardly anything is left. Only then writers wait: for the rest of that, and for the manifest to
//! name both files. The state that is in use is never written from, so changes and questions go on all the time;
//! until the end the old files alone are the store.
//!
//! Meanwhile there is twice in memory what came since the last snapshot.

use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};

use lookalike_core::{Error, Result};
use lookalike_plumbing::files::sync_folder;
use lookalike_plumbing::log::{Log, LogReader};

use super::background::Rest;
use super::new_file::NewFile;
use super::open::decode_frame;
use super::{JOURNAL, Store, Ticket, as_pair, remove};
use crate::storage::document::ContentNumber;
use crate::storage::manifest::Manifest;
use crate::storage::snapshot;
use crate::storage::state::State;
use crate::storage::texts::End;

/// Writers may wait for so many bytes of the journal to be applied again.
const FEW_BYTES: u64 = 64 << 10;
/// How often they need not wait for more, if it comes faster than it is applied.
const ROUNDS: usize = 20;

/// A checkpoint on its way.
pub(super) struct Checkpoint {
    store: Arc<Store>,
    /// What the store consisted of when this began, and what of the journal goes to the snapshot.
    from: Manifest,
    reader: LogReader,
    bytes: u64,
    frames: u64,
    operations: u64,
    end: End,
    contents: ContentNumber,
    snapshot: NewFile,
    journal: NewFile,
    /// The state as far as it was made.
    state: State,
}

impl Store {
    /// Does all steps. A checkpoint that somebody else has written meanwhile makes this one void.
    pub(super) fn checkpoint_beside(self: &Arc<Self>, rest: &mut Rest<'_>) -> Result<()> {
        let mut checkpoint = Checkpoint::begin(self)?;
        checkpoint.move_keys(rest)?;
        checkpoint.replay(rest)?;
        checkpoint.write(rest)?;
        let journal = checkpoint.catch_up(rest)?;
        checkpoint.exchange(journal, rest)
    }
}

impl Checkpoint {
    pub fn begin(store: &Arc<Store>) -> Result<Checkpoint> {
        let mut writer = store.lock()?;
        let from = writer.writing.manifest.clone();
        let [snapshot, journal] = ["state", "journal"].map(|kind| NewFile::begin(&mut writer, kind));
        let (writing, state) = (&writer.writing, store.state());
        Ok(Checkpoint {
            snapshot,
            journal,
            reader: writing.journal.reader()?,
            bytes: writing.journal.bytes(),
            frames: store.written.load(Ordering::Acquire),
            operations: writing.operations,
            end: writing.end,
            contents: state.population.contents.next_number(),
            state: State::new(state.layout),
            store: Arc::clone(store),
            from,
        })
    }

    /// Moves the keys of contents that go to the snapshot, which has none, to runs.
    pub fn move_keys(&mut self, rest: &mut Rest<'_>) -> Result<()> {
        self.store.sync(Ticket(self.frames))?;
        while self.store.state().keys.has_before(self.contents) {
            self.store.move_keys(rest)?;
        }
        Ok(())
    }

    /// Makes the state of the files.
    pub fn replay(&mut self, rest: &mut Rest<'_>) -> Result<()> {
        if let Some(name) = &self.from.snapshot {
            self.state = snapshot::read_again(&self.store.folder.join(name), self.state.layout)?;
        }
        // Keys are not a part of it.
        self.state.keyed = ContentNumber::from_index(usize::MAX);
        let (mut frame, mut frames) = (Vec::new(), 0);
        while self.reader.next(self.bytes, &mut frame)? {
            self.apply(&frame)?;
            frames += 1;
            rest.rest()?;
        }
        if self.from.frames + frames != self.frames {
            return Err(Error::Internal("the journal has not the frames that were written".to_owned()));
        }
        Ok(())
    }

    fn apply(&mut self, frame: &[u8]) -> Result<()> {
        let (_, operations) = decode_frame(frame)?;
        operations.iter().for_each(|operation| self.state.apply(self.store.clusterer(), operation));
        Ok(())
    }

    /// Writes the snapshot, and uses it.
    pub fn write(&mut self, rest: &mut Rest<'_>) -> Result<()> {
        snapshot::write(&self.snapshot.path, &self.state, &mut || rest.rest())?;
        drop(snapshot::map(&self.snapshot.path)?.replace(&mut self.state));
        Ok(())
    }

    /// Applies what came meanwhile, and begins the new journal with it.
    pub fn catch_up(&mut self, rest: &mut Rest<'_>) -> Result<Log> {
        let journal = Log::create(&self.journal.path, JOURNAL)?;
        for _ in 0..ROUNDS {
            let end = self.store.lock()?.writing.journal.bytes();
            let before = journal.bytes();
            self.copy(&journal, end, || rest.rest())?;
            if journal.bytes() - before <= FEW_BYTES {
                break;
            }
        }
        journal.sync()?;
        // What is on disk by now nobody waits for later.
        sync_folder(&self.store.folder)?;
        Ok(journal)
    }

    fn copy(&mut self, journal: &Log, end: u64, mut each: impl FnMut() -> Result<()>) -> Result<()> {
        let mut frame = Vec::new();
        while self.reader.next(end, &mut frame)? {
            self.apply(&frame)?;
            journal.append(&frame)?;
            each()?;
        }
        Ok(())
    }

    /// Lets the store use the new files, unless it has others by now.
    pub fn exchange(mut self, journal: Log, rest: &Rest<'_>) -> Result<()> {
        let store = Arc::clone(&self.store);
        let mut writer = store.lock()?;
        let is_void = writer.writing.manifest.journal != self.from.journal || !writer.may_be_in_background();
        if is_void || rest.is_stopped() {
            return Ok(());
        }
        self.copy(&journal, writer.writing.journal.bytes(), || Ok(()))?;
        journal.sync()?;
        let mut manifest = writer.writing.manifest.clone();
        manifest.snapshot = Some(self.snapshot.name.clone());
        manifest.journal = self.journal.name.clone();
        manifest.frames = self.frames;
        manifest.texts = as_pair(self.end);
        let (file, path) = journal.handle()?;
        NewFile::name([&mut self.snapshot, &mut self.journal], &mut writer, manifest)?;
        let mut synced = store.synced.lock().unwrap_or_else(PoisonError::into_inner);
        (synced.journal, synced.path) = (file, path);
        drop(synced);
        writer.writing.journal = journal;
        writer.writing.operations -= self.operations;
        let new = std::mem::replace(&mut self.state, State::new(self.from.layout));
        let mut state = store.state.write().unwrap_or_else(PoisonError::into_inner);
        let replaced = new.replace(&mut state);
        drop((state, writer));
        // Nobody need wait for the memory to be freed.
        drop(replaced);
        let old = self.from.snapshot.iter().chain([&self.from.journal]);
        old.map(|name| store.folder.join(name)).try_for_each(|path| remove(&path))
    }
}
