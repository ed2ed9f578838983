//! Tries recipes on the first half of the sample, as long as there is time, and chooses one.

use lookalike_core::registry::Registry;
use lookalike_core::{Error, Result};
use lookalike_learn::metrics::{FoundPairs, MetricOptions, Point, Truth, curve, judge};

use super::contest::{aimed_at, best_point, nearest_point, rounded, tried, worth};
use super::sample::Half;
use super::time::{Deadline, Measured, NotTried, Stopwatch, expected};
use super::{Target, Tried, Tuning};
use crate::JudgedCorpus;
use lookalike_engine::Recipe;
use lookalike_engine::run::{Job, Progress, find};

/// Resamples for an interval while recipes are chosen.
const RESAMPLES: u32 = 200;

/// The result of trying the recipes.
pub struct Choice {
    /// The best first.
    pub tried: Vec<Tried>,
    pub not_tried: Vec<NotTried>,
    pub recipe: Recipe,
    /// Whether it meets the target; otherwise it comes nearest.
    pub meets: bool,
}

/// A part of the sample with its truth.
struct Part {
    job: Job,
    corpus: JudgedCorpus,
    /// Absent only in a part that is used to measure time.
    truth: Option<Truth>,
    options: MetricOptions,
}

impl Part {
    /// A handful of documents may have no label among them, which does not matter for measuring time.
    fn read(
        tuning: &Tuning,
        half: &Half,
        is_pilot: bool,
        registry: &Registry,
        progress: &dyn Progress,
    ) -> Result<Part> {
        let corpus = JudgedCorpus::read(&half.job, &tuning.truth.fields(), tuning.leave_out.as_ref())?;
        let options = MetricOptions {
            resamples: RESAMPLES,
            seed: tuning.seed,
            drawn_together: Some(half.drawn_together.clone()),
            ..MetricOptions::default()
        };
        let truth = match tuning.truth.read(&corpus, &half.job, registry, progress) {
            Ok(known) => Some(known.truth),
            Err(Error::Input(_)) if is_pilot => None,
            Err(error) => return Err(error),
        };
        Ok(Part { job: half.job.clone(), corpus, truth, options })
    }
}

/// The expected time of each step.
pub struct Schedule {
    /// Each recipe on one half.
    recipes: Vec<f64>,
    /// The truth of one half.
    truth: f64,
    /// The winner on all documents, as a multiple of its time on one half.
    whole: Option<f64>,
}

impl Schedule {
    /// Runs every recipe on small parts of the half.
    pub fn of(
        tuning: &Tuning,
        pilots: &[Half; 2],
        half: &Half,
        documents: usize,
        (registry, watch, progress): (&Registry, &dyn Stopwatch, &dyn Progress),
    ) -> Result<Schedule> {
        let drawn = half.drawn_together.len();
        let recipes = tried(registry, &tuning.methods)?;
        let mut took = vec![[Measured::default(); 2]; recipes.len() + 1];
        for (which, pilot) in pilots.iter().enumerate() {
            let documents = pilot.drawn_together.len();
            let began = watch.seconds();
            let part = Part::read(tuning, pilot, true, registry, progress)?;
            took[recipes.len()][which] =
                Measured { documents, candidates: 0, seconds: watch.seconds() - began };
            for ((name, recipe), took) in recipes.iter().zip(&mut took) {
                let began = watch.seconds();
                let attempt = attempt(tuning, name, recipe.clone(), &part, registry, progress)?;
                let candidates = attempt.line.candidates;
                took[which] = Measured { documents, candidates, seconds: watch.seconds() - began };
            }
        }
        let mut expected: Vec<f64> =
            took.iter().map(|&[small, large]| expected(small, large, drawn)).collect();
        let truth = expected.pop().unwrap_or(0.0);
        let whole = tuning.check.then(|| documents as f64 / drawn.max(1) as f64);
        Ok(Schedule { recipes: expected, truth, whole })
    }

    /// The time of everything left to do, if all recipes are tried and the slowest wins.
    pub fn total(&self) -> f64 {
        let slowest = self.recipes.iter().copied().fold(0.0, f64::max);
        self.truth + self.recipes.iter().sum::<f64>() + self.after(slowest)
    }

    /// The time after choosing a recipe that takes this long on a half: it is judged, and checked if
    /// requested.
    fn after(&self, recipe: f64) -> f64 {
        self.truth + recipe + self.whole.map_or(0.0, |times| times * recipe)
    }
}

/// Tries all recipes that there is time for and returns the best with its threshold.
pub fn choose(
    tuning: &Tuning,
    half: &Half,
    schedule: &Schedule,
    (registry, watch, progress): (&Registry, &dyn Stopwatch, &dyn Progress),
) -> Result<Choice> {
    let part = Part::read(tuning, half, false, registry, progress)?;
    let mut all: Vec<Attempt> = Vec::new();
    let mut not_tried = Vec::new();
    // The winner must be judged, too, so time for the slowest of those tried is reserved.
    let mut aside: f64 = 0.0;
    for ((name, recipe), &seconds) in tried(registry, &tuning.methods)?.into_iter().zip(&schedule.recipes) {
        let skipped = NotTried { name: name.clone(), expected_seconds: seconds };
        let reserve = schedule.after(aside.max(seconds));
        if tuning.time.is_some_and(|limit| watch.seconds() + seconds + reserve > limit) {
            not_tried.push(skipped);
            continue;
        }
        let deadline =
            Deadline { progress, watch, at: tuning.time.map(|limit| limit - schedule.after(aside)) };
        match attempt(tuning, &name, recipe, &part, registry, &deadline) {
            Ok(attempt) => {
                aside = aside.max(seconds);
                all.push(attempt);
            }
            Err(_) if deadline.is_over() => not_tried.push(skipped),
            Err(error) => return Err(error),
        }
    }
    // Of equals the one with fewer candidates; seconds would give another winner each time.
    all.sort_by(|x, y| y.value.total_cmp(&x.value).then(x.line.candidates.cmp(&y.line.candidates)));
    let Some(winner) = all.first() else {
        return Err(match &not_tried[..] {
            [] => Error::config("none of the methods can be tuned: name others, or none to try all"),
            some => too_little_time(schedule, some, watch.seconds()),
        });
    };
    if winner.value == f64::NEG_INFINITY {
        return Err(Error::Input(format!(
            "no recipe finds a near-duplicate on the sample of {} documents; draw more, or label more",
            part.corpus.len()
        )));
    }
    let (recipe, meets) = (winner.recipe.clone(), winner.line.meets);
    Ok(Choice { tried: all.into_iter().map(|attempt| attempt.line).collect(), not_tried, recipe, meets })
}

fn too_little_time(schedule: &Schedule, not_tried: &[NotTried], passed: f64) -> Error {
    let least = not_tried.iter().map(|one| one.expected_seconds + schedule.after(one.expected_seconds));
    let least = least.fold(f64::INFINITY, f64::min);
    Error::config(format!(
        "there is no time to try a single recipe: {passed:.0} s have passed, the quickest takes about {least:.0} s with its \
         judgement; give more time, a smaller sample, or a quicker method"
    ))
}

/// One recipe, how it did, and how it compares with others.
struct Attempt {
    line: Tried,
    recipe: Recipe,
    value: f64,
}

/// Runs a recipe and takes the threshold that meets the target best, or comes nearest to it.
fn attempt(
    tuning: &Tuning,
    name: &str,
    mut recipe: Recipe,
    part: &Part,
    registry: &Registry,
    progress: &dyn Progress,
) -> Result<Attempt> {
    let outcome = find(&recipe.build(registry)?, &part.job, progress)?;
    let mut pairs = outcome.all_pairs()?;
    let left_out = &part.corpus.left_out;
    pairs.retain(|&(a, b, _)| !left_out[a as usize] && !left_out[b as usize]);
    let found = FoundPairs {
        similarities: pairs.iter().map(|pair| pair.2).collect(),
        pairs: pairs.iter().map(|&(a, b, _)| (a, b)).collect(),
        clusters: outcome.masters,
    };
    let mut line = Tried {
        name: name.to_owned(),
        threshold: None,
        precision: None,
        recall: None,
        meets: false,
        is_sure: false,
        candidates: outcome.candidates,
        seconds: outcome.seconds,
    };
    let mut value = f64::NEG_INFINITY;
    let points = part.truth.as_ref().map_or(Ok(Vec::new()), |truth| curve(&found, truth))?;
    let sure = |point: &Point| match &part.truth {
        Some(truth) => is_sure(tuning.target, point, &found, truth, &part.options),
        None => Ok(false),
    };
    let met = best_point(&points, tuning.target, sure)?;
    if let Some(point) = met.map(|(point, _)| point).or_else(|| nearest_point(&points, tuning.target)) {
        let under = found.similarities.iter().copied().filter(|&other| other < point.threshold);
        let threshold = rounded(point.threshold, under.fold(0.0, f64::max));
        recipe.set("decide.threshold", &format!("{threshold:?}"))?;
        line.meets = met.is_some();
        line.is_sure = met.is_some_and(|(_, is_sure)| is_sure);
        value = match met {
            // Recipes that are only lucky on this half come after all others.
            Some((_, is_sure)) => {
                worth(tuning.target, point.precision, point.recall) - f64::from(!is_sure) * 2.0
            }
            // Recipes that miss the target come after these, the nearer the better.
            None => aimed_at(tuning.target, point.precision, point.recall) - 4.0,
        };
        (line.threshold, line.precision, line.recall) =
            (Some(threshold), Some(point.precision), Some(point.recall));
    }
    Ok(Attempt { line, recipe, value })
}

/// Whether the lower end of the figure's interval still meets the target when the found pairs are cut
/// at this point.
fn is_sure(
    target: Target,
    point: &Point,
    found: &FoundPairs,
    truth: &Truth,
    options: &MetricOptions,
) -> Result<bool> {
    let kept =
        found.pairs.iter().zip(&found.similarities).filter(|(_, similarity)| **similarity >= point.threshold);
    let cut = FoundPairs {
        pairs: kept.map(|(&pair, _)| pair).collect(),
        similarities: Vec::new(),
        // Clusters say which pairs are right or wrong together.
        clusters: found.clusters.clone(),
    };
    let judgement = judge(found.clusters.len() as u32, &cut, truth, options)?;
    Ok(match target {
        Target::Precision(least) => judgement.precision.is_some_and(|figure| figure.low >= least),
        Target::Recall(least) => judgement.recall.is_some_and(|figure| figure.low >= least),
        Target::F1 => true,
    })
}
