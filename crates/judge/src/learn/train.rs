//! Training a classifier: from labelled documents to a model with its expected quality.
//!
//! The expected quality is that of a run with the recipe on as many documents of other groups. So the
//! model is trained and tested on the recipe's own candidates, in their own proportions; near-duplicates
//! that the recipe does not propose count as missed; and learner, zero and threshold are chosen without
//! the test data.

use lookalike_core::decide::classifier::{Function, Model, PRESENT, Schema, Vector};
use lookalike_core::document::Document;
use lookalike_core::registry::{BuildContext, Params, Registry, Spec};
use lookalike_core::streams::{StreamFields, StreamKind};
use lookalike_core::threads::spread;
use lookalike_core::{Error, Result};
use lookalike_learn::Examples;
use lookalike_learn::forecast::{JudgedPair, JudgedPairs};
use lookalike_learn::train::{
    CrossValidated, Fit, HeldOut, Learner, best_fit, brier, calibration_error, cross_validate, learner,
    learners,
};
use toml::Table;

use super::candidates::Candidates;
use super::groups::groups;
use super::pairs::{TrainingPairs, draw};
use super::vectors::vectors;
use crate::{FieldFilter, JudgedCorpus, TruthSource};
use lookalike_engine::Recipe;
use lookalike_engine::lexicon::AssetFiles;
use lookalike_engine::model_file::ModelFile;
use lookalike_engine::run::{Job, Progress};
use lookalike_learn::report::{SingleThreshold, TrainingReport};

/// What a classifier is trained on, and how.
#[derive(Clone, Debug)]
pub struct Training {
    /// Which pairs are near-duplicates.
    pub truth: TruthSource,
    /// Documents that are used neither for training nor for testing.
    pub leave_out: Option<FieldFilter>,
    /// Fields to compare besides the text, such as title and year.
    pub fields: Vec<String>,
    /// The name of a learner, or `best`: all are tried, a single threshold first, and one that is better
    /// on held-out pairs by more than chance is taken.
    pub learner: String,
    /// Settings of the learner.
    pub settings: Table,
    /// The least precision to aim at: the boundary is then where most is found with it, not where F1 is best.
    pub precision: Option<f64>,
    /// Into how many parts groups are divided for testing on unseen data.
    pub folds: usize,
    /// The most pairs to train on; if there are more, some are drawn.
    pub most: usize,
    /// How often groups are reweighted for an interval.
    pub resamples: u32,
    /// The seed of everything random.
    pub seed: u64,
    /// The recipe in which the model will decide; its present decision does not matter.
    pub recipe: Recipe,
}

impl Training {
    /// With the usual settings: the learner `vote`, over the candidates of the method `classifier`.
    pub fn new(truth: TruthSource, registry: &Registry) -> Result<Self> {
        Ok(Training {
            truth,
            leave_out: None,
            fields: Vec::new(),
            learner: VOTE.to_owned(),
            settings: Table::new(),
            precision: None,
            folds: 5,
            most: 20_000,
            resamples: 1000,
            seed: 1,
            recipe: Recipe::for_method("classifier", registry)?,
        })
    }
}

/// The name that stands for trying all.
pub const BEST: &str = "best";
/// The usual one: better than what is chosen among all by what each held out, which is often the best by chance.
pub const VOTE: &str = "vote";
/// The baseline for all others.
const THRESHOLD: &str = "threshold";

/// The names by which a learner can be chosen, with descriptions.
pub fn choices() -> Vec<(&'static str, &'static str)> {
    let best = (
        BEST,
        "All of these: a single threshold, unless another is better on pairs held out by more than chance",
    );
    std::iter::once(best).chain(learners().into_iter().map(|info| (info.name, info.summary))).collect()
}

/// A model, and what it has to be better than.
#[derive(Clone, Debug)]
pub struct WithThreshold {
    /// The model.
    pub model: ModelFile,
    /// The best single threshold on the same pairs, as a model.
    pub threshold: ModelFile,
}

/// Trains on the job's documents.
pub fn train(
    training: &Training,
    job: &Job,
    registry: &Registry,
    progress: &dyn Progress,
) -> Result<ModelFile> {
    Ok(train_with_threshold(training, job, registry, progress)?.model)
}

/// Trains on the job's documents, and finds the best single threshold on the same pairs.
pub fn train_with_threshold(
    training: &Training,
    job: &Job,
    registry: &Registry,
    progress: &dyn Progress,
) -> Result<WithThreshold> {
    let assets = AssetFiles::default();
    let streams = training.recipe.stream_fields()?;
    let found = streams_of(job, &streams)?;
    let context = BuildContext { streams, ..BuildContext::new(registry, &assets) };
    let vector = Schema::standard(&training.fields, &found)?.build(&context)?;
    let (names, learners): (Vec<String>, Vec<Box<dyn Learner>>) = competitors(training)?.into_iter().unzip();
    let learners: Vec<Stoppable<'_>> =
        learners.into_iter().map(|learner| Stoppable { learner, progress }).collect();
    let learners: Vec<&dyn Learner> = learners.iter().map(|learner| learner as &dyn Learner).collect();
    let (_, single) = competitor(THRESHOLD, Table::new(), training)?;
    let set = TrainingSet::read(training, &vector, job, registry, progress)?;
    progress.stage("training", 3);
    let TrainingSet { examples, .. } = &set;
    let tested = cross_validate(&learners, examples, training.folds, training.seed)?;
    progress.advance(1, 0)?;
    let baseline = cross_validate(&[&*single], examples, training.folds, training.seed)?;
    progress.advance(1, 0)?;
    let (taken, fit) = best_fit(&learners, examples)?;
    let best_single = single.train(examples)?;
    progress.advance(1, 0)?;
    let mut report = set.report(training, &names, &tested, &baseline);
    // A threshold that was asked for is what was wanted; one that won needs no model.
    let is_single = learners[taken].spec().kind == THRESHOLD;
    report.recommended = if training.learner == THRESHOLD { true } else { report.recommended && !is_single };
    report.instead = instead_of(&best_single.model.function, &vector, training, registry)?;
    report.importance = importance(&vector.names(), examples, &fit.model, job.threads);
    report.notes.extend(tested.notes);
    report.notes.extend(fit.notes.iter().cloned());
    report.notes.sort();
    report.notes.dedup();
    let of_threshold = TrainingReport { tested: report.best_threshold, ..report.clone() };
    let file = |learner: &dyn Learner, fit: Fit, report| {
        ModelFile::new(learner.spec().to_table(), vector.schema.clone(), fit.model, report)
    };
    Ok(WithThreshold {
        model: file(learners[taken], fit, report),
        threshold: file(&*single, best_single, of_threshold),
    })
}

/// A learner that asks before each training whether to go on: all trainings of a test together take minutes.
struct Stoppable<'a> {
    learner: Box<dyn Learner>,
    progress: &'a dyn Progress,
}

impl Learner for Stoppable<'_> {
    fn spec(&self) -> Spec {
        self.learner.spec()
    }

    fn train(&self, examples: &Examples) -> Result<Fit> {
        self.progress.advance(0, 0)?;
        self.learner.train(examples)
    }
}

/// The streams that some document has. Others would only be numbers without a meaning in every vector.
fn streams_of(job: &Job, streams: &StreamFields) -> Result<Vec<StreamKind>> {
    let named = |kind: StreamKind| streams.of(kind).iter().map(move |field| (kind, field.clone()));
    let (kinds, fields): (Vec<StreamKind>, Vec<String>) = StreamKind::ALL.into_iter().flat_map(named).unzip();
    let mut found = Vec::new();
    job.corpus()?.for_each(&fields, |_, _, document: &Document<'_>| {
        for (kind, value) in kinds.iter().zip(&document.fields) {
            if value.is_some() && !found.contains(kind) {
                found.push(*kind);
            }
        }
        Ok(())
    })?;
    Ok(StreamKind::ALL.into_iter().filter(|kind| found.contains(kind)).collect())
}

/// What competes as `best`, the simplest first.
const COMPETITORS: [(&str, &str); 9] = [
    (THRESHOLD, ""),
    ("logistic", "regularisation = 0.1"),
    ("logistic", "regularisation = 1.0"),
    ("logistic", "regularisation = 10.0"),
    ("linear-svm", ""),
    ("tree", ""),
    ("forest", ""),
    ("kernel-svm", ""),
    (VOTE, ""),
];

/// The learners that compete, with their names.
fn competitors(training: &Training) -> Result<Vec<(String, Box<dyn Learner>)>> {
    if training.learner != BEST {
        return Ok(vec![competitor(&training.learner, training.settings.clone(), training)?]);
    }
    if !training.settings.is_empty() {
        return Err(Error::config("settings belong to one learner: name it instead of `best`"));
    }
    let parsed = |(name, settings): (&str, &str)| {
        let settings = settings.parse().map_err(|error| Error::Internal(format!("{settings}: {error}")))?;
        competitor(name, settings, training)
    };
    COMPETITORS.into_iter().map(parsed).collect()
}

/// A learner, and its name with the settings that set it apart.
fn competitor(name: &str, mut settings: Table, training: &Training) -> Result<(String, Box<dyn Learner>)> {
    let set = settings.iter().map(|(key, value)| format!(" {key}={value}")).collect::<String>();
    if let Some(precision) = training.precision {
        settings.insert("precision".to_owned(), precision.into());
    }
    Ok((format!("{name}{set}"), learner(name, Params::new("learner", settings))?))
}

/// The vectors for training, and which of them a run would see.
struct TrainingSet {
    examples: Examples,
    /// Whether a run would ask the model about a row.
    is_met: Vec<bool>,
    drawn: TrainingPairs,
    /// The rows that a run sees, in order, followed by exact copies.
    met: JudgedPairs,
    truth: String,
    documents: u64,
}

impl TrainingSet {
    fn read(
        training: &Training,
        vector: &Vector,
        job: &Job,
        registry: &Registry,
        progress: &dyn Progress,
    ) -> Result<TrainingSet> {
        let corpus = JudgedCorpus::read(job, &training.truth.fields(), training.leave_out.as_ref())?;
        let known = training.truth.read(&corpus, job, registry, progress)?;
        let candidates = Candidates::find(&training.recipe, &vector.schema, job, registry, progress)?;
        let drawn = draw(&known.truth, &corpus.left_out, &candidates, training.most, training.seed)?;
        let group_of = groups(&known.truth, &corpus.texts);
        let groups = |a: u32, b: u32| [group_of[a as usize], group_of[b as usize]];
        let plain: Vec<(u32, u32)> = drawn.pairs.iter().map(|pair| (pair.a, pair.b)).collect();
        let values = vectors(vector, job, &plain, progress)?;
        let mut examples = Examples::new(vector.width());
        let mut met = JudgedPairs { pairs: Vec::new(), missed: vec![0.0; group_of.len()] };
        for (row, pair) in values.chunks(vector.width()).zip(&drawn.pairs) {
            let groups = groups(pair.a, pair.b);
            examples.push_weighted(row, pair.is_true, groups, pair.weight);
            if pair.is_met {
                met.pairs.push(JudgedPair { groups, is_true: pair.is_true, weight: pair.weight });
            }
        }
        let copy =
            |&(a, b, is_true): &(u32, u32, bool)| JudgedPair { groups: groups(a, b), is_true, weight: 1.0 };
        met.pairs.extend(drawn.copies.iter().map(copy));
        for (&missed, &group) in drawn.missed.iter().zip(&group_of) {
            met.missed[group as usize] += missed;
        }
        let is_met = drawn.pairs.iter().map(|pair| pair.is_met).collect();
        let documents = u64::from(corpus.len());
        Ok(TrainingSet { examples, is_met, drawn, met, truth: known.description, documents })
    }

    /// What a run finds by these scores: verdicts on the rows it sees, and exact copies.
    fn found(&self, held_out: &HeldOut) -> Vec<bool> {
        let verdicts =
            (0..self.examples.len()).filter(|&row| self.is_met[row]).map(|row| held_out.verdict(row));
        verdicts.chain(self.drawn.copies.iter().map(|_| true)).collect()
    }

    fn report(
        &self,
        training: &Training,
        names: &[String],
        tested: &CrossValidated,
        baseline: &CrossValidated,
    ) -> TrainingReport {
        let Training { folds, resamples, seed, .. } = *training;
        let TrainingSet { examples, drawn, met, .. } = self;
        let quality = |held_out: &HeldOut| met.forecast(&self.found(held_out), resamples, seed).into();
        let gain = met.gain(&self.found(&tested.chosen), &self.found(&baseline.chosen), resamples, seed);
        let mut groups: Vec<u32> = examples.groups.iter().flatten().copied().collect();
        groups.sort_unstable();
        groups.dedup();
        let asked: Vec<usize> = (0..examples.len()).filter(|&row| self.is_met[row]).collect();
        let labels: Vec<bool> = asked.iter().map(|&row| examples.labels[row]).collect();
        let weights: Vec<f64> = asked.iter().map(|&row| examples.weights[row]).collect();
        let confidences: Vec<f64> = asked.iter().map(|&row| tested.chosen.confidences[row]).collect();
        TrainingReport {
            truth: self.truth.clone(),
            documents: self.documents,
            recipe: training.recipe.to_toml(),
            pairs: examples.len() as u64,
            near_duplicates: examples.positives() as u64,
            hard_negatives: drawn.met[1],
            missed: drawn.missed.iter().sum::<f64>() as u64,
            groups: groups.len() as u64,
            folds,
            seed,
            tested: quality(&tested.chosen),
            best_threshold: quality(&baseline.chosen),
            gain,
            recommended: gain.is_some_and(|gain| gain.value > LEAST_GAIN),
            instead: None,
            brier: brier(&confidences, &labels, &weights),
            calibration_error: calibration_error(&confidences, &labels, &weights),
            tried: names.iter().cloned().zip(tested.learners.iter().map(quality)).collect(),
            chosen: names.iter().cloned().zip(tested.choices.iter().copied()).collect(),
            importance: Vec::new(),
            notes: drawn.notes.clone(),
        }
    }
}

/// Smaller differences are rounding.
const LEAST_GAIN: f64 = 1e-9;

/// The recommendation if a threshold is as good as the model.
fn instead_of(
    function: &Function,
    vector: &Vector,
    training: &Training,
    registry: &Registry,
) -> Result<Option<SingleThreshold>> {
    let Function::Threshold { component, threshold } = function else { return Ok(None) };
    let Some(compared) = vector.schema.components.get(*component) else { return Ok(None) };
    let threshold = (threshold * 1e4).round() / 1e4;
    let view = vector.schema.views.iter().find(|view| view.name == compared.view);
    // Features of a field alone would make all documents with the same value copies.
    let view = view.filter(|view| !view.features.contains_key("fields") && compared.compare != PRESENT);
    let recipe = match view {
        Some(view) => training.recipe.with_threshold(&view.features, &compared.compare, threshold)?,
        None => None,
    };
    // Not every component of a vector can decide alone.
    let recipe = recipe.filter(|recipe| recipe.build(registry).is_ok());
    Ok(Some(SingleThreshold {
        component: compared.name(),
        threshold,
        recipe: recipe.map(|recipe| recipe.to_toml()),
    }))
}

/// The average size of each component's contribution, the largest first.
fn importance(names: &[String], examples: &Examples, model: &Model, threads: usize) -> Vec<(String, f64)> {
    const AT_ONCE: usize = 256;
    // Of a kernel machine a contribution takes as long as many scores. They are added up in the order of the rows, so
    // the sum is the same with any number of threads.
    let contributions = spread(threads, (0..examples.len()).step_by(AT_ONCE), |start| {
        let (mut one, mut some) = (Vec::new(), Vec::new());
        for row in start..examples.len().min(start + AT_ONCE) {
            model.contributions(examples.row(row), &mut one);
            some.extend_from_slice(&one);
        }
        some
    });
    let mut sums = vec![0.0; names.len()];
    for one in contributions.iter().flat_map(|some| some.chunks(names.len())) {
        sums.iter_mut().zip(one).for_each(|(sum, contribution)| *sum += contribution.abs());
    }
    let count = examples.len().max(1) as f64;
    let mut all: Vec<(String, f64)> =
        names.iter().cloned().zip(sums.into_iter().map(|sum| sum / count)).collect();
    all.sort_by(|x, y| y.1.total_cmp(&x.1).then(x.0.cmp(&y.0)));
    all
}
