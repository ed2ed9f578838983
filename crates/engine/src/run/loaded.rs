//! Documents read again to be compared: their features, texts and streams.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use lookalike_core::Result;
use lookalike_core::features::{FeatureSet, Features};
use lookalike_core::streams::Streams;

use crate::corpus::CorpusNumber;
use crate::corpus::reread::Reread;
use crate::pipeline::{Compared, FieldPlan, Pipeline};

/// A document with all that is compared.
struct Loaded {
    document: CorpusNumber,
    set: FeatureSet,
    text: String,
    streams: Streams,
}

impl Loaded {
    fn new(document: CorpusNumber) -> Self {
        Loaded { document, set: FeatureSet::default(), text: String::new(), streams: Streams::default() }
    }

    /// What giant documents needed must not be kept for the rest of the run.
    fn is_small(&self) -> bool {
        self.set.hashes.capacity() <= 1 << 16 && self.text.capacity() <= 1 << 16
    }

    /// The memory that it takes, without streams, which are small.
    fn bytes(&self) -> u64 {
        fn of(set: &FeatureSet) -> usize {
            size_of::<FeatureSet>()
                + size_of_val(&*set.hashes)
                + size_of_val(&*set.weights)
                + set.views.iter().map(of).sum::<usize>()
        }
        (size_of::<Loaded>() + of(&self.set) + self.text.len()) as u64
    }
}

/// Documents that other batches need, too: while pairs come by tiles, all threads share what fits.
pub struct Kept {
    room: u64,
    held: Mutex<Held>,
}

#[derive(Default)]
struct Held {
    documents: HashMap<CorpusNumber, Arc<Loaded>>,
    bytes: u64,
    /// The last window that added a document.
    window: u32,
}

impl Kept {
    /// Nothing yet; at most this many bytes.
    pub fn new(room: u64) -> Self {
        Kept { room, held: Mutex::default() }
    }

    fn held(&self) -> MutexGuard<'_, Held> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn get(&self, document: CorpusNumber) -> Option<Arc<Loaded>> {
        self.held().documents.get(&document).cloned()
    }

    fn put(&self, loaded: &Arc<Loaded>, window: u32) {
        let bytes = loaded.bytes();
        let mut held = self.held();
        if window > held.window {
            // What earlier windows needed is mostly past.
            if held.bytes > self.room / 2 {
                *held = Held::default();
            }
            held.window = window;
        }
        if held.bytes + bytes <= self.room
            && held.documents.insert(loaded.document, Arc::clone(loaded)).is_none()
        {
            held.bytes += bytes;
        }
    }
}

/// One thread with the documents of the current batch, in memory that is reused.
pub struct Loader<'a> {
    pipeline: &'a Pipeline,
    plan: &'a FieldPlan,
    /// Whether somebody asks for texts and streams.
    needs_texts: bool,
    kept: Option<&'a Kept>,
    /// By number.
    loaded: Vec<Arc<Loaded>>,
    /// Buffers.
    unused: Vec<Arc<Loaded>>,
    reread: Reread<'a>,
    features: Features,
}

impl<'a> Loader<'a> {
    pub fn new(
        (pipeline, plan): (&'a Pipeline, &'a FieldPlan),
        reread: Reread<'a>,
        needs_texts: bool,
        kept: Option<&'a Kept>,
    ) -> Self {
        Loader {
            pipeline,
            plan,
            needs_texts,
            kept,
            loaded: Vec::new(),
            unused: Vec::new(),
            reread,
            features: Features::default(),
        }
    }

    /// Reads a batch's documents, in file order, and computes their feature sets. Those of the batch before are there; in
    /// a window of tiles, so are those that any batch has loaded, as far as there is room.
    pub fn load(&mut self, documents: impl Iterator<Item = CorpusNumber>, window: Option<u32>) -> Result<()> {
        let mut documents: Vec<CorpusNumber> = documents.collect();
        documents.sort_unstable();
        documents.dedup();
        let is_wanted = |loaded: &Arc<Loaded>| documents.binary_search(&loaded.document).is_ok();
        let before = std::mem::take(&mut self.loaded).into_iter();
        let (still, over): (Vec<Arc<Loaded>>, Vec<Arc<Loaded>>) = before.partition(is_wanted);
        self.unused.extend(over);
        self.unused.retain(|loaded| Arc::strong_count(loaded) == 1 && loaded.is_small());
        let kept = self.kept.zip(window);
        let mut still = still.into_iter().peekable();
        for document in documents {
            let there = still.next_if(|loaded| loaded.document == document);
            if let Some(loaded) = there.or_else(|| kept.and_then(|(kept, _)| kept.get(document))) {
                self.loaded.push(loaded);
                continue;
            }
            let loaded = Arc::new(self.read(document)?);
            if let Some((kept, window)) = kept {
                kept.put(&loaded, window);
            }
            self.loaded.push(loaded);
        }
        Ok(())
    }

    fn read(&mut self, document: CorpusNumber) -> Result<Loaded> {
        let unused = self.unused.pop().and_then(Arc::into_inner);
        let mut loaded = Loaded { document, ..unused.unwrap_or_else(|| Loaded::new(document)) };
        let read = self.reread.read(document)?;
        self.pipeline.fill_set(self.plan, &read, &mut self.features, &mut loaded.set);
        loaded.text.clear();
        if self.needs_texts {
            loaded.text.push_str(&read.text);
            self.plan.fill_streams(&read, &mut loaded.streams);
        }
        Ok(loaded)
    }

    /// A document of the batch.
    pub fn get(&self, document: CorpusNumber) -> Compared<'_> {
        let place = self.loaded.binary_search_by_key(&document, |loaded| loaded.document);
        let Loaded { set, text, streams, .. } = &*self.loaded[place.unwrap_or_default()];
        Compared { features: set, text, streams }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_fits_and_gives_way_to_later_windows() {
        let loaded = |document: usize| {
            let text = "x".repeat(1000);
            Arc::new(Loaded { text, ..Loaded::new(CorpusNumber::from_index(document)) })
        };
        let each = loaded(0).bytes();
        let kept = Kept::new(3 * each);
        (0..5).for_each(|document| kept.put(&loaded(document), 1));
        kept.put(&loaded(1), 1);
        let has = |document: usize| kept.get(CorpusNumber::from_index(document)).is_some();
        assert_eq!([0, 1, 2, 3, 4].map(has), [true, true, true, false, false]);
        assert_eq!(kept.held().bytes, 3 * each);
        kept.put(&loaded(3), 2);
        kept.put(&loaded(4), 1);
        assert_eq!([0, 1, 2, 3, 4].map(has), [false, false, false, true, true]);
    }
}
