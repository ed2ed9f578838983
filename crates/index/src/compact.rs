//! Room that removed documents take is given back: their texts on disk, and their places in memory.
//!
//! A number stays with the document that had it, dead or alive, for as long as a generation lasts. When the dead are
//! more than the living, the living move to a new generation of the same recipe.

use crate::index::Writer;
use std::sync::PoisonError;

use lookalike_core::{Result, threads};

use crate::index::Index;
use lookalike_engine::Recipe;

impl Writer<'_> {
    /// Frees the space of what was removed, and merges what was added. Others go on meanwhile.
    pub fn compact(&self) -> Result<()> {
        let _upkeep = self.index.upkeep.lock().unwrap_or_else(PoisonError::into_inner);
        if self.index.is_sparse(0) {
            let generation = self.index.generation();
            let recipe = Recipe::from_toml(&generation.recipe, &self.index.registry)?;
            // A lexicon that was changed is another recipe, which nobody asked for; and links that only a batch run finds
            // would be lost.
            let is_same = recipe.build(&self.index.registry)?.scheme.id == generation.pipeline.scheme.id;
            if is_same && generation.lookup.check_answers().is_ok() {
                // Nobody waits for this, and others want to be answered.
                let cores = threads::available();
                self.build_next(&recipe, (cores / 2).max(1))?;
            }
        }
        self.index.generation().store.compact()
    }
}

impl Index {
    /// Whether so much can be freed that [`Writer::compact`] should be called.
    pub fn is_wasteful(&self) -> bool {
        let (living, dead) = {
            let generation = self.generation();
            let state = generation.store.state();
            (state.living_bytes, state.dead_bytes)
        };
        self.is_sparse(self.limits.dead_documents) || dead > living.max(self.limits.dead_bytes)
    }

    /// Whether more documents are dead than alive, and than so many.
    fn is_sparse(&self, few: u32) -> bool {
        let generation = self.generation();
        let population = &generation.store.state().population;
        population.documents.len() as u32 - population.living > population.living.max(few)
    }
}
