//! Similarity vectors of many pairs, in batches: only the documents of the current batches are in memory.

use std::collections::HashSet;

use lookalike_core::Result;
use lookalike_core::decide::classifier::Vector;
use lookalike_core::document::Document;
use lookalike_core::features::{FeatureSet, Features};

use lookalike_core::threads::try_spread;
use lookalike_engine::corpus::{Corpus, CorpusNumber};
use lookalike_engine::run::{Job, Progress};
use lookalike_io::record::Fields;

/// A batch is full when it has this many documents or this many bytes of them.
const BATCH_DOCUMENTS: usize = 256;
const BATCH_BYTES: u64 = 16 << 20;

/// The rows of the pairs' vectors, one after the other. Asks before every batch whether to go on.
pub fn vectors(
    vector: &Vector,
    job: &Job,
    pairs: &[(u32, u32)],
    progress: &dyn Progress,
) -> Result<Vec<f64>> {
    let mut wanted: Vec<String> = vector.views.iter().flat_map(|view| view.fields()).collect();
    wanted.sort();
    wanted.dedup();
    let corpus = job.corpus()?;
    let fields = corpus.fields(&wanted);
    let batches = batches(pairs, &corpus)?;
    let reader = || FeatureReader::new(vector, &corpus, &fields);
    let rows = try_spread(job.threads, batches, reader, |reader, batch| {
        progress.advance(0, 0)?;
        reader.rows(batch)
    })?;
    Ok(rows.into_iter().flatten().collect())
}

/// Pieces of the list, each with few documents.
fn batches<'p>(pairs: &'p [(u32, u32)], corpus: &Corpus) -> Result<Vec<&'p [(u32, u32)]>> {
    let (mut batches, mut from, mut bytes) = (Vec::new(), 0, 0);
    let mut held = HashSet::new();
    for (place, &(a, b)) in pairs.iter().enumerate() {
        for document in [a, b] {
            if held.insert(document) {
                bytes += corpus.bytes(CorpusNumber::from_index(document as usize))?;
            }
        }
        if held.len() > BATCH_DOCUMENTS || bytes > BATCH_BYTES {
            batches.push(&pairs[from..=place]);
            held.clear();
            (from, bytes) = (place + 1, 0);
        }
    }
    batches.push(&pairs[from..]);
    Ok(batches)
}

/// What one thread needs to compute all views of documents.
struct FeatureReader<'a> {
    vector: &'a Vector,
    corpus: &'a Corpus,
    fields: &'a Fields,
    /// The indices of the fields of each view.
    places: Vec<Vec<usize>>,
    features: Features,
}

impl<'a> FeatureReader<'a> {
    fn new(vector: &'a Vector, corpus: &'a Corpus, fields: &'a Fields) -> Self {
        let place = |field: &String| fields.wanted.binary_search(field).ok();
        let places =
            vector.views.iter().map(|view| view.fields().iter().filter_map(place).collect()).collect();
        FeatureReader { vector, corpus, fields, places, features: Features::default() }
    }

    fn rows(&mut self, pairs: &[(u32, u32)]) -> Result<Vec<f64>> {
        let mut numbers: Vec<u32> = pairs.iter().flat_map(|&(a, b)| [a, b]).collect();
        numbers.sort_unstable();
        numbers.dedup();
        let mut reader = self.corpus.reader(self.fields);
        let mut sets = Vec::with_capacity(numbers.len());
        for &number in &numbers {
            sets.push(self.set(&reader.read(CorpusNumber::from_index(number as usize))?));
        }
        let set = |number: u32| &sets[numbers.binary_search(&number).unwrap_or_default()];
        let mut values = Vec::with_capacity(pairs.len() * self.vector.width());
        pairs.iter().for_each(|&(a, b)| self.vector.fill(set(a), set(b), &mut values));
        Ok(values)
    }

    fn set(&mut self, document: &Document<'_>) -> FeatureSet {
        let mut set = FeatureSet::default();
        for (view, places) in self.vector.views.iter().zip(&self.places) {
            let fields = places.iter().map(|&place| document.fields.get(place).cloned().flatten()).collect();
            let seen = Document { text: document.text.as_ref().into(), fields, position: document.position };
            self.features.fill(&**view, &seen);
            set.views.push(FeatureSet::from_features(&self.features));
        }
        set
    }
}
