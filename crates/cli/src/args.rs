//! The command line.

use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::{Args, Parser, Subcommand, ValueHint};
use lookalike::{Job, Recipe, Registry, Report, parse_bytes};

use crate::check::{CHECK_HELP, CheckArgs};
use crate::decisions;
use crate::extract::{EXTRACT_HELP, ExtractArgs};
use crate::index::IndexArgs;
use crate::judge::evaluate::{EVALUATE_HELP, EvaluateArgs};
use crate::judge::reproduce::{REPRODUCE_HELP, ReproduceArgs};
use crate::judge::train::{TRAIN_HELP, TrainArgs};
use crate::judge::tune::{TUNE_HELP, TuneArgs};
use crate::lexicon::LexiconArgs;
use crate::scan::{SCAN_HELP, ScanArgs};
use crate::serve::{SERVE_HELP, ServeArgs};
use crate::view::{VIEW_HELP, ViewArgs};

#[derive(Parser)]
#[command(name = "lookalike", version, about = "Finds, explains and removes near-duplicate documents")]
pub struct Cli {
    #[command(subcommand)]
    pub verb: Verb,
}

#[derive(Subcommand)]
pub enum Verb {
    /// Run the main job on the sample documents compiled in
    Demo(DemoArgs),
    /// Print what is read of files: text, or JSON with title, metadata, links, images and confidence
    #[command(after_help = EXTRACT_HELP)]
    Extract(ExtractArgs),
    /// Find near-duplicates among files of any format: PDF, Word, HTML, mail, images and more
    #[command(after_help = SCAN_HELP)]
    Scan(Box<ScanArgs>),
    /// Remove near-duplicates from corpora (JSONL, JSON, CSV, Parquet, Arrow) and from files of any format
    #[command(after_help = DEDUP_HELP)]
    Dedup(Box<DedupArgs>),
    /// Compare two documents: every measure, each method's verdict, shared passages, differing words
    #[command(after_help = COMPARE_HELP)]
    Compare(CompareArgs),
    /// Judge methods against what is true: labelled pairs or clusters, or an exact measure
    #[command(after_help = EVALUATE_HELP)]
    Evaluate(Box<EvaluateArgs>),
    /// Train a classifier on labelled pairs or clusters
    #[command(after_help = TRAIN_HELP)]
    Train(Box<TrainArgs>),
    /// Find the recipe that meets a target, such as a precision of 0.99, on a sample
    #[command(after_help = TUNE_HELP)]
    Tune(Box<TuneArgs>),
    /// Run a table or figure of the papers again on public data
    #[command(after_help = REPRODUCE_HELP)]
    Reproduce(ReproduceArgs),
    /// The persistent index: documents come one by one, and each is checked against all before
    Index(IndexArgs),
    /// One document or mail against an index, with an exit code for scripts and mail filters
    #[command(after_help = CHECK_HELP)]
    Check(CheckArgs),
    /// Collection statistics: build and show lexicons, stability of I-Match signatures
    Lexicon(LexiconArgs),
    /// Answer over HTTP: have we seen this?
    #[command(after_help = SERVE_HELP)]
    Serve(Box<ServeArgs>),
    /// Look at the result of `dedup` in the browser: clusters, pairs, decisions
    #[command(after_help = VIEW_HELP)]
    View(ViewArgs),
    /// List methods and parts, or explain one
    Methods(MethodsArgs),
    /// Reads files for another process: requests on stdin, answers on stdout
    #[command(hide = true)]
    ExtractWorker,
}

const DEDUP_HELP: &str = "\
Examples:
  lookalike dedup corpus.jsonl -o deduped
  lookalike dedup crawl/*.jsonl.zst -o deduped --threshold 0.7 --keep newest,longest
  zcat dump.jsonl.gz | lookalike dedup - -o deduped --json | jq .removed
  lookalike dedup new.parquet -o deduped --against last-month/
  lookalike dedup corpus.jsonl -o again --decisions deduped
  lookalike dedup corpus.jsonl -o deduped --plan

The output folder gets kept.* (the input's format, all columns), removed.jsonl, clusters.jsonl,
pairs.jsonl, rejected.jsonl, report.json and report.html.";

const COMPARE_HELP: &str = "\
Examples:
  lookalike compare contract.docx contract.pdf
  lookalike compare corpus.jsonl#17 corpus.jsonl#42 --json | jq .passages
  lookalike compare a.txt b.txt --method simhash --set decide.distance=8";

/// What to compare, and how.
#[derive(Args)]
pub struct CompareArgs {
    /// A file of any format, a document within one as FILE#PART, or a record of a corpus as FILE#ID
    /// (JSONL, CSV, Parquet or Arrow; without ids: FILE#LINE)
    #[arg(value_hint = ValueHint::FilePath)]
    pub a: String,
    /// The other one
    #[arg(value_hint = ValueHint::FilePath)]
    pub b: String,
    #[command(flatten)]
    pub recipe: RecipeArgs,
    /// Field with a record's id
    #[arg(long, value_name = "NAME", default_value = "id")]
    pub id_field: String,
    /// Field with a record's text
    #[arg(long, value_name = "NAME", default_value = "text")]
    pub text_field: String,
    /// How many shared passages are shown
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub passages: usize,
    /// Print everything as JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Args)]
pub struct DemoArgs {
    /// Folder for the results
    #[arg(short, long, value_name = "DIR", default_value = "lookalike-demo", value_hint = ValueHint::DirPath)]
    pub output: PathBuf,
    /// Only write the samples that the documentation uses: corpus.jsonl, more.jsonl, documents/, recipes/
    #[arg(long, value_name = "DIR", conflicts_with_all = ["output", "json"], value_hint = ValueHint::DirPath)]
    pub data: Option<PathBuf>,
    /// Print the report as JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Args)]
pub struct MethodsArgs {
    #[command(subcommand)]
    pub action: Option<MethodsAction>,
    /// Print as JSON
    #[arg(long, global = true)]
    pub json: bool,
}

#[derive(Subcommand)]
pub enum MethodsAction {
    /// Explain a method or a part: parameters, defaults, its paper
    Show { name: String },
}

#[derive(Args)]
pub struct DedupArgs {
    /// Files, folders or patterns: JSONL, JSON arrays, CSV, TSV, Parquet or Arrow, plain or packed by gzip, zstd,
    /// xz, bzip2 or lz4; `-` reads standard input.
    /// Documents of other formats (PDF, Word, HTML, mail, archives…) are read as `scan` reads them
    #[arg(required = true, value_name = "INPUT", value_hint = ValueHint::AnyPath)]
    pub inputs: Vec<String>,
    /// Folder for the results
    #[arg(short, long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub output: PathBuf,
    #[command(flatten)]
    pub recipe: RecipeArgs,
    /// A corpus, an index or an earlier run's folder, whose documents count as known: what it has is removed
    #[arg(long, value_name = "CORPUS", value_hint = ValueHint::AnyPath)]
    pub against: Vec<String>,
    /// What people decided, which holds whatever is found: a file of JSON lines, an index, the data folder of
    /// `serve`, or a result that was looked at with `view`
    #[arg(long, value_name = "PATH", value_hint = ValueHint::AnyPath)]
    pub decisions: Option<PathBuf>,
    /// Which member of a cluster is kept: longest, newest, first, shortest-url, max:FIELD, min:FIELD,
    /// source:a>b; several are asked in turn, ties are settled by the id [default: longest]
    #[arg(long, value_name = "RULES")]
    pub keep: Option<String>,
    /// Compare on full feature sets (exact), by signatures alone (estimate), or take whatever the
    /// signatures pair, as the papers do (signature) [default: exact]
    #[arg(long, value_name = "HOW")]
    pub verify: Option<String>,
    #[command(flatten)]
    pub reading: ReadingArgs,
    /// Field with a document's source, for warnings and `--keep source:`; absent: the file's name
    #[arg(long, value_name = "NAME", default_value = "source")]
    pub source_field: String,
    /// Add to removed.jsonl the passages that each document shares with its keeper, with byte offsets
    #[arg(long)]
    pub passages: bool,
    /// Stop at the first bad line instead of counting it
    #[arg(long)]
    pub strict: bool,
    /// Go on with an interrupted run
    #[arg(long)]
    pub resume: bool,
    /// Replace the results of an earlier run in the folder
    #[arg(long, conflicts_with = "resume")]
    pub force: bool,
    /// Print expected time, memory, disk and recall, and do nothing else
    #[arg(long)]
    pub plan: bool,
    /// Print the report (or the plan) as JSON
    #[arg(long)]
    pub json: bool,
}

/// How a corpus is read, and with what means.
#[derive(Args)]
pub struct ReadingArgs {
    /// Field with a document's id, by name or by path (meta.id); absent: the line number
    #[arg(long, value_name = "NAME", default_value = "id")]
    pub id_field: String,
    /// Field with a document's text, by name or by path (meta.text)
    #[arg(long, value_name = "NAME", default_value = "text")]
    pub text_field: String,
    /// Worker threads [default: all cores]
    #[arg(long, value_name = "N")]
    pub threads: Option<usize>,
    /// Memory the run may use, such as 300MB or 4GiB; beyond it, data goes to disk
    /// [default: 70 % of the machine's or the container's]
    #[arg(long, value_name = "SIZE")]
    pub memory: Option<String>,
    /// Longest line that is read; a longer one is rejected
    #[arg(long, value_name = "SIZE", default_value = "64MiB")]
    pub max_line: String,
    /// Show no progress
    #[arg(short, long)]
    pub quiet: bool,
}

impl ReadingArgs {
    /// As a run read its documents.
    pub fn of_report(report: &Report, quiet: bool) -> Self {
        let named = |field: &str, default: &str| if field.is_empty() { default } else { field }.to_owned();
        ReadingArgs {
            id_field: named(&report.id_field, "id"),
            text_field: named(&report.text_field, "text"),
            threads: None,
            memory: None,
            max_line: "64MiB".to_owned(),
            quiet,
        }
    }

    pub fn job(&self, inputs: &[String], output: impl Into<PathBuf>) -> anyhow::Result<Job> {
        let mut job = Job::new(inputs.iter().cloned(), output);
        job.id_field.clone_from(&self.id_field);
        job.text_field.clone_from(&self.text_field);
        job.max_line = parse_bytes(&self.max_line).context("--max-line")?;
        if let Some(threads) = self.threads {
            job.threads = threads;
        }
        if let Some(memory) = &self.memory {
            job.memory = parse_bytes(memory).context("--memory")?;
        }
        Ok(job)
    }
}

/// How documents are compared.
#[derive(Args)]
pub struct RecipeArgs {
    /// Recipe file (TOML)
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub recipe: Option<PathBuf>,
    /// Method by name, see `lookalike methods` [default: minhash]
    #[arg(long, value_name = "NAME", conflicts_with = "recipe")]
    pub method: Option<String>,
    /// Least similarity of a near-duplicate, above 0 and at most 1 [default: 0.8]
    #[arg(long, value_name = "X", allow_hyphen_values = true)]
    pub threshold: Option<String>,
    /// Lexicon for methods that use one: english, a file, or native (counted from the input first)
    #[arg(long, value_name = "NAME", value_hint = ValueHint::FilePath)]
    pub lexicon: Option<String>,
    /// Set any recipe key, such as features.shingle=3; may be repeated
    #[arg(long, value_name = "STAGE.KEY=VALUE")]
    pub set: Vec<String>,
}

impl RecipeArgs {
    /// Whether anything but the default is asked for.
    pub fn is_given(&self) -> bool {
        self.recipe.is_some()
            || self.method.is_some()
            || self.threshold.is_some()
            || self.lexicon.is_some()
            || !self.set.is_empty()
    }

    pub fn recipe(&self, registry: &Registry) -> anyhow::Result<Recipe> {
        let recipe = match (&self.recipe, &self.method) {
            (Some(file), _) => Recipe::from_toml(&text_of(file)?, registry).with_context(|| shown(file))?,
            (None, Some(method)) => Recipe::for_method(method, registry)?,
            (None, None) => Recipe::standard(registry)?,
        };
        self.adjusted(recipe)
    }

    /// A recipe that is there already, with what is asked for changed and nothing else.
    pub fn changed(&self, stored: &Recipe, registry: &Registry) -> anyhow::Result<Recipe> {
        let recipe = match (&self.recipe, &self.method) {
            (Some(file), _) => stored.changed(&text_of(file)?, registry).with_context(|| shown(file))?,
            (None, Some(method)) => stored.with_method(method, registry)?,
            (None, None) => stored.clone(),
        };
        self.adjusted(recipe)
    }

    fn adjusted(&self, mut recipe: Recipe) -> anyhow::Result<Recipe> {
        if let Some(threshold) = &self.threshold {
            recipe.set("decide.threshold", threshold)?;
        }
        for assignment in &self.set {
            let (key, value) = assignment
                .split_once('=')
                .with_context(|| format!("--set {assignment}: write it as stage.key=value"))?;
            recipe.set(key.trim(), value.trim())?;
        }
        // After all else: a key may have been set that asks for one.
        if let Some(lexicon) = &self.lexicon {
            recipe.set_lexicon(lexicon)?;
        }
        Ok(recipe)
    }
}

fn text_of(file: &Path) -> anyhow::Result<String> {
    std::fs::read_to_string(file).with_context(|| shown(file))
}

fn shown(file: &Path) -> String {
    file.display().to_string()
}

impl DedupArgs {
    pub fn recipe(&self, registry: &Registry) -> anyhow::Result<Recipe> {
        let mut recipe = self.recipe.recipe(registry)?;
        if let Some(keep) = &self.keep {
            recipe.set("keep.rule", keep)?;
        }
        if let Some(verify) = &self.verify {
            recipe.set("decide.verify", verify)?;
        }
        Ok(recipe)
    }

    pub fn job(&self) -> anyhow::Result<Job> {
        let mut job = self.reading.job(&self.inputs, &self.output)?;
        job.against.clone_from(&self.against);
        job.source_field.clone_from(&self.source_field);
        (job.strict, job.force, job.resume) = (self.strict, self.force, self.resume);
        job.passages = self.passages;
        job.decisions = self.decisions.as_deref().map(decisions::read).transpose().context("--decisions")?;
        Ok(job)
    }
}
