//! Periodic work: expiry, counted hits, checkpoints.

use std::sync::PoisonError;

use lookalike_core::Result;

use crate::storage::document::DocumentNumber;
use crate::storage::operation::{Operation, Touch};
use crate::storage::store::{StoreWriter, Ticket};

use super::generation::Generation;
use super::index::{Index, IndexWriter};
use super::query::seconds;

/// How many expired documents one call removes, so that no caller waits for all of them.
const SWEEP: usize = 1000;

impl IndexWriter<'_> {
    /// Removes expired documents, writes counted hits to disk, and does the upkeep that is due. Returns an error if
    /// that fails, or if upkeep after an earlier change failed. To be called every few seconds. `now` is in seconds
    /// since 1970.
    pub fn tick(&self, now: u64) -> Result<()> {
        let due = self.index.write(|generation, mut writer| {
            let ticket = self.index.catch_up(generation, &mut writer, seconds(now))?;
            let due = writer.maintain();
            drop(writer);
            generation.store.sync(ticket)?;
            Ok(due)
        })?;
        let deferred_error = self.index.deferred_error.lock().unwrap_or_else(PoisonError::into_inner).take();
        due.and(deferred_error.map_or(Ok(()), Err))
    }

    /// Writes a checkpoint, so that opening has nothing to replay.
    pub fn checkpoint(&self) -> Result<()> {
        self.index.write(|generation, mut writer| {
            let _ = self.index.catch_up(generation, &mut writer, 0)?;
            writer.checkpoint()?;
            generation.lexicons.save_if_any(generation.store.state().population.documents.next_number())
        })
    }
}

impl Index {
    /// A change that is done stays done, even if the upkeep after it fails. The upkeep remains due, and `tick`
    /// reports the error.
    pub(crate) fn defer_error(&self, upkeep: Result<()>) {
        if let Err(error) = upkeep {
            *self.deferred_error.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
        }
    }

    /// Removes expired documents, and writes hits that were only counted in memory.
    pub(crate) fn catch_up(
        &self,
        generation: &Generation,
        writer: &mut StoreWriter<'_>,
        now: u32,
    ) -> Result<Ticket> {
        let mut operations = Vec::new();
        {
            let state = generation.store.state();
            let counted = std::mem::take(&mut *self.hits.lock().unwrap_or_else(PoisonError::into_inner));
            for (number, (hits, seen)) in counted {
                let Some(document) = state.lasting.number(number) else { continue };
                let Some(entry) = state.population.documents.get(document) else { continue };
                operations.push(Operation::Touch(Touch {
                    document,
                    seen: entry.seen.max(seen),
                    expires: if entry.lives == 0 { 0 } else { seen.saturating_add(entry.lives) },
                    hits: entry.hits.saturating_add(hits),
                    unchanged: entry.unchanged,
                    interval: entry.interval,
                }));
            }
            let refreshed = |document: DocumentNumber| {
                operations.iter().any(|operation| matches!(operation, Operation::Touch(touch) if touch.document == document && touch.expires > now))
            };
            let expired = state.expiry.iter().take_while(|&&(time, _)| time <= now);
            let expired = expired.map(|&(_, document)| document);
            let expired: Vec<DocumentNumber> =
                expired.take(SWEEP).filter(|&document| !refreshed(document)).collect();
            operations.extend(expired.into_iter().map(|document| Operation::Remove { document }));
        }
        writer.commit(None, &operations)
    }
}
