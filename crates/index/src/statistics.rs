//! What a new generation does about collection statistics.

use lookalike_core::Result;
use lookalike_engine::Recipe;
use lookalike_engine::lexicon::NATIVE;

use crate::generation::{self, Generation};
use crate::index::{Index, generation_folder};
use crate::native::{self, NextLexicon};
use crate::storage::document::DocumentNumber;

/// What a new generation does about a lexicon that is counted from the documents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Statistics {
    /// It keeps the one that there is.
    Keep,
    /// It is counted again, because somebody asked for that.
    Count,
    /// It is counted again by itself.
    Refresh,
}

impl Index {
    /// Checks that the documents can be signed by a recipe: one that an index can use, and with documents to count if it
    /// names the lexicon `native`.
    pub fn can_resign(&self, recipe: &Recipe) -> Result<()> {
        generation::check_recipe(recipe, &self.registry)?;
        let is_empty = self.generation().store.state().population.living == 0;
        if is_empty && !self.refresh().is_on() && recipe.uses_lexicon(NATIVE, &self.registry)? {
            return Err(native::nothing_to_count());
        }
        Ok(())
    }
}

/// The native lexicon for a new generation, if its recipe names it. Documents numbered below `end` are counted.
pub fn next_lexicon(
    index: &Index,
    old: &Generation,
    recipe: &Recipe,
    threads: usize,
    (statistics, end): (Statistics, DocumentNumber),
) -> Result<Option<NextLexicon>> {
    let Index { folder, registry, .. } = index;
    if !recipe.uses_lexicon(NATIVE, registry)? {
        return Ok(None);
    }
    if statistics == Statistics::Keep {
        return Ok(NextLexicon::of(&generation_folder(folder, old.number), old));
    }
    native::count(folder, old, end, (recipe, registry), threads).map(Some)
}

/// Carries over what is known of the lexicons. `time` is when the native one was counted for the new generation.
pub fn carry_over_use(
    old: &Generation,
    new: &Generation,
    statistics: Statistics,
    time: Option<u64>,
) -> Result<()> {
    let before = old.lexicons.usage().clone();
    {
        let mut usage = new.lexicons.usage();
        if statistics == Statistics::Keep {
            *usage = before;
        } else {
            usage.counted = time;
            usage.refreshes = before.refreshes + u64::from(statistics == Statistics::Refresh);
        }
    }
    new.lexicons.save(new.store.state().population.documents.next_number())
}
