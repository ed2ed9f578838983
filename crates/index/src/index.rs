//! An index on disk: made, opened, closed; and who may do what with it.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use crate::storage::lasting::LastingNumber;
use crate::storage::limits::Limits;
use crate::storage::store::StoreWriter;
use crate::storage::texts::Texts;
use lookalike_core::registry::Registry;
use lookalike_core::{Error, Result};
use lookalike_plumbing::files::sync_folder;
use lookalike_plumbing::json::{read_json, write_json};
use lookalike_plumbing::lock::LockFile;
use serde::{Deserialize, Serialize};

use super::generation::{self, Generation, Source};
use lookalike_engine::Recipe;

pub(crate) const HEAD: &str = "index.json";
const FORMAT: u32 = 1;

/// An index on disk, open in this process and in no other.
pub struct Index {
    pub(crate) folder: PathBuf,
    pub(crate) registry: Registry,
    pub(crate) limits: Limits,
    pub(crate) texts: Arc<Texts>,
    pub(crate) current: RwLock<Arc<Generation>>,
    /// Held by who compacts or builds a new generation.
    pub(crate) upkeep: Mutex<()>,
    /// Hits that were counted and are not in the journal yet: lasting numbers, hits and the last time.
    pub(crate) hits: Mutex<HashMap<LastingNumber, (u32, u32)>>,
    /// Why upkeep after a change failed, until somebody is told.
    pub(crate) late: Mutex<Option<Error>>,
    /// How far a new generation is, in millionths, plus one; 0 when none is built.
    pub(crate) resigning: AtomicU64,
    _lock: LockFile,
}

/// Asks an index.
#[derive(Clone, Copy)]
pub struct Reader<'a> {
    pub(crate) index: &'a Index,
}

/// Changes an index. Whatever it did is durable when it returns.
#[derive(Clone, Copy)]
pub struct Writer<'a> {
    pub(crate) index: &'a Index,
}

/// Looks at all of an index at a glance.
#[derive(Clone, Copy)]
pub struct Surveyor<'a> {
    pub(crate) index: &'a Index,
}

/// What the folder says of itself.
#[derive(Serialize, Deserialize)]
pub(crate) struct Head {
    format: u32,
    pub(crate) generation: u64,
    recipe: String,
}

impl Index {
    /// Makes a new index in a folder that has none.
    pub fn create(folder: &Path, recipe: &Recipe, registry: Registry) -> Result<Index> {
        Index::create_with(folder, recipe, registry, Limits::default())
    }

    /// Says why an index cannot answer by a recipe, if it cannot.
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
        Index::make(folder, recipe, registry, limits)
    }

    /// Makes a new index for what a batch run found, by any recipe: see [`Index::fill`].
    pub fn create_to_fill(folder: &Path, recipe: &Recipe, registry: Registry) -> Result<Index> {
        Index::make(folder, recipe, registry, Limits::default())
    }

    fn make(folder: &Path, recipe: &Recipe, registry: Registry, limits: Limits) -> Result<Index> {
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
        lock: LockFile,
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
        state.lasting.of(state.population.documents.next_number()).raw()
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

    /// What may be asked.
    pub fn reader(&self) -> Reader<'_> {
        Reader { index: self }
    }

    /// What may be changed.
    pub fn writer(&self) -> Writer<'_> {
        Writer { index: self }
    }

    /// What may be looked at as a whole.
    pub fn surveyor(&self) -> Surveyor<'_> {
        Surveyor { index: self }
    }

    /// Ends in order; without it nothing is lost, but opening takes longer.
    pub fn close(self) -> Result<()> {
        let (operations, _) = self.generation().store.sizes()?;
        let counted = !self.hits.lock().unwrap_or_else(PoisonError::into_inner).is_empty();
        if operations > 0 || counted { self.writer().checkpoint() } else { Ok(()) }
    }

    pub(crate) fn generation(&self) -> Arc<Generation> {
        Arc::clone(&self.current.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Lets `work` change the generation that answers, while nobody else does.
    pub(crate) fn write<T>(
        &self,
        work: impl for<'g> FnOnce(&'g Generation, StoreWriter<'g>) -> Result<T>,
    ) -> Result<T> {
        loop {
            let generation = self.generation();
            let writer = generation.store.write()?;
            // Another one may have taken over while we waited.
            if self.generation().number == generation.number {
                return work(&generation, writer);
            }
        }
    }

    /// How far a new generation is, from 0 to 1.
    pub fn resigning(&self) -> Option<f64> {
        let progress = self.resigning.load(Ordering::Relaxed);
        (progress > 0).then(|| (progress - 1) as f64 / 1e6)
    }
}

pub(crate) fn generation_folder(folder: &Path, number: u64) -> PathBuf {
    folder.join(format!("generation-{number}"))
}

pub(crate) fn write_head(folder: &Path, generation: &Generation) -> Result<()> {
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

fn lock(folder: &Path) -> Result<LockFile> {
    LockFile::try_take(&folder.join("lock"))?.ok_or_else(|| {
        Error::config(format!(
            "{} is in use by another process; if that is `lookalike serve`, ask it over HTTP",
            folder.display()
        ))
    })
}
