//! The command line of Lookalike, for the command `lookalike` and for programs that add parts of their own to it:
//!
//! ```no_run
//! use lookalike::{Registry, Session};
//! let mut registry = Registry::with_built_ins();
//! // registry.features.register(…)?;
//! lookalike_cli::main(&Session::new(registry));
//! ```
//!
//! Data goes to stdout, everything else to stderr. Exit 0: done; 1: duplicates found under
//! `--check`, or nothing that can be recommended; 2: error, told in one sentence; 130: interrupted, and how to
//! go on is told.

mod args;
mod check;
mod compare;
mod decisions;
mod dedup;
mod demo;
mod extract;
mod http;
mod index;
mod interrupt;
mod judge;
mod lexicon;
mod methods;
mod out;
mod papers;
mod progress;
mod samples;
mod scan;
mod serve;
mod verbs;
mod view;

use std::process::ExitCode;

use anyhow::Context;
use clap::Parser;
use lookalike::Session;
use lookalike::files::Program;

use crate::verbs::{Cli, Verb};

fn done(_: ()) -> ExitCode {
    ExitCode::SUCCESS
}

/// Does what the arguments of this process say, with the parts of a session. The process must do nothing before: files
/// are read by children that run the same program again.
pub fn main(session: &Session) -> ExitCode {
    let cli = Cli::parse();
    // The service ends in its own way, and children end with their parent.
    if !matches!(cli.verb, Verb::Serve(_) | Verb::View(_) | Verb::ExtractWorker) {
        interrupt::watch();
    }
    match do_verb(session, &cli.verb) {
        Ok(code) => code,
        // Whoever reads our output has read enough.
        Err(error) if out::is_closed_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            if let Some(code) = interrupt::exit() {
                return code;
            }
            out::tell(&format!("error: {}", out::explain(&error)));
            ExitCode::from(2)
        }
    }
}

fn do_verb(session: &Session, verb: &Verb) -> anyhow::Result<ExitCode> {
    // This very program reads files, in child processes.
    let path = std::env::current_exe().context("cannot find this program to start it again")?;
    let program = Program { path, arguments: vec!["extract-worker".to_owned()] };
    let session = &session.clone().reading_files_by(program);
    match verb {
        Verb::Demo(arguments) => demo::run(session, arguments).map(done),
        Verb::Extract(arguments) => extract::run(session, arguments),
        Verb::Scan(arguments) => scan::run(session, arguments),
        Verb::Dedup(arguments) => dedup::run(session, arguments).map(done),
        Verb::Compare(arguments) => compare::run(session, arguments).map(done),
        Verb::Evaluate(arguments) => judge::evaluate::run(session, arguments).map(done),
        Verb::Train(arguments) => judge::train::run(session, arguments),
        Verb::Tune(arguments) => judge::tune::run(session, arguments),
        Verb::Reproduce(arguments) => judge::reproduce::run(session, arguments).map(done),
        Verb::Index(arguments) => index::run(session, arguments),
        Verb::Check(arguments) => check::run(session, arguments),
        Verb::Lexicon(arguments) => lexicon::run(session, arguments).map(done),
        Verb::Serve(arguments) => serve::run(session, arguments).map(done),
        Verb::View(arguments) => view::run(session, arguments).map(done),
        Verb::Methods(arguments) => methods::run(session, arguments).map(done),
        Verb::ExtractWorker => lookalike::files::serve().map(done).map_err(Into::into),
    }
}
