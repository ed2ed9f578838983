//! A batch run: sign → pair → verify → cluster → write.
//!
//! Each stage leaves what it finished in the work folder or can be repeated quickly from it, so a
//! run that was killed at any point goes on with `--resume` and ends with the same files.

mod bits;
mod block;
mod branches;
mod candidates;
mod catalog;
mod clusters;
mod decided;
mod documents;
pub mod doubts;
mod external;
mod group;
pub mod html;
mod join;
mod log;
mod lost;
pub mod memory;
mod outcome;
mod output;
mod page;
mod passages;
pub mod plan;
pub mod report;
mod reread;
mod sign;
mod streams;
mod verify;
pub mod warnings;
mod work;

use std::path::PathBuf;
use std::time::Instant;

use lookalike_core::candidates::Buckets;
use lookalike_core::{Error, Result};
use lookalike_io::inputs::{self, Input};
use lookalike_io::read::spool_stdin;

use self::bits::Bits;
pub use self::block::NO_FEATURES;
pub use self::branches::{BranchPlaces, Signatures};
use self::candidates::Search;
pub use self::candidates::on_threads;
use self::clusters::Clusters;
use self::decided::Decided;
pub use self::documents::{Documents, for_each_document, part_documents, with_documents};
pub use self::lost::{explain_missing, warn_passed_over};
pub use self::outcome::{Outcome, find};
pub use self::output::{named, stored_report};
use self::report::Report;
use self::sign::Signing;
pub use self::streams::{Stream, StreamPair};
use self::verify::Verifier;
use self::work::Work;
use crate::decisions::Decisions;
use crate::pipeline::Pipeline;

/// What to read, how, and where results go.
#[derive(Clone, Debug)]
pub struct Job {
    /// Files, folders, patterns, or `-` for standard input.
    pub inputs: Vec<String>,
    /// What the report names as inputs, if `inputs` were made of something else.
    pub named: Vec<String>,
    /// A corpus whose documents count as known: files, folders, or the output of an earlier run.
    pub against: Vec<String>,
    pub output: PathBuf,
    pub id_field: String,
    pub text_field: String,
    pub source_field: String,
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
    /// Write only the evidence: no kept documents, no page.
    pub evidence_only: bool,
    /// Replace an earlier run.
    pub force: bool,
    /// Go on with an interrupted run.
    pub resume: bool,
}

impl Job {
    pub fn new(inputs: impl IntoIterator<Item = impl Into<String>>, output: impl Into<PathBuf>) -> Self {
        Job {
            inputs: inputs.into_iter().map(Into::into).collect(),
            named: Vec::new(),
            against: Vec::new(),
            output: output.into(),
            id_field: "id".to_owned(),
            text_field: "text".to_owned(),
            source_field: "source".to_owned(),
            threads: std::thread::available_parallelism().map_or(1, |threads| threads.get()),
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
            evidence_only: false,
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

    fn check(&self) -> Result<()> {
        let least = BASE_BYTES + THREAD_BYTES * self.threads as u64;
        memory::check_limits(self.threads, self.memory, self.max_line, least)
    }
}

/// What a thread needs besides what it shares: chunk, text, features, a batch of feature sets.
const THREAD_BYTES: u64 = 24_000_000;
/// The program itself and its tables.
const BASE_BYTES: u64 = 16_000_000;

/// Learns how far a run is. Called from many threads.
pub trait Progress: Sync {
    /// A stage begins; it ends when `advance` has counted up to `total`.
    fn stage(&self, _name: &'static str, _total: u64) {}

    /// Some of the stage is done. An error stops the run.
    fn advance(&self, _units: u64, _documents: u64) -> Result<()> {
        Ok(())
    }

    fn warn(&self, _message: &str) {}

    /// What is about to begin takes about so many seconds.
    fn expect(&self, _seconds: f64) {}
}

/// Tells nobody.
pub struct Quiet;

impl Progress for Quiet {}

/// Runs a job from beginning, or from where it was interrupted, to end.
pub fn run(pipeline: &Pipeline, job: &Job, progress: &dyn Progress) -> Result<Report> {
    job.check()?;
    let against = inputs::find(&known_files(&job.against)?, None)?;
    let files: Vec<String> = job.inputs.iter().filter(|input| *input != "-").cloned().collect();
    let found = inputs::find(&files, Some(&job.output))?;
    if job.resume && files.len() == job.inputs.len() {
        let all = [against.clone(), found.clone()].concat();
        let identity = work::identity(pipeline, job, &all, against.len());
        if work::is_complete(&job.output, &work::fingerprint(&identity)) {
            progress.warn("the run is complete already; nothing is left to resume");
            return output::stored_report(&job.output);
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
    let outcome = run_claimed(pipeline, job, progress, against, found, &work, |done| {
        let Done { output, mut report, mut clock, began } = done;
        output.check_something_was_read(&passed_over)?;
        report.passed_over = passed_over;
        report.resumed = resumed;
        output.write(&mut report, progress, &mut clock, began)?;
        Ok(report)
    });
    match &outcome {
        Ok(_) => work.finish()?,
        // Nothing was begun that would be worth resuming.
        Err(Error::Config(_) | Error::Input(_)) if !resumed => work.finish()?,
        Err(_) => {}
    }
    outcome
}

/// Everything is found; what remains is to tell.
struct Done<'a> {
    output: output::Output<'a>,
    report: Report,
    clock: Clock,
    began: Instant,
}

fn run_claimed<T>(
    pipeline: &Pipeline,
    job: &Job,
    progress: &dyn Progress,
    against: Vec<Input>,
    found: Vec<Input>,
    work: &Work,
    finish: impl FnOnce(Done<'_>) -> Result<T>,
) -> Result<T> {
    let began = Instant::now();
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
    lost::rejected(&catalog, &all, job, progress)?;

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
    let output = output::Output {
        job,
        catalog: &catalog,
        clusters: &clusters,
        inputs: &all,
        fields: &fields,
        pipeline,
    };
    finish(Done { output, report, clock, began })
}

/// Seconds by stage.
pub struct Clock {
    last: Instant,
    laps: Vec<(&'static str, f64)>,
}

impl Default for Clock {
    fn default() -> Self {
        Clock { last: Instant::now(), laps: Vec::new() }
    }
}

impl Clock {
    fn lap(&mut self, stage: &'static str) {
        self.laps.push((stage, self.last.elapsed().as_secs_f64()));
        self.last = Instant::now();
    }
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
