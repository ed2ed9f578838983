//! Small corpora with planted near-duplicates, and runs over them.
#![allow(dead_code)]

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use lookalike::judge::Training;
use lookalike::judge::TruthSource;
use lookalike::{Job, Quiet, Recipe, Registry, Report, run};
use lookalike_core::hash::mix;
use lookalike_judge::learn::train;
use serde_json::Value;

/// `(id, text)`: clusters of edited copies among unlike documents, the same for the same seed.
pub fn corpus(documents: u64, seed: u64) -> Vec<(String, String)> {
    let word = |n: u64| format!("w{}", mix(n ^ seed << 32) % 4000);
    let mut corpus = Vec::new();
    for number in 0..documents {
        // Three in four documents repeat an earlier base with some words changed.
        let base = if number % 4 == 0 { number } else { mix(number ^ seed) % number.max(1) / 4 * 4 };
        let length = 30 + mix(base) % 60;
        let changes = mix(number ^ 77) % 6;
        let mut words: Vec<String> = (0..length).map(|i| word(base * 1000 + i)).collect();
        for change in 0..if number == base { 0 } else { changes } {
            let place = mix(number * 31 + change) % length;
            words[place as usize] = word(number * 7919 + change + 500_000);
        }
        corpus.push((format!("d{number:05}"), words.join(" ")));
    }
    corpus
}

pub fn write(path: &Path, corpus: &[(String, String)]) {
    let lines: String = corpus
        .iter()
        .map(|(id, text)| serde_json::json!({ "id": id, "text": text }).to_string() + "\n")
        .collect();
    std::fs::write(path, lines).unwrap();
}

/// Runs `recipe` (TOML) over a corpus in a folder of its own.
pub fn dedup(corpus: &[(String, String)], recipe: &str, adjust: impl FnOnce(&mut Job)) -> Outcome {
    let folder = tempfile::tempdir().unwrap();
    let input = folder.path().join("in.jsonl");
    write(&input, corpus);
    let registry = Registry::with_built_ins();
    let pipeline = Recipe::from_toml(recipe, &registry).unwrap().build(&registry).unwrap();
    let output = folder.path().join("out");
    let mut job = Job::new([input.to_str().unwrap()], &output);
    job.threads = 2;
    adjust(&mut job);
    let report = run(&pipeline, &job, &Quiet).unwrap();
    Outcome { report, output, _folder: folder }
}

/// The method with what it needs: a classifier needs a model, here one trained on these documents with
/// an exact measure as truth.
pub fn usual_recipe(method: &str, documents: &[(String, String)]) -> String {
    if method != "classifier" {
        return format!("method = '{method}'");
    }
    let folder = tempfile::tempdir().unwrap().keep();
    let (input, model) = (folder.join("in.jsonl"), folder.join("test.model"));
    write(&input, documents);
    let registry = Registry::with_built_ins();
    let truth =
        TruthSource::Exact { measure: "jaccard".into(), threshold: "0.8".into(), settings: Vec::new() };
    let training = Training {
        learner: "logistic".to_owned(),
        folds: 3,
        most: 2000,
        ..Training::new(truth, &registry).unwrap()
    };
    let job = Job::new([input.to_str().unwrap()], folder.join("none"));
    train(&training, &job, &registry, &Quiet).unwrap().write(&model).unwrap();
    format!("method = 'classifier'\n[decide]\ntype = 'classifier'\nmodel = '{}'", model.display())
}

pub struct Outcome {
    pub report: Report,
    pub output: PathBuf,
    _folder: tempfile::TempDir,
}

impl Outcome {
    pub fn lines(&self, name: &str) -> Vec<Value> {
        let text = std::fs::read_to_string(self.output.join(name)).unwrap();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    pub fn pairs(&self) -> BTreeMap<(String, String), f64> {
        let name = |value: &Value| value.as_str().unwrap().to_owned();
        let lines = self.lines("pairs.jsonl");
        lines
            .iter()
            .map(|pair| ((name(&pair["a"]), name(&pair["b"])), pair["similarity"].as_f64().unwrap()))
            .collect()
    }

    pub fn ids(&self, name: &str) -> BTreeSet<String> {
        self.lines(name).iter().map(|line| line["id"].as_str().unwrap().to_owned()).collect()
    }

    /// Clusters as sets of ids with their master, whatever their numbers.
    pub fn clusters(&self) -> BTreeSet<(String, Vec<String>)> {
        let name = |value: &Value| value.as_str().unwrap().to_owned();
        let lines = self.lines("clusters.jsonl");
        lines
            .iter()
            .map(|cluster| {
                let mut members: Vec<String> =
                    cluster["members"].as_array().unwrap().iter().map(|member| name(&member["id"])).collect();
                members.sort();
                (name(&cluster["master"]), members)
            })
            .collect()
    }
}

pub type Grams = BTreeSet<Vec<String>>;

/// The set of word k-grams, written as plainly as can be.
pub fn grams(text: &str, size: usize) -> Grams {
    let words: Vec<String> = text.split_whitespace().map(str::to_lowercase).collect();
    if words.len() < size {
        BTreeSet::from([words])
    } else {
        words.windows(size).map(<[String]>::to_vec).collect()
    }
}

pub fn jaccard(a: &Grams, b: &Grams) -> f64 {
    let shared = a.intersection(b).count();
    shared as f64 / (a.len() + b.len() - shared) as f64
}

/// Equal up to what reading a number from JSON may lose.
pub fn same(a: f64, b: f64) -> bool {
    (a - b).abs() < 1e-12
}
