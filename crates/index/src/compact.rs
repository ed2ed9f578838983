//! Frees the space that removed documents take: their texts on disk, and their entries in memory.
//!
//! A document keeps its number, removed or not, for as long as the generation lasts. When more documents are dead
//! than alive, the living ones move to a new generation with the same recipe.

use std::collections::BTreeSet;
use std::sync::PoisonError;

use lookalike_core::document::Id;
use lookalike_core::{Error, Result, threads};

use crate::index::{Index, IndexWriter, generation_folder};
use crate::statistics::Statistics;
use lookalike_engine::Recipe;
use lookalike_engine::lexicon::NATIVE;

impl IndexWriter<'_> {
    /// Leaves nothing of removed documents in the files of this index, neither texts nor ids, and no decision about those to
    /// be forgotten. All documents are signed again to that end, so it takes as long as that. Readers and writers continue
    /// meanwhile.
    pub fn purge(&self, forget: &BTreeSet<Id>) -> Result<()> {
        let _upkeep = self.index.upkeep.lock().unwrap_or_else(PoisonError::into_inner);
        let generation = self.index.generation();
        generation.lookup.check_answers()?;
        let recipe = Recipe::from_toml(&generation.recipe, &self.index.registry)?;
        let built = recipe.build_with(&self.index.registry, &generation.lexicons.assets())?;
        if built.scheme.id != generation.pipeline.scheme.id {
            let what = "a file that the recipe names has changed since: bring it back, or `resign` first";
            return Err(Error::Incompatible(what.to_owned()));
        }
        // What an interrupted change of recipes left may know of them, too.
        let next = generation_folder(&self.index.folder, generation.number + 1);
        if next.exists() {
            std::fs::remove_dir_all(&next).map_err(Error::io(next))?;
        }
        drop(generation);
        let cores = threads::available();
        // A lexicon that was counted from the documents has their words.
        let counted = recipe.uses_lexicon(NATIVE, &self.index.registry)?;
        let how = if counted { Statistics::Count } else { Statistics::Keep };
        self.build_next(&recipe, (cores / 2).max(1), how, forget)?;
        self.index.generation().store.compact(true)
    }

    /// Frees the space of removed documents and merges the key files. Readers and writers continue meanwhile.
    pub fn compact(&self) -> Result<()> {
        let _upkeep = self.index.upkeep.lock().unwrap_or_else(PoisonError::into_inner);
        if self.index.is_sparse(0) {
            let generation = self.index.generation();
            let recipe = Recipe::from_toml(&generation.recipe, &self.index.registry)?;
            // If a lexicon has changed since, this would be another recipe, which nobody asked for. And links that
            // only a batch run finds would be lost.
            let built = recipe.build_with(&self.index.registry, &generation.lexicons.assets())?;
            let is_same = built.scheme.id == generation.pipeline.scheme.id;
            if is_same && generation.lookup.check_answers().is_ok() {
                // Nobody waits for this work, so half of the cores stay free for queries.
                let cores = threads::available();
                self.build_next(&recipe, (cores / 2).max(1), Statistics::Keep, &BTreeSet::new())?;
            }
        }
        self.index.generation().store.compact(false)
    }
}

impl Index {
    /// Whether so much space can be freed that [`IndexWriter::compact`] is worth calling.
    pub fn should_compact(&self) -> bool {
        let (living, dead) = {
            let generation = self.generation();
            let state = generation.store.state();
            (state.living_bytes, state.dead_bytes)
        };
        self.is_sparse(self.limits.dead_documents) || dead > living.max(self.limits.dead_bytes)
    }

    /// Whether more documents are dead than alive, and more than `few`.
    fn is_sparse(&self, few: u32) -> bool {
        let generation = self.generation();
        let population = &generation.store.state().population;
        population.documents.len() as u32 - population.living > population.living.max(few)
    }
}
