//! The verbs that the small build leaves out: those for files of many formats, indexes, the service and judging.

use clap::{Command, Subcommand};
use lookalike::Session;

use crate::check::{self, CHECK_HELP, CheckArgs};
use crate::compare::{self, COMPARE_HELP, CompareArgs};
use crate::done;
use crate::extract::{self, EXTRACT_HELP, ExtractArgs};
use crate::index::{self, IndexArgs};
use crate::judge::evaluate::{self, EVALUATE_HELP, EvaluateArgs};
use crate::judge::reproduce::{self, REPRODUCE_HELP, ReproduceArgs};
use crate::judge::train::{self, TRAIN_HELP, TrainArgs};
use crate::judge::tune::{self, TUNE_HELP, TuneArgs};
use crate::methods::{self, MethodsArgs};
use crate::packaging::{self, COMPLETIONS_HELP, CompletionsArgs, MAN_HELP, ManArgs};
use crate::scan::{self, SCAN_HELP, ScanArgs};
use crate::serve::{self, SERVE_HELP, ServeArgs};
use crate::view::{self, VIEW_HELP, ViewArgs};

#[derive(Subcommand)]
pub enum FullVerb {
    /// Print what is read of files: text, or JSON with title, metadata, links, images and confidence
    #[command(after_help = EXTRACT_HELP)]
    Extract(ExtractArgs),
    /// Find near-duplicates among files of any format: PDF, Word, HTML, mail, images and more
    #[command(after_help = SCAN_HELP)]
    Scan(Box<ScanArgs>),
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
    /// Answer over HTTP: have we seen this?
    #[command(after_help = SERVE_HELP)]
    Serve(Box<ServeArgs>),
    /// Look at the result of `dedup` in the browser: clusters, pairs, decisions
    #[command(after_help = VIEW_HELP)]
    View(ViewArgs),
    /// List methods and parts, or explain one
    Methods(MethodsArgs),
    /// Print what completes verbs and options in a shell
    #[command(after_help = COMPLETIONS_HELP)]
    Completions(CompletionsArgs),
    /// Print the manual page, or write those of all verbs
    #[command(after_help = MAN_HELP)]
    Man(ManArgs),
    /// Reads files for another process: requests on stdin, answers on stdout
    #[command(hide = true)]
    ExtractWorker,
}

impl FullVerb {
    /// Whether it ends in a way of its own when it is interrupted: the service does, and children end with their parent.
    pub fn ends_by_itself(&self) -> bool {
        match self {
            FullVerb::Serve(arguments) => arguments.is_service(),
            FullVerb::View(_) | FullVerb::ExtractWorker => true,
            _ => false,
        }
    }

    /// `program`: the whole command line, of which some verbs tell.
    pub fn run(&self, session: &Session, program: fn() -> Command) -> anyhow::Result<u8> {
        match self {
            FullVerb::Extract(arguments) => extract::run(session, arguments),
            FullVerb::Scan(arguments) => scan::run(session, arguments),
            FullVerb::Compare(arguments) => compare::run(session, arguments).map(done),
            FullVerb::Evaluate(arguments) => evaluate::run(session, arguments).map(done),
            FullVerb::Train(arguments) => train::run(session, arguments),
            FullVerb::Tune(arguments) => tune::run(session, arguments),
            FullVerb::Reproduce(arguments) => reproduce::run(session, arguments).map(done),
            FullVerb::Index(arguments) => index::run(session, arguments),
            FullVerb::Check(arguments) => check::run(session, arguments),
            FullVerb::Serve(arguments) => serve::run(session, arguments).map(done),
            FullVerb::View(arguments) => view::run(session, arguments).map(done),
            FullVerb::Methods(arguments) => methods::run(session, arguments).map(done),
            FullVerb::Completions(arguments) => packaging::completions(arguments, &program()).map(done),
            FullVerb::Man(arguments) => packaging::man(arguments, &program()).map(done),
            FullVerb::ExtractWorker => lookalike::files::serve().map(done).map_err(Into::into),
        }
    }
}
