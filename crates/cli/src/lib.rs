//! The command line of Lookalike, for the command `lookalike` and for programs that add parts of their own to it:
//!
//! ```no_run
//! use lookalike::{Registry, Session};
//! let mut registry = Registry::with_built_ins();
//! // registry.features.register(…)?;
//! lookalike_cli::main(&Session::new(registry));
//! ```
//!
//! [`call`] does the same as the command, in the process of another program and with its output as a value.
//!
//! Data goes to stdout, everything else to stderr. Exit 0: done; 1: duplicates found under
//! `--check`, or nothing that can be recommended; 2: error, told in one sentence; 130: interrupted, and how to
//! go on is told.

// What the verbs share is not all used in the small build.
#![cfg_attr(not(feature = "full"), allow(dead_code))]

mod args;
mod call;
#[cfg(feature = "full")]
mod check;
#[cfg(feature = "full")]
mod compare;
#[cfg(feature = "full")]
mod decisions;
mod dedup;
mod demo;
mod exit;
#[cfg(feature = "full")]
mod extract;
#[cfg(feature = "full")]
mod full;
mod host;
#[cfg(feature = "full")]
mod http;
#[cfg(feature = "full")]
mod index;
mod interrupt;
#[cfg(feature = "full")]
mod judge;
mod lexicon;
#[cfg(feature = "full")]
mod methods;
mod out;
#[cfg(feature = "full")]
mod packaging;
#[cfg(feature = "full")]
mod papers;
mod progress;
mod samples;
#[cfg(feature = "full")]
mod scan;
#[cfg(feature = "full")]
mod serve;
mod verbs;
#[cfg(feature = "full")]
mod view;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::Parser;
use lookalike::Session;

pub use crate::call::{Called, call};
pub use crate::host::Host;
use crate::verbs::{Cli, Verb};

fn done(_: ()) -> u8 {
    exit::DONE
}

/// Does what the arguments of this process say, with the parts of a session. The process must do nothing before: files
/// are read by children that run the same program again.
pub fn main(session: &Session) -> ExitCode {
    ExitCode::from(main_with(session, std::env::args_os()))
}

/// The same with other arguments than those of the process, the program's name first; returns the exit code.
pub fn main_with(session: &Session, arguments: impl IntoIterator<Item = impl Into<OsString> + Clone>) -> u8 {
    let cli = Cli::parse_from(arguments);
    if !cli.verb.ends_by_itself() {
        interrupt::watch();
    }
    match reading_files(session).and_then(|session| do_verb(&session, &cli.verb)) {
        Ok(code) => code,
        // Whoever reads our output has read enough.
        Err(error) if out::is_closed_pipe(&error) => exit::DONE,
        Err(error) => {
            if let Some(code) = interrupt::exit() {
                return code;
            }
            out::tell(&format!("error: {}", out::explain(&error)));
            exit::FAILED
        }
    }
}

fn do_verb(session: &Session, verb: &Verb) -> anyhow::Result<u8> {
    match verb {
        Verb::Demo(arguments) => demo::run(session, arguments).map(done),
        Verb::Dedup(arguments) => dedup::run(session, arguments).map(done),
        Verb::Lexicon(arguments) => lexicon::run(session, arguments).map(done),
        #[cfg(feature = "full")]
        Verb::Full(verb) => verb.run(session, <Cli as clap::CommandFactory>::command),
        #[cfg(not(feature = "full"))]
        Verb::Unknown(words) => anyhow::bail!(
            "`{}` is no verb of this small build, which has demo, dedup and lexicon; `cargo install --path crates/cli \
             --locked` builds all verbs",
            words.first().map_or("", String::as_str)
        ),
    }
}

/// The session with this very program as what reads files, in child processes, if it names no other.
#[cfg(feature = "full")]
fn reading_files(session: &Session) -> anyhow::Result<Session> {
    use anyhow::Context;
    if session.file_reader().is_ok() {
        return Ok(session.clone());
    }
    let path = std::env::current_exe().context("cannot find this program to start it again")?;
    let program = lookalike::files::Program { path, arguments: vec!["extract-worker".to_owned()] };
    Ok(session.clone().reading_files_by(program))
}

#[cfg(not(feature = "full"))]
fn reading_files(session: &Session) -> anyhow::Result<Session> {
    Ok(session.clone())
}

#[cfg(all(test, feature = "full"))]
mod tests {
    use lookalike::files::Program;

    use super::*;

    #[test]
    fn a_session_keeps_its_own_reader_of_files() {
        let reader = Program { path: "/opt/reader".into(), arguments: vec!["read".to_owned()] };
        let session = reading_files(&Session::default().reading_files_by(reader)).unwrap();
        assert_eq!(session.file_reader().unwrap().path.as_os_str(), "/opt/reader");
        let own = reading_files(&Session::default()).unwrap();
        assert_eq!(own.file_reader().unwrap().path, std::env::current_exe().unwrap());
    }
}
