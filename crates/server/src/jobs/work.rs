//! Carrying out one job.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use lookalike::core::document::Id;
use lookalike::core::registry::Registry;
use lookalike::core::{Error, Result};
use lookalike::whole::{make_whole, write_whole};
use serde_json::{Value, json};

use super::assets::Assets;
use super::reach::within;
use super::spec::{Kind, LabelFile, Source, Spec};
use super::uploads;
use lookalike::decisions::Decisions;
use lookalike::index::{Index, View};
use lookalike::judge::{Contestant, Evaluation, LabelledPair, TruthSource, evaluate, page};
use lookalike::learn::{Asking, train};
use lookalike::lexicon::prepare;
use lookalike::{Job, Progress, run};

/// Documents of the index among which pairs to ask about are sought.
const ASKED_DOCUMENTS: u64 = 20_000;

/// Where jobs find and leave things.
pub struct Room<'a> {
    pub index: &'a Index,
    pub uploads: PathBuf,
    pub allowed: &'a [PathBuf],
    pub registry: &'a Registry,
    pub assets: &'a Assets,
    /// The job's own folder; what is in `results` is its result.
    pub folder: PathBuf,
}

/// How far a job is, and whether it should stop.
#[derive(Default)]
pub struct Watch {
    stage: Mutex<String>,
    total: AtomicU64,
    done: AtomicU64,
    pub cancelled: AtomicBool,
}

impl Watch {
    /// The stage and how much of it is done, from 0 to 1.
    pub fn progress(&self) -> (String, f64) {
        let total = self.total.load(Ordering::Relaxed).max(1) as f64;
        let stage = self.stage.lock().unwrap_or_else(PoisonError::into_inner).clone();
        (stage, (self.done.load(Ordering::Relaxed) as f64 / total).min(1.0))
    }
}

impl Progress for Watch {
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

/// Does what the job asks for and sums up the result.
pub fn carry_out(spec: &Spec, room: &Room<'_>, watch: &Watch) -> Result<Value> {
    let results = room.folder.join("results");
    std::fs::create_dir_all(&results).map_err(Error::io(&results))?;
    let trained = spec.trains();
    let mut summary = json!({});
    let model = results.join("classifier.model");
    if trained {
        let job = room.job(&spec.training, "training", &results)?;
        let training = spec.training(room.registry, room.assets, room.truth(spec)?)?;
        let mut trained = train(&training, &job, room.registry, watch)?;
        trained.report.truth = room.shown(&trained.report.truth);
        if !trained.report.recommended {
            let instead = trained.report.instead.as_ref();
            let told = instead
                .map_or(String::new(), |one| format!(": {} of at least {}", one.component, one.threshold));
            trained.report.notes.push(format!("not recommended, for a single threshold does as well{told}"));
        }
        summary["training"] = serde_json::to_value(&trained.report).unwrap_or_default();
        trained.write(&model)?;
    }
    let model = trained.then_some(model.as_path());
    match spec.kind {
        Kind::Train => {}
        Kind::Dedup => summary["report"] = dedup(spec, room, &results, model, watch)?,
        Kind::Evaluate => summary["evaluation"] = judge(spec, room, &results, model, watch)?,
        Kind::Ask => summary = ask(spec, room, &results, watch)?,
    }
    Ok(summary)
}

fn dedup(spec: &Spec, room: &Room<'_>, results: &Path, model: Option<&Path>, watch: &Watch) -> Result<Value> {
    let recipe = spec.recipe(room.registry, room.assets, model)?;
    let output = results.join("deduped");
    let mut job = room.job(&spec.testing, "testing", &output)?;
    if spec.testing.index {
        job.decisions = Some(room.said()?);
    }
    // An interrupted run goes on; a folder with only our own files is not there yet or ours.
    job.resume = output.join(".lookalike-work").exists();
    let prepared = prepare(&recipe, room.registry, &job, watch)?;
    let pipeline = recipe.build_with(room.registry, &prepared.shelf)?;
    let report = run(&pipeline, &job, watch)?;
    prepared.keep(&job.output)?;
    let mut told = serde_json::to_value(&report).unwrap_or_default();
    room.show(&mut told);
    Ok(told)
}

fn judge(spec: &Spec, room: &Room<'_>, results: &Path, model: Option<&Path>, watch: &Watch) -> Result<Value> {
    let recipe = spec.recipe(room.registry, room.assets, model)?;
    let name = spec.method.clone().unwrap_or_else(|| recipe.method().to_owned());
    let job = room.job(&spec.testing, "testing", results)?;
    let contestants = Contestant::all(&[(name, recipe)], &[])?;
    let evaluation = Evaluation::new(room.truth(spec)?);
    let mut evaluated = evaluate(&evaluation, &contestants, &job, room.registry, watch)?;
    evaluated.truth = room.shown(&evaluated.truth);
    let path = results.join("evaluation.html");
    let page = page("Evaluation", "a job of the service", &evaluated, &[]);
    write_whole(&path, |file| file.write(page.as_bytes()))?;
    Ok(serde_json::to_value(&evaluated).unwrap_or_default())
}

/// The pairs most worth a label, and what the labels so far tell. Of a large index a part is looked at.
fn ask(spec: &Spec, room: &Room<'_>, results: &Path, watch: &Watch) -> Result<Value> {
    let mut source = spec.testing.clone();
    let mut job = if source.index {
        source.index = false;
        let sample = room.folder.join("testing.jsonl");
        if !sample.exists() {
            make_whole(&sample, |path| room.index.export_sample(path, ASKED_DOCUMENTS))?;
        }
        let mut job = room.job(&source, "testing", results)?;
        job.inputs.push(sample.to_string_lossy().into_owned());
        job
    } else {
        room.job(&source, "testing", results)?
    };
    job.strict = false;
    let decisions = room.index.decisions(&View::All)?;
    let labelled: Vec<LabelledPair> = decisions
        .iter()
        .map(|decision| LabelledPair {
            a: decision.a.display().into_owned(),
            b: decision.b.display().into_owned(),
            duplicate: decision.duplicate,
        })
        .collect();
    // Other questions as labels come.
    let asking = Asking::new(&job, &labelled, labelled.len() as u64, room.registry, watch)?;
    let questions = asking.questions(spec.questions.unwrap_or(10), &job)?;
    let questions: Vec<Value> = questions
        .iter()
        .map(|question| {
            let id = |id: &Id| serde_json::from_str::<Value>(id.json()).unwrap_or_default();
            let (a, b) = &question.ids;
            json!({ "a": id(a), "b": id(b), "confidence": question.confidence, "reason": question.reason })
        })
        .collect();
    let told = json!({
        "questions": questions,
        "labelled": asking.labelled(),
        "trained": asking.is_trained,
        "estimate": asking.estimate()?,
    });
    let path = results.join("questions.json");
    write_whole(&path, |file| file.write(told.to_string().as_bytes()))?;
    Ok(told)
}

impl Room<'_> {
    /// A text without the folders of the service, which are nobody's business: files are named by what follows.
    pub fn shown(&self, text: &str) -> String {
        // Files are named as we made them, or as they were found behind links.
        let names = |folder: &PathBuf| {
            [folder.canonicalize().ok(), std::path::absolute(folder).ok(), Some(folder.clone())]
        };
        let folders = [&self.folder, &self.uploads].into_iter().flat_map(names).flatten();
        folders.fold(text.to_owned(), |shown, folder| shown.replace(&format!("{}/", folder.display()), ""))
    }

    /// The same for all texts in a value.
    fn show(&self, value: &mut Value) {
        match value {
            Value::String(text) => *text = self.shown(text),
            Value::Array(values) => values.iter_mut().for_each(|value| self.show(value)),
            Value::Object(values) => values.values_mut().for_each(|value| self.show(value)),
            _ => {}
        }
    }

    fn truth(&self, spec: &Spec) -> Result<TruthSource> {
        let file_of = |file: &LabelFile| match file {
            LabelFile::Path(path) => within(path, self.allowed),
            LabelFile::Upload { upload } => uploads::find(&self.uploads, upload),
        };
        spec.truth(file_of, &self.decisions()?)
    }

    /// Writes what people decided as a file of labelled pairs.
    fn decisions(&self) -> Result<PathBuf> {
        let path = self.folder.join("decisions.jsonl");
        let mut lines = String::new();
        for decision in self.index.decisions(&View::All)? {
            let label = if decision.duplicate { "duplicate" } else { "different" };
            lines += &format!(
                "{{\"a\":{},\"b\":{},\"label\":\"{label}\"}}\n",
                decision.a.json(),
                decision.b.json()
            );
        }
        write_whole(&path, |file| file.write(lines.as_bytes()))?;
        Ok(path)
    }

    /// What people said of the index's documents when the job first asked: a run that goes on needs the same.
    fn said(&self) -> Result<Decisions> {
        let path = self.folder.join("said.jsonl");
        if !path.exists() {
            make_whole(&path, |path| self.index.all_decisions()?.write(path))?;
        }
        Decisions::read(&path)
    }

    /// A run over documents of a source. Those of the index are written out first, as they are now.
    fn job(&self, source: &Source, name: &str, output: &Path) -> Result<Job> {
        let mut inputs = Vec::new();
        if source.index {
            let path = self.folder.join(format!("{name}.jsonl"));
            if !path.exists() {
                make_whole(&path, |path| self.index.export(path))?;
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
