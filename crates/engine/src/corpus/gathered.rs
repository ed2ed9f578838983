//! What was gathered of inputs that can only be read from their beginning; see `gather`.

use std::sync::{Arc, PoisonError, RwLock};

use super::{Bits, CorpusNumber};

/// Lines that were copied together.
pub struct Gathering {
    pub documents: Bits,
    /// For every 64 documents, how many bytes there are before them.
    pub before: Vec<u64>,
    /// The number by which the source knows the file.
    pub store: usize,
}

/// What was gathered so far.
#[derive(Default)]
pub struct Gathered(RwLock<Vec<Arc<Gathering>>>);

impl Gathered {
    pub fn add(&self, gathering: Gathering) {
        self.0.write().unwrap_or_else(PoisonError::into_inner).push(Arc::new(gathering));
    }

    /// The gathering that has a document.
    pub fn find(&self, document: CorpusNumber) -> Option<Arc<Gathering>> {
        let all = self.0.read().unwrap_or_else(PoisonError::into_inner);
        all.iter().find(|one| one.documents.get(document)).cloned()
    }
}
