//! `lookalike index`: the persistent index.

pub mod add;
mod check;
mod decide;
mod over_time;
pub mod refresh_args;
mod show;
mod snapshots;
mod upkeep;

use std::path::PathBuf;

use anyhow::bail;
use clap::{Args, Subcommand, ValueHint};
use lookalike::Id;
use lookalike::Session;
use lookalike::index::{Index, View};

use crate::exit::DONE;
use crate::out::tell;

#[derive(Args)]
pub struct IndexArgs {
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand)]
enum Action {
    /// Make a new, empty index
    #[command(after_help = CREATE_HELP)]
    Create(Box<upkeep::SigningArgs>),
    /// Check and insert documents, in one step each
    #[command(after_help = ADD_HELP)]
    Add(Box<add::AddArgs>),
    /// Tell which known documents resemble these, and insert nothing
    #[command(after_help = CHECK_HELP)]
    Check(Box<check::CheckArgs>),
    /// Remove documents by id
    Remove(add::RemoveArgs),
    /// Show a document, its cluster and its versions over time
    Get(show::GetArgs),
    /// Decide that two documents are duplicates or are not, or forget what was decided
    #[command(after_help = DECIDE_HELP)]
    Decide(decide::DecideArgs),
    /// Print what people decided, as `dedup --decisions` reads it
    Decisions(decide::DecisionsArgs),
    /// Show the versions of a document: fingerprints, distances and what changed
    History(over_time::HistoryArgs),
    /// List what should be fetched again, the most urgent first
    Due(over_time::DueArgs),
    /// List hosts that mirror each other: whose documents are in clusters together
    Mirrors(over_time::MirrorsArgs),
    /// Figures about an index
    Stats(show::StatsArgs),
    /// Free the space of what was removed
    Compact(upkeep::FolderArgs),
    /// Sign all documents by another recipe; an interrupted run goes on
    #[command(after_help = RESIGN_HELP)]
    Resign(Box<upkeep::SigningArgs>),
    /// Copy an index to a folder or a store, where it can be restored from
    #[command(after_help = SNAPSHOT_HELP)]
    Snapshot(snapshots::SnapshotArgs),
    /// List the snapshots of a folder or a store
    Snapshots(snapshots::ListArgs),
    /// Bring a snapshot back, after all of it was found to be right
    Restore(snapshots::RestoreArgs),
    /// Read all of an index and tell what is damaged
    Verify(snapshots::VerifyArgs),
    /// Write an index of an earlier format in the newest one
    Upgrade(snapshots::UpgradeArgs),
}

const SNAPSHOT_HELP: &str = "\
Examples:
  lookalike index snapshot seen /backup/seen --keep 14
  lookalike index snapshot seen s3://backups/seen --keep-for 30d
  lookalike index snapshots s3://backups/seen
  lookalike index restore s3://backups/seen seen-again

A file that an earlier snapshot has is not copied again. The index of a running service is copied by the service itself:
`lookalike serve --snapshots PLACE`.";

const CREATE_HELP: &str = "\
Examples:
  lookalike index create seen
  lookalike index create seen --method simhash --set decide.distance=3";

const RESIGN_HELP: &str = "\
Examples:
  lookalike index resign seen --threshold 0.7
  lookalike index resign seen --method simhash
  lookalike index resign seen --recipe tuned.toml
  lookalike index resign seen --method imatch --lexicon native --refresh-after 100000

What is not named stays as the index has it; no option has a default here. A recipe file that names a method takes the
place of the whole recipe. A lexicon `native` is counted from the documents of the index, each time.";

const ADD_HELP: &str = "\
Examples:
  lookalike index add seen corpus.jsonl
  lookalike index add seen new/*.jsonl.zst --policy reject --json > verdicts.jsonl
  lookalike index add seen deduped            # the documents that a run of `dedup` kept
  lookalike index add prototypes spam.jsonl --ttl 30d

Policies, for a document that resembles a known one: report (insert it, and tell), reject (leave it out), replace (it
takes the place of those it resembles), keep-best (the keep rule of the recipe decides), version (insert it as the next
version of the most similar). An id that is known already is always a new version of that document.";

const CHECK_HELP: &str = "\
Examples:
  lookalike index check seen new.jsonl
  lookalike index check seen report.pdf --passages --json
  lookalike index check seen new.jsonl --check && echo nothing like it is known";

const DECIDE_HELP: &str = "\
Examples:
  lookalike index decide seen a-1 a-2 no
  lookalike index decisions seen > decisions.jsonl
  lookalike dedup corpus.jsonl -o deduped --decisions decisions.jsonl

A decision is about the texts that the documents have now: another version is another question.";

pub fn run(session: &Session, arguments: &IndexArgs) -> anyhow::Result<u8> {
    let done = |outcome: anyhow::Result<()>| outcome.map(|()| DONE);
    match &arguments.action {
        Action::Create(arguments) => done(upkeep::create(session, arguments)),
        Action::Add(arguments) => done(add::add(session, arguments)),
        Action::Check(arguments) => check::run(session, arguments),
        Action::Remove(arguments) => done(add::remove(session, arguments)),
        Action::Get(arguments) => done(show::get(session, arguments)),
        Action::Decide(arguments) => done(decide::decide(session, arguments)),
        Action::Decisions(arguments) => done(decide::decisions(session, arguments)),
        Action::History(arguments) => done(over_time::history(session, arguments)),
        Action::Due(arguments) => done(over_time::due(session, arguments)),
        Action::Mirrors(arguments) => done(over_time::mirrors(session, arguments)),
        Action::Stats(arguments) => done(show::stats(session, arguments)),
        Action::Compact(arguments) => done(upkeep::compact(session, arguments)),
        Action::Resign(arguments) => done(upkeep::resign(session, arguments)),
        Action::Snapshot(arguments) => done(snapshots::snapshot(session, arguments)),
        Action::Snapshots(arguments) => done(snapshots::list(arguments)),
        Action::Restore(arguments) => snapshots::restore(session, arguments),
        Action::Verify(arguments) => snapshots::verify(session, arguments),
        Action::Upgrade(arguments) => done(snapshots::upgrade(session, arguments)),
    }
}

/// The folder of an index.
#[derive(Args)]
pub struct Folder {
    /// Folder of the index
    #[arg(value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub folder: PathBuf,
}

/// Access labels, which belong to the name of a document.
#[derive(Args, Default)]
pub struct Labels {
    /// Access labels of the document, parted by commas, empty for none: needed where several documents have the id
    #[arg(long, value_name = "LABEL,…")]
    labels: Option<String>,
}

impl Labels {
    fn list(&self) -> Option<Vec<String>> {
        let parts = |labels: &String| {
            labels.split(',').map(str::trim).filter(|label| !label.is_empty()).map(str::to_owned).collect()
        };
        self.labels.as_ref().map(parts)
    }
}

/// The document with the id that was typed: as text, or as a number if only that exists.
fn known_id(index: &Index, typed: &str, labels: Option<&[String]>) -> anyhow::Result<Id> {
    let text = Id::from_json(serde_json::Value::from(typed).to_string());
    let scalar = typed.parse::<f64>().is_ok() || typed == "true" || typed == "false";
    for id in [Some(text), scalar.then(|| Id::from_json(typed))].into_iter().flatten() {
        if index.reader().get((&id, labels), &View::All)?.is_some() {
            return Ok(id);
        }
    }
    bail!("no document has the id {typed}")
}

/// Warns of fields that the recipe names and no document has that was just signed: the names may be misspelt.
fn tell_absent_fields(index: &Index) {
    for field in index.absent_fields() {
        tell(&format!(
            "warning: none of these documents has a text or a number in the field `{field}`, which the recipe of the \
             index names"
        ));
    }
}
