//! A batch run: sign → pair → verify → cluster → write.
//!
//! Each stage leaves what it finished in the work folder or can be repeated quickly from it, so a
//! run that was killed at any point goes on with `--resume` and ends with the same files.

mod bits;
mod candidates;
mod clusters;
mod decided;
pub mod doubts;
mod external;
mod findings;
mod given;
mod group;
mod join;
mod native;
mod outcome;
mod output;
mod page;
mod passages;
pub mod plan;
pub mod report;
mod search;
mod sign;
mod stored;
mod streams;
mod verify;
pub mod warnings;
mod work;

use std::path::PathBuf;

use lookalike_core::candidates::Buckets;
use lookalike_core::{Error, Result};
use lookalike_io::inputs::{self, Input};
use lookalike_io::read::spool_stdin;

use self::bits::Bits;
use self::clusters::Clusters;
pub use self::clusters::{Cluster, Member};
use self::decided::Decided;
pub use self::findings::{Findings, find};
pub use self::native::{Prepared, prepare};
use self::outcome::Clock;
pub use self::outcome::Outcome;
pub use self::output::{RenderPage, named};
use self::report::Report;
use self::search::Search;
use self::sign::Signing;
pub use self::stored::{for_each_stored_pair, stored_report};
pub use self::streams::{Stream, StreamPair};
use self::verify::Verifier;
use self::work::Work;
pub use crate::corpus::block::NO_FEATURES;
use crate::corpus::{Corpus, Reading, check_rejected};
pub use crate::corpus::{PassedOver, explain_missing, warn_passed_over};
use crate::decisions::Decisions;
use crate::memory;
use crate::pipeline::Pipeline;
pub use crate::progress::{Progress, Quiet};

/// What to read, how, and where results go.
#[derive(Clone, Debug)]
pub struct Job {
    /// Files, folders, patterns, or `-` for standard input.
    pub inputs: Vec<String>,
    /// What the report names as inputs, if `inputs` were made of something else.
    pub named: Vec<String>,
    /// A corpus whose documents count as known: files, folders, or the output of an earlier run.
    pub against: Vec<String>,
    /// The folder of the results.
    pub output: PathBuf,
    /// The field with a document's id.
    pub id_field: String,
    /// The field with its text.
    pub text_field: String,
    /// The field that says where it is from.
    pub source_field: String,
    /// Worker threads.
    pub threads: usize,
    /// The memory the run may use, in bytes.
    pub memory: u64,
    /// Longer lines are rejected.
    pub max_line: u64,
    /// The most documents with an equal key of which every pair is compared; of more, each is
    /// compared with a few. Judging a method asks for more than a run over a large corpus can afford.
    pub full_bucket: usize,
    /// Stop at the first bad line.
    pub strict: bool,
    /// Add to each removal the passages it shares with its keeper.
    pub passages: bool,
    /// Pairs that the documents' files, images or links agree on, for a job with one input.
    pub also: Vec<StreamPair>,
    /// What people said of the documents.
    pub decisions: Option<Decisions>,
    /// Keep all columns at hand while the job runs, not only those that the recipe reads.
    pub all_columns: bool,
    /// Files that gave no document and why, to be reported with the rejected lines.
    pub unreadable: Vec<(String, String)>,
    /// Documents from files whose text is weak and why, to be reported: they have nothing to compare.
    pub weak: Vec<(String, String)>,
    /// Replace an earlier run.
    pub force: bool,
    /// Go on with an interrupted run.
    pub resume: bool,
}

impl Job {
    /// The usual fields, all cores and most of the memory.
    pub fn new(inputs: impl IntoIterator<Item = impl Into<String>>, output: impl Into<PathBuf>) -> Self {
        Job {
            inputs: inputs.into_iter().map(Into::into).collect(),
            named: Vec::new(),
            against: Vec::new(),
            output: output.into(),
            id_field: "id".to_owned(),
            text_field: "text".to_owned(),
            source_field: "source".to_owned(),
            threads: lookalike_core::threads::available(),
            memory: memory::machine_memory() / 10 * 7,
            max_line: 64 << 20,
            full_bucket: Buckets::default().full,
            strict: false,
            passages: false,
            also: Vec::new(),
            decisions: None,
            all_columns: false,
            unreadable: Vec::new(),
            weak: Vec::new(),
            force: false,
            resume: false,
        }
    }

    /// Inputs as they are found from any folder.
    fn shown_inputs(&self) -> Vec<String> {
        let named = if self.named.is_empty() { &self.inputs } else { &self.named };
        let whole = |input: &String| match std::path::absolute(input) {
            Ok(path) if input != "-" => path.to_string_lossy().into_owned(),
            _ => input.clone(),
        };
        named.iter().map(whole).collect()
    }

    /// What is left for keys and pairs; what does not fit goes to disk.
    fn budget(&self) -> u64 {
        self.memory.saturating_sub(BASE_BYTES + THREAD_BYTES * self.threads as u64)
    }

    /// The documents of the inputs, numbered as every run over them numbers them.
    pub fn corpus(&self) -> Result<Corpus> {
        let reading = Reading {
            id_field: self.id_field.clone(),
            text_field: self.text_field.clone(),
            threads: self.threads,
            max_line: self.max_line,
            strict: self.strict,
            cache: self.budget() / 2,
        };
        Corpus::open(&inputs::find(&self.inputs, None)?, &reading)
    }

    fn check(&self) -> Result<()> {
        let least = BASE_BYTES + THREAD_BYTES * self.threads as u64;
        memory::check_limits(self.threads, self.memory, self.max_line, least)
    }
}

/// What a thread needs besides what it shares: chunk, text, features, a batch of feature sets.
const THREAD_BYTES: u64 = 24_000_000;
/// The program itself and its tables.
const BASE_BYTES: u64 = 16_000_000;

/// Runs a job from beginning, or from where it was interrupted, to end: computes its outcome and writes that to files.
pub fn run(pipeline: &Pipeline, job: &Job, render: RenderPage, progress: &dyn Progress) -> Result<Report> {
    job.check()?;
    let against = inputs::find(&known_files(&job.against)?, None)?;
    let files: Vec<String> = job.inputs.iter().filter(|input| *input != "-").cloned().collect();
    let found = inputs::find(&files, Some(&job.output))?;
    if job.resume && files.len() == job.inputs.len() {
        let all = [against.clone(), found.clone()].concat();
        let identity = work::identity(pipeline, job, &all, against.len());
        if work::is_complete(&job.output, &work::fingerprint(&identity)) {
            progress.warn("the run is complete already; nothing is left to resume");
            return stored_report(&job.output);
        }
    }
    work::check_apart(&job.output, against.iter().chain(&found))?;
    let passed_over = warn_passed_over(&known_files(&job.against)?, None, progress)?.and(warn_passed_over(
        &files,
        Some(&job.output),
        progress,
    )?);
    let work = Work::claim(job)?;
    let resumed = work.folder.join("manifest.json").exists();
    let written = compute_in(&work, pipeline, job, progress, against, found).and_then(|mut outcome| {
        outcome.check_something_was_read(&passed_over)?;
        outcome.report.passed_over = passed_over;
        outcome.report.resumed = resumed;
        outcome.write(render, progress)
    });
    match &written {
        Ok(_) => work.finish()?,
        // Nothing was begun that would be worth resuming.
        Err(Error::Config(_) | Error::Input(_)) if !resumed => work.finish()?,
        Err(_) => {}
    }
    written
}

/// What [`run`] finds, without its files; `job.output` is not used.
pub fn compute<'a>(pipeline: &'a Pipeline, job: &'a Job, progress: &dyn Progress) -> Result<Outcome<'a>> {
    job.check()?;
    let against = inputs::find(&known_files(&job.against)?, None)?;
    let found = inputs::find(&job.inputs, None)?;
    let work = Work::temporary()?;
    let outcome = compute_in(&work, pipeline, job, progress, against, found)?;
    Ok(Outcome { _temporary: Some(work), ..outcome })
}

/// Sign, pair, verify, cluster. What is finished stays in the work folder, and is not done again.
fn compute_in<'a>(
    work: &Work,
    pipeline: &'a Pipeline,
    job: &'a Job,
    progress: &dyn Progress,
    against: Vec<Input>,
    found: Vec<Input>,
) -> Result<Outcome<'a>> {
    let mut clock = Clock::default();
    let all = all_inputs(job, against.clone(), found, work)?;
    let identity = work::identity(pipeline, job, &all, against.len());
    work.check_manifest(&identity)?;

    let signing = Signing {
        pipeline,
        job,
        inputs: &all,
        reference_inputs: against.len(),
        work: &work.folder,
        cache: job.budget() / 2,
    };
    let mut catalog = signing.run(progress)?;
    clock.lap("sign");
    check_rejected(&catalog, &all, &job.text_field, job.max_line, progress)?;

    let (fields, plan) = signing.fields();
    let decisions = job.decisions.as_ref();
    let mut decided = decisions.map(|said| Decided::find(said, &catalog, &fields)).transpose()?;
    if let Some(decided) = &mut decided {
        catalog.preferred = std::mem::take(&mut decided.preferred);
    }
    let copies = group::exact_copies(&catalog, job.budget() / 4)?;
    let mut is_copy = Bits::new(catalog.len());
    copies.iter().for_each(|&(copy, _)| is_copy.set(copy));
    let search = Search {
        pipeline,
        catalog: &catalog,
        fields: &fields,
        plan: &plan,
        copies: &is_copy,
        work: &work.folder,
        limits: Buckets { full: job.full_bucket, ..Buckets::default() },
        threads: job.threads,
        memory: job.budget() / 4,
    };
    let candidates = search.run(progress)?;
    drop(is_copy);
    clock.lap("pair");

    let verifier =
        Verifier { pipeline, catalog: &catalog, fields: &fields, plan: &plan, threads: job.threads };
    let verified = verifier.run(&candidates, &work.folder, progress)?;
    let candidate_count = candidates.count;
    let found_by = report::found_by(pipeline, &candidates.proposed, &verified);
    drop(candidates);
    clock.lap("verify");

    let mut verified = streams::join(verified, &job.also, &copies, |group| catalog.best(group))?;
    let decisions = decided.map(|decided| decided.apply(&verifier, &mut verified, &copies)).transpose()?;
    let clusters = Clusters::build(&verifier, verified, copies)?;
    clock.lap("cluster");

    let report = Report {
        scheme: pipeline.scheme.id.clone(),
        method: pipeline.method.clone(),
        recipe: pipeline.resolved(),
        given: pipeline.given.clone(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        run: work::fingerprint(&identity),
        inputs: job.shown_inputs(),
        id_field: job.id_field.clone(),
        text_field: job.text_field.clone(),
        candidates: candidate_count,
        decisions,
        expected_recall: pipeline.expected_recall(pipeline.decider.threshold()),
        threshold: pipeline.decider.threshold(),
        found_by,
        narrowing: report::narrowing(pipeline),
        input_bytes: all[against.len()..].iter().map(|input| input.bytes).sum(),
        threads: job.threads,
        ..Report::default()
    };
    let mut outcome =
        Outcome { pipeline, job, inputs: all, fields, catalog, clusters, report, clock, _temporary: None };
    outcome.count();
    Ok(outcome)
}

/// The corpus compared against comes first, so that its documents have the smallest numbers.
fn all_inputs(job: &Job, against: Vec<Input>, found: Vec<Input>, work: &Work) -> Result<Vec<Input>> {
    let mut all = against;
    let mut found = found.into_iter();
    if let Some(place) = job.inputs.iter().position(|input| input == "-") {
        let before = inputs::find(&job.inputs[..place], Some(&job.output))?.len();
        all.extend(found.by_ref().take(before));
        let path = spool_stdin(std::io::stdin(), &work.folder)?;
        all.push(Input::open_stdin(&path)?);
    }
    all.extend(found);
    if all.is_empty() {
        return Err(Error::config("no input files"));
    }
    Ok(all)
}

/// The output folder of an earlier run stands for the documents it kept.
pub fn known_files(arguments: &[String]) -> Result<Vec<String>> {
    let mut files = Vec::new();
    for argument in arguments {
        let folder = std::path::Path::new(argument);
        if !folder.join(work::REPORT).exists() {
            files.push(argument.clone());
            continue;
        }
        let entries = std::fs::read_dir(folder).map_err(Error::io(folder))?;
        let mut kept: Vec<String> = entries
            .filter_map(|entry| entry.ok())
            .filter(|entry| work::is_kept_name(&entry.file_name().to_string_lossy()))
            .map(|entry| entry.path().to_string_lossy().into_owned())
            .collect();
        kept.sort();
        files.append(&mut kept);
    }
    Ok(files)
}
