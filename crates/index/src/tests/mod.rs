//! The index against a batch run over the same documents, and against itself after crashes.

mod clusters;
mod crowds;
mod decided;
mod differing;
mod history;
mod lexicons;
mod model;
mod numbers;
mod policies;
mod review;
mod same_as_batch;
mod shape;
mod snapshots;
mod streams;
mod transaction;
mod upkeep;
mod views;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;

use lookalike_core::document::Id;
use lookalike_core::hash::mix;
use lookalike_core::registry::Registry;
use tempfile::TempDir;

use super::{Index, QueryOptions, View};
use lookalike_engine::Recipe;
use lookalike_engine::decisions::Decisions;
use lookalike_engine::run::{Job, Quiet, find};

/// A made-up document: its id and text, and perhaps labels and streams.
#[derive(Clone, Debug)]
pub struct Made {
    pub id: String,
    pub text: String,
    pub labels: Vec<&'static str>,
    /// Further members of the line, each with a comma before it.
    pub streams: String,
}

impl Made {
    pub fn line(&self) -> Vec<u8> {
        let mut line = format!("{{\"id\":\"{}\",\"text\":\"{}\"", self.id, self.text);
        if !self.labels.is_empty() {
            let _ = write!(line, ",\"labels\":{:?}", self.labels);
        }
        line += &self.streams;
        line.push('}');
        line.into_bytes()
    }
}

/// The id of a document by its number, as JSON has it.
pub fn id_of(index: &Index, number: u32) -> String {
    let preview = index.reader().previews(&[number], &View::All).unwrap().pop().flatten();
    preview.map(|(id, _)| id.json().to_owned()).unwrap_or_default()
}

/// A text of some words; texts of one family differ in a few of them, the more the greater `changes`.
pub fn text(family: u64, changes: u64, seed: u64) -> String {
    let mut words: Vec<String> = (0..40).map(|at| format!("w{}", mix(family << 8 | at) % 3000)).collect();
    for change in 0..changes {
        let place = mix(seed << 16 | change) % words.len() as u64;
        words[place as usize] = format!("x{}", mix(seed << 24 | change) % 3000);
    }
    words.join(" ")
}

/// Documents in families of near-duplicates, with some exact copies, some empty and some short ones.
pub fn corpus(count: u64, seed: u64) -> Vec<Made> {
    let labels: [&[&str]; 4] = [&[], &["red"], &["red", "blue"], &["green"]];
    (0..count)
        .map(|number| {
            let random = mix(seed << 32 | number);
            let family = random % (count / 6 + 1);
            let text = match random >> 20 & 31 {
                0 => String::new(),
                1 => "too short".to_owned(),
                2..=5 => text(family, 0, 0),
                _ => text(family, random >> 30 & 3, random >> 40),
            };
            Made {
                streams: String::new(),
                id: format!("d{number:04}"),
                text,
                labels: labels[(random >> 50 & 3) as usize].to_vec(),
            }
        })
        .collect()
}

pub fn registry() -> Registry {
    Registry::with_built_ins()
}

pub fn recipe(toml: &str) -> Recipe {
    Recipe::from_toml(toml, &registry()).unwrap()
}

pub fn create(folder: &Path, toml: &str) -> Index {
    Index::create(folder, &recipe(toml), registry()).unwrap()
}

/// An index in which more than `full` documents with one key are a crowd, until it has another generation.
pub fn with_crowds_beyond(full: usize, mut index: Index) -> Index {
    let generation = index.current.get_mut().unwrap();
    Arc::get_mut(generation).unwrap().crowds.full = full;
    index
}

pub fn at(now: u64) -> QueryOptions {
    QueryOptions { now, limit: usize::MAX, ..QueryOptions::default() }
}

pub fn id(name: &str) -> Id {
    Id::from_json(format!("\"{name}\""))
}

/// Pairs with similarity, and the master of every document that is in a cluster.
#[derive(Debug, PartialEq)]
pub struct Known {
    pub pairs: BTreeMap<(String, String), f64>,
    pub masters: BTreeMap<String, String>,
}

/// What a batch run finds among the documents.
pub fn by_batch(documents: &[Made], toml: &str) -> Known {
    by_batch_with(documents, toml, None)
}

/// The same after what people said.
pub fn by_batch_with(documents: &[Made], toml: &str, decisions: Option<Decisions>) -> Known {
    by_batch_of(documents, toml, |job| job.decisions = decisions)
}

/// The same by a job of one's own.
pub fn by_batch_of(documents: &[Made], toml: &str, change: impl FnOnce(&mut Job)) -> Known {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("corpus.jsonl");
    let mut lines = documents.iter().map(Made::line).collect::<Vec<_>>().join(&b'\n');
    lines.push(b'\n');
    std::fs::write(&path, lines).unwrap();
    let pipeline = recipe(toml).build(&registry()).unwrap();
    let mut job = Job::new([path.to_string_lossy()], "unused");
    change(&mut job);
    let outcome = find(&pipeline, &job, &Quiet).unwrap();
    let name = |number: u32| documents[number as usize].id.clone();
    let mut pairs = BTreeMap::new();
    for (a, b, similarity) in outcome.all_pairs().unwrap() {
        let (a, b) = (name(a), name(b));
        pairs.insert((a.clone().min(b.clone()), a.max(b)), similarity);
    }
    let masters = (0u32..)
        .zip(&outcome.masters)
        .filter(|&(number, _)| pairs.keys().any(|(a, b)| *a == name(number) || *b == name(number)));
    let masters = masters.map(|(number, &master)| (name(number), name(master))).collect();
    Known { pairs, masters }
}

/// What an index knows of the documents, asked one by one.
pub fn by_index(index: &Index, documents: &[Made], view: &View) -> Known {
    let mut known = Known { pairs: BTreeMap::new(), masters: BTreeMap::new() };
    let options = QueryOptions { view: view.clone(), ..at(1000) };
    for made in documents {
        let answer = index.reader().check(&made.line(), &options).unwrap();
        for one in answer.matches {
            let other = one.id.display().into_owned();
            if other != made.id {
                let pair = (made.id.clone().min(other.clone()), made.id.clone().max(other));
                let before = known.pairs.insert(pair.clone(), one.similarity);
                assert!(before.is_none_or(|before| before == one.similarity), "{pair:?}");
            }
        }
    }
    for made in documents {
        if known.pairs.keys().any(|(a, b)| *a == made.id || *b == made.id) {
            let cluster = index.reader().cluster(&id(&made.id), view).unwrap().unwrap();
            known.masters.insert(made.id.clone(), cluster.master.display().into_owned());
        }
    }
    known
}
