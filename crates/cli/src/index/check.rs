//! `lookalike index check`

use std::io::{BufWriter, Write};

use clap::{Args, ValueHint};
use lookalike::Session;
use lookalike::index::{Answer, DocumentVerdict, QueryOptions};
use lookalike_report::text::printable;
use serde_json::json;

use super::Folder;
use super::add::for_each_input;
use crate::args::ReadingArgs;
use crate::exit::{DONE, FOUND};
use crate::out::{Stdout, similarity};

#[derive(Args)]
pub struct CheckArgs {
    #[command(flatten)]
    place: Folder,
    /// Files, folders or patterns: JSONL, JSON, CSV, Parquet, Arrow or WET, plain or packed, or documents of any other format;
    /// `-` reads standard input
    #[arg(required = true, value_name = "INPUT", value_hint = ValueHint::AnyPath)]
    inputs: Vec<String>,
    /// The most matches that are named of each document
    #[arg(long, value_name = "N", default_value_t = 10)]
    limit: usize,
    /// Name the passages that are shared, too (with --json)
    #[arg(long, requires = "json")]
    passages: bool,
    #[command(flatten)]
    reading: ReadingArgs,
    /// Print each answer as a line of JSON
    #[arg(long)]
    json: bool,
    /// Exit with 1 if anything is known already
    #[arg(long)]
    check: bool,
}

pub fn run(session: &Session, arguments: &CheckArgs) -> anyhow::Result<u8> {
    let index = session.open_index(&arguments.place.folder)?;
    let recipe = session.recipe_of(&index)?;
    let mut stdout = BufWriter::new(Stdout);
    let options =
        QueryOptions { limit: arguments.limit, passages: arguments.passages, ..QueryOptions::default() };
    let (mut known, mut failed) = (false, None);
    let outcome = for_each_input(session, &arguments.inputs, &arguments.reading, false, &recipe, |lines| {
        for line in lines {
            let answer = match &line.document {
                Ok(document) => index.reader().check(document, &options).map_err(|error| error.to_string()),
                Err(reason) => Err(reason.clone()),
            };
            known |= answer.as_ref().is_ok_and(|answer| answer.matching > 0);
            let told = match (&answer, arguments.json) {
                (Ok(answer), true) => serde_json::to_string(answer).map_err(Into::into),
                (Err(reason), true) => {
                    Ok(json!({ "file": line.file, "line": line.number, "reason": reason }).to_string())
                }
                (Ok(answer), false) => Ok(in_words(answer)),
                (Err(reason), false) => Ok(format!("{}: line {}: {reason}", line.file, line.number)),
            };
            if let Err(error) = told.and_then(|told| writeln!(stdout, "{told}")) {
                failed = Some(error);
                return Err(lookalike::Error::input("nobody reads the answers any more"));
            }
        }
        Ok(())
    });
    if let Some(error) = failed {
        return Err(error.into());
    }
    outcome?;
    stdout.flush()?;
    Ok(if arguments.check && known { FOUND } else { DONE })
}

/// One line for a document: its verdict, and the documents it resembles.
fn in_words(answer: &Answer) -> String {
    let id = answer.id.as_ref().map_or("(no id)".to_owned(), |id| printable(&id.display()));
    let verdict = match answer.verdict {
        DocumentVerdict::New => "new",
        DocumentVerdict::NearDuplicate => "near-duplicate",
        DocumentVerdict::Duplicate => "duplicate",
        DocumentVerdict::Unreadable => "unreadable",
    };
    let mut line = format!("{id}\t{verdict}");
    for one in &answer.matches {
        line += &format!("\t{} {}", printable(&one.id.display()), similarity(one.similarity));
        let contradicting = one.streams.into_iter().flat_map(|streams| streams.contradicting());
        let contradicting: Vec<&str> = contradicting.map(|kind| kind.name()).collect();
        if !contradicting.is_empty() {
            line += &format!(" (other {})", contradicting.join(", "));
        }
    }
    if answer.matching > answer.matches.len() {
        line += &format!("\tand {} more", answer.matching - answer.matches.len());
    }
    if let Some(reason) = &answer.reason {
        line += &format!("\t{}", printable(reason));
    }
    line
}
