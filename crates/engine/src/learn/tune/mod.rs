//! From a wish to a recipe: "precision at least 0.99", tried out on a sample.
//!
//! The sample is parted in two. Recipes and thresholds are chosen on one half; the winner is judged
//! on the other, which it has never seen, so that its expected precision and recall are not those of
//! a lucky choice. What is promised with them is the figure that the recipe has on the whole corpus.

mod check;
mod contest;
mod sample;

pub use check::{Checked, NotDrawn};
pub use contest::Target;

use lookalike_core::registry::Registry;
use lookalike_core::{Error, Result};
use lookalike_learn::Interval;
use lookalike_learn::metrics::{Found, Options, Point, Truth, curve, judge};
use serde::Serialize;
use tempfile::TempDir;

use self::check::check;
use self::contest::{best_point, rounded, tried, worth};
use self::sample::{Groups, Half};
use crate::judge::{Contestant, Corpus, Evaluation, Judged, TruthSource, Which, evaluate};
use crate::recipe::Recipe;
use crate::run::{Job, Progress, find};

#[derive(Clone, Debug)]
pub struct Tuning {
    pub target: Target,
    pub truth: TruthSource,
    pub leave_out: Option<Which>,
    /// About how many documents are drawn.
    pub sample: usize,
    /// Methods to try; all if empty.
    pub methods: Vec<String>,
    /// Judge the winner on all documents, too.
    pub check: bool,
    pub resamples: u32,
    pub seed: u64,
}

#[derive(Clone, Debug, Serialize)]
pub struct Tuned {
    pub target: Target,
    pub truth: String,
    pub documents: u64,
    pub drawn: u64,
    /// Every recipe that was tried, the best first.
    pub tried: Vec<Tried>,
    /// The winner's recipe as a file would have it.
    pub recipe: String,
    pub name: String,
    /// Expected of the winner on all documents, from the half of the sample that it was not chosen on.
    pub precision: Option<Interval>,
    pub recall: Option<Interval>,
    pub f1: Option<Interval>,
    pub cost: Cost,
    /// The same as it comes.
    pub checked: Option<Checked>,
    pub notes: Vec<String>,
}

/// How a recipe did on the half it was chosen on.
#[derive(Clone, Debug, Serialize)]
pub struct Tried {
    pub name: String,
    pub threshold: Option<f64>,
    pub precision: Option<f64>,
    pub recall: Option<f64>,
    /// Whether the interval, too, meets the target.
    pub is_sure: bool,
    pub candidates: u64,
    pub seconds: f64,
}

/// What a run would take, by what the sample took.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Cost {
    pub seconds_per_million: f64,
    pub candidates_per_document: f64,
    pub peak_memory_bytes: u64,
}

/// Resamples for an interval while recipes are chosen.
const CHOOSING_RESAMPLES: u32 = 200;

/// The recipe that meets the target best on a sample of the job's documents.
pub fn tune(tuning: &Tuning, job: &Job, registry: &Registry, progress: &dyn Progress) -> Result<Tuned> {
    let mut all = tune_each(tuning, &[tuning.seed], job, registry, progress)?;
    all.pop().ok_or_else(|| Error::Internal("nothing was tuned".to_owned()))
}

/// The same for several samples, one for each seed; what all samples need is done once.
pub fn tune_each(
    tuning: &Tuning,
    seeds: &[u64],
    job: &Job,
    registry: &Registry,
    progress: &dyn Progress,
) -> Result<Vec<Tuned>> {
    let corpus = Corpus::read(job, &tuning.truth.fields(), tuning.leave_out.as_ref())?;
    // Labels are known beforehand; an exact measure is computed only where it is needed.
    let is_labelled = !matches!(tuning.truth, TruthSource::Exact { .. });
    let truth = if is_labelled || tuning.check {
        Some(tuning.truth.read(&corpus, job, registry, progress)?.truth)
    } else {
        None
    };
    let groups = Groups::find(job, truth.as_ref().filter(|_| is_labelled), registry, progress)?;
    let whole = Whole { job, corpus, truth, groups, registry };
    let one = |&seed: &u64| tune_one(&Tuning { seed, ..tuning.clone() }, &whole, progress);
    seeds.iter().map(one).collect()
}

/// What is known of all documents before any is drawn.
struct Whole<'a> {
    job: &'a Job,
    corpus: Corpus,
    /// Absent where nothing needs it.
    truth: Option<Truth>,
    groups: Groups,
    registry: &'a Registry,
}

fn tune_one(tuning: &Tuning, whole: &Whole<'_>, progress: &dyn Progress) -> Result<Tuned> {
    let Whole { job, corpus, registry, .. } = whole;
    let folder = TempDir::with_prefix("lookalike-").map_err(Error::io(std::env::temp_dir()))?;
    let sample = sample::draw(&whole.groups, job, tuning.sample, tuning.seed, folder.path())?;
    let mut notes = Vec::new();
    let (tried, name, recipe) = choose(tuning, &sample.choosing, registry, progress)?;
    let judged = judge_one(tuning, &name, &recipe, &sample.judging, registry, progress)?;
    let documents = judged.0.max(1);
    let Judged { judgement, seconds, candidates, peak_memory_bytes, .. } = judged.1;
    let checked = match &whole.truth {
        Some(truth) if tuning.check => {
            let expected = (judgement.precision, judgement.recall);
            Some(check(&recipe, expected, (job, corpus, truth), &sample.is_drawn, registry, progress)?)
        }
        _ => None,
    };
    if tried.first().is_some_and(|winner| !winner.is_sure) {
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
    if misses {
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
        tried,
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

/// Tries all recipes on a job and gives the best with its threshold.
fn choose(
    tuning: &Tuning,
    half: &Half,
    registry: &Registry,
    progress: &dyn Progress,
) -> Result<(Vec<Tried>, String, Recipe)> {
    let job = &half.job;
    let corpus = Corpus::read(job, &tuning.truth.fields(), tuning.leave_out.as_ref())?;
    let known = tuning.truth.read(&corpus, job, registry, progress)?;
    let options = Options {
        resamples: CHOOSING_RESAMPLES,
        seed: tuning.seed,
        drawn_together: Some(half.drawn_together.clone()),
        ..Options::default()
    };
    let mut all: Vec<(Tried, Recipe, f64)> = Vec::new();
    for (name, mut recipe) in tried(registry, &tuning.methods)? {
        let outcome = find(&recipe.build(registry)?, job, progress)?;
        let mut pairs = outcome.all_pairs()?;
        pairs.retain(|&(a, b, _)| !corpus.left_out[a as usize] && !corpus.left_out[b as usize]);
        let found = Found {
            similarities: pairs.iter().map(|pair| pair.2).collect(),
            pairs: pairs.iter().map(|&(a, b, _)| (a, b)).collect(),
            clusters: outcome.masters,
        };
        let points = curve(&found, &known.truth)?;
        let sure = |point: &Point| is_sure(tuning.target, point, &found, &known.truth, &options);
        let mut line = Tried {
            name,
            threshold: None,
            precision: None,
            recall: None,
            is_sure: false,
            candidates: outcome.candidates,
            seconds: outcome.seconds,
        };
        let mut value = f64::NEG_INFINITY;
        if let Some((point, is_sure)) = best_point(&points, tuning.target, sure)? {
            let under = found.similarities.iter().copied().filter(|&other| other < point.threshold);
            let threshold = rounded(point.threshold, under.fold(0.0, f64::max));
            recipe.set("decide.threshold", &format!("{threshold:?}"))?;
            value = worth(tuning.target, point.precision, point.recall);
            // One that is only lucky on this half comes after all that are not.
            value -= f64::from(!is_sure) * 2.0;
            line.is_sure = is_sure;
            (line.threshold, line.precision, line.recall) =
                (Some(threshold), Some(point.precision), Some(point.recall));
        }
        all.push((line, recipe, value));
    }
    // Of equals the one with fewer candidates; seconds would be another winner each time.
    all.sort_by(|x, y| y.2.total_cmp(&x.2).then(x.0.candidates.cmp(&y.0.candidates)));
    let Some((winner, recipe, value)) = all.first() else {
        return Err(Error::config("none of the methods can be tuned: name others, or none to try all"));
    };
    let (winner, recipe) = (winner.name.clone(), recipe.clone());
    if *value == f64::NEG_INFINITY {
        return Err(Error::Input(format!(
            "no recipe meets the target on the sample of {} documents; ask for less, draw more, or train a classifier",
            corpus.len()
        )));
    }
    Ok((all.into_iter().map(|(line, ..)| line).collect(), winner, recipe))
}

/// Whether the lower end of the figure's interval still meets the target when the found pairs are cut
/// at this point.
fn is_sure(target: Target, point: &Point, found: &Found, truth: &Truth, options: &Options) -> Result<bool> {
    let kept =
        found.pairs.iter().zip(&found.similarities).filter(|(_, similarity)| **similarity >= point.threshold);
    let cut = Found {
        pairs: kept.map(|(&pair, _)| pair).collect(),
        similarities: Vec::new(),
        // Clusters say which pairs stand or fall together.
        clusters: found.clusters.clone(),
    };
    let judgement = judge(found.clusters.len() as u32, &cut, truth, options)?;
    Ok(match target {
        Target::Precision(least) => judgement.precision.is_some_and(|figure| figure.low >= least),
        Target::Recall(least) => judgement.recall.is_some_and(|figure| figure.low >= least),
        Target::F1 => true,
    })
}

/// Runs one recipe and judges it: documents, figures, truth in words.
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
