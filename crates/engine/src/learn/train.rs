//! Training a classifier: labelled documents in, a model with its report out.

use lookalike_core::decide::classifier::{Schema, Vector};
use lookalike_core::registry::{BuildContext, Params, Registry};
use lookalike_core::{Error, Result};
use lookalike_learn::Examples;
use lookalike_learn::train::{CrossValidated, Learner, baseline, cross_validate, learner, learners};
use toml::Table;

use super::groups::groups;
use super::model_file::ModelFile;
use super::pairs::{Draw, Drawn, draw};
use super::report::{Quality, TrainingReport};
use super::vectors::vectors;
use crate::judge::{Corpus, TruthSource, Which};
use crate::lexicon::Shelf;
use crate::recipe::Recipe;
use crate::run::{Job, Progress, find};

#[derive(Clone, Debug)]
pub struct Training {
    pub truth: TruthSource,
    pub leave_out: Option<Which>,
    /// Fields to compare beside the text, such as title and year.
    pub fields: Vec<String>,
    /// A learner by name, or `best`: all are tried and the best on held-out pairs is taken.
    pub learner: String,
    /// Settings of the learner.
    pub settings: Table,
    pub folds: usize,
    pub draw: Draw,
    /// What hard negatives are drawn from, when the truth is complete.
    pub candidates: Recipe,
}

/// The name that tries all.
pub const BEST: &str = "best";

/// The names by which a learner can be chosen, and what each is.
pub fn choices() -> Vec<(&'static str, &'static str)> {
    let best = (BEST, "All but the threshold, of which the best on pairs held out is taken");
    std::iter::once(best).chain(learners().into_iter().map(|info| (info.name, info.summary))).collect()
}

/// Trains on the job's documents.
pub fn train(
    training: &Training,
    job: &Job,
    registry: &Registry,
    progress: &dyn Progress,
) -> Result<ModelFile> {
    let shelf = Shelf::default();
    let context = BuildContext::new(registry, &shelf);
    let vector = Schema::standard(&training.fields)?.build(&context)?;
    let candidates = competitors(training)?;
    let (examples, mut report) = examples(training, &vector, job, registry, progress)?;
    let seed = training.draw.seed;
    let mut best: Option<(Box<dyn Learner>, CrossValidated)> = None;
    for learner in candidates {
        let tested = cross_validate(&*learner, &examples, training.folds, seed)?;
        let quality = Quality::from(tested.total.tally);
        report.tried.push((learner.spec().kind, quality));
        if best.as_ref().is_none_or(|(_, other)| quality.f1 > other.total.tally.f1()) {
            best = Some((learner, tested));
        }
    }
    let Some((learner, tested)) = best else { return Err(Error::Internal("no learner".to_owned())) };
    let fit = learner.train(&examples)?;
    let single = baseline(&examples, training.folds, seed)?;
    let names = vector.names();
    report.tested = tested.total.tally.into();
    report.only_taught = (examples.len() - tested.rows.len()) as u64;
    report.by_fold = tested.folds.iter().map(|&fold| fold.into()).collect();
    report.brier = tested.total.brier;
    report.calibration_error = tested.total.calibration_error;
    report.best_threshold = single.total.into();
    report.thresholds = single.cuts.iter().map(|cut| (names[cut.component].clone(), cut.threshold)).collect();
    report.importance = importance(&names, &examples, |row, out| fit.model.contributions(row, out));
    report.notes.extend(tested.notes);
    report.notes.extend(fit.notes);
    report.notes.sort();
    report.notes.dedup();
    Ok(ModelFile::new(learner.spec().to_table(), vector.schema, fit.model, report))
}

fn competitors(training: &Training) -> Result<Vec<Box<dyn Learner>>> {
    if training.learner != BEST {
        let params = Params::new("learner", training.settings.clone());
        return Ok(vec![learner(&training.learner, params)?]);
    }
    if !training.settings.is_empty() {
        return Err(Error::config("settings belong to one learner: name it instead of `best`"));
    }
    // A single threshold is what the others are compared with.
    let real = learners().into_iter().filter(|info| info.name != "threshold");
    real.map(|info| learner(info.name, Params::new("learner", Table::new()))).collect()
}

/// The vectors of the pairs to learn from, in groups that may be parted.
fn examples(
    training: &Training,
    vector: &Vector,
    job: &Job,
    registry: &Registry,
    progress: &dyn Progress,
) -> Result<(Examples, TrainingReport)> {
    let corpus = Corpus::read(job, &training.truth.fields(), training.leave_out.as_ref())?;
    let known = training.truth.read(&corpus, job, registry, progress)?;
    let outcome = find(&training.candidates.build(registry)?, job, progress)?;
    // Copies that are labelled different are the hardest of all.
    let candidates: Vec<(u32, u32)> = outcome.all_pairs()?.into_iter().map(|(a, b, _)| (a, b)).collect();
    let Drawn { pairs, hard, notes } = draw(&known.truth, &corpus, &candidates, training.draw)?;
    let groups = groups(&pairs, &corpus.texts, training.draw.seed);
    let plain: Vec<(u32, u32)> = pairs.iter().map(|&(a, b, _)| (a, b)).collect();
    let values = vectors(vector, job, &plain)?;
    let mut examples = Examples::new(vector.width());
    for ((row, &(_, _, duplicate)), &groups) in values.chunks(vector.width()).zip(&pairs).zip(&groups) {
        examples.push_between(row, duplicate, groups);
    }
    let mut distinct: Vec<u32> = groups.into_iter().flatten().collect();
    distinct.sort_unstable();
    distinct.dedup();
    let report = TrainingReport {
        truth: known.description,
        documents: u64::from(corpus.len()),
        pairs: examples.len() as u64,
        near_duplicates: examples.positives() as u64,
        hard_negatives: hard as u64,
        groups: distinct.len() as u64,
        folds: training.folds,
        seed: training.draw.seed,
        notes,
        ..TrainingReport::default()
    };
    Ok((examples, report))
}

/// The average size of each component's contribution, the largest first.
fn importance(
    names: &[String],
    examples: &Examples,
    contributions: impl Fn(&[f64], &mut Vec<f64>),
) -> Vec<(String, f64)> {
    let mut sums = vec![0.0; names.len()];
    let mut one = Vec::new();
    for (row, _) in examples.iter() {
        one.clear();
        contributions(row, &mut one);
        sums.iter_mut().zip(&one).for_each(|(sum, contribution)| *sum += contribution.abs());
    }
    let count = examples.len().max(1) as f64;
    let mut all: Vec<(String, f64)> =
        names.iter().cloned().zip(sums.into_iter().map(|sum| sum / count)).collect();
    all.sort_by(|x, y| y.1.total_cmp(&x.1).then(x.0.cmp(&y.0)));
    all
}
