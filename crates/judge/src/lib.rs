//! Judges methods against a known truth: one or many recipes, alone or in series, on one corpus.
//!
//! Every recipe runs as `dedup` would run it; what it found is compared with labelled pairs,
//! labelled clusters, or all pairs of an exact measure. Figures carry intervals.

#![deny(missing_docs)]

mod corpus;
mod labels;
pub mod learn;
mod page;
mod profile;
mod sweep;
mod table;
mod truth;

pub use corpus::{FieldFilter, JudgedCorpus};
pub use labels::{LabelledPair, Labels, read_clusters, read_pairs};
pub use page::page;
pub use profile::{WeightProfile, profiles};
pub use sweep::{Sweep, combinations};
pub use table::{csv, table};
pub use truth::{Known, TruthSource};

use std::collections::BTreeMap;

use lookalike_core::hash::{combine, mix};
use lookalike_core::registry::Registry;
use lookalike_core::{Error, Result};
use lookalike_learn::metrics::{FoundPairs, Judgement, MetricOptions, Point, Truth, curve, judge};
use serde::Serialize;

use lookalike_engine::Recipe;
use lookalike_engine::lexicon::NATIVE;
use lookalike_engine::run::report::Narrowed;
use lookalike_engine::run::{Findings, Job, Progress, find, prepare};

/// A recipe to be judged.
#[derive(Clone, Debug)]
pub struct Contestant {
    /// Its name.
    pub name: String,
    /// The settings of sweeps, by key.
    pub settings: Vec<(String, String)>,
    /// The recipe.
    pub recipe: Recipe,
}

impl Contestant {
    /// Every recipe with every combination of the sweeps' values.
    pub fn all(recipes: &[(String, Recipe)], sweeps: &[Sweep]) -> Result<Vec<Contestant>> {
        let mut all = Vec::new();
        for (name, recipe) in recipes {
            for settings in combinations(sweeps)? {
                let mut recipe = recipe.clone();
                settings.iter().try_for_each(|(key, value)| recipe.set(key, value))?;
                all.push(Contestant { name: name.clone(), settings, recipe });
            }
        }
        Ok(all)
    }

    /// Builds the recipe once, so that errors in it are reported before any work. A lexicon that is
    /// counted from the corpus cannot be checked yet.
    pub fn check(&self, registry: &Registry) -> Result<()> {
        if self.recipe.uses_lexicon(NATIVE, registry)? {
            return Ok(());
        }
        self.recipe.build(registry).map(drop)
    }

    /// Name and settings, for people.
    pub fn label(&self) -> String {
        let settings = self.settings.iter().map(|(key, value)| format!(" {key}={value}"));
        std::iter::once(self.name.clone()).chain(settings).collect()
    }
}

/// How to judge.
#[derive(Clone, Debug)]
pub struct Evaluation {
    /// The source of the truth.
    pub truth: TruthSource,
    /// Documents that must never be matched, for the utility.
    pub legitimate: Option<FieldFilter>,
    /// Documents that are not judged.
    pub leave_out: Option<FieldFilter>,
    /// The share of the documents that are queries, drawn at random; all if absent.
    pub queries: Option<f64>,
    /// How many found documents one matched legitimate document outweighs.
    pub cost: f64,
    /// Resamples for the intervals.
    pub resamples: u32,
    /// The seed of queries and resamples.
    pub seed: u64,
    /// If the corpus is a sample drawn in groups, the group of each document.
    pub drawn_together: Option<Vec<u32>>,
}

impl Evaluation {
    /// All documents judged, with the usual costs and resamples.
    pub fn new(truth: TruthSource) -> Self {
        let MetricOptions { cost, resamples, seed, .. } = MetricOptions::default();
        Evaluation {
            truth,
            legitimate: None,
            leave_out: None,
            queries: None,
            cost,
            resamples,
            seed,
            drawn_together: None,
        }
    }
}

/// The results of an evaluation.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Evaluated {
    /// Documents that were judged.
    pub documents: u64,
    /// What is taken as true.
    pub truth: String,
    /// Resamples behind the intervals.
    pub resamples: u32,
    /// The seed of queries and resamples.
    pub seed: u64,
    /// One for each contestant.
    pub results: Vec<Judged>,
}

/// The results of one recipe.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Judged {
    /// The name of the recipe.
    pub name: String,
    /// The settings of sweeps, by key.
    pub settings: Vec<(String, String)>,
    /// The recipe with every default.
    #[cfg_attr(feature = "schema", schemars(with = "serde_json::Map<String, serde_json::Value>"))]
    pub recipe: toml::Table,
    /// What its signatures are made by.
    pub scheme: String,
    /// The least similarity that it calls near-duplicate.
    pub threshold: f64,
    /// Its figures.
    pub judgement: Judgement,
    /// How many documents the method calls near-duplicates of a document, on average (S09 Table 6.2).
    pub neighbours: f64,
    /// How many documents have how many near-duplicates, including themselves (S09 Figure 6-2).
    pub neighbourhoods: Vec<(u64, u64)>,
    /// Pairs that it compared.
    pub candidates: u64,
    /// What comparing within clusters only saved and cost, if candidates were found that way.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub narrowing: Vec<Narrowed>,
    /// How long it took.
    pub seconds: f64,
    /// How long each stage took.
    pub stages: BTreeMap<String, f64>,
    /// The most memory it used.
    pub peak_memory_bytes: u64,
    /// Precision and recall at every threshold above its own.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub curve: Vec<Point>,
    /// How many signatures begin with each byte, for methods that compare bits (S09 Figure 6-1).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_bytes: Option<Vec<u64>>,
}

impl Judged {
    /// Name and settings, for people.
    pub fn label(&self) -> String {
        let settings = self.settings.iter().map(|(key, value)| format!(" {key}={value}"));
        std::iter::once(self.name.clone()).chain(settings).collect()
    }
}

/// The largest number of documents with an equal key of which all pairs are compared when a method
/// is judged.
pub const FULL_BUCKET: usize = 4096;

/// Runs every contestant over the job's corpus and judges what it found.
pub fn evaluate(
    evaluation: &Evaluation,
    contestants: &[Contestant],
    job: &Job,
    registry: &Registry,
    progress: &dyn Progress,
) -> Result<Evaluated> {
    if contestants.is_empty() {
        return Err(Error::config("nothing to judge: name a method or a recipe"));
    }
    let job = Job { full_bucket: FULL_BUCKET, ..job.clone() };
    let mut fields = evaluation.truth.fields();
    fields.extend(evaluation.legitimate.as_ref().map(|which| which.field.clone()));
    let corpus = JudgedCorpus::read(&job, &fields, evaluation.leave_out.as_ref())?;
    let known = evaluation.truth.read(&corpus, &job, registry, progress)?;
    let options = options(evaluation, &corpus)?;
    let mut results = Vec::new();
    for contestant in contestants {
        let prepared = prepare(&contestant.recipe, registry, &job, progress)?;
        let pipeline = contestant.recipe.build_with(registry, &prepared.assets)?;
        let outcome = find(&pipeline, &job, progress)?;
        results.push(judged(contestant, pipeline.resolved(), outcome, &corpus, &known.truth, &options)?);
    }
    Ok(Evaluated {
        documents: u64::from(corpus.len()),
        truth: known.description,
        resamples: options.resamples,
        seed: options.seed,
        results,
    })
}

fn options(evaluation: &Evaluation, corpus: &JudgedCorpus) -> Result<MetricOptions> {
    let legitimate = evaluation.legitimate.as_ref().map(|filter| corpus.matching(filter)).transpose()?;
    let queries = match evaluation.queries {
        None => None,
        Some(share) if share > 0.0 && share <= 1.0 => {
            let drawn = |document: &u32| {
                mix(combine(mix(evaluation.seed), u64::from(*document))) as f64 / 2f64.powi(64) < share
            };
            // Queries are spam; legitimate mail must not be found.
            let asked = |document: &u32| {
                !legitimate.as_ref().is_some_and(|marks| marks[*document as usize])
                    && !corpus.left_out[*document as usize]
            };
            Some((0..corpus.len()).filter(asked).filter(drawn).collect())
        }
        Some(share) => {
            return Err(Error::config(format!(
                "the share of queries is {share}, it must be above 0 and at most 1"
            )));
        }
    };
    let Evaluation { cost, resamples, seed, .. } = *evaluation;
    let drawn_together = evaluation.drawn_together.clone();
    Ok(MetricOptions { cost, resamples, seed, queries, legitimate, drawn_together })
}

fn judged(
    contestant: &Contestant,
    recipe: toml::Table,
    outcome: Findings,
    corpus: &JudgedCorpus,
    truth: &Truth,
    options: &MetricOptions,
) -> Result<Judged> {
    let mut pairs = outcome.all_pairs()?;
    pairs.retain(|&(a, b, _)| !corpus.left_out[a as usize] && !corpus.left_out[b as usize]);
    let found = FoundPairs {
        similarities: pairs.iter().map(|&(_, _, similarity)| similarity).collect(),
        pairs: pairs.iter().map(|&(a, b, _)| (a, b)).collect(),
        clusters: outcome.masters,
    };
    let neighbourhoods = neighbourhoods(corpus.len(), &found.pairs);
    Ok(Judged {
        name: contestant.name.clone(),
        settings: contestant.settings.clone(),
        recipe,
        scheme: outcome.scheme,
        threshold: outcome.threshold,
        judgement: judge(corpus.len(), &found, truth, options)?,
        neighbours: 2.0 * found.pairs.len() as f64 / f64::from(corpus.len().max(1)),
        neighbourhoods,
        candidates: outcome.candidates,
        narrowing: outcome.narrowing,
        seconds: outcome.seconds,
        stages: outcome.stages,
        peak_memory_bytes: outcome.peak_memory_bytes,
        curve: curve(&found, truth)?,
        first_bytes: outcome.first_bytes,
    })
}

/// How many documents have a neighbourhood of each size, by rising size; each document belongs to
/// its own.
pub fn neighbourhoods(documents: u32, pairs: &[(u32, u32)]) -> Vec<(u64, u64)> {
    let mut sizes = vec![1u64; documents as usize];
    for &(a, b) in pairs {
        sizes[a as usize] += 1;
        sizes[b as usize] += 1;
    }
    sizes.sort_unstable();
    sizes.chunk_by(|a, b| a == b).map(|same| (same[0], same.len() as u64)).collect()
}
