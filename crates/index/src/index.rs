//! An index on disk: creating, opening and closing it, and the handles for its users.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use crate::storage::document::DocumentNumber;
use crate::storage::lasting::LastingNumber;
use crate::storage::limits::IndexLimits;
use crate::storage::store::StoreWriter;
use crate::storage::texts::Texts;
use lookalike_core::registry::Registry;
use lookalike_core::{Error, Result};
use lookalike_plumbing::files::sync_folder;
use lookalike_plumbing::json::{read_json, write_json};
use lookalike_plumbing::lock::LockFile;
use serde::{Deserialize, Serialize};

use super::generation::{self, Generation, GenerationParts};
use super::native;
use super::refresh_setting::Refresh;
use lookalike_engine::Recipe;
use lookalike_engine::lexicon::{AssetFiles, NATIVE};

pub(crate) const HEAD: &str = "index.json";
pub(crate) const TEXTS: &str = "texts";
const FORMAT: u32 = 1;

/// An index on disk, open in this process and in no other.
pub struct Index {
    pub(crate) folder: PathBuf,
    pub(crate) registry: Registry,
    pub(crate) limits: IndexLimits,
    pub(crate) texts: Arc<Texts>,
    pub(crate) current: RwLock<Arc<Generation>>,
    /// Held while the index is compacted or a new generation is built.
    pub(crate) upkeep: Mutex<()>,
    /// Hits that are counted but not in the journal yet: by lasting number, how many and the last time.
    pub(crate) hits: Mutex<HashMap<LastingNumber, (u32, u32)>>,
    /// The error of upkeep after a change, until `tick` reports it.
    pub(crate) deferred_error: Mutex<Option<Error>>,
    /// The progress of a new generation in millionths, plus one; 0 when none is being built.
    pub(crate) resigning: AtomicU64,
    /// When the native lexicon is counted again by itself.
    pub(crate) refresh: Mutex<Refresh>,
    /// Whether that is happening.
    pub(crate) refreshing: AtomicBool,
    _lock: LockFile,
}

/// Answers queries.
#[derive(Clone, Copy)]
pub struct IndexReader<'a> {
    pub(crate) index: &'a Index,
}

/// Changes the index. Every change is durable when its method returns.
#[derive(Clone, Copy)]
pub struct IndexWriter<'a> {
    pub(crate) index: &'a Index,
}

/// Overviews of the whole index, and planning of removals.
#[derive(Clone, Copy)]
pub struct Surveyor<'a> {
    pub(crate) index: &'a Index,
}

/// The contents of `index.json`.
#[derive(Serialize, Deserialize)]
pub(crate) struct Head {
    format: u32,
    pub(crate) generation: u64,
    recipe: String,
    #[serde(default, skip_serializing_if = "is_off")]
    refresh: Refresh,
}

fn is_off(refresh: &Refresh) -> bool {
    !refresh.is_on()
}

impl Index {
    /// Creates an index in a folder that has none.
    pub fn create(folder: &Path, recipe: &Recipe, registry: Registry) -> Result<Index> {
        Index::create_with(folder, recipe, registry, IndexLimits::default())
    }

    /// Checks that an index can use a recipe. It cannot if candidates are only found by looking at all documents at
    /// once.
    pub fn accepts(recipe: &Recipe, registry: &Registry) -> Result<()> {
        generation::check_recipe(recipe, registry)
    }

    /// Opens an index. Fails if another process has it open.
    pub fn open(folder: &Path, registry: Registry) -> Result<Index> {
        Index::open_with(folder, registry, IndexLimits::default())
    }

    /// Like [`Index::create`], with limits of your own.
    pub fn create_with(
        folder: &Path,
        recipe: &Recipe,
        registry: Registry,
        limits: IndexLimits,
    ) -> Result<Index> {
        Index::create_refreshed(folder, recipe, registry, limits, Refresh::default())
    }

    /// Like [`Index::create_with`], for an index whose lexicon is counted from its own documents: from the first ones, and
    /// again when that is due. Recipes name it `native`.
    pub fn create_refreshed(
        folder: &Path,
        recipe: &Recipe,
        registry: Registry,
        limits: IndexLimits,
        refresh: Refresh,
    ) -> Result<Index> {
        // Checked before anything is written.
        generation::check_recipe(recipe, &registry)?;
        match (recipe.uses_lexicon(NATIVE, &registry)?, refresh.is_on()) {
            (true, false) => Err(native::nothing_to_count()),
            (false, true) => Err(Error::config(
                "only a lexicon that is counted from the index itself is counted again: name the lexicon `native`",
            )),
            _ => Index::make(folder, recipe, registry, limits, refresh),
        }
    }

    /// Creates an index for the results of a batch run, by any recipe: see [`Index::bulk_load`].
    pub fn create_for_bulk_load(folder: &Path, recipe: &Recipe, registry: Registry) -> Result<Index> {
        Index::make(folder, recipe, registry, IndexLimits::default(), Refresh::default())
    }

    fn make(
        folder: &Path,
        recipe: &Recipe,
        registry: Registry,
        limits: IndexLimits,
        refresh: Refresh,
    ) -> Result<Index> {
        std::fs::create_dir_all(folder).map_err(Error::io(folder))?;
        let lock = lock(folder)?;
        if Index::is_in(folder) {
            return Err(Error::config(format!("{} is an index already", folder.display())));
        }
        refuse_without_head(folder)?;
        let texts = Arc::new(Texts::create(&folder.join(TEXTS), limits)?);
        let own = generation_folder(folder, 1);
        let native = match recipe.uses_lexicon(NATIVE, &registry)? {
            true => Some(native::count_none(&own, recipe, &registry)?),
            false => None,
        };
        let from =
            GenerationParts { texts: &texts, recipe, registry: &registry, limits, native: native.as_ref() };
        let generation = Generation::create(1, &own, &from)?;
        generation.lexicons.save(DocumentNumber::FIRST)?;
        write_head(folder, &generation, refresh)?;
        folder.canonicalize().map_err(Error::io(folder))?.parent().map_or(Ok(()), sync_folder)?;
        Ok(Index::with(folder, registry, limits, texts, (generation, refresh), lock))
    }

    /// Like [`Index::open`], with limits of your own.
    pub fn open_with(folder: &Path, registry: Registry, limits: IndexLimits) -> Result<Index> {
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
        let texts = Arc::new(Texts::open(&folder.join(TEXTS), limits)?);
        let own = generation_folder(folder, head.generation);
        let native = native::load(&own, &recipe, &registry)?;
        let native = native.as_ref();
        let from = GenerationParts { texts: &texts, recipe: &recipe, registry: &registry, limits, native };
        let generation = Generation::open(head.generation, &own, &from, true)?;
        native::recover(&generation)?;
        native::clear(folder)?;
        // Left over if a change of generations was interrupted after the switch.
        for older in 1..head.generation {
            let old = generation_folder(folder, older);
            if old.exists() {
                std::fs::remove_dir_all(&old).map_err(Error::io(old))?;
            }
        }
        Ok(Index::with(folder, registry, limits, texts, (generation, head.refresh), lock))
    }

    fn with(
        folder: &Path,
        registry: Registry,
        limits: IndexLimits,
        texts: Arc<Texts>,
        (generation, refresh): (Generation, Refresh),
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
            deferred_error: Mutex::new(None),
            resigning: AtomicU64::new(0),
            refresh: Mutex::new(refresh),
            refreshing: AtomicBool::new(false),
            _lock: lock,
        }
    }

    /// The recipe as TOML.
    pub fn recipe(&self) -> String {
        self.generation().recipe.clone()
    }

    /// What the recipe names: its `native` is the lexicon that was counted from the documents of this index.
    pub fn assets(&self) -> AssetFiles {
        self.generation().lexicons.assets()
    }

    /// The id of the scheme: what made the signatures.
    pub fn scheme(&self) -> String {
        self.generation().pipeline.scheme.id.clone()
    }

    /// The fields that features are made of and that no document has that was signed since the index was opened, by its
    /// present recipe. Such a name may be misspelt.
    pub fn absent_fields(&self) -> Vec<String> {
        self.generation().seen.absent().map(str::to_owned).collect()
    }

    /// The number of the generation. It grows with every new recipe, and when `compact` moves the documents.
    pub fn generation_number(&self) -> u64 {
        self.generation().number
    }

    /// A value that differs after every change of the index: generation, and changes within it.
    pub fn version(&self) -> (u64, u64) {
        let generation = self.generation();
        (generation.number, generation.store.written())
    }

    /// The lasting number that the next document will get.
    pub fn next_number(&self) -> u32 {
        let generation = self.generation();
        let state = generation.store.state();
        state.lasting.of(state.population.documents.next_number()).raw()
    }

    /// Identifies the numbering of documents. It changes when documents get other lasting numbers, which a new
    /// generation rarely does.
    pub fn numbering(&self) -> u64 {
        self.generation().numbering()
    }

    /// The folder of the index.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Whether a folder holds an index.
    pub fn is_in(folder: &Path) -> bool {
        folder.join(HEAD).is_file()
    }

    /// Queries.
    pub fn reader(&self) -> IndexReader<'_> {
        IndexReader { index: self }
    }

    /// Changes.
    pub fn writer(&self) -> IndexWriter<'_> {
        IndexWriter { index: self }
    }

    /// Overviews of the whole index.
    pub fn surveyor(&self) -> Surveyor<'_> {
        Surveyor { index: self }
    }

    /// Closes the index with a checkpoint. Without it nothing is lost, but opening takes longer.
    pub fn close(self) -> Result<()> {
        let (operations, _) = self.generation().store.sizes()?;
        let counted = !self.hits.lock().unwrap_or_else(PoisonError::into_inner).is_empty();
        if operations > 0 || counted {
            return self.writer().checkpoint();
        }
        let generation = self.generation();
        let next = generation.store.state().population.documents.next_number();
        generation.lexicons.save_if_any(next)
    }

    pub(crate) fn generation(&self) -> Arc<Generation> {
        Arc::clone(&self.current.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Runs `work` with the generation that answers, while no other writer runs.
    pub(crate) fn write<T>(
        &self,
        work: impl for<'g> FnOnce(&'g Generation, StoreWriter<'g>) -> Result<T>,
    ) -> Result<T> {
        loop {
            let generation = self.generation();
            let writer = generation.store.write()?;
            // A new generation may have taken over while this thread waited.
            if self.generation().number == generation.number {
                return work(&generation, writer);
            }
        }
    }

    /// The progress of a new generation from 0 to 1; `None` when none is being built.
    pub fn resigning(&self) -> Option<f64> {
        let progress = self.resigning.load(Ordering::Relaxed);
        (progress > 0).then(|| (progress - 1) as f64 / 1e6)
    }
}

pub(crate) fn generation_folder(folder: &Path, number: u64) -> PathBuf {
    folder.join(format!("generation-{number}"))
}

pub(crate) fn write_head(folder: &Path, generation: &Generation, refresh: Refresh) -> Result<()> {
    let recipe = generation.recipe.clone();
    let head = Head { format: FORMAT, generation: generation.number, recipe, refresh };
    write_json(&folder.join(HEAD), &head)
}

/// Texts without `index.json` belong to an index that has lost it. A new index would destroy them.
fn refuse_without_head(folder: &Path) -> Result<()> {
    let has_texts = std::fs::read_dir(folder.join(TEXTS)).is_ok_and(|mut entries| entries.next().is_some());
    if has_texts {
        let what = "is missing, but there are texts of an index beside it: restore it from a copy";
        return Err(Error::damaged(folder.join(HEAD), what));
    }
    Ok(())
}

pub(crate) fn lock(folder: &Path) -> Result<LockFile> {
    LockFile::try_take(&folder.join("lock"))?.ok_or_else(|| {
        Error::config(format!(
            "{} is in use by another process; if that is `lookalike serve`, ask it over HTTP",
            folder.display()
        ))
    })
}
