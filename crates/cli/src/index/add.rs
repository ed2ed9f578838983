//! `lookalike index add` and `remove`.

use lookalike::Session;
use std::collections::BTreeMap;
use std::io::{BufRead, BufWriter, Write};

use anyhow::Context;
use clap::{Args, ValueHint};
use lookalike::Id;
use lookalike::Recipe;
use lookalike::index::{Answer, CorpusLine, DocumentAction, Index, Policy, QueryOptions, View};
use lookalike::parse_time;
use serde_json::json;

use super::{Folder, Labels, known_id, tell_absent_fields};
use crate::args::ReadingArgs;
use crate::host;
use crate::interrupt;
use crate::out::{Stdout, count, print, table, tell};
use crate::progress::Bars;

#[derive(Args)]
pub struct AddArgs {
    #[command(flatten)]
    place: Folder,
    /// Files, folders or patterns: JSONL, JSON, CSV, Parquet, Arrow or WET, plain or packed, documents of any other format, or
    /// the output folder of `dedup`; `-` reads standard input
    #[arg(required = true, value_name = "INPUT", value_hint = ValueHint::AnyPath)]
    inputs: Vec<String>,
    /// What becomes of a document that resembles a known one: report, reject, replace, keep-best, version
    #[arg(long, value_name = "NAME", default_value = "report")]
    policy: String,
    /// How long documents are remembered, such as 12h or 30d [default: for ever]
    #[arg(long, value_name = "TIME")]
    ttl: Option<String>,
    #[command(flatten)]
    reading: ReadingArgs,
    /// Stop at the first bad line instead of counting it
    #[arg(long)]
    strict: bool,
    /// Print each answer as a line of JSON
    #[arg(long)]
    json: bool,
}

#[derive(Args)]
pub struct RemoveArgs {
    #[command(flatten)]
    place: Folder,
    /// Ids of documents; `-` reads one a line from standard input
    #[arg(required = true, value_name = "ID")]
    ids: Vec<String>,
    #[command(flatten)]
    labels: Labels,
}

/// Reads the documents of some inputs, including files of any format, and hands them over.
pub fn for_each_input(
    session: &Session,
    inputs: &[String],
    reading: &ReadingArgs,
    strict: bool,
    recipe: &Recipe,
    visit: impl FnMut(&[CorpusLine]) -> lookalike::Result<()>,
) -> anyhow::Result<Vec<(String, String)>> {
    let mut job = reading.job(inputs, std::path::Path::new(""))?;
    job.strict = strict;
    let bars = Bars::new(reading.quiet);
    let outcome = session.for_each_document(recipe, job, &bars, visit);
    bars.finish();
    Ok(outcome?)
}

pub fn add(session: &Session, arguments: &AddArgs) -> anyhow::Result<()> {
    let policy = Policy::from_name(&arguments.policy)?;
    let time_to_live = arguments.ttl.as_deref().map(parse_time).transpose().context("--ttl")?;
    let index = session.open_index(&arguments.place.folder)?;
    let recipe = session.recipe_of(&index)?;
    let threads = arguments.reading.job(&[], "")?.threads;
    let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
    let mut stdout = BufWriter::new(Stdout);
    let mut first_reason = None;
    let mut answered = |line: &CorpusLine, answer: Result<&Answer, String>| -> std::io::Result<()> {
        let name = match &answer {
            Ok(answer) => name_of(answer.action),
            Err(reason) => {
                first_reason.get_or_insert_with(|| format!("{}: line {}: {reason}", line.file, line.number));
                "bad"
            }
        };
        *counts.entry(name).or_default() += 1;
        if !arguments.json {
            return Ok(());
        }
        match answer {
            Ok(answer) => serde_json::to_writer(&mut stdout, answer)?,
            Err(reason) => {
                let told = json!({ "file": line.file, "line": line.number, "reason": reason });
                serde_json::to_writer(&mut stdout, &told)?;
            }
        }
        stdout.write_all(b"\n")
    };
    interrupt::set_advice(
        "what was added stays: the same command goes on, and documents that are there stay as they are",
    );
    let mut closed = None;
    let outcome =
        for_each_input(session, &arguments.inputs, &arguments.reading, arguments.strict, &recipe, |lines| {
            let good: Vec<&[u8]> = lines.iter().filter_map(|line| line.document.as_deref().ok()).collect();
            let options = QueryOptions { time_to_live, ..QueryOptions::default() };
            let mut answers = index.writer().add_many(&good, policy, &options)?.into_iter();
            for line in lines {
                let answer = match &line.document {
                    Ok(_) => answers.next().transpose().map_err(|error| error.to_string()),
                    Err(reason) => Err(reason.clone()),
                };
                let told = match &answer {
                    Ok(Some(answer)) => answered(line, Ok(answer)),
                    Ok(None) => Ok(()),
                    Err(reason) => answered(line, Err(reason.clone())),
                };
                // The reader of our output has closed it: what was inserted stays.
                if let Err(error) = told {
                    closed = Some(error);
                    return Err(lookalike::Error::input("nobody reads the answers any more"));
                }
            }
            Ok(())
        });
    if let Some(error) = closed {
        index.close()?;
        return Err(error.into());
    }
    let refreshed = if outcome.is_ok() { refresh(&index, threads) } else { Ok(()) };
    tell_absent_fields(&index);
    index.close()?;
    let unreadable = outcome?;
    refreshed?;
    stdout.flush()?;
    if counts.keys().all(|&name| name == "bad") && (!counts.is_empty() || !unreadable.is_empty()) {
        let bad: u64 = counts.values().sum();
        let first =
            first_reason.or_else(|| unreadable.first().map(|(path, reason)| format!("{path}: {reason}")));
        let told = format!(
            "no document could be read, {} rejected; the first: {}",
            bad + unreadable.len() as u64,
            first.unwrap_or_default()
        );
        return Err(lookalike::Error::Input(told).into());
    }
    if arguments.json {
        return Ok(());
    }
    let mut rows: Vec<Vec<String>> =
        counts.iter().map(|(name, number)| vec![(*name).to_owned(), count(*number)]).collect();
    if !unreadable.is_empty() {
        rows.push(vec!["unreadable files".to_owned(), count(unreadable.len() as u64)]);
    }
    let reason = first_reason.map_or_else(String::new, |reason| format!("The first bad line: {reason}\n"));
    print(&format!("{}{reason}", table(&rows)))
}

/// Counts the lexicon again if the documents that came have made that due, and says so.
fn refresh(index: &Index, threads: usize) -> anyhow::Result<()> {
    if index.refresh_due().is_none() {
        return Ok(());
    }
    interrupt::set_advice("the documents are in the index; the next `index add` counts its lexicon again");
    if let Some(reason) = index.writer().refresh(threads)? {
        let documents = index.reader().stats(&View::All)?.documents;
        tell(&format!(
            "note: the lexicon was counted again over {} documents and all were signed by it, because {reason}",
            count(documents)
        ));
    }
    Ok(())
}

pub fn name_of(action: DocumentAction) -> &'static str {
    match action {
        DocumentAction::Checked => "checked",
        DocumentAction::Inserted => "inserted",
        DocumentAction::Updated => "updated",
        DocumentAction::Unchanged => "unchanged",
        DocumentAction::Rejected => "rejected",
    }
}

pub fn remove(session: &Session, arguments: &RemoveArgs) -> anyhow::Result<()> {
    let index = session.open_index(&arguments.place.folder)?;
    let mut removed = 0;
    let mut unknown = Vec::new();
    let mut batch: Vec<Id> = Vec::new();
    let labels = arguments.labels.list();
    let labels = labels.as_deref();
    let mut note = |index: &Index, typed: &str, batch: &mut Vec<Id>| -> anyhow::Result<()> {
        match known_id(index, typed, labels) {
            Ok(id) => batch.push(id),
            // Only the caller knows which of several is meant.
            Err(error) if matches!(error.downcast_ref(), Some(lookalike::Error::Ambiguous { .. })) => {
                return Err(error);
            }
            Err(_) => unknown.push(typed.to_owned()),
        }
        Ok(())
    };
    for typed in arguments.ids.iter().filter(|id| *id != "-") {
        note(&index, typed, &mut batch)?;
    }
    if arguments.ids.iter().any(|id| id == "-") {
        for line in host::standard_input()?.lock().lines() {
            let line = line.context("standard input")?;
            if !line.trim().is_empty() {
                note(&index, line.trim(), &mut batch)?;
            }
            if batch.len() >= 1000 {
                removed += index.writer().remove_many(batch.iter().map(|id| (id, labels)), &View::All)?;
                batch.clear();
            }
        }
    }
    removed += index.writer().remove_many(batch.iter().map(|id| (id, labels)), &View::All)?;
    index.close()?;
    if let Some(first) = unknown.first() {
        tell(&format!("warning: {} unknown, the first: {first}", count(unknown.len() as u64)));
    }
    print(&format!("{} removed\n", count(removed)))
}
