//! `lookalike`: finds, explains and removes near-duplicate documents.
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
mod files;
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
mod view;

use std::process::ExitCode;

use clap::Parser;

use crate::args::{Cli, Verb};

fn done(_: ()) -> ExitCode {
    ExitCode::SUCCESS
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    // The service ends in its own way, and children end with their parent.
    if !matches!(cli.verb, Verb::Serve(_) | Verb::View(_) | Verb::ExtractWorker) {
        interrupt::watch();
    }
    let outcome = match &cli.verb {
        Verb::Demo(arguments) => demo::run(arguments).map(done),
        Verb::Extract(arguments) => extract::run(arguments),
        Verb::Scan(arguments) => scan::run(arguments),
        Verb::Dedup(arguments) => dedup::run(arguments).map(done),
        Verb::Compare(arguments) => compare::run(arguments).map(done),
        Verb::Evaluate(arguments) => judge::evaluate::run(arguments).map(done),
        Verb::Train(arguments) => judge::train::run(arguments),
        Verb::Tune(arguments) => judge::tune::run(arguments),
        Verb::Reproduce(arguments) => judge::reproduce::run(arguments).map(done),
        Verb::Index(arguments) => index::run(arguments),
        Verb::Check(arguments) => check::run(arguments),
        Verb::Lexicon(arguments) => lexicon::run(arguments).map(done),
        Verb::Serve(arguments) => serve::run(arguments).map(done),
        Verb::View(arguments) => view::run(arguments).map(done),
        Verb::Methods(arguments) => methods::run(arguments).map(done),
        Verb::ExtractWorker => lookalike::extract::worker::serve().map(done).map_err(Into::into),
    };
    match outcome {
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
