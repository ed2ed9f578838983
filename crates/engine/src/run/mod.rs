//! A batch run: sign → pair → verify → cluster → write.
//!
//! Each stage stores what it finished in the work folder or can be repeated quickly from it, so a
//! run that was killed at any point continues with `--resume` and ends with the same files.

mod batches;
mod candidates;
mod clusters;
mod decided;
mod documents;
pub mod doubts;
mod evidence;
mod external;
mod findings;
mod forecast;
mod given;
mod group;
mod join;
mod known;
mod lines;
mod loaded;
mod native;
mod outcome;
mod output;
mod page;
mod parts;
mod passages;
pub mod plan;
mod recall;
pub mod report;
mod search;
mod sign;
mod stored;
mod streams;
pub mod tiles;
mod verify;
mod wanted;
pub mod warnings;
mod work;

use std::path::{Path, PathBuf};

use lookalike_core::candidates::Buckets;
use lookalike_core::{Error, Result};
use lookalike_io::inputs::{self, Input};
use lookalike_io::read::{ReadOptions, copy_stdin};
use lookalike_io::record::Fields;
use lookalike_io::remote::is_address;
use tempfile::TempDir;

use self::clusters::Building;
pub use self::clusters::{Member, RunCluster};
use self::decided::Decided;
pub use self::evidence::Evidence;
use self::external::Sorter;
pub use self::findings::{Findings, find};
pub use self::known::known_files;
pub use self::lines::{ClusterLine, Found, PairLine, RemovalLine, named};
pub use self::native::{Prepared, prepare};
use self::outcome::Clock;
pub use self::outcome::Outcome;
pub use self::output::RenderPage;
pub use self::recall::{MeasuredRecall, RecallSample};
use self::recall::{Measuring, OutlineSize, Outlines};
use self::report::Report;
use self::search::Search;
use self::sign::Signing;
pub use self::stored::{for_each_stored_pair, stored_report};
pub use self::streams::{Stream, StreamPair};
use self::verify::Verifier;
use self::work::Work;
pub use self::work::{REPORT, is_interrupted, is_output_name};
use crate::corpus::Bits;
pub use crate::corpus::block::NO_FEATURES;
use crate::corpus::{Corpus, FileSource, Reading, Source};
pub use crate::corpus::{PassedOver, explain_missing, warn_passed_over};
use crate::decisions::Decisions;
use crate::memory;
use crate::pipeline::{FieldPlan, Pipeline, SeenFields};
pub use crate::progress::{Progress, Quiet};

/// What to read, how, and where results go.
#[derive(Clone, Debug)]
pub struct Job {
    /// Files, folders, patterns, or `-` for standard input.
    pub inputs: Vec<String>,
    /// What the report names as inputs, if `inputs` were made from something else.
    pub named: Vec<String>,
    /// A corpus whose documents count as known: files, folders, or the output of an earlier run.
    pub against: Vec<String>,
    /// The folder of the results.
    pub output: PathBuf,
    /// The address to which the caller uploads the results when they are complete. It is left out of the inputs.
    pub uploaded_to: Option<String>,
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
    /// The largest number of documents with an equal key among which every pair is compared; in a
    /// larger bucket each is compared with a few. For judging a method a higher number is used than a
    /// run over a large corpus can afford.
    pub full_bucket: usize,
    /// Stop at the first bad line.
    pub strict: bool,
    /// Add to each removal the passages it shares with its keeper.
    pub passages: bool,
    /// Measure on a sample which share of the pairs the run finds.
    pub measure_recall: Option<RecallSample>,
    /// Pairs that the documents' files, images or links agree on, for a job with one input.
    pub also: Vec<StreamPair>,
    /// Decisions of people about the documents.
    pub decisions: Option<Decisions>,
    /// Read all columns, not only those that the recipe needs.
    pub all_columns: bool,
    /// Files that gave no document, with the reasons; reported with the rejected lines.
    pub unreadable: Vec<(String, String)>,
    /// Documents from files whose text is weak, with the reasons; they are reported and not compared.
    pub weak: Vec<(String, String)>,
    /// Replace an earlier run.
    pub force: bool,
    /// Continue an interrupted run.
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
            uploaded_to: None,
            id_field: "id".to_owned(),
            text_field: "text".to_owned(),
            source_field: "source".to_owned(),
            threads: lookalike_core::threads::available(),
            memory: memory::machine_memory() / 10 * 7,
            max_line: 64 << 20,
            full_bucket: Buckets::default().full,
            strict: false,
            passages: false,
            measure_recall: None,
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
            Ok(path) if input != "-" && !is_address(input) => path.to_string_lossy().into_owned(),
            _ => input.clone(),
        };
        named.iter().map(whole).collect()
    }

    /// Where the results end up.
    fn destination(&self) -> &Path {
        self.uploaded_to.as_deref().map_or(&self.output, Path::new)
    }

    /// The memory left for keys and pairs; the rest goes to disk.
    fn budget(&self) -> u64 {
        self.memory.saturating_sub(least_memory(self.threads))
    }

    /// The documents of the inputs, with the numbers that every run over them uses.
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
        memory::check_limits(self.threads, self.memory, self.max_line, least_memory(self.threads))
    }

    /// What is read of each document.
    pub fn fields(&self, pipeline: &Pipeline) -> (Fields, FieldPlan) {
        let plan = pipeline.field_plan(&self.source_field);
        let fields =
            Fields { id: self.id_field.clone(), text: self.text_field.clone(), wanted: plan.wanted.clone() };
        (fields, plan)
    }

    /// The documents of the job's files, to be passed to [`compute`] with the job.
    pub fn open(&self, pipeline: &Pipeline) -> Result<FileSource> {
        let folder = TempDir::with_prefix("lookalike-").map_err(Error::io(std::env::temp_dir()))?;
        let against = inputs::find(&known_files(&self.against)?, None)?;
        let found = inputs::find(&self.inputs, None)?;
        Ok(self.files(pipeline, against, found, folder.path())?.with_folder(folder))
    }

    /// The job's files, those of the corpus compared against first. What is needed again of those that cannot be read where they are goes to `folder`.
    fn files(
        &self,
        pipeline: &Pipeline,
        against: Vec<Input>,
        found: Vec<Input>,
        folder: &Path,
    ) -> Result<FileSource> {
        let (fields, _) = self.fields(pipeline);
        let mut columns = Vec::new();
        if !self.all_columns {
            columns.extend([fields.id, fields.text.clone()]);
            columns.extend(fields.wanted);
        }
        let options =
            ReadOptions { max_line: self.max_line, columns, text: fields.text, cursors: self.threads };
        let reference_inputs = against.len();
        Ok(FileSource::new(all_inputs(self, against, found, folder)?, reference_inputs, options, folder))
    }
}

/// The least memory that a job with this many threads needs.
pub fn least_memory(threads: usize) -> u64 {
    BASE_BYTES + THREAD_BYTES * threads as u64
}

/// What a thread needs besides shared memory: chunk, text, features, a batch of feature sets.
const THREAD_BYTES: u64 = 24_000_000;
/// The program itself and its tables.
const BASE_BYTES: u64 = 16_000_000;

/// Runs a job to its end, from the beginning or from where it was interrupted: computes its outcome and writes the
/// files.
pub fn run(pipeline: &Pipeline, job: &Job, render: RenderPage, progress: &dyn Progress) -> Result<Report> {
    job.check()?;
    if job.output.to_str().is_some_and(is_address) {
        return Err(Error::config(format!(
            "{}: a run writes to a folder on this machine; `Session::dedup` uploads what it wrote",
            job.output.display()
        )));
    }
    let against = inputs::find(&known_files(&job.against)?, None)?;
    let files: Vec<String> = job.inputs.iter().filter(|input| *input != "-").cloned().collect();
    let found = inputs::find(&files, Some(job.destination()))?;
    if job.resume && files.len() == job.inputs.len() {
        let all = [against.clone(), found.clone()].concat();
        let identity = work::identity(pipeline, job, &all, against.len());
        if work::is_complete(&job.output, &work::fingerprint(&identity)) {
            progress.warn("the run is complete already; nothing is left to resume");
            return stored_report(&job.output);
        }
    }
    work::check_apart(job.destination(), against.iter().chain(&found))?;
    let passed_over = warn_passed_over(&known_files(&job.against)?, None, progress)?.and(warn_passed_over(
        &files,
        Some(job.destination()),
        progress,
    )?);
    plan::check_documents(pipeline, job, &[against.clone(), found.clone()].concat())?;
    let work = Work::claim(job)?;
    let resumed = work.folder.join("manifest.json").exists();
    let write = || {
        let clock = Clock::default();
        let files = job.files(pipeline, against, found, &work.folder)?;
        let identity = work::identity(pipeline, job, files.inputs(), files.reference_inputs());
        work.check_manifest(&identity)?;
        let mut outcome = compute_in(&work, Asked::Everything, pipeline, job, &files, clock, progress)?;
        outcome.check_something_was_read(&passed_over)?;
        let own = &files.inputs()[files.reference_inputs()..];
        let report = &mut outcome.report;
        report.run = work::fingerprint(&identity);
        report.inputs = job.shown_inputs();
        report.input_bytes = own.iter().map(|input| input.bytes).sum();
        report.passed_over = passed_over;
        report.resumed = resumed;
        outcome.write(&files, render, progress)
    };
    let written = write();
    match &written {
        Ok(_) => work.finish()?,
        // Nothing was begun that is worth resuming.
        Err(Error::Config(_) | Error::Input(_)) if !resumed => work.finish()?,
        Err(_) => {}
    }
    written
}

/// Computes what [`run`] finds in the documents of a source, without writing files: inputs and output of the job
/// are not used.
pub fn compute<'a>(
    pipeline: &'a Pipeline,
    job: &'a Job,
    source: &'a dyn Source,
    progress: &dyn Progress,
) -> Result<Outcome<'a>> {
    compute_as(Asked::Everything, pipeline, job, source, progress)
}

/// What is asked of a run.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Asked {
    /// All that its files tell.
    Everything,
    /// Only the pairs and clusters, not how their documents differ.
    Findings,
}

fn compute_as<'a>(
    asked: Asked,
    pipeline: &'a Pipeline,
    job: &'a Job,
    source: &'a dyn Source,
    progress: &dyn Progress,
) -> Result<Outcome<'a>> {
    job.check()?;
    let work = Work::temporary()?;
    let outcome = compute_in(&work, asked, pipeline, job, source, Clock::default(), progress)?;
    Ok(Outcome { _temporary: Some(work), ..outcome })
}

/// Sign, pair, verify, cluster. What is finished is in the work folder and is not repeated.
fn compute_in<'a>(
    work: &Work,
    asked: Asked,
    pipeline: &'a Pipeline,
    job: &'a Job,
    source: &'a dyn Source,
    mut clock: Clock,
    progress: &dyn Progress,
) -> Result<Outcome<'a>> {
    let (fields, plan) = job.fields(pipeline);
    let outlines = |_| Outlines::open(&work.folder, OutlineSize::new(&*pipeline.decider)?);
    let outlines = job.measure_recall.map(outlines).transpose()?;
    let outlines = outlines.as_ref();
    let seen = SeenFields::new(pipeline, &plan);
    let cache = job.budget() / 2;
    let signing = Signing { pipeline, job, source, work: &work.folder, cache, outlines, seen: &seen };
    let mut catalog = signing.run(&fields, &plan, progress)?;
    let room = documents::room(job.budget(), catalog.len().into())?;
    // Joins need more than keys do.
    let has_join = pipeline.branches.iter().any(|branch| branch.keyer().is_none());
    catalog.limit_cache(if has_join { room / 8 } else { room / 2 });
    clock.lap("sign");

    let decisions = job.decisions.as_ref();
    let mut decided =
        decisions.map(|said| Decided::find(said, &catalog, source, &fields, job.threads)).transpose()?;
    if let Some(decided) = &mut decided {
        catalog.preferred = std::mem::take(&mut decided.preferred);
    }
    let copies = group::exact_copies(&catalog, &work.folder, room / 4)?;
    let mut is_copy = Bits::new(catalog.len());
    for copy in copies.iter()? {
        is_copy.set(copy?.copy);
    }
    let search = Search {
        pipeline,
        catalog: &catalog,
        source,
        fields: &fields,
        plan: &plan,
        copies: &is_copy,
        work: &work.folder,
        limits: Buckets { full: job.full_bucket, ..Buckets::default() },
        threads: job.threads,
        memory: room / 4,
        join_memory: room / 8 * 5,
    };
    let candidates = search.run(progress)?;
    clock.lap("pair");

    if !catalog.is_in_place() {
        progress.stage("reading candidates again", 1);
        let wanted = wanted::documents(pipeline, job, &catalog, &candidates, &copies)?;
        catalog.gather(source, job.threads, wanted.iter())?;
        progress.advance(1, 0)?;
        clock.lap("gather");
    }
    let verifier = Verifier {
        pipeline,
        catalog: &catalog,
        source,
        fields: &fields,
        plan: &plan,
        threads: job.threads,
        tells_differences: asked == Asked::Everything,
    };
    let verified = verifier.run(&candidates, &work.folder, room / 8, progress)?;
    let candidate_count = candidates.count;
    let found_by = report::found_by(pipeline, &candidates.proposed, &verified)?;
    drop(candidates);
    clock.lap("verify");

    let measure = |(sample, outlines)| {
        let memory = room / 4;
        Measuring { verifier: &verifier, outlines, sample, copies: &is_copy, memory }.run(&verified, progress)
    };
    let sampled = job.measure_recall.zip(outlines).map(measure).transpose()?;
    if sampled.is_some() {
        clock.lap("recall");
    }

    let verified = streams::add(&verifier, verified, &job.also, &copies, &work.folder)?;
    let (verified, decisions) = match decided {
        None => (verified, None),
        Some(decided) => {
            let sorter = Sorter::new(&work.folder, room / 8);
            let (verified, counts) = decided.apply(&verifier, verified, &copies, sorter)?;
            (verified, Some(counts))
        }
    };
    progress.stage("clustering", 1);
    let building = Building { verifier: &verifier, work: &work.folder, memory: room / 4 };
    let clusters = building.run(verified, &copies)?;
    drop(copies);
    progress.advance(1, 0)?;
    clock.lap("cluster");

    let report = Report {
        other_records: std::mem::take(&mut catalog.other_records),
        candidates: candidate_count,
        decisions,
        measured_recall: sampled.map(|sampled| sampled.measure(&clusters)).transpose()?,
        found_by,
        narrowing: report::narrowing(pipeline),
        warnings: seen.absent().map(warnings::absent_field).collect(),
        ..Report::of(pipeline, job)
    };
    let mut outcome = Outcome {
        pipeline,
        job,
        source,
        fields,
        catalog,
        clusters,
        report,
        clock,
        work: work.folder.clone(),
        memory: room / 4,
        _temporary: None,
    };
    outcome.count()?;
    Ok(outcome)
}

/// The corpus compared against comes first, so that its documents have the smallest numbers.
fn all_inputs(job: &Job, against: Vec<Input>, found: Vec<Input>, folder: &Path) -> Result<Vec<Input>> {
    let mut all = against;
    let mut found = found.into_iter();
    if let Some(place) = job.inputs.iter().position(|input| input == "-") {
        let before = inputs::find(&job.inputs[..place], Some(job.destination()))?.len();
        all.extend(found.by_ref().take(before));
        let path = copy_stdin(std::io::stdin(), folder)?;
        all.push(Input::open_stdin(&path)?);
    }
    all.extend(found);
    if all.is_empty() {
        return Err(Error::config("no input files"));
    }
    Ok(all)
}
