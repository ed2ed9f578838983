//! Carrying out one job.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use lookalike_core::registry::Registry;
use lookalike_core::{Error, Result};
use serde_json::{Value, json};

use super::spec::{Kind, Source, Spec, within};
use crate::index::Index;
use crate::judge::{Contestant, Evaluation, evaluate, page};
use crate::learn::train;
use crate::lexicon::prepare;
use crate::run::{Job, Progress, run};

/// Where jobs find and leave things.
pub struct Room<'a> {
    pub index: &'a Index,
    pub uploads: PathBuf,
    pub allowed: &'a [PathBuf],
    pub registry: &'a Registry,
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
        if self.cancelled.load(Ordering::Relaxed) { Err(Error::input("cancelled")) } else { Ok(()) }
    }
}

/// Does what the job asks for and sums up the result.
pub fn carry_out(spec: &Spec, room: &Room<'_>, watch: &Watch) -> Result<Value> {
    let results = room.folder.join("results");
    std::fs::create_dir_all(&results).map_err(Error::io(&results))?;
    let trained = match spec.kind {
        Kind::Train => true,
        _ => spec.classifier.is_some(),
    };
    let mut summary = json!({});
    let model = results.join("classifier.model");
    if trained {
        let job = room.job(&spec.training, "training", &results)?;
        let trained = train(&spec.training(room.registry, room.allowed)?, &job, room.registry, watch)?;
        summary["training"] = serde_json::to_value(&trained.report).unwrap_or_default();
        trained.write(&model)?;
    }
    let model = trained.then_some(model.as_path());
    match spec.kind {
        Kind::Train => {}
        Kind::Dedup => summary["report"] = dedup(spec, room, &results, model, watch)?,
        Kind::Evaluate => summary["evaluation"] = judge(spec, room, &results, model, watch)?,
    }
    Ok(summary)
}

fn dedup(spec: &Spec, room: &Room<'_>, results: &Path, model: Option<&Path>, watch: &Watch) -> Result<Value> {
    let recipe = spec.recipe(room.registry, model)?;
    let output = results.join("deduped");
    let mut job = room.job(&spec.testing, "testing", &output)?;
    // An interrupted run goes on; a folder with only our own files is not there yet or ours.
    job.resume = output.join(".lookalike-work").exists();
    let prepared = prepare(&recipe, room.registry, &job, watch)?;
    let pipeline = recipe.build_with(room.registry, &prepared.shelf)?;
    let report = run(&pipeline, &job, watch)?;
    prepared.keep(&job.output)?;
    Ok(serde_json::to_value(&report).unwrap_or_default())
}

fn judge(spec: &Spec, room: &Room<'_>, results: &Path, model: Option<&Path>, watch: &Watch) -> Result<Value> {
    let recipe = spec.recipe(room.registry, model)?;
    let name = spec.method.clone().unwrap_or_else(|| recipe.method().to_owned());
    let job = room.job(&spec.testing, "testing", results)?;
    let contestants = Contestant::all(&[(name, recipe)], &[])?;
    let evaluated =
        evaluate(&Evaluation::new(spec.truth(room.allowed)?), &contestants, &job, room.registry, watch)?;
    let path = results.join("evaluation.html");
    std::fs::write(&path, page("Evaluation", "a job of the service", &evaluated, &[]))
        .map_err(Error::io(path))?;
    Ok(serde_json::to_value(&evaluated).unwrap_or_default())
}

impl Room<'_> {
    /// A run over documents of a source. Those of the index are written out first, as they are now.
    fn job(&self, source: &Source, name: &str, output: &Path) -> Result<Job> {
        let mut inputs = Vec::new();
        if source.index {
            let path = self.folder.join(format!("{name}.jsonl"));
            if !path.exists() {
                self.index.export(&path)?;
            }
            inputs.push(path);
        }
        for path in &source.paths {
            inputs.push(within(path, self.allowed)?);
        }
        for upload in &source.uploads {
            inputs.push(within(&self.uploads.join(upload), std::slice::from_ref(&self.uploads))?);
        }
        let inputs = inputs.iter().map(|path| path.to_string_lossy().into_owned());
        Ok(Job::new(inputs.collect::<Vec<_>>(), output))
    }
}
