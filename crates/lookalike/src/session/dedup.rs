//! Near-duplicates removed from corpora and files.

use std::path::PathBuf;

use lookalike_core::Result;
use lookalike_engine::run::Progress;
use lookalike_engine::run::plan::{Plan, plan};
use lookalike_engine::run::report::Report;
use lookalike_engine::run::{Job, Prepared, known_files, prepare};
use lookalike_engine::{Pipeline, Recipe};

use super::Session;
use super::delivery::Delivery;
use super::inputs::Documents;

/// A job whose inputs have been read as far as necessary before it runs.
pub struct Dedup {
    pipeline: Pipeline,
    job: Job,
    lexicons: Prepared,
    known: Documents,
    read: Documents,
    /// For results that go to an object store.
    delivery: Option<Delivery>,
}

impl Session {
    /// Prepares a job: files of other formats become corpora, an index to compare against is written out as a corpus,
    /// and a lexicon of the corpus itself is counted. Nothing is compared yet.
    pub fn dedup(&self, recipe: &Recipe, mut job: Job, progress: &dyn Progress) -> Result<Dedup> {
        let delivery = Delivery::prepare(&mut job)?;
        let reading = self.reading(recipe, job.threads)?;
        let (strict, text) = (job.strict, job.text_field.clone());
        let folder = known_folder(&job);
        #[cfg(feature = "index")]
        self.export_indexes(&mut job.against, &folder, job.resume)?;
        // An earlier run stands for what it kept, which a cluster wrote in parts.
        job.against = known_files(&job.against)?;
        let known = reading.replace(&mut job.against, &text, &folder, strict, progress)?;
        job.named.clone_from(&job.inputs);
        let documents = job.output.join(".lookalike-documents");
        let read = reading.replace(&mut job.inputs, &text, &documents, strict, progress)?;
        job.unreadable = [&known.unreadable[..], &read.unreadable[..]].concat();
        job.weak = read.weak.clone();
        let lexicons = prepare(recipe, &self.registry, &job, progress)?;
        let mut pipeline = recipe.build_with(&self.registry, &lexicons.assets)?;
        if read.is_from_files() {
            pipeline = pipeline.reading_files(&reading.extraction);
        }
        Ok(Dedup { pipeline, job, lexicons, known, read, delivery })
    }
}

impl Dedup {
    /// What the run would cost.
    pub fn plan(&self) -> Result<Plan> {
        plan(&self.pipeline, &self.job)
    }

    /// Runs the job, or continues where it was interrupted, and writes the results.
    pub fn run(mut self, progress: &dyn Progress) -> Result<Report> {
        let Some(mut delivery) = self.delivery.take() else { return self.run_here(progress) };
        delivery.claim(&self.job)?;
        match self.run_here(progress) {
            Ok(report) => delivery.finish(progress).map(|()| report),
            Err(error) => Err(delivery.failed(error)),
        }
    }

    fn run_here(self, progress: &dyn Progress) -> Result<Report> {
        let report = crate::run(&self.pipeline, &self.job, progress)?;
        self.lexicons.keep(&self.job.output)?;
        self.known.finish();
        self.read.finish();
        let _ = std::fs::remove_dir_all(known_folder(&self.job));
        Ok(report)
    }
}

fn known_folder(job: &Job) -> PathBuf {
    job.output.join(".lookalike-known")
}
