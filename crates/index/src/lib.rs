//! The persistent index: "have we seen this?", one document at a time.
//!
//! ```
//! use lookalike_core::registry::Registry;
//! use lookalike_engine::Recipe;
//! use lookalike_index::{Ask, Index, Policy, Verdict};
//!
//! let folder = tempfile::tempdir().unwrap();
//! let registry = Registry::with_built_ins();
//! let recipe = Recipe::standard(&registry)?;
//! let index = Index::create(&folder.path().join("index"), &recipe, registry)?;
//! let text = "a text of more than five words, since shingles have five";
//! let line = format!("{{\"id\":\"a\",\"text\":\"{text}\"}}");
//! assert_eq!(index.add(line.as_bytes(), Policy::Report, &Ask::default())?.verdict, Verdict::New);
//! let asked = format!("{{\"text\":\"{text}\"}}");
//! let answer = index.check(asked.as_bytes(), &Ask::default())?;
//! assert_eq!(answer.verdict, Verdict::Duplicate);
//! # Ok::<(), lookalike_core::Error>(())
//! ```
//!
//! Documents are known outside by lasting numbers (`storage::lasting`); within a generation, here, by its own.
//!
//! The same recipe, features, keys and verification as a batch run, so the same pairs. What is on disk and
//! in memory is `storage`'s; the rest is what a recipe makes of it:
//!
//! * `generation` signs documents, `find` finds what they resemble, `tell` makes answers of that;
//! * `add` carries out policies, `see` and `map` look things up, `hold` does so in one state, `decide` hears people,
//!   `resign` changes the recipe, `compact` makes room, `survey` shows everything at a glance, `removals` plans what
//!   would go.

mod add;
mod answer;
mod ask;
mod clusters;
mod compact;
mod decide;
mod evidence;
mod face;
mod find;
mod generation;
mod hold;
mod links;
mod load;
mod map;
mod name;
mod recrawl;
mod removals;
mod resign;
mod restore;
mod see;
mod storage;
pub mod survey;
mod tell;
#[cfg(test)]
mod tests;

pub use crate::storage::store::Limits;
pub use answer::{
    Action, Answer, ClusterView, Decision, History, Match, MemberView, NearDuplicate, Passage, Preference,
    Recrawl, Seen, SetVerdict, Stats, Stored, Verdict, Version,
};
pub use ask::{Ask, Policy, View};
pub use evidence::Evidence;
pub use face::Face;
pub use hold::{Held, HeldDocument, HeldMember};
pub use load::{Line, for_each_batch};
pub use map::{ClusterMap, MapMember, Outside};
pub use name::Name;
pub use removals::{ClusterPlan, Reason, Removal};
pub use restore::{Departed, Departure, Refusal};

use std::collections::HashMap;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use crate::storage::population::Sight;
use crate::storage::state::State;
use crate::storage::texts::Texts;
use lookalike_core::registry::Registry;
use lookalike_core::{Error, Result};
use lookalike_io::whole::{read_json, sync_folder, write_json};
use serde::{Deserialize, Serialize};

use self::generation::{Desk, Generation, Source};
use lookalike_engine::Recipe;

const HEAD: &str = "index.json";
const FORMAT: u32 = 1;

/// An index on disk, open in this process and in no other.
pub struct Index {
    folder: PathBuf,
    registry: Registry,
    limits: Limits,
    texts: Arc<Texts>,
    current: RwLock<Arc<Generation>>,
    /// Held by who compacts or builds a new generation.
    upkeep: Mutex<()>,
    /// Hits that were counted and are not in the journal yet: lasting numbers, hits and the last time.
    hits: Mutex<HashMap<u32, (u32, u32)>>,
    /// Why upkeep after a change failed, until somebody is told.
    late: Mutex<Option<Error>>,
    /// How far a new generation is, in millionths, plus one; 0 when none is built.
    resigning: AtomicU64,
    _lock: File,
}

/// What the folder says of itself.
#[derive(Serialize, Deserialize)]
struct Head {
    format: u32,
    generation: u64,
    recipe: String,
}

impl Index {
    /// Makes a new index in a folder that has none.
    pub fn create(folder: &Path, recipe: &Recipe, registry: Registry) -> Result<Index> {
        Index::create_with(folder, recipe, registry, Limits::default())
    }

    /// Says why an index cannot use a recipe, if it cannot.
    pub fn accepts(recipe: &Recipe, registry: &Registry) -> Result<()> {
        generation::check(recipe, registry)
    }

    pub fn open(folder: &Path, registry: Registry) -> Result<Index> {
        Index::open_with(folder, registry, Limits::default())
    }

    /// Makes a new index that gathers as much as these limits say before it is moved on.
    pub fn create_with(folder: &Path, recipe: &Recipe, registry: Registry, limits: Limits) -> Result<Index> {
        // Said before anything is written.
        generation::check(recipe, &registry)?;
        std::fs::create_dir_all(folder).map_err(Error::io(folder))?;
        let lock = lock(folder)?;
        if Index::is_in(folder) {
            return Err(Error::config(format!("{} is an index already", folder.display())));
        }
        refuse_without_head(folder)?;
        let texts = Arc::new(Texts::create(&folder.join("texts"), limits)?);
        let from = Source { texts: &texts, recipe, registry: &registry, limits };
        let generation = Generation::create(1, &generation_folder(folder, 1), &from)?;
        write_head(folder, &generation)?;
        folder.canonicalize().map_err(Error::io(folder))?.parent().map_or(Ok(()), sync_folder)?;
        Ok(Index::with(folder, registry, limits, texts, generation, lock))
    }

    pub fn open_with(folder: &Path, registry: Registry, limits: Limits) -> Result<Index> {
        let path = folder.join(HEAD);
        if !Index::is_in(folder) {
            refuse_without_head(folder)?;
            return Err(Error::config(format!(
                "{} is no index; `lookalike index create {}` makes one",
                folder.display(),
                folder.display()
            )));
        }
        let lock = lock(folder)?;
        let head: Head = read_json(&path)?;
        if head.format != FORMAT {
            return Err(Error::Incompatible(format!(
                "{} has format {}, this program reads format {FORMAT}",
                path.display(),
                head.format
            )));
        }
        let recipe = Recipe::from_toml(&head.recipe, &registry)?;
        let texts = Arc::new(Texts::open(&folder.join("texts"), limits)?);
        let own = generation_folder(folder, head.generation);
        let from = Source { texts: &texts, recipe: &recipe, registry: &registry, limits };
        let generation = Generation::open(head.generation, &own, &from, true)?;
        // Left by a change of generations that was interrupted after the switch.
        for older in 1..head.generation {
            let old = generation_folder(folder, older);
            if old.exists() {
                std::fs::remove_dir_all(&old).map_err(Error::io(old))?;
            }
        }
        Ok(Index::with(folder, registry, limits, texts, generation, lock))
    }

    fn with(
        folder: &Path,
        registry: Registry,
        limits: Limits,
        texts: Arc<Texts>,
        generation: Generation,
        lock: File,
    ) -> Index {
        Index {
            folder: folder.to_owned(),
            registry,
            limits,
            texts,
            current: RwLock::new(Arc::new(generation)),
            upkeep: Mutex::new(()),
            hits: Mutex::new(HashMap::new()),
            late: Mutex::new(None),
            resigning: AtomicU64::new(0),
            _lock: lock,
        }
    }

    /// What is known of a document that is not inserted.
    pub fn check(&self, document: &[u8], ask: &Ask) -> Result<Answer> {
        let generation = self.generation();
        let mut desk = Desk::new(&generation);
        let next = generation.store.state().population.documents.len() as u32;
        let asked = desk.prepare(document, next)?;
        let sight = sight(&generation.store.state(), ask);
        let found = find::find(&mut desk, &generation, &asked, &sight, 0)?.found;
        if ask.refresh {
            self.count_hits(&generation, &found, &sight, ask);
        }
        tell::checked(self, &mut desk, &generation, document, &asked, &found, &sight, ask)
    }

    /// The recipe, as a file has it.
    pub fn recipe(&self) -> String {
        self.generation().recipe.clone()
    }

    pub fn scheme(&self) -> String {
        self.generation().pipeline.scheme.id.clone()
    }

    /// The number of the generation, which changes with the recipe.
    pub fn generation_number(&self) -> u64 {
        self.generation().number
    }

    /// Changes with every change of what the index holds.
    pub fn version(&self) -> (u64, u64) {
        let generation = self.generation();
        (generation.number, generation.store.written())
    }

    /// The number that the next document will get.
    pub fn next_number(&self) -> u32 {
        let generation = self.generation();
        let state = generation.store.state();
        state.lasting.of(state.population.documents.len() as u32)
    }

    /// Changes when documents get other numbers, which a new generation seldom does.
    pub fn numbering(&self) -> u64 {
        self.generation().numbering()
    }

    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Whether a folder holds an index.
    pub fn is_in(folder: &Path) -> bool {
        folder.join(HEAD).is_file()
    }

    /// Forgets what has expired, writes counted hits to disk, and does the upkeep that is due. Says if that fails, or
    /// failed after a change meanwhile. To be called now and then.
    pub fn tick(&self, now: u64) -> Result<()> {
        let generation = self.generation();
        let mut writer = generation.store.write()?;
        if !self.is_current(&generation) {
            drop(writer);
            return self.tick(now);
        }
        let ticket = self.catch_up(&generation, &mut writer, seconds(now))?;
        let due = writer.maintain();
        drop(writer);
        generation.store.sync(ticket)?;
        let late = self.late.lock().unwrap_or_else(PoisonError::into_inner).take();
        due.and(late.map_or(Ok(()), Err))
    }

    /// Writes a checkpoint, so that opening has nothing to replay.
    pub fn checkpoint(&self) -> Result<()> {
        let generation = self.generation();
        let mut writer = generation.store.write()?;
        if !self.is_current(&generation) {
            drop(writer);
            return self.checkpoint();
        }
        let _ = self.catch_up(&generation, &mut writer, 0)?;
        writer.checkpoint()
    }

    /// Ends in order; without it nothing is lost, but opening takes longer.
    pub fn close(self) -> Result<()> {
        let (operations, _) = self.generation().store.sizes()?;
        let counted = !self.hits.lock().unwrap_or_else(PoisonError::into_inner).is_empty();
        if operations > 0 || counted { self.checkpoint() } else { Ok(()) }
    }

    fn generation(&self) -> Arc<Generation> {
        Arc::clone(&self.current.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// How far a new generation is, from 0 to 1.
    pub fn resigning(&self) -> Option<f64> {
        let progress = self.resigning.load(Ordering::Relaxed);
        (progress > 0).then(|| (progress - 1) as f64 / 1e6)
    }
}

fn generation_folder(folder: &Path, number: u64) -> PathBuf {
    folder.join(format!("generation-{number}"))
}

fn write_head(folder: &Path, generation: &Generation) -> Result<()> {
    let head = Head { format: FORMAT, generation: generation.number, recipe: generation.recipe.clone() };
    write_json(&folder.join(HEAD), &head)
}

/// Texts without the file that says what they are belong to an index that lost it: a new one would destroy it.
fn refuse_without_head(folder: &Path) -> Result<()> {
    let has_texts = std::fs::read_dir(folder.join("texts")).is_ok_and(|mut entries| entries.next().is_some());
    if has_texts {
        let what = "is missing, but there are texts of an index beside it: restore it from a copy";
        return Err(Error::damaged(folder.join(HEAD), what));
    }
    Ok(())
}

fn lock(folder: &Path) -> Result<File> {
    let path = folder.join("lock");
    let file = File::create(&path).map_err(Error::io(&path))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(std::fs::TryLockError::WouldBlock) => Err(Error::config(format!(
            "{} is in use by another process; if that is `lookalike serve`, ask it over HTTP",
            folder.display()
        ))),
        Err(std::fs::TryLockError::Error(source)) => Err(Error::Io { path, source }),
    }
}

/// Times are stored in 32 bits, which last until 2106.
fn seconds(time: u64) -> u32 {
    u32::try_from(time).unwrap_or(u32::MAX)
}

/// What the asker sees.
fn sight(state: &State, ask: &Ask) -> Sight {
    sight_of(state, &ask.view, ask.now)
}

fn sight_of(state: &State, view: &View, now: u64) -> Sight {
    let sets = match view {
        View::All => None,
        View::Labels(own) => {
            let sees = |set: &[String]| set.is_empty() || set.iter().any(|label| own.contains(label));
            Some(state.labels.iter().map(sees).collect())
        }
    };
    Sight { sets, now: seconds(now) }
}
