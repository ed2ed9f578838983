//! Applies operations.

use std::sync::atomic::Ordering;
use std::sync::{Arc, MutexGuard, PoisonError};

use lookalike_core::Result;

use super::{Store, Ticket, WriterState};
use crate::storage::bytes::Encode;
use crate::storage::operation::Operation;
use crate::storage::texts::{End, Place};

/// Exclusive access to change a store.
pub struct StoreWriter<'a> {
    pub(super) store: &'a Arc<Store>,
    pub(super) writing: MutexGuard<'a, WriterState>,
}

/// Where lines were written, and where the texts end after them.
pub struct AppendedLines {
    pub places: Vec<Place>,
    pub end: End,
}

impl StoreWriter<'_> {
    /// Writes the lines of documents. The next operations committed must refer to them.
    pub fn append_lines(&mut self, lines: &[&[u8]]) -> Result<AppendedLines> {
        let mut end = self.writing.end;
        let places = self.store.texts.write(&mut end, lines)?;
        Ok(AppendedLines { places, end })
    }

    /// Applies operations, all or none. They are visible at once, and durable when the ticket has been given to
    /// [`Store::sync`].
    pub fn commit(&mut self, end: Option<End>, operations: &[Operation]) -> Result<Ticket> {
        let end = end.unwrap_or(self.writing.end);
        if operations.is_empty() {
            return Ok(Ticket(0));
        }
        let acknowledged = self.store.acknowledged.load(Ordering::Acquire);
        self.writing.journal.append(&encode_frame(acknowledged, end, operations))?;
        self.store.segment.store(end.segment, Ordering::Release);
        let ticket = Ticket(self.store.written.fetch_add(1, Ordering::Release) + 1);
        self.writing.end = end;
        self.writing.operations += operations.len() as u64;
        let mut state = self.store.state.write().unwrap_or_else(PoisonError::into_inner);
        operations.iter().for_each(|operation| state.apply(self.store.clusterer(), operation));
        Ok(ticket)
    }

    /// Where the texts end.
    pub fn end(&self) -> End {
        self.writing.end
    }
}

pub(super) fn encode_frame(acknowledged: u64, end: End, operations: &[Operation]) -> Vec<u8> {
    let mut frame = Vec::new();
    frame.u64(acknowledged);
    frame.u32(end.segment);
    frame.u64(end.offset);
    operations.iter().for_each(|operation| operation.encode(&mut frame));
    frame
}
