//! Counts a native lexicon again when that is due, and signs all documents by it.

use std::collections::BTreeSet;
use std::sync::PoisonError;
use std::sync::atomic::Ordering;

use lookalike_core::Result;
use lookalike_engine::Recipe;

use crate::index::{Index, IndexWriter, write_head};
use crate::refresh_setting::{Refresh, RefreshReason};
use crate::statistics::Statistics;

impl Index {
    /// When the native lexicon is counted again.
    pub fn refresh(&self) -> Refresh {
        *self.refresh.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Why the native lexicon is due to be counted again; `None` if it is not, or if there is none.
    pub fn refresh_due(&self) -> Option<RefreshReason> {
        let generation = self.generation();
        let place = generation.lexicons.used.iter().position(|used| generation.lexicons.is_native(used))?;
        let counted = generation.lexicons.used.get(place)?.1.documents();
        let (documents, terms) = {
            let usage = generation.lexicons.usage();
            (usage.documents, usage.terms.get(place).copied().unwrap_or_default())
        };
        // Without documents there is nothing to count.
        let living = generation.store.state().population.living;
        self.refresh().reason(counted, documents, terms).filter(|_| living > 0)
    }
}

impl IndexWriter<'_> {
    /// Changes when the native lexicon is counted again. Nothing is counted now.
    pub fn set_refresh(&self, refresh: Refresh) -> Result<()> {
        let _upkeep = self.index.upkeep.lock().unwrap_or_else(PoisonError::into_inner);
        if self.index.refresh() == refresh {
            return Ok(());
        }
        write_head(&self.index.folder, &self.index.generation(), refresh)?;
        *self.index.refresh.lock().unwrap_or_else(PoisonError::into_inner) = refresh;
        Ok(())
    }

    /// Counts the native lexicon again and signs all documents by it, if that is due, and says why. Other readers and
    /// writers continue meanwhile.
    pub fn refresh(&self, threads: usize) -> Result<Option<RefreshReason>> {
        let _upkeep = self.index.upkeep.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(reason) = self.index.refresh_due() else { return Ok(None) };
        let recipe = Recipe::from_toml(&self.index.generation().recipe, &self.index.registry)?;
        self.index.refreshing.store(true, Ordering::Relaxed);
        let outcome = self.build_next(&recipe, threads.max(1), Statistics::Refresh, &BTreeSet::new());
        self.index.refreshing.store(false, Ordering::Relaxed);
        outcome.map(|()| Some(reason))
    }
}
