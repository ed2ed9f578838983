//! A limit to the documents that wait to be indexed.
//!
//! The search library queues up to ten thousand documents for its thread, however long they are. So each document
//! is charged to a budget until the thread takes it, and adding waits while too much is charged.

use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

use lookalike_core::{Error, Result};
use tantivy::schema::{Document, Field};
use tantivy::{TantivyDocument, schema};

/// Bytes that may wait.
const MOST: usize = 32 << 20;
/// How long adding waits at most. The thread may be writing a segment or waiting for a slow disk, but not for
/// longer than this.
const LONGEST_WAIT: Duration = Duration::from_secs(120);

#[derive(Default)]
pub(crate) struct Budget {
    charged: Mutex<usize>,
    freed: Condvar,
}

/// A queued document. Its charge is released when the thread takes it or the queue is dropped.
pub(crate) struct Charged {
    document: TantivyDocument,
    _charge: Charge,
}

struct Charge {
    budget: Arc<Budget>,
    bytes: usize,
}

impl Budget {
    /// Waits until the budget has room. A single document always fits, whatever its size.
    pub fn charge(self: &Arc<Self>, document: TantivyDocument, bytes: usize) -> Result<Charged> {
        let charged = self.charged.lock().unwrap_or_else(PoisonError::into_inner);
        let is_full = |charged: &mut usize| *charged > 0 && *charged + bytes > MOST;
        let waited = self.freed.wait_timeout_while(charged, LONGEST_WAIT, is_full);
        let (mut charged, waited) = waited.unwrap_or_else(PoisonError::into_inner);
        if waited.timed_out() {
            return Err(Error::Internal("the search index stopped taking up documents".to_owned()));
        }
        *charged += bytes;
        drop(charged);
        Ok(Charged { document, _charge: Charge { budget: Arc::clone(self), bytes } })
    }
}

impl Drop for Charge {
    fn drop(&mut self) {
        *self.budget.charged.lock().unwrap_or_else(PoisonError::into_inner) -= self.bytes;
        self.budget.freed.notify_all();
    }
}

impl Document for Charged {
    type Value<'a> = <TantivyDocument as Document>::Value<'a>;
    type FieldsValuesIter<'a> = <TantivyDocument as Document>::FieldsValuesIter<'a>;

    fn iter_fields_and_values(&self) -> Self::FieldsValuesIter<'_> {
        schema::Document::iter_fields_and_values(&self.document)
    }

    fn into_tantivy_document(self) -> TantivyDocument {
        self.document
    }

    fn get_sorted_field_values(&self) -> Vec<(Field, Vec<Self::Value<'_>>)> {
        self.document.get_sorted_field_values()
    }
}
