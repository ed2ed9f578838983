//! Signs all documents, finds all pairs within three bits, and judges a sample of those at each distance.

use std::collections::{BinaryHeap, HashMap};
use std::sync::{Mutex, MutexGuard, PoisonError};

use lookalike_core::candidates::{Hamming, Join, Records};
use lookalike_core::document::Document;
use lookalike_core::features::{FeatureExtractor, FeatureSet, Features, Words};
use lookalike_core::hash::{combine, mix};
use lookalike_core::lexicon::Lexicon;
use lookalike_core::registry::Registry;
use lookalike_core::threads::spread;
use lookalike_core::{Error, Result};
use lookalike_learn::Interval;

use super::corpus::Corpus;
use crate::s09::articles::shingle_recipe;
use crate::s09::variants::{Cuts, DISTANCES, Variant, variants};
use lookalike_engine::lexicon::AssetFiles;
use lookalike_engine::run::Progress;
use lookalike_engine::{Pipeline, Recipe};

/// How many pairs at each distance are judged, as in the thesis.
pub const SAMPLE: usize = 200;
/// How many rows of the thesis there are.
const ROWS: usize = 8;
/// Documents that one thread signs at a time.
const CHUNK: u32 = 2000;

/// A variant's figures at each distance.
pub struct Row {
    pub name: String,
    pub paper: [f64; 4],
    /// Pairs of exactly this distance, and those judged.
    pub pairs: [u64; 4],
    sampled: [Judged; 4],
}

/// How many of the judged pairs are near-duplicates.
#[derive(Clone, Copy, Default)]
struct Judged {
    all: usize,
    resembling: usize,
    alike: usize,
}

impl Row {
    /// The share of near-duplicates among the pairs within a distance, by shingles: that of the sample at every
    /// distance, each weighing as many pairs as there are.
    pub fn by_shingles(&self, distance: usize) -> Option<Interval> {
        self.precision(distance, |judged| judged.resembling)
    }

    /// The same by the cosine of words.
    pub fn by_words(&self, distance: usize) -> Option<Interval> {
        self.precision(distance, |judged| judged.alike)
    }

    fn precision(&self, distance: usize, right: impl Fn(&Judged) -> usize) -> Option<Interval> {
        let strata =
            self.pairs.iter().zip(&self.sampled).take(distance + 1).filter(|(_, judged)| judged.all > 0);
        let total: f64 = strata.clone().map(|(&pairs, _)| pairs as f64).sum();
        let (mut value, mut variance) = (0.0, 0.0);
        for (&pairs, judged) in strata {
            let (weight, all) = (pairs as f64 / total, judged.all as f64);
            let share = right(judged) as f64 / all;
            value += weight * share;
            // Where all pairs were judged nothing is left to chance; a share of 0 or 1 of a sample is not certain.
            if pairs as usize > judged.all {
                let shrunk = (right(judged) as f64 + 2.0) / (all + 4.0);
                variance += weight * weight * shrunk * (1.0 - shrunk) / (all + 4.0);
            }
        }
        let reach = 1.96 * variance.sqrt();
        (total > 0.0).then(|| Interval {
            value,
            low: (value - reach).max(0.0),
            high: (value + reach).min(1.0),
        })
    }
}

pub fn measure(
    corpus: &Corpus,
    threads: usize,
    registry: &Registry,
    progress: &dyn Progress,
) -> Result<Vec<Row>> {
    progress.stage("counting words", u64::from(corpus.documents()));
    let assets = AssetFiles::with_native(native(corpus, threads));
    let judge = Judge {
        corpus,
        shingles: shingle_recipe(0.5, registry)?.build(registry)?,
        words: Recipe::for_method("cosine", registry)?.build(registry)?,
    };
    // The cuts matter to rows that the thesis does not have.
    let rows = variants(Cuts { half: 0.0, top_tenth: 1.0 }).into_iter().take(ROWS);
    let rows = rows.map(|variant| {
        progress.stage("signing and pairing", u64::from(corpus.documents()));
        let pipeline = variant.recipe(3, registry)?.build_with(registry, &assets)?;
        row(corpus, variant, &pipeline, &judge, threads)
    });
    rows.collect()
}

fn chunks(corpus: &Corpus) -> impl Iterator<Item = std::ops::Range<u32>> + Send {
    let documents = corpus.documents();
    (0..documents).step_by(CHUNK as usize).map(move |start| start..documents.min(start + CHUNK))
}

/// What a thread that panicked left is whole: it is written in one step.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// How many documents have each word.
fn native(corpus: &Corpus, threads: usize) -> Lexicon {
    let words = Words::new(1, usize::MAX, Vec::new());
    let counts: Mutex<HashMap<u64, u32>> = Mutex::default();
    spread(threads, chunks(corpus), |numbers| {
        let (mut features, mut own) = (Features::default(), HashMap::<u64, u32>::new());
        for number in numbers {
            let article = corpus.document(number);
            features.fill(&words, &Document { text: article.text(false), ..Document::default() });
            features.hashes.iter().for_each(|&word| *own.entry(word).or_default() += 1);
        }
        let mut counts = lock(&counts);
        own.into_iter().for_each(|(word, count)| *counts.entry(word).or_default() += count);
    });
    let counts = counts.into_inner().unwrap_or_default();
    Lexicon::from_counts(u64::from(corpus.documents()), counts)
}

fn row(
    corpus: &Corpus,
    variant: Variant,
    pipeline: &Pipeline,
    judge: &Judge<'_>,
    threads: usize,
) -> Result<Row> {
    let (numbers, signatures) = signatures(corpus, &variant, pipeline, threads)?;
    let mut records = Records::default();
    signatures.iter().for_each(|signature| records.push(&signature.to_le_bytes()));
    let sample: Mutex<Sample> = Mutex::default();
    Hamming::new(3, 0, 64)?.pairs(&records, threads, &|batch| {
        let mut sample = lock(&sample);
        for &(a, b) in batch {
            let distance = (signatures[a as usize] ^ signatures[b as usize]).count_ones() as usize;
            sample.take(distance, (numbers[a as usize], numbers[b as usize]));
        }
        Ok(())
    })?;
    let sample = sample.into_inner().unwrap_or_default();
    let sampled = sample.drawn.iter().map(|drawn| judge.all(drawn)).collect::<Result<Vec<_>>>()?;
    let sampled = <[Judged; DISTANCES.len()]>::try_from(sampled)
        .map_err(|_| Error::Internal("a sample for each distance".to_owned()))?;
    let paper = variant.paper.map_or([f64::NAN; 4], |(precision, _)| precision);
    Ok(Row { name: variant.name, paper, pairs: sample.pairs, sampled })
}

/// The simhashes of all documents that have any features, and the numbers of these.
fn signatures(
    corpus: &Corpus,
    variant: &Variant,
    pipeline: &Pipeline,
    threads: usize,
) -> Result<(Vec<u32>, Vec<u64>)> {
    let branch =
        pipeline.branches.first().ok_or_else(|| Error::Internal("simhash without a branch".to_owned()))?;
    let extractor: &dyn FeatureExtractor = branch.features.as_deref().unwrap_or(&*pipeline.features);
    let fields = extractor.fields();
    let signed = spread(threads, chunks(corpus), |numbers| {
        let mut features = Features::default();
        let mut signed: Vec<(u32, u64)> = Vec::with_capacity(numbers.len());
        for number in numbers {
            let article = corpus.document(number);
            let fields = fields.iter().map(|name| article.field(name)).collect();
            let document = Document { text: article.text(variant.reads_markup()), fields, position: 0 };
            features.fill(extractor, &document);
            if !features.hashes.is_empty() {
                let mut signature = [0; 8];
                branch.signer.sign(&features, &mut signature);
                signed.push((number, u64::from_le_bytes(signature)));
            }
        }
        signed
    });
    Ok(signed.into_iter().flatten().unzip())
}

/// Pairs counted by their distance, and of each distance those with the lowest hashes: a sample that does not depend on
/// the order.
#[derive(Default)]
struct Sample {
    pairs: [u64; 4],
    drawn: [BinaryHeap<(u64, u32, u32)>; 4],
}

impl Sample {
    fn take(&mut self, distance: usize, (a, b): (u32, u32)) {
        let Some(drawn) = self.drawn.get_mut(distance) else { return };
        self.pairs[distance] += 1;
        let (a, b) = (a.min(b), a.max(b));
        let order = mix(combine(u64::from(a), u64::from(b)));
        if drawn.len() < SAMPLE || drawn.peek().is_some_and(|last| order < last.0) {
            drawn.push((order, a, b));
            if drawn.len() > SAMPLE {
                drawn.pop();
            }
        }
    }
}

/// Judges pairs by exact measures.
struct Judge<'a> {
    corpus: &'a Corpus,
    shingles: Pipeline,
    words: Pipeline,
}

impl Judge<'_> {
    fn all(&self, pairs: &BinaryHeap<(u64, u32, u32)>) -> Result<Judged> {
        let mut judged = Judged { all: pairs.len(), ..Judged::default() };
        for &(_, a, b) in pairs {
            judged.resembling += usize::from(self.similarity(&self.shingles, a, b) >= 0.5);
            judged.alike += usize::from(self.similarity(&self.words, a, b) >= 0.9);
        }
        Ok(judged)
    }

    fn similarity(&self, pipeline: &Pipeline, a: u32, b: u32) -> f64 {
        let set = |number: u32| {
            let (article, mut features) = (self.corpus.document(number), Features::default());
            features
                .fill(&*pipeline.features, &Document { text: article.text(false), ..Document::default() });
            FeatureSet::from_features(&features)
        };
        pipeline.decider.measure(&set(a), &set(b)).similarity
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sample_does_not_depend_on_the_order() {
        let pairs: Vec<(u32, u32)> = (0..3000).map(|number| (number, number * 7 + 1)).collect();
        let sampled = |pairs: &mut dyn Iterator<Item = (u32, u32)>| {
            let mut sample = Sample::default();
            pairs.for_each(|pair| sample.take(1, pair));
            assert_eq!(sample.pairs, [0, 3000, 0, 0]);
            sample.drawn[1].clone().into_sorted_vec()
        };
        let forwards = sampled(&mut pairs.iter().copied());
        assert_eq!(forwards.len(), SAMPLE);
        assert_eq!(forwards, sampled(&mut pairs.iter().rev().map(|&(a, b)| (b, a))));
    }

    #[test]
    fn distances_weigh_as_many_pairs_as_they_have() {
        let judged = |all, resembling| Judged { all, resembling, alike: all };
        let row = Row {
            name: String::new(),
            paper: [0.0; 4],
            pairs: [100, 300, 0, 0],
            sampled: [judged(100, 100), judged(200, 50), judged(0, 0), judged(0, 0)],
        };
        let precision = |distance| row.by_shingles(distance).unwrap();
        assert_eq!((precision(0).value, precision(0).low), (1.0, 1.0), "all were judged");
        assert!((precision(1).value - 0.4375).abs() < 1e-9);
        assert!(precision(1).low < 0.40 && precision(1).high > 0.47);
        assert_eq!(precision(3).value, precision(1).value);
        assert_eq!(row.by_words(3).unwrap().value, 1.0);
    }
}
