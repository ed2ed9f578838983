//! Runs one job.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use lookalike::Id;
use lookalike::Registry;
use lookalike::{Error, Result};
use lookalike_plumbing::files::{make_durable, write_synced};
use serde_json::Value;

use super::allowed_paths::within;
use super::apply::{apply, author, undo};
use super::assets::NamedAssets;
use super::spec::{JobKind, JobSource, LabelFile, NewJob};
use super::summary::{JobSummary, PairQuestion, Questions};
use super::uploads;
use lookalike::decisions::Decisions;
use lookalike::index::{Index, View};
use lookalike::judge::{
    Contestant, Evaluated, Evaluation, LabelRequest, LabelledPair, Question, TruthSource, page,
};
use lookalike::{Job, Progress, run};
use lookalike_engine::run::prepare;
use lookalike_judge::evaluate;
use lookalike_judge::learn::train;

/// The results of a batch run, in the folder of its job.
pub const DEDUPED: &str = "results/deduped";
/// The classifier that a job trained, among its results.
pub const MODEL_FILE: &str = "classifier.model";
/// How many documents of the index are sampled to find pairs worth a label.
const ASKED_DOCUMENTS: u64 = 20_000;

/// What a job works with: the index, the files it may read, and the folder it writes to.
pub struct JobContext<'a> {
    pub index: &'a Index,
    pub uploads: PathBuf,
    pub allowed: &'a [PathBuf],
    pub registry: &'a Registry,
    pub assets: &'a NamedAssets,
    /// The job's own folder; its results are in `results`.
    pub folder: PathBuf,
    /// The job that this one applies or undoes: its number and its folder.
    pub followed: Option<(u64, PathBuf)>,
}

/// The progress of a job, and whether it should stop.
#[derive(Default)]
pub struct JobControl {
    stage: Mutex<String>,
    total: AtomicU64,
    done: AtomicU64,
    pub cancelled: AtomicBool,
}

impl JobControl {
    /// The stage and its progress from 0 to 1.
    pub fn progress(&self) -> (String, f64) {
        let total = self.total.load(Ordering::Relaxed).max(1) as f64;
        let stage = self.stage.lock().unwrap_or_else(PoisonError::into_inner).clone();
        (stage, (self.done.load(Ordering::Relaxed) as f64 / total).min(1.0))
    }
}

impl Progress for JobControl {
    fn stage(&self, name: &'static str, total: u64) {
        name.clone_into(&mut self.stage.lock().unwrap_or_else(PoisonError::into_inner));
        self.total.store(total, Ordering::Relaxed);
        self.done.store(0, Ordering::Relaxed);
    }

    fn advance(&self, units: u64, _: u64) -> Result<()> {
        self.done.fetch_add(units, Ordering::Relaxed);
        if self.cancelled.load(Ordering::Relaxed) { Err(Error::Cancelled) } else { Ok(()) }
    }
}

/// Runs the job and summarises the result.
pub fn carry_out(spec: &NewJob, context: &JobContext<'_>, control: &JobControl) -> Result<Value> {
    let results = context.folder.join("results");
    std::fs::create_dir_all(&results).map_err(Error::io(&results))?;
    let trained = spec.trains();
    let mut summary = JobSummary::default();
    let model = results.join(MODEL_FILE);
    if trained {
        let job = context.job(&spec.training, "training", &results)?;
        let training = spec.training(context.registry, context.assets, context.truth(spec)?)?;
        let mut trained = train(&training, &job, context.registry, control)?;
        trained.report.truth = context.shown(&trained.report.truth);
        if !trained.report.recommended {
            let instead = trained.report.instead.as_ref();
            let told = instead
                .map_or(String::new(), |one| format!(": {} of at least {}", one.component, one.threshold));
            trained.report.notes.push(format!("not recommended, for a single threshold does as well{told}"));
        }
        trained.write(&model)?;
        summary.training = Some(trained.report);
    }
    let model = trained.then_some(model.as_path());
    match spec.kind {
        JobKind::Train => {}
        JobKind::Dedup => summary.report = Some(dedup(spec, context, model, control)?),
        JobKind::Evaluate => summary.evaluation = Some(judge(spec, context, &results, model, control)?),
        JobKind::Apply | JobKind::Undo => {
            let (id, folder) =
                context.followed.as_ref().ok_or_else(|| Error::config("there is no such job"))?;
            let author = author(*id);
            summary.decisions = Some(match spec.kind {
                JobKind::Apply => {
                    let (deduped, corpus) = (folder.join(DEDUPED), folder.join("testing.jsonl"));
                    apply(&deduped, &corpus, &author, context.index, control)?
                }
                _ => undo(&author, context.index, control)?,
            });
        }
        JobKind::Ask => {
            summary = JobSummary { questions: Some(ask(spec, context, &results, control)?), ..summary }
        }
    }
    Ok(serde_json::to_value(&summary).unwrap_or_default())
}

fn dedup(
    spec: &NewJob,
    context: &JobContext<'_>,
    model: Option<&Path>,
    control: &JobControl,
) -> Result<Value> {
    let recipe = spec.recipe(context.registry, context.assets, model)?;
    let output = context.folder.join(DEDUPED);
    let mut job = context.job(&spec.testing, "testing", &output)?;
    if spec.testing.index {
        job.decisions = Some(context.stored_decisions()?);
    }
    // An interrupted run is continued; the folder is new or only has files of this job.
    job.resume = output.join(".lookalike-work").exists();
    let prepared = prepare(&recipe, context.registry, &job, control)?;
    let pipeline = recipe.build_with(context.registry, &prepared.assets)?;
    let report = run(&pipeline, &job, control)?;
    prepared.keep(&job.output)?;
    let mut told = serde_json::to_value(&report).unwrap_or_default();
    context.show(&mut told);
    Ok(told)
}

fn judge(
    spec: &NewJob,
    context: &JobContext<'_>,
    results: &Path,
    model: Option<&Path>,
    control: &JobControl,
) -> Result<Evaluated> {
    let recipe = spec.recipe(context.registry, context.assets, model)?;
    let name = spec.method.clone().unwrap_or_else(|| recipe.method().to_owned());
    let job = context.job(&spec.testing, "testing", results)?;
    let contestants = Contestant::all(&[(name, recipe)], &[])?;
    let evaluation = Evaluation::new(context.truth(spec)?);
    let mut evaluated = evaluate(&evaluation, &contestants, &job, context.registry, control)?;
    evaluated.truth = context.shown(&evaluated.truth);
    let path = results.join("evaluation.html");
    let page = page("Evaluation", "a job of the service", &evaluated, &[]);
    write_synced(&path, |file| file.write(page.as_bytes()))?;
    Ok(evaluated)
}

/// The pairs most worth a label, and what the labels so far show. Of a large index only a sample is used.
fn ask(spec: &NewJob, context: &JobContext<'_>, results: &Path, control: &JobControl) -> Result<Questions> {
    let mut source = spec.testing.clone();
    let mut job = if source.index {
        source.index = false;
        let sample = context.folder.join("testing.jsonl");
        if !sample.exists() {
            make_durable(&sample, |path| context.index.surveyor().export_sample(path, ASKED_DOCUMENTS))?;
        }
        let mut job = context.job(&source, "testing", results)?;
        job.inputs.push(sample.to_string_lossy().into_owned());
        job
    } else {
        context.job(&source, "testing", results)?
    };
    job.strict = false;
    let decisions = context.index.reader().decisions(&View::All)?;
    let labelled: Vec<LabelledPair> = decisions
        .iter()
        .map(|decision| LabelledPair {
            a: decision.a.display().into_owned(),
            b: decision.b.display().into_owned(),
            duplicate: decision.duplicate,
        })
        .collect();
    // The number of labels is the seed, so that new labels lead to other questions.
    let asking = LabelRequest::new(&job, &labelled, labelled.len() as u64, context.registry, control)?;
    let questions = asking.questions(spec.questions.unwrap_or(10), &job)?;
    let id = |id: &Id| serde_json::from_str::<Value>(id.json()).unwrap_or_default();
    let question = |question: &Question| PairQuestion {
        a: id(&question.ids.0),
        b: id(&question.ids.1),
        confidence: question.confidence,
        reason: question.reason.clone(),
    };
    let questions = Questions {
        estimate: asking.estimate()?,
        labelled: asking.labelled(),
        questions: questions.iter().map(question).collect(),
        trained: asking.is_trained,
    };
    let json = serde_json::to_value(&questions).unwrap_or_default().to_string();
    write_synced(&results.join("questions.json"), |file| file.write(json.as_bytes()))?;
    Ok(questions)
}

impl JobContext<'_> {
    /// A text without the paths of the service: callers know files by their names.
    pub fn shown(&self, text: &str) -> String {
        // Paths may appear as we built them, or resolved through links.
        let names = |folder: &PathBuf| {
            [folder.canonicalize().ok(), std::path::absolute(folder).ok(), Some(folder.clone())]
        };
        let folders = [&self.folder, &self.uploads].into_iter().flat_map(names).flatten();
        folders.fold(text.to_owned(), |shown, folder| shown.replace(&format!("{}/", folder.display()), ""))
    }

    /// The same for all strings in a value.
    fn show(&self, value: &mut Value) {
        match value {
            Value::String(text) => *text = self.shown(text),
            Value::Array(values) => values.iter_mut().for_each(|value| self.show(value)),
            Value::Object(values) => values.values_mut().for_each(|value| self.show(value)),
            _ => {}
        }
    }

    fn truth(&self, spec: &NewJob) -> Result<TruthSource> {
        let file_of = |file: &LabelFile| match file {
            LabelFile::Path(path) => within(path, self.allowed),
            LabelFile::Upload { upload } => uploads::find(&self.uploads, upload),
        };
        spec.truth(file_of, &self.decisions()?)
    }

    /// Writes the decisions as a file of labelled pairs.
    fn decisions(&self) -> Result<PathBuf> {
        let path = self.folder.join("decisions.jsonl");
        let mut lines = String::new();
        for decision in self.index.reader().decisions(&View::All)? {
            let label = if decision.duplicate { "duplicate" } else { "different" };
            lines += &format!(
                "{{\"a\":{},\"b\":{},\"label\":\"{label}\"}}\n",
                decision.a.json(),
                decision.b.json()
            );
        }
        write_synced(&path, |file| file.write(lines.as_bytes()))?;
        Ok(path)
    }

    /// The decisions of the index when the job first needed them, because a continued run needs the same ones.
    fn stored_decisions(&self) -> Result<Decisions> {
        let path = self.folder.join("said.jsonl");
        if !path.exists() {
            make_durable(&path, |path| self.index.reader().all_decisions()?.write(path))?;
        }
        Decisions::read(&path)
    }

    /// A run over the documents of a source. Those of the index are first exported, as they are now.
    fn job(&self, source: &JobSource, name: &str, output: &Path) -> Result<Job> {
        let mut inputs = Vec::new();
        if source.index {
            let path = self.folder.join(format!("{name}.jsonl"));
            if !path.exists() {
                make_durable(&path, |path| self.index.reader().export(path))?;
            }
            inputs.push(path);
        }
        for path in &source.paths {
            inputs.push(within(path, self.allowed)?);
        }
        for upload in &source.uploads {
            inputs.push(uploads::find(&self.uploads, upload)?);
        }
        let inputs = inputs.iter().map(|path| path.to_string_lossy().into_owned());
        Ok(Job::new(inputs.collect::<Vec<_>>(), output))
    }
}
