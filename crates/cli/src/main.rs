//! `lookalike`: finds, explains and removes near-duplicate documents.
//!
//! Data goes to stdout, everything else to stderr. Exit 0: done; 2: error, told in one sentence.

mod args;
mod compare;
mod dedup;
mod demo;
mod lexicon;
mod methods;
mod out;
mod progress;

use std::process::ExitCode;

use clap::Parser;

use crate::args::{Cli, Verb};

fn main() -> ExitCode {
    let cli = Cli::parse();
    let outcome = match &cli.verb {
        Verb::Demo(arguments) => demo::run(arguments),
        Verb::Dedup(arguments) => dedup::run(arguments),
        Verb::Compare(arguments) => compare::run(arguments),
        Verb::Lexicon(arguments) => lexicon::run(arguments),
        Verb::Methods(arguments) => methods::run(arguments),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        // Whoever reads our output has read enough.
        Err(error) if out::is_closed_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            out::tell(&format!("error: {}", out::explain(&error)));
            ExitCode::from(2)
        }
    }
}
