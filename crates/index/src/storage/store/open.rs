//! Opens a store from its files.
//!
//! First everything is read and checked, then the remains of a crash are cut off and cleared away. An index that
//! cannot be opened is left as it is, so that a damaged file can be restored from a backup.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64};
use std::sync::{Arc, Mutex, RwLock};

use lookalike_core::cluster::Clusterer;
use lookalike_core::{Error, Result};
use lookalike_plumbing::log::{Frames, Log};

use super::background::Background;
use super::{
    IndexLimits, JOURNAL, JOURNAL_MARK, OpenStore, Store, SyncState, WriterState, as_pair, empty_head,
};
use crate::storage::acknowledged::Acknowledged;
use crate::storage::bytes::Decoder;
use crate::storage::crowds::Crowds;
use crate::storage::document::ContentNumber;
use crate::storage::keys::Run;
use crate::storage::manifest::Manifest;
use crate::storage::operation::Operation;
use crate::storage::snapshot;
use crate::storage::state::{Layout, State};
use crate::storage::texts::{End, Place, Texts};

/// When opening after a crash, this many bytes of the last texts are read again, because the disk may have written
/// the journal before them.
const CHECKED_BYTES: u64 = 64 << 20;

/// What is needed to open a store, besides its folder.
pub struct StoreParts {
    pub texts: Arc<Texts>,
    pub how: Box<dyn Clusterer>,
    pub scheme: String,
    pub layout: Layout,
    pub limits: IndexLimits,
}

impl Store {
    pub fn create(folder: &Path, parts: StoreParts) -> Result<OpenStore> {
        std::fs::create_dir_all(folder).map_err(Error::io(folder))?;
        let manifest =
            Manifest { texts: as_pair(parts.texts.end()?), ..Manifest::new(&parts.scheme, parts.layout) };
        let journal = Log::create(&folder.join(&manifest.journal), JOURNAL)?;
        manifest.write(folder)?;
        let (mut state, end) = (State::new(parts.layout), manifest.end());
        state.keys.head = empty_head(&parts.limits);
        Store::with(folder, parts, manifest, journal, Replayed { state, frames: 0, operations: 0, end })
    }

    /// Opens an existing store. If it `owns` the texts, texts that no operation refers to are cut off.
    pub fn open(folder: &Path, parts: StoreParts, owns: bool) -> Result<OpenStore> {
        let manifest = Manifest::read(folder)?;
        if manifest.layout != parts.layout && manifest.scheme == parts.scheme {
            return Err(Error::Incompatible(format!(
                "{} was made by another version of this program, which kept other keys of documents: use that version, \
                 or make a new index of the documents with `lookalike index create` and `lookalike index add`",
                folder.display()
            )));
        }
        if manifest.scheme != parts.scheme {
            return Err(Error::Incompatible(format!(
                "{} was made by scheme {}, but its recipe is scheme {} now: bring back the lexicon, model or clusters \
                 that it names, or the program that made it, or make a new index of the documents with \
                 `lookalike index create` and `lookalike index add`",
                folder.display(),
                manifest.scheme,
                parts.scheme
            )));
        }
        let (mut state, ends) = match &manifest.snapshot {
            Some(name) => {
                let snapshot::Opened { state, ends } = snapshot::read(&folder.join(name), parts.layout)?;
                (state, ends)
            }
            None => (State::new(parts.layout), BTreeMap::new()),
        };
        state.keyed = ContentNumber::from_index(manifest.keyed as usize);
        state.keys.head = empty_head(&parts.limits);
        for name in &manifest.runs {
            state.keys.runs.push(Arc::new(Run::open(&folder.join(name))?));
        }
        let path = folder.join(&manifest.journal);
        let frames = Frames::read(&path, JOURNAL_MARK)?;
        let mut replayed =
            replay(&path, &frames, &manifest, Acknowledged::read(folder), state, &parts, owns)?;
        if !manifest.knows_crowds() {
            let state = &mut replayed.state;
            state.crowds = Crowds::of(&state.keys)?;
        }
        check_places(&replayed.state, &ends, &parts.texts)?;
        // Everything is checked; from here on files are changed.
        let journal = Log::continue_after(&path, JOURNAL, &frames, replayed.frames as usize)?;
        if owns {
            parts.texts.truncate(replayed.end)?;
        }
        manifest.clean(folder)?;
        Store::with(folder, parts, manifest, journal, replayed)
    }

    fn with(
        folder: &Path,
        parts: StoreParts,
        manifest: Manifest,
        journal: Log,
        replayed: Replayed,
    ) -> Result<OpenStore> {
        let StoreParts { texts, how, limits, .. } = parts;
        let Replayed { state, frames, operations, end } = replayed;
        let (file, path) = journal.handle()?;
        let acknowledged = Acknowledged::open(folder)?;
        // Replayed frames may not be on disk yet, so the next sync starts at the beginning of the journal.
        let (before, segment) = (manifest.frames, manifest.end().segment);
        Ok(OpenStore(Arc::new(Store {
            folder: folder.to_owned(),
            texts,
            how,
            limits,
            state: RwLock::new(state),
            writer: Mutex::new(WriterState { manifest, journal, end, operations, moved: false }),
            written: AtomicU64::new(before + frames),
            acknowledged: AtomicU64::new(before),
            segment: AtomicU32::new(segment),
            synced: Mutex::new(SyncState { frames: before, journal: file, path, segment, acknowledged }),
            failed: AtomicBool::new(false),
            background: Background::default(),
        })))
    }
}

/// The state after replaying a journal.
struct Replayed {
    state: State,
    /// How many frames were replayed.
    frames: u64,
    operations: u64,
    /// Where the texts end after them.
    end: End,
}

fn replay(
    path: &Path,
    frames: &Frames,
    manifest: &Manifest,
    noted: u64,
    mut state: State,
    parts: &StoreParts,
    owns: bool,
) -> Result<Replayed> {
    // Each frame records how many frames were acknowledged when it was written.
    let acknowledged = frames
        .iter()
        .chain(frames.behind())
        .map(|frame| Decoder::new(frame).u64())
        .try_fold(noted, |most, next| Ok::<u64, Error>(most.max(next?)))
        .map_err(|_| of_another_version(path))?;
    let whole = manifest.frames + frames.iter().count() as u64;
    if whole < acknowledged {
        let what = format!(
            "is damaged or cut off at byte {}, and what it had there was acknowledged: restore it from a copy",
            frames.end()
        );
        return Err(Error::damaged(path, what));
    }
    let total = parts.texts.end()?;
    let (mut taken, mut operations, mut end) = (0, 0, manifest.end());
    for frame in frames.iter() {
        let (frame_end, all) = decode_frame(frame).map_err(|_| of_another_version(path))?;
        let unreadable = |operation: &Operation| match operation {
            Operation::Put(put) if owns => unreadable(&parts.texts, put.place, total),
            _ => None,
        };
        if let Some(error) = all.iter().find_map(unreadable) {
            if manifest.frames + taken < acknowledged {
                return Err(error);
            }
            break;
        }
        all.iter().for_each(|operation| state.apply(&*parts.how, operation));
        operations += all.len() as u64;
        taken += 1;
        end = frame_end;
    }
    if state.keyed > state.population.contents.next_number() {
        return Err(Error::damaged(path, "lacks operations whose keys are on disk: restore it from a copy"));
    }
    Ok(Replayed { state, frames: taken, operations, end })
}

/// The end of the texts after a frame, and its operations.
pub(super) fn decode_frame(frame: &[u8]) -> Result<(End, Vec<Operation>)> {
    let mut from = Decoder::new(frame);
    from.u64()?;
    let end = End { segment: from.u32()?, offset: from.u64()? };
    let mut operations = Vec::new();
    while !from.is_empty() {
        operations.push(Operation::decode(&mut from)?);
    }
    Ok((end, operations))
}

fn of_another_version(path: &Path) -> Error {
    Error::Incompatible(format!("{} was written by another version", path.display()))
}

/// Why a line cannot be read, if a crash may have lost it; `None` if it can be read, or is older than that.
fn unreadable(texts: &Texts, place: Place, total: End) -> Option<Error> {
    let is_old = place.segment == total.segment && place.end().saturating_add(CHECKED_BYTES) < total.offset;
    if is_old { None } else { texts.read(place, &mut Vec::new()).err() }
}

/// Checks by the sizes of the files that every living document's line is there. Otherwise the next line would be
/// written over its place. The snapshot says where the lines of its documents end in each segment.
fn check_places(state: &State, ends: &BTreeMap<u32, u64>, texts: &Texts) -> Result<()> {
    let sizes: BTreeMap<u32, u64> = texts.sizes()?.into_iter().collect();
    let new = state.population.documents.iter_new().filter(|document| document.is_alive());
    let new = new.map(|document| (document.place.segment, document.place.end()));
    for (segment, end) in ends.iter().map(|(&segment, &end)| (segment, end)).chain(new) {
        match sizes.get(&segment) {
            None => {
                return Err(Error::damaged(texts.path(segment), "is missing: restore it from a copy"));
            }
            Some(&size) if size < end => {
                let what = format!("is cut off at byte {size}: restore it from a copy");
                return Err(Error::damaged(texts.path(segment), what));
            }
            Some(_) => {}
        }
    }
    Ok(())
}
