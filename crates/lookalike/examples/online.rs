//! How fast an index is filled, asked, opened and emptied. Used by `bench/online`.
//!
//! ```sh
//! cargo run --release -p lookalike --example online -- fill DIR CORPUS.jsonl ["method = 'cosine'"]
//! cargo run --release -p lookalike --example online -- check DIR QUERIES.jsonl
//! cargo run --release -p lookalike --example online -- remove DIR IDS
//! ```
//!
//! Each prints one JSON object.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use lookalike::Id;
use lookalike::index::{DocumentVerdict, Index, Policy, QueryOptions, View};
use lookalike::{Recipe, Registry, Result};
use serde_json::json;

const BATCH: usize = 2000;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let texts: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let outcome = match texts[..] {
        ["fill", folder, corpus] => fill(folder, corpus, None),
        ["fill", folder, corpus, recipe] => fill(folder, corpus, Some(recipe)),
        ["check", folder, queries] => check(folder, queries),
        ["remove", folder, ids] => remove(folder, ids),
        _ => {
            eprintln!("usage: online fill DIR CORPUS [RECIPE] | check DIR QUERIES | remove DIR IDS");
            std::process::exit(2);
        }
    };
    match outcome {
        Ok(told) => println!("{told}"),
        Err(error) => {
            eprintln!("error: {error}");
            std::process::exit(2);
        }
    }
}

fn lines(path: &str) -> impl Iterator<Item = Vec<u8>> {
    let file = File::open(path).unwrap_or_else(|error| panic!("{path}: {error}"));
    BufReader::with_capacity(1 << 20, file).split(b'\n').map_while(std::io::Result::ok)
}

fn fill(folder: &str, corpus: &str, recipe: Option<&str>) -> Result<serde_json::Value> {
    let registry = Registry::with_built_ins();
    let recipe = match recipe {
        Some(toml) => Recipe::from_toml(toml, &registry)?,
        None => Recipe::standard(&registry)?,
    };
    let index = Index::create(Path::new(folder), &recipe, registry)?;
    let began = Instant::now();
    let mut lines = lines(corpus).peekable();
    let (mut documents, mut duplicates) = (0u64, 0u64);
    while lines.peek().is_some() {
        let batch: Vec<Vec<u8>> = lines.by_ref().take(BATCH).collect();
        let batch: Vec<&[u8]> = batch.iter().map(Vec::as_slice).collect();
        for answer in index.writer().add_many(&batch, Policy::Report, &QueryOptions::default())? {
            duplicates += u64::from(answer?.verdict != DocumentVerdict::New);
            documents += 1;
        }
        if documents % 100_000 == 0 {
            eprintln!("{documents} documents, {:.1} s", began.elapsed().as_secs_f64());
        }
    }
    let seconds = began.elapsed().as_secs_f64();
    let closing = Instant::now();
    let peak = lookalike_engine::memory::peak_memory();
    index.close()?;
    let closed = closing.elapsed().as_secs_f64();
    let opening = Instant::now();
    let index = Index::open(Path::new(folder), Registry::with_built_ins())?;
    let opened = opening.elapsed().as_secs_f64();
    let stats = index.reader().stats(&View::All)?;
    Ok(json!({
        "documents": documents, "duplicates": duplicates, "seconds": seconds,
        "documents_per_second": documents as f64 / seconds, "close_seconds": closed, "open_seconds": opened,
        "index_bytes_per_document": stats.index_bytes as f64 / documents as f64,
        "peak_memory_bytes": peak, "stats": stats,
    }))
}

fn check(folder: &str, queries: &str) -> Result<serde_json::Value> {
    let opening = Instant::now();
    let index = Index::open(Path::new(folder), Registry::with_built_ins())?;
    let opened = opening.elapsed().as_secs_f64();
    let queries: Vec<Vec<u8>> = lines(queries).collect();
    let mut micros: Vec<f64> = Vec::with_capacity(queries.len());
    let mut matched = 0u64;
    let began = Instant::now();
    for query in &queries {
        let asked = Instant::now();
        let answer = index.reader().check(query, &QueryOptions::default())?;
        micros.push(asked.elapsed().as_secs_f64() * 1e6);
        matched += u64::from(answer.matching > 0);
    }
    let alone = queries.len() as f64 / began.elapsed().as_secs_f64();
    let together = rate_of_all_cores(&index, &queries)?;
    micros.sort_by(f64::total_cmp);
    let at = |share: f64| micros[((micros.len() - 1) as f64 * share) as usize];
    Ok(json!({
        "queries": queries.len(), "matched": matched, "queries_per_second": together,
        "queries_per_second_of_one_thread": alone,
        "p50_microseconds": at(0.5), "p90_microseconds": at(0.9), "p99_microseconds": at(0.99), "worst_microseconds": at(1.0),
        "open_seconds": opened, "peak_memory_bytes": lookalike_engine::memory::peak_memory(),
    }))
}

/// Queries a second when every core asks.
fn rate_of_all_cores(index: &Index, queries: &[Vec<u8>]) -> Result<f64> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let next = AtomicUsize::new(0);
    let asker = || -> Result<()> {
        while let Some(query) = queries.get(next.fetch_add(1, Ordering::Relaxed)) {
            index.reader().check(query, &QueryOptions::default())?;
        }
        Ok(())
    };
    let began = Instant::now();
    std::thread::scope(|scope| {
        let askers: Vec<_> = (0..cores).map(|_| scope.spawn(asker)).collect();
        askers.into_iter().try_for_each(|asker| asker.join().expect("no panic"))
    })?;
    Ok(queries.len() as f64 / began.elapsed().as_secs_f64())
}

fn remove(folder: &str, ids: &str) -> Result<serde_json::Value> {
    let index = Index::open(Path::new(folder), Registry::with_built_ins())?;
    let ids: Vec<Id> = lines(ids).filter_map(|id| String::from_utf8(id).ok()).map(Id::from_json).collect();
    let began = Instant::now();
    let mut removed = 0;
    for batch in ids.chunks(BATCH) {
        removed += index.writer().remove_many(batch, &View::All)?;
    }
    let seconds = began.elapsed().as_secs_f64();
    index.close()?;
    Ok(json!({ "removed": removed, "seconds": seconds }))
}
