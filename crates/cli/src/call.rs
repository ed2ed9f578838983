//! The verbs as a function, for programs in other languages: arguments in; output, code or a typed error out.

use std::sync::Arc;

use clap::Parser;
use clap::error::ErrorKind;
use lookalike::{Error, Result, Session};
use lookalike_core::threads;

use crate::host::{Host, UnderWay};
use crate::verbs::Cli;
use crate::{do_verb, exit, out};

/// What a verb printed, and the code with which the program would have ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Called {
    /// 0: done; 1: duplicates found under `--check`, or nothing that can be recommended; 2: the output tells what
    /// failed.
    pub code: u8,
    /// What the program would have written to stdout.
    pub output: String,
}

/// Does a verb in this process, on this thread and as many others as it uses. The arguments are those of the program,
/// without its name. Nothing is written to stdout and stderr, no signal is handled, standard input is not read; several
/// threads may call at once.
///
/// Files of other formats than corpora are read by the session's own program; see [`Session::reading_files_by`].
///
/// ```
/// use std::sync::Arc;
///
/// struct Silent;
/// impl lookalike::Progress for Silent {}
/// impl lookalike_cli::Host for Silent {}
///
/// let arguments = ["lexicon", "show", "--json"].map(str::to_owned);
/// let called = lookalike_cli::call(&lookalike::Session::default(), &arguments, Arc::new(Silent))?;
/// assert!(called.output.starts_with('{'));
/// # Ok::<(), lookalike::Error>(())
/// ```
pub fn call(session: &Session, arguments: &[String], host: Arc<dyn Host>) -> Result<Called> {
    let under_way = UnderWay::begin(host, arguments.to_vec());
    let code = threads::caught(|| {
        let program = std::iter::once("lookalike").chain(arguments.iter().map(String::as_str));
        let cli = match Cli::try_parse_from(program) {
            Ok(cli) => cli,
            Err(error) if matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion) => {
                out::print(&error.render().to_string()).map_err(typed)?;
                return Ok(exit::DONE);
            }
            Err(error) => return Err(Error::Config(sentence(&error))),
        };
        if cli.verb.ends_by_itself() {
            let verb = arguments.first().map_or("", String::as_str);
            return Err(Error::config(format!(
                "`{verb}` runs until it is stopped and cannot be called within a program: start `lookalike {verb}` \
                 as a process of its own"
            )));
        }
        do_verb(session, &cli.verb).map_err(typed)
    })?;
    let output = String::from_utf8(under_way.output())
        .map_err(|_| Error::Internal("the output of a verb is no UTF-8".to_owned()))?;
    Ok(Called { code, output })
}

/// An error of the arguments in one sentence, without the usage.
fn sentence(error: &clap::Error) -> String {
    let text = error.render().to_string();
    let mut told = String::new();
    for line in text.lines().map(str::trim) {
        if line.starts_with("Usage:") || line.starts_with("For more information") {
            break;
        }
        if line.is_empty() {
            continue;
        }
        if line.starts_with("tip: ") {
            told += "; ";
        } else if !told.is_empty() {
            told.push(' ');
        }
        told += line.strip_prefix("error: ").unwrap_or(line);
    }
    told
}

/// The kind of the error that was the cause, with all that was said about it.
fn typed(error: anyhow::Error) -> Error {
    let told = out::explain(&error);
    let error = match error.downcast::<Error>() {
        Ok(Error::Config(_)) => return Error::Config(told),
        Ok(Error::Input(_)) => return Error::Input(told),
        Ok(Error::Incompatible(_)) => return Error::Incompatible(told),
        // They have more to tell than a sentence.
        Ok(error) => return error,
        Err(error) => error,
    };
    match error.downcast::<std::io::Error>() {
        Ok(source) => {
            let end = format!(": {source}");
            Error::Io { path: told.strip_suffix(&end).unwrap_or(&told).into(), source }
        }
        // What the command line says by itself is about its arguments.
        Err(_) => Error::Config(told),
    }
}

#[cfg(test)]
mod tests {
    use anyhow::Context;

    use super::*;

    fn io_error() -> std::io::Error {
        std::io::Error::new(std::io::ErrorKind::NotFound, "not there")
    }

    #[test]
    fn errors_keep_their_kind_and_what_was_said_about_them() {
        let with_context =
            |error: Error| typed(Err::<(), _>(error).context("my.toml").context("--recipe").unwrap_err());
        let config = with_context(Error::config("no such key"));
        assert!(
            matches!(&config, Error::Config(told) if told == "--recipe: my.toml: no such key"),
            "{config}"
        );
        assert!(
            matches!(with_context(Error::input("bad line")), Error::Input(told) if told.ends_with("bad line"))
        );
        assert!(matches!(with_context(Error::Incompatible("old".to_owned())), Error::Incompatible(_)));
        assert!(matches!(with_context(Error::Cancelled), Error::Cancelled));
        assert!(
            matches!(with_context(Error::Internal("x".to_owned())), Error::Internal(told) if told == "x")
        );
        let of_file = typed(Err::<(), _>(io_error()).context("a/b.jsonl").unwrap_err());
        assert!(matches!(&of_file, Error::Io { path, .. } if path.as_os_str() == "a/b.jsonl"), "{of_file}");
        assert_eq!(of_file.to_string(), "a/b.jsonl: not there");
        assert!(
            matches!(typed(anyhow::anyhow!("--sample is 1")), Error::Config(told) if told == "--sample is 1")
        );
    }

    #[test]
    fn errors_of_arguments_are_one_sentence() {
        let told = |arguments: &[&str]| {
            let all = std::iter::once("lookalike").chain(arguments.iter().copied());
            sentence(&Cli::try_parse_from(all).err().unwrap())
        };
        assert_eq!(
            told(&["dedup", "corpus.jsonl"]),
            "the following required arguments were not provided: --output <DIR>"
        );
        let similar = told(&["lexicon", "show", "--windw", "1:2"]);
        assert!(similar.contains("--windw") && similar.contains("; tip: "), "{similar}");
        assert!(similar.contains("'--window'") && !similar.contains("Usage"), "{similar}");
        assert!(!similar.contains('\n') && !similar.contains('\x1b'), "{similar}");
    }
}
