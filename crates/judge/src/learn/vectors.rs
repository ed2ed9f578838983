//! Similarity vectors of many pairs, in batches: only the documents of the current batches are in memory.

use std::collections::{HashMap, HashSet};

use lookalike_core::Result;
use lookalike_core::decide::classifier::Vector;
use lookalike_core::document::Document;
use lookalike_core::features::{FeatureSet, Features};

use lookalike_core::threads::try_spread;
use lookalike_engine::corpus::{Corpus, CorpusNumber};
use lookalike_engine::run::tiles::{Room, by_tiles};
use lookalike_engine::run::{Job, Progress};
use lookalike_io::record::Fields;

/// What a batch holds: a document is read, and its features computed, once for each batch that has a pair of it.
const ROOM: Room = Room { documents: 512, bytes: 16 << 20 };

/// The rows of the pairs' vectors, one after the other. Asks before every batch whether to go on.
pub fn vectors(
    vector: &Vector,
    job: &Job,
    pairs: &[(u32, u32)],
    progress: &dyn Progress,
) -> Result<Vec<f64>> {
    vectors_in(ROOM, vector, job, pairs, progress)
}

fn vectors_in(
    room: Room,
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
    let bytes = |document: u32| corpus.bytes(CorpusNumber::from_index(document as usize));
    let mut rows: Vec<Row> = pairs.iter().enumerate().map(|(place, &(a, b))| Row { place, a, b }).collect();
    by_tiles(&mut rows, room, |row| [row.a, row.b], bytes)?;
    let batches = batches(&rows, room, bytes)?;
    let reader = || FeatureReader::new(vector, &corpus, &fields);
    let found = try_spread(job.threads, batches, reader, |reader, batch| {
        progress.advance(0, 0)?;
        reader.rows(batch)
    })?;
    let width = vector.width();
    let mut values = vec![0.0; pairs.len() * width];
    for (row, found) in rows.iter().zip(found.iter().flat_map(|found| found.chunks(width))) {
        values[row.place * width..(row.place + 1) * width].copy_from_slice(found);
    }
    Ok(values)
}

/// A pair, and its place among all.
#[derive(Clone, Copy)]
struct Row {
    place: usize,
    a: u32,
    b: u32,
}

/// Pieces of the list, each with few documents.
fn batches(rows: &[Row], room: Room, bytes_of: impl Fn(u32) -> Result<u64>) -> Result<Vec<&[Row]>> {
    let (mut batches, mut from, mut bytes) = (Vec::new(), 0, 0);
    let mut held = HashSet::new();
    for (place, row) in rows.iter().enumerate() {
        for document in [row.a, row.b] {
            if held.insert(document) {
                bytes += bytes_of(document)?;
            }
        }
        if place > from && (held.len() > room.documents || bytes > room.bytes) {
            batches.push(&rows[from..place]);
            held = HashSet::from([row.a, row.b]);
            (from, bytes) = (place, bytes_of(row.a)? + bytes_of(row.b)?);
        }
    }
    batches.push(&rows[from..]);
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
    /// The documents of the batch.
    loaded: HashMap<u32, FeatureSet>,
}

impl<'a> FeatureReader<'a> {
    fn new(vector: &'a Vector, corpus: &'a Corpus, fields: &'a Fields) -> Self {
        let place = |field: &String| fields.wanted.binary_search(field).ok();
        let places =
            vector.views.iter().map(|view| view.fields().iter().filter_map(place).collect()).collect();
        FeatureReader {
            vector,
            corpus,
            fields,
            places,
            features: Features::default(),
            loaded: HashMap::new(),
        }
    }

    fn rows(&mut self, rows: &[Row]) -> Result<Vec<f64>> {
        let mut numbers: Vec<u32> = rows.iter().flat_map(|row| [row.a, row.b]).collect();
        numbers.sort_unstable();
        numbers.dedup();
        // Batches that follow each other share documents.
        self.loaded.retain(|number, _| numbers.binary_search(number).is_ok());
        let mut reader = self.corpus.reader(self.fields);
        for number in numbers {
            if !self.loaded.contains_key(&number) {
                let set = self.set(&reader.read(CorpusNumber::from_index(number as usize))?);
                self.loaded.insert(number, set);
            }
        }
        let mut values = Vec::with_capacity(rows.len() * self.vector.width());
        rows.iter().for_each(|row| {
            self.vector.fill(&self.loaded[&row.a], &self.loaded[&row.b], &mut values);
        });
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

#[cfg(test)]
mod tests {
    use lookalike_core::decide::classifier::Schema;
    use lookalike_core::lexicon::Assets;
    use lookalike_core::registry::{BuildContext, Registry};
    use lookalike_engine::lexicon::AssetFiles;
    use lookalike_engine::run::Quiet;

    use super::*;

    /// Whatever the room, each pair has its own row at its own place: that of the pair alone.
    #[test]
    fn rows_are_those_of_single_pairs_in_their_order() {
        let folder = tempfile::tempdir().unwrap();
        let corpus = folder.path().join("corpus.jsonl");
        let line = |place: u32| {
            let words: Vec<String> =
                (0..30 + place % 7).map(|word| format!("w{}", word * (1 + place % 5) % 60)).collect();
            format!("{{\"id\":\"{place}\",\"text\":\"{} {place}\"}}\n", words.join(" "))
        };
        std::fs::write(&corpus, (0..40).map(line).collect::<String>()).unwrap();
        let registry = Registry::with_built_ins();
        let assets = AssetFiles::default();
        let context = BuildContext::new(&registry, &assets as &dyn Assets);
        let vector = Schema::standard(&[], &[]).unwrap().build(&context).unwrap();
        let job = Job::new([corpus.to_string_lossy()], "");
        let pairs: Vec<(u32, u32)> = (0..40).flat_map(|a| (a + 1..40).map(move |b| (a, b))).collect();
        let together = vectors(&vector, &job, &pairs, &Quiet).unwrap();
        for room in [
            Room { documents: 2, bytes: 1 },
            Room { documents: 8, bytes: 1 << 20 },
            Room { documents: 40, bytes: 1500 },
        ] {
            assert_eq!(vectors_in(room, &vector, &job, &pairs, &Quiet).unwrap(), together, "{room:?}");
        }
        for (place, pair) in pairs.iter().enumerate().step_by(37) {
            let alone = vectors(&vector, &job, &[*pair], &Quiet).unwrap();
            assert_eq!(alone, together[place * vector.width()..(place + 1) * vector.width()]);
        }
    }
}
