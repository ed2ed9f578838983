//! Finds a recipe for a target such as "precision at least 0.99", by trying recipes on a sample.
//!
//! The sample is split in two. Recipes and thresholds are chosen on one half; the winner is judged
//! on the other, which it has never seen, so that its expected precision and recall are not those of
//! a lucky choice. The expectation is about the figures of the recipe on the whole corpus.
//!
//! If no recipe meets the target, the one that comes nearest is judged and reported as such. Small parts of the
//! sample show beforehand how long all this takes; with a limit, recipes for which there is no time are not
//! tried.

mod check;
mod choose;
mod contest;
mod sample;
mod time;

pub use check::{Checked, NotDrawn};
pub use contest::Target;
pub use time::{NotTried, Stopwatch, WallTime};

use lookalike_core::registry::Registry;
use lookalike_core::{Error, Result};
use lookalike_learn::Interval;
use lookalike_learn::metrics::Truth;
use serde::Serialize;
use tempfile::TempDir;

use self::check::check;
use self::choose::{Schedule, choose};
use self::sample::{Groups, Half};
use crate::{Contestant, Evaluation, FieldFilter, Judged, JudgedCorpus, TruthSource, evaluate};
use lookalike_engine::Recipe;
use lookalike_engine::run::{Job, Progress};

/// What kind of recipe is wanted, and how it is searched.
#[derive(Clone, Debug)]
pub struct Tuning {
    /// The target that it must reach.
    pub target: Target,
    /// Which pairs are near-duplicates.
    pub truth: TruthSource,
    /// Documents that are not judged.
    pub leave_out: Option<FieldFilter>,
    /// About how many documents are drawn.
    pub sample: usize,
    /// Methods to try; all if empty.
    pub methods: Vec<String>,
    /// Judge the winner on all documents, too.
    pub check: bool,
    /// Seconds after which nothing more is tried.
    pub time: Option<f64>,
    /// Resamples for the intervals.
    pub resamples: u32,
    /// The seed of the sample and the resamples.
    pub seed: u64,
}

/// The recipe that was chosen, and what to expect of it.
#[derive(Clone, Debug, Serialize)]
pub struct Tuned {
    /// The target.
    pub target: Target,
    /// The source of the truth, for people.
    pub truth: String,
    /// Documents of the corpus.
    pub documents: u64,
    /// Documents of the sample.
    pub drawn: u64,
    /// Whether a recipe meets the target on the half that it was chosen on; otherwise this one comes nearest.
    pub meets: bool,
    /// Every recipe that was tried, the best first.
    pub tried: Vec<Tried>,
    /// Recipes that there was no time for.
    pub not_tried: Vec<NotTried>,
    /// The expected time of everything after drawing the sample, estimated before anything was tried.
    pub expected_seconds: f64,
    /// How long trying and judging took.
    pub seconds: f64,
    /// The winner's recipe as a file would have it.
    pub recipe: String,
    /// The name of the recipe.
    pub name: String,
    /// The expected precision of the winner on all documents, from the half of the sample on which it
    /// was not chosen.
    pub precision: Option<Interval>,
    /// The share of what is true that it finds.
    pub recall: Option<Interval>,
    /// The harmonic mean of both.
    pub f1: Option<Interval>,
    /// The cost of a run.
    pub cost: Cost,
    /// The actual figures on all documents, if requested.
    pub checked: Option<Checked>,
    /// Warnings for readers of the figures.
    pub notes: Vec<String>,
}

/// The figures of a recipe on the half on which recipes are chosen.
#[derive(Clone, Debug, Serialize)]
pub struct Tried {
    /// The name of the recipe.
    pub name: String,
    /// Its best threshold; absent if it finds nothing.
    pub threshold: Option<f64>,
    /// On the half that recipes are chosen on.
    pub precision: Option<f64>,
    /// On the same half.
    pub recall: Option<f64>,
    /// Whether it meets the target; otherwise its threshold is the one that comes nearest.
    pub meets: bool,
    /// Whether the interval also meets the target.
    pub is_sure: bool,
    /// Pairs that it compared.
    pub candidates: u64,
    /// How long it took.
    pub seconds: f64,
}

/// The cost of a run, estimated from the sample.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Cost {
    /// For a million documents, by the time that the sample took.
    pub seconds_per_million: f64,
    /// Pairs that are compared for each document.
    pub candidates_per_document: f64,
    /// The most memory it used, on the sample.
    pub peak_memory_bytes: u64,
}

/// The recipe that meets the target best on a sample of the job's documents.
pub fn tune(tuning: &Tuning, job: &Job, registry: &Registry, progress: &dyn Progress) -> Result<Tuned> {
    let mut all = tune_each(tuning, &[tuning.seed], job, (registry, &WallTime::start(), progress))?;
    all.pop().ok_or_else(|| Error::Internal("nothing was tuned".to_owned()))
}

/// The same for several samples, one for each seed, with the caller's stopwatch; work that all samples share
/// is done once.
pub fn tune_each(
    tuning: &Tuning,
    seeds: &[u64],
    job: &Job,
    (registry, watch, progress): (&Registry, &dyn Stopwatch, &dyn Progress),
) -> Result<Vec<Tuned>> {
    let corpus = JudgedCorpus::read(job, &tuning.truth.fields(), tuning.leave_out.as_ref())?;
    // Labels are known beforehand; an exact measure is computed only if needed.
    let is_labelled = !matches!(tuning.truth, TruthSource::Exact { .. });
    let truth = if is_labelled || tuning.check {
        Some(tuning.truth.read(&corpus, job, registry, progress)?.truth)
    } else {
        None
    };
    let groups = Groups::find(job, truth.as_ref().filter(|_| is_labelled), registry, progress)?;
    let whole = Whole { job, corpus, truth, groups, registry };
    let one = |&seed: &u64| tune_one(&Tuning { seed, ..tuning.clone() }, &whole, watch, progress);
    seeds.iter().map(one).collect()
}

/// What is known of all documents before a sample is drawn.
struct Whole<'a> {
    job: &'a Job,
    corpus: JudgedCorpus,
    /// Absent if it is not needed.
    truth: Option<Truth>,
    groups: Groups,
    registry: &'a Registry,
}

fn tune_one(
    tuning: &Tuning,
    whole: &Whole<'_>,
    watch: &dyn Stopwatch,
    progress: &dyn Progress,
) -> Result<Tuned> {
    let Whole { job, corpus, registry, .. } = whole;
    let folder = TempDir::with_prefix("lookalike-").map_err(Error::io(std::env::temp_dir()))?;
    let sample = sample::draw(&whole.groups, job, tuning.sample, tuning.seed, folder.path())?;
    let pilots = sample::pilots(&sample.choosing, tuning.seed, folder.path())?;
    let mut notes = Vec::new();
    let tools = (*registry, watch, progress);
    let schedule = Schedule::of(tuning, &pilots, &sample.choosing, whole.groups.documents(), tools)?;
    let (expected_seconds, began) = (schedule.total(), watch.seconds());
    progress.expect(expected_seconds);
    let choice = choose(tuning, &sample.choosing, &schedule, tools)?;
    let name = choice.tried.first().map(|tried| tried.name.clone()).unwrap_or_default();
    let recipe = choice.recipe;
    let judged = judge_one(tuning, &name, &recipe, &sample.judging, registry, progress)?;
    let documents = judged.0.max(1);
    let Judged { judgement, seconds, candidates, peak_memory_bytes, .. } = judged.1;
    let is_late = tuning.time.is_some_and(|limit| {
        watch.seconds() + seconds / documents as f64 * whole.groups.documents() as f64 > limit
    });
    let checked = match &whole.truth {
        Some(truth) if tuning.check && !is_late => {
            let expected = (judgement.precision, judgement.recall);
            Some(check(&recipe, expected, (job, corpus, truth), &sample.is_drawn, registry, progress)?)
        }
        _ => None,
    };
    if tuning.check && is_late {
        notes.push("no time was left to check the recipe on all documents".to_owned());
    }
    if !choice.not_tried.is_empty() {
        let names: Vec<&str> = choice.not_tried.iter().map(|one| one.name.as_str()).collect();
        notes.push(format!("there was no time to try {}", names.join(", ")));
    }
    if !choice.meets {
        notes.push(
            "no recipe meets the target on the half that recipes were chosen on; this one comes nearest: ask for less, \
             draw more, or train a classifier"
                .to_owned(),
        );
    } else if choice.tried.first().is_some_and(|winner| !winner.is_sure) {
        notes.push(
            "the sample is too small to be sure of the target: no interval meets it, only the figure itself; draw or \
             label more"
                .to_owned(),
        );
    }
    let misses = match tuning.target {
        Target::Precision(least) => judgement.precision.is_some_and(|figure| figure.value < least),
        Target::Recall(least) => judgement.recall.is_some_and(|figure| figure.value < least),
        Target::F1 => false,
    };
    if misses && choice.meets {
        notes.push("on the half that it was not chosen on, the recipe misses the target".to_owned());
    }
    if judgement.precision.is_none() || judgement.recall.is_none() {
        notes.push("the sample has too few near-duplicates to judge by: draw more documents".to_owned());
    }
    Ok(Tuned {
        target: tuning.target,
        truth: judged.2,
        documents: u64::from(corpus.len()),
        drawn: sample.is_drawn.iter().filter(|is_drawn| **is_drawn).count() as u64,
        meets: choice.meets,
        tried: choice.tried,
        not_tried: choice.not_tried,
        expected_seconds,
        seconds: watch.seconds() - began,
        recipe: recipe.to_toml(),
        name,
        precision: judgement.precision,
        recall: judgement.recall,
        f1: judgement.f1,
        cost: Cost {
            seconds_per_million: seconds / documents as f64 * 1e6,
            candidates_per_document: candidates as f64 / documents as f64,
            peak_memory_bytes,
        },
        checked,
        notes,
    })
}

/// Runs one recipe and judges it: returns documents, figures, and the truth in words.
fn judge_one(
    tuning: &Tuning,
    name: &str,
    recipe: &Recipe,
    half: &Half,
    registry: &Registry,
    progress: &dyn Progress,
) -> Result<(u64, Judged, String)> {
    let contestant = Contestant { name: name.to_owned(), settings: Vec::new(), recipe: recipe.clone() };
    let evaluation = Evaluation {
        leave_out: tuning.leave_out.clone(),
        resamples: tuning.resamples,
        seed: tuning.seed,
        drawn_together: Some(half.drawn_together.clone()),
        ..Evaluation::new(tuning.truth.clone())
    };
    let mut evaluated = evaluate(&evaluation, &[contestant], &half.job, registry, progress)?;
    let judged = evaluated.results.pop().ok_or_else(|| Error::Internal("nothing was judged".to_owned()))?;
    Ok((evaluated.documents, judged, evaluated.truth))
}

#[cfg(test)]
mod tests;
