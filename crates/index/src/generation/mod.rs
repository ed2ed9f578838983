//! A generation: one recipe, and the documents signed by it.

mod context;

use std::path::Path;
use std::sync::{Arc, Mutex};

use crate::storage::document::DocumentNumber;
use crate::storage::limits::IndexLimits;
use crate::storage::state::Layout;
use crate::storage::store::{OpenStore, Store, StoreParts};
use crate::storage::texts::Texts;
use lookalike_core::candidates::Buckets;
use lookalike_core::lexicon::Lexicon;
use lookalike_core::registry::Registry;
use lookalike_core::{Error, Result};
use lookalike_io::record::Fields;

use super::lexicons::{Lexicons, Recorder};
use super::link_cache::LinkCache;
use lookalike_engine::Recipe;
use lookalike_engine::lexicon::AssetFiles;
use lookalike_engine::pipeline::{FieldPlan, Fingerprints, Lookup, Pipeline, SeenFields};

use self::context::SigningBuffers;
pub use self::context::{LoadedDocument, SignedDocument, SigningContext};

pub struct Generation {
    pub number: u64,
    pub recipe: String,
    pub pipeline: Pipeline,
    pub plan: FieldPlan,
    pub fields: Fields,
    /// Those of the fields that features are made of which some document had that was signed since it was opened.
    pub seen: SeenFields,
    /// How the candidates for a document are looked up.
    pub lookup: Lookup,
    pub store: OpenStore,
    pub lexicons: Lexicons,
    /// How many contents with one key are a crowd, and how many pivots it has.
    pub crowds: Buckets,
    /// How the versions of documents are told apart.
    pub fingerprints: Fingerprints,
    /// What was computed about crowds, and for callers who do not see every document.
    pub link_cache: LinkCache,
    /// Buffers of finished contexts, to be reused.
    buffers: Mutex<Vec<SigningBuffers>>,
}

/// What is needed to create or open a generation.
pub struct GenerationParts<'a> {
    pub texts: &'a Arc<Texts>,
    pub recipe: &'a Recipe,
    pub registry: &'a Registry,
    pub limits: IndexLimits,
    /// The lexicon that was counted from the documents, if the recipe names it.
    pub native: Option<&'a Lexicon>,
}

impl Generation {
    /// The generation since which documents have kept their lasting numbers.
    pub fn numbering(&self) -> u64 {
        self.store.state().lasting.since(self.number)
    }

    /// The position that the next document will have for the keep rules. It is its lasting number: the numbers within a
    /// generation start again below those by which older documents are ranked.
    pub fn next_position(&self) -> u32 {
        let state = self.store.state();
        state.lasting.of(state.population.documents.next_number()).raw()
    }

    /// How many bytes are stored for each document.
    pub fn layout(&self) -> Layout {
        layout(&self.pipeline, &self.lookup)
    }

    /// Reads a document's line, even if `compact` moves it meanwhile. [`Error::Gone`] if it has been removed and
    /// compacted away.
    pub fn read_line(&self, document: DocumentNumber, out: &mut Vec<u8>) -> Result<()> {
        let entry = || self.store.state().population.documents.get(document).copied();
        let unknown = || Error::Internal(format!("document {document:?} is unknown"));
        let first = entry().ok_or_else(unknown)?;
        let error = match self.store.texts.read(first.place, out) {
            Ok(()) => return Ok(()),
            Err(error) => error,
        };
        match entry() {
            Some(now) if !now.is_alive() => Err(Error::Gone),
            Some(now) if now.place != first.place => self.store.texts.read(now.place, out),
            _ => Err(error),
        }
    }

    pub fn create(number: u64, folder: &Path, from: &GenerationParts<'_>) -> Result<Self> {
        Generation::with(number, folder, from, |parts| Store::create(folder, parts))
    }

    pub fn open(number: u64, folder: &Path, from: &GenerationParts<'_>, owns: bool) -> Result<Self> {
        Generation::with(number, folder, from, |parts| Store::open(folder, parts, owns))
    }

    fn with(
        number: u64,
        folder: &Path,
        from: &GenerationParts<'_>,
        store: impl FnOnce(StoreParts) -> Result<OpenStore>,
    ) -> Result<Self> {
        let &GenerationParts { texts, recipe, registry, limits, native } = from;
        let assets =
            native.map_or_else(AssetFiles::default, |native| AssetFiles::with_native(native.clone()));
        let loaded = Recorder::new(&assets);
        let pipeline = recipe.build_with(registry, &loaded)?;
        let lexicons = Lexicons::new(loaded, recipe.counted_features(registry)?, folder);
        let plan = pipeline.field_plan("source");
        let fields = Fields { id: "id".to_owned(), text: "text".to_owned(), wanted: plan.wanted.clone() };
        let seen = SeenFields::new(&pipeline, &plan);
        let lookup = Lookup::new(&pipeline);
        let layout = layout(&pipeline, &lookup);
        let store = store(StoreParts {
            texts: Arc::clone(texts),
            how: recipe.build_with(registry, &assets)?.clusterer,
            scheme: pipeline.scheme.id.clone(),
            layout,
            limits,
        })?;
        let recipe = recipe.to_stored();
        let buffers = Mutex::default();
        let link_cache = LinkCache::default();
        let crowds = Buckets::default();
        let fingerprints = Fingerprints::new(&pipeline)?;
        Ok(Generation {
            number,
            recipe,
            pipeline,
            plan,
            fields,
            seen,
            lookup,
            store,
            lexicons,
            crowds,
            fingerprints,
            link_cache,
            buffers,
        })
    }
}

fn layout(pipeline: &Pipeline, lookup: &Lookup) -> Layout {
    Layout { rules: pipeline.keep.rules.len(), stored: lookup.stored }
}

/// Checks that an index can answer queries by this recipe.
pub fn check_recipe(recipe: &Recipe, registry: &Registry) -> Result<()> {
    let assets = recipe.assets_before_counting(registry)?;
    Lookup::new(&recipe.build_with(registry, &assets)?).check_answers()
}
