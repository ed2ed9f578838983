//! The command line: every verb with its arguments.

use clap::{Parser, Subcommand};

use crate::check::{CHECK_HELP, CheckArgs};
use crate::compare::{COMPARE_HELP, CompareArgs};
use crate::dedup::{DEDUP_HELP, DedupArgs};
use crate::demo::DemoArgs;
use crate::extract::{EXTRACT_HELP, ExtractArgs};
use crate::index::IndexArgs;
use crate::judge::evaluate::{EVALUATE_HELP, EvaluateArgs};
use crate::judge::reproduce::{REPRODUCE_HELP, ReproduceArgs};
use crate::judge::train::{TRAIN_HELP, TrainArgs};
use crate::judge::tune::{TUNE_HELP, TuneArgs};
use crate::lexicon::LexiconArgs;
use crate::methods::MethodsArgs;
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
