//! Measured recall against the truth by brute force.

mod common;

use std::collections::{BTreeMap, BTreeSet};

use common::{Outcome, corpus, dedup, usual_recipe};
use lookalike::{Job, MeasuredRecall, Quiet, RecallSample, Recipe, Registry, run};
use lookalike_core::hash::bytes;

const THRESHOLD: f64 = 0.6;

/// Two keys of four rows each: many pairs are missed.
const FEW_KEYS: &str = "[features]\nshingle = 3\n[sign]\nhashes = 8\n[candidates]\nbands = 2\nrows = 4\n";
/// Nearly all are found.
const MANY_KEYS: &str = "[features]\nshingle = 3\n[candidates]\nbands = 24\nrows = 4\n";
/// One row a band: all are found for all practical purposes.
const COMPLETE: &str = "[features]\nshingle = 3\n[candidates]\nbands = 128\nrows = 1\n";

fn decide(keys: &str) -> String {
    format!("{keys}[decide]\nthreshold = {THRESHOLD}")
}

fn measured(
    documents: &[(String, String)],
    recipe: &str,
    sample: Option<u32>,
    seed: u64,
) -> (Outcome, MeasuredRecall) {
    let outcome = dedup(documents, recipe, |job| {
        job.measure_recall = Some(RecallSample { documents: sample, seed });
    });
    let measured = outcome.report.measured_recall.clone().unwrap();
    (outcome, measured)
}

/// Pairs of different texts, each text by its number.
type TextPairs = BTreeSet<(usize, usize)>;

/// The numbers of texts by the ids of their documents.
fn texts(documents: &[(String, String)]) -> BTreeMap<&str, usize> {
    let mut numbers = BTreeMap::new();
    documents
        .iter()
        .map(|(id, text)| {
            let next = numbers.len();
            (id.as_str(), *numbers.entry(text.as_str()).or_insert(next))
        })
        .collect()
}

/// All near-duplicate pairs, by comparing each document with each.
fn brute_force(documents: &[(String, String)]) -> TextPairs {
    let sets: Vec<BTreeSet<u64>> = documents
        .iter()
        .map(|(_, text)| {
            let words: Vec<&str> = text.split_whitespace().collect();
            words.windows(3).map(|gram| bytes(gram.join(" ").as_bytes())).collect()
        })
        .collect();
    let number = texts(documents);
    let mut pairs = TextPairs::new();
    for (i, a) in sets.iter().enumerate() {
        for (j, b) in sets.iter().enumerate().take(i) {
            let (x, y) = (number[documents[i].0.as_str()], number[documents[j].0.as_str()]);
            // Sizes this far apart never reach the threshold.
            if x == y
                || (a.len() as f64) < THRESHOLD * b.len() as f64
                || (b.len() as f64) < THRESHOLD * a.len() as f64
            {
                continue;
            }
            let shared = a.intersection(b).count() as f64;
            if shared >= THRESHOLD * ((a.len() + b.len()) as f64 - shared) {
                pairs.insert((x.min(y), x.max(y)));
            }
        }
    }
    pairs
}

/// The pairs of different texts that a run found.
fn found(outcome: &Outcome, documents: &[(String, String)]) -> TextPairs {
    let number = texts(documents);
    let pairs = outcome.pairs().into_keys().map(|(a, b)| (number[a.as_str()], number[b.as_str()]));
    pairs.filter(|(a, b)| a != b).map(|(a, b)| (a.min(b), a.max(b))).collect()
}

/// Over many samples the interval covers the truth as often as it says, and the estimates are right on average.
#[test]
fn samples_tell_the_true_recall() {
    const SEEDS: u64 = 16;
    let documents = corpus(800, 5);
    let truth = brute_force(&documents);
    assert!(truth.len() > 300, "{} pairs are too few to tell", truth.len());
    for (keys, range) in [(FEW_KEYS, 0.3..0.8), (MANY_KEYS, 0.9..1.0)] {
        let mut true_recall = None;
        let (mut covered, mut recalls, mut totals) = (0, Vec::new(), Vec::new());
        for seed in 0..SEEDS {
            let (outcome, measured) = measured(&documents, &decide(keys), Some(150), seed);
            let recall = *true_recall.get_or_insert_with(|| {
                found(&outcome, &documents).intersection(&truth).count() as f64 / truth.len() as f64
            });
            assert!(range.contains(&recall), "{recall}");
            assert_eq!(measured.sampled, 150);
            assert!(measured.pairs < truth.len() as u64 / 2, "a sample, not everything");
            covered += u64::from((measured.low.unwrap()..=measured.high.unwrap()).contains(&recall));
            recalls.push(measured.recall.unwrap());
            totals.push(measured.estimated_pairs);
        }
        assert!(covered >= SEEDS - 2, "{keys}: {covered} of {SEEDS} intervals hold the truth");
        let (mean, error) = mean(&recalls);
        let recall = true_recall.unwrap();
        assert!((mean - recall).abs() <= 3.5 * error, "{keys}: {mean} ± {error}, and it is {recall}");
        let (mean, error) = self::mean(&totals);
        let pairs = truth.len() as f64;
        assert!((mean - pairs).abs() <= 3.5 * error, "{keys}: {mean} ± {error} pairs, and there are {pairs}");
    }
}

fn mean(values: &[f64]) -> (f64, f64) {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (count - 1.0);
    (mean, (variance / count).sqrt())
}

/// With every document in the sample the figures are those of brute force, to the pair.
#[test]
fn a_sample_of_everything_is_the_truth() {
    let documents = corpus(500, 6);
    let truth = brute_force(&documents);
    let (outcome, measured) = measured(&documents, &decide(FEW_KEYS), Some(u32::MAX), 1);
    let found = found(&outcome, &documents);
    assert!(found.is_subset(&truth));
    assert_eq!((measured.pairs, measured.found), (truth.len() as u64, found.len() as u64));
    assert_eq!(measured.estimated_pairs, truth.len() as f64);
    assert_eq!(measured.sampled, measured.documents);
    let recall = Some(found.len() as f64 / truth.len() as f64);
    assert_eq!((measured.recall, measured.low, measured.high), (recall, recall, recall));
}

/// The same for other decisions, with a run that misses nothing as the truth.
#[test]
fn every_measure_with_a_bound_can_be_measured() {
    let documents = corpus(300, 7);
    for (features, decision) in [
        ("type = 'words'", "measure = 'cosine'\nthreshold = 0.9"),
        ("type = 'words'", "measure = 'containment'\nthreshold = 0.8"),
        ("type = 'terms'", "measure = 'weighted-cosine'\nthreshold = 0.9"),
        ("type = 'terms'", "measure = 'extended-jaccard'\nthreshold = 0.8"),
        ("type = 'shingles'\nshingle = 3", "type = 'overlap-and-length'\noverlap = 0.7"),
    ] {
        let recipe = |keys: &str| format!("[features]\n{features}\n{keys}[decide]\n{decision}");
        let complete = dedup(&documents, &recipe("[candidates]\nbands = 128\nrows = 1\n"), |_| {});
        let few = "[sign]\nhashes = 8\n[candidates]\nbands = 2\nrows = 4\n";
        let (outcome, measured) = measured(&documents, &recipe(few), Some(u32::MAX), 1);
        let (truth, found) =
            (found(&complete, &documents).len() as u64, found(&outcome, &documents).len() as u64);
        assert!(found < truth && found > 20, "{decision}: {found} of {truth}");
        assert_eq!((measured.pairs, measured.found), (truth, found), "{decision}");
    }
}

/// Of a crowd only pairs with few members are compared. They are few of its pairs, but its cluster is whole.
#[test]
fn crowds_are_measured_by_pairs_and_by_clusters() {
    let words: Vec<String> = (0..60).map(|n| format!("w{n}")).collect();
    let crowd = (0..150).map(|n| {
        let mut words = words.clone();
        words[n % 50] = format!("x{n}");
        (format!("c{n:03}"), words.join(" "))
    });
    let documents: Vec<(String, String)> = crowd.collect();
    let outcome = dedup(&documents, &decide(COMPLETE), |job| {
        job.full_bucket = 20;
        job.measure_recall = Some(RecallSample { documents: Some(60), seed: 3 });
    });
    let measured = outcome.report.measured_recall.clone().unwrap();
    let all = (150 * 149 / 2) as f64;
    let recall = found(&outcome, &documents).len() as f64 / all;
    assert!(recall < 0.7, "{recall}");
    assert!((measured.low.unwrap()..=measured.high.unwrap()).contains(&recall), "{recall} {measured:?}");
    assert!((measured.estimated_pairs / all - 1.0).abs() < 0.3, "{measured:?}");
    assert!(measured.pairs <= 60 * 32, "{measured:?}");
    assert_eq!(measured.in_one_cluster.unwrap().value, 1.0);
}

#[test]
fn copies_and_unlike_documents_have_nothing_to_measure() {
    let texts = ["one two three four five", "six seven eight nine ten"];
    let documents: Vec<(String, String)> =
        (0..20).map(|n| (format!("d{n}"), texts[n % 2].to_owned())).collect();
    let (outcome, measured) = measured(&documents, &decide(MANY_KEYS), None, 1);
    assert_eq!(outcome.report.removed, 18);
    assert_eq!((measured.sampled, measured.documents, measured.pairs), (2, 2, 0));
    assert_eq!((measured.recall, measured.low, measured.high), (None, None, None));
    assert!(measured.summary().contains("no pairs in the sample"), "{}", measured.summary());
}

#[test]
fn the_sample_does_not_depend_on_threads_or_order() {
    let mut documents = corpus(400, 8);
    let measure = |documents: &[(String, String)], threads| {
        let outcome = dedup(documents, &decide(FEW_KEYS), |job| {
            job.threads = threads;
            job.measure_recall = Some(RecallSample { documents: Some(100), seed: 1 });
        });
        outcome.report.measured_recall.unwrap()
    };
    let one = measure(&documents, 1);
    assert_eq!(measure(&documents, 3), one);
    documents.reverse();
    let MeasuredRecall { recall, pairs, found, .. } = measure(&documents, 2);
    assert_eq!((recall, pairs, found), (one.recall, one.pairs, one.found));
}

/// Pairs with the corpus compared against count, pairs within it do not.
#[test]
fn known_documents_count_as_partners() {
    let documents = corpus(400, 9);
    let (known, new) = documents.split_at(200);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("known.jsonl");
    common::write(&file, known);
    let outcome = dedup(new, &decide(FEW_KEYS), |job| {
        job.against = vec![file.to_str().unwrap().to_owned()];
        job.measure_recall = Some(RecallSample { documents: Some(u32::MAX), seed: 1 });
    });
    let measured = outcome.report.measured_recall.clone().unwrap();
    let number = texts(&documents);
    let known: BTreeSet<usize> = known.iter().map(|(id, _)| number[id.as_str()]).collect();
    let is_new = |(a, b): &&(usize, usize)| !known.contains(a) || !known.contains(b);
    let truth = brute_force(&documents).iter().filter(is_new).count() as u64;
    let found = found(&outcome, &documents).iter().filter(is_new).count() as u64;
    assert!(found < truth);
    assert_eq!((measured.pairs, measured.found), (truth, found));
}

#[test]
fn a_decision_without_a_bound_is_refused() {
    let documents = corpus(60, 10);
    let registry = Registry::with_built_ins();
    let classifier = usual_recipe("classifier", &documents);
    let euclidean = "[features]\ntype = 'terms'\n[decide]\nmeasure = 'euclidean'\nthreshold = 0.1";
    for recipe in [classifier.as_str(), euclidean] {
        let folder = tempfile::tempdir().unwrap();
        let input = folder.path().join("in.jsonl");
        common::write(&input, &documents);
        let pipeline = Recipe::from_toml(recipe, &registry).unwrap().build(&registry).unwrap();
        let mut job = Job::new([input.to_str().unwrap()], folder.path().join("out"));
        job.measure_recall = Some(RecallSample::default());
        let error = run(&pipeline, &job, &Quiet).unwrap_err().to_string();
        assert!(error.contains("--measure-recall needs a decision"), "{error}");
    }
}
