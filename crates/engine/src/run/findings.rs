//! The results of a run as plain numbers, for judging and learning.

use std::collections::BTreeMap;

use lookalike_core::{Error, Result};

use super::clusters::CopyPair;
use super::outcome::Outcome;
use super::report::Narrowed;
use super::{Asked, Job, Progress, compute_as};
use crate::memory::{forget_peak_memory, peak_memory};
use crate::pipeline::Pipeline;

/// The results of a run. Documents are numbered in input order, which is the same for every recipe.
#[derive(Clone, Debug, Default)]
pub struct Findings {
    /// Verified pairs a < b of documents that are not exact copies, and their similarity.
    pub pairs: Vec<(u32, u32, f64)>,
    /// Exact copies and the document that represents each.
    pub copies: Vec<(u32, u32)>,
    /// For each document the master of its cluster; a document without a cluster is its own master.
    pub masters: Vec<u32>,
    /// Pairs that were compared.
    pub candidates: u64,
    /// What comparing within clusters only saved and cost, if candidates were found that way.
    pub narrowing: Vec<Narrowed>,
    /// The least similarity of near-duplicates.
    pub threshold: f64,
    /// What signatures were made by.
    pub scheme: String,
    /// How long it took.
    pub seconds: f64,
    /// How long each stage took.
    pub stages: BTreeMap<String, f64>,
    /// The most memory it used.
    pub peak_memory_bytes: u64,
    /// How many stored signatures begin with each byte, if the method stores signatures.
    pub first_bytes: Option<Vec<u64>>,
}

impl Findings {
    /// All pairs, including those of exact copies, by (a, b).
    pub fn all_pairs(&self) -> Result<Vec<(u32, u32, f64)>> {
        let mut copies_of: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for &(copy, representative) in &self.copies {
            copies_of.entry(representative).or_insert_with(|| vec![representative]).push(copy);
        }
        let group = |document: u32| copies_of.get(&document).map_or(vec![document], Clone::clone);
        let size = |document: u32| copies_of.get(&document).map_or(1, Vec::len) as u64;
        let between: u64 = self.pairs.iter().map(|&(a, b, _)| size(a) * size(b)).sum();
        let within: u64 = copies_of.values().map(|group| (group.len() * (group.len() - 1) / 2) as u64).sum();
        if between + within > MOST_PAIRS {
            return Err(Error::config(format!(
                "{} pairs were found, more than can be judged one by one: judge a sample",
                between + within
            )));
        }
        let mut all = Vec::with_capacity((between + within) as usize);
        for &(a, b, similarity) in &self.pairs {
            for x in group(a) {
                all.extend(group(b).into_iter().map(|y| (x.min(y), x.max(y), similarity)));
            }
        }
        for group in copies_of.values() {
            for (place, &x) in group.iter().enumerate() {
                all.extend(group[..place].iter().map(|&y| (x.min(y), x.max(y), 1.0)));
            }
        }
        all.sort_unstable_by_key(|&(a, b, _)| (a, b));
        Ok(all)
    }
}

const MOST_PAIRS: u64 = 100_000_000;

/// Computes what [`run`](super::run) would find, without writing files; `job.output` is not used.
pub fn find(pipeline: &Pipeline, job: &Job, progress: &dyn Progress) -> Result<Findings> {
    forget_peak_memory();
    job.check()?;
    findings(&compute_as(Asked::Findings, pipeline, job, &job.open(pipeline)?, progress)?)
}

fn findings(outcome: &Outcome<'_>) -> Result<Findings> {
    let Outcome { catalog, clusters, report, .. } = outcome;
    let mut masters: Vec<u32> = (0..catalog.len()).collect();
    clusters.for_each_member(|_, master, member| {
        masters[member.document.index()] = master.raw();
        Ok(())
    })?;
    let mut copies = clusters
        .copies
        .iter()?
        .map(|pair| pair.map(|CopyPair { copy, representative, .. }| (copy.raw(), representative.raw())))
        .collect::<Result<Vec<_>>>()?;
    copies.sort_unstable();
    let pairs = clusters.verified.iter()?.map(|pair| pair.map(|it| (it.a.raw(), it.b.raw(), it.similarity)));
    let pairs = pairs.collect::<Result<Vec<_>>>()?;
    let first_bytes = match catalog.layout.signature {
        0 => None,
        _ => {
            let mut counts = vec![0u64; 256];
            for document in catalog.documents() {
                let signature = catalog.signature(document)?;
                // A flag after the signature says whether there is one; without a join there always is.
                if signature.last() == Some(&1) {
                    counts[usize::from(signature[signature.len() - 2])] += 1;
                }
            }
            Some(counts)
        }
    };
    Ok(Findings {
        pairs,
        copies,
        masters,
        candidates: report.candidates,
        narrowing: report.narrowing.clone(),
        threshold: report.threshold,
        scheme: report.scheme.clone(),
        seconds: outcome.clock.seconds(),
        stages: outcome.clock.stages(),
        peak_memory_bytes: peak_memory(),
        first_bytes,
    })
}

#[cfg(test)]
mod tests {
    use lookalike_core::registry::Registry;

    use super::*;
    use crate::Recipe;
    use crate::run::{Quiet, compute};

    /// Findings do not tell how documents differ, but heed what the recipe says of it: they are the pairs and clusters of
    /// a run that tells all. Many pairs of few documents, so that they are read by tiles.
    #[test]
    fn findings_are_those_of_a_whole_run() {
        let folder = tempfile::tempdir().unwrap();
        let corpus = folder.path().join("corpus.jsonl");
        let text = |place: usize| {
            let words: Vec<String> =
                (0..40).map(|word| format!("w{}", (word * 7 + place % 3) % 90)).collect();
            format!("{} {} {}", words.join(" "), if place.is_multiple_of(2) { "x" } else { "y" }, place / 4)
        };
        let lines = (0..700).map(|place| format!("{{\"id\":\"{place}\",\"text\":\"{}\"}}\n", text(place)));
        std::fs::write(&corpus, lines.collect::<String>()).unwrap();
        let registry = Registry::with_built_ins();
        let mut counts = Vec::new();
        for unless in ["", "unless = ['numbers']"] {
            let recipe = format!("method = 'cosine'\n[decide]\nthreshold = 0.9\n{unless}");
            let pipeline = Recipe::from_toml(&recipe, &registry).unwrap().build(&registry).unwrap();
            let job = Job::new([corpus.to_string_lossy()], "");
            let source = job.open(&pipeline).unwrap();
            let told = compute(&pipeline, &job, &source, &Quiet).unwrap();
            assert!(told.clusters.verified.iter().unwrap().all(|pair| pair.unwrap().difference.is_some()));
            let (all, found) = (findings(&told).unwrap(), find(&pipeline, &job, &Quiet).unwrap());
            assert_eq!(
                (&all.pairs, &all.copies, &all.masters),
                (&found.pairs, &found.copies, &found.masters)
            );
            counts.push(found.pairs.len());
        }
        assert!(counts[0] > 50_000 && counts[1] < counts[0] / 10 && counts[1] > 0, "{counts:?}");
    }
}
