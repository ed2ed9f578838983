//! `lookalike index get` and `stats`.

use anyhow::bail;
use clap::Args;
use lookalike::Session;
use lookalike::index::{DocumentName, View};
use serde_json::json;

use super::{Folder, Labels, known_id};
use crate::out::{bytes, count, print, print_json, table};

#[derive(Args)]
pub struct GetArgs {
    #[command(flatten)]
    place: Folder,
    /// Id of a document
    #[arg(value_name = "ID")]
    id: String,
    #[command(flatten)]
    labels: Labels,
}

#[derive(Args)]
pub struct StatsArgs {
    #[command(flatten)]
    place: Folder,
    /// Print as JSON
    #[arg(long)]
    json: bool,
}

/// Prints everything about one document as JSON.
pub fn get(session: &Session, arguments: &GetArgs) -> anyhow::Result<()> {
    let index = session.open_index(&arguments.place.folder)?;
    let labels = arguments.labels.list();
    let id = known_id(&index, &arguments.id, labels.as_deref())?;
    let name = DocumentName { id: &id, labels: labels.as_deref() };
    let (Some(stored), Some(cluster), Some(history)) = (
        index.reader().get(name, &View::All)?,
        index.reader().cluster(name, &View::All)?,
        index.reader().history(name, &View::All)?,
    ) else {
        bail!("no document has the id {}", arguments.id);
    };
    print_json(&json!({ "document": stored, "cluster": cluster, "history": history }))
}

pub fn stats(session: &Session, arguments: &StatsArgs) -> anyhow::Result<()> {
    let index = session.open_index(&arguments.place.folder)?;
    let stats = index.reader().stats(&View::All)?;
    if arguments.json {
        return print_json(&stats);
    }
    let row = |name: &str, value: String| vec![name.to_owned(), value];
    print(&table(&[
        row("scheme", stats.scheme),
        row("documents", count(stats.documents)),
        row("clusters", count(stats.clusters)),
        row("duplicates", count(stats.duplicates)),
        row("pairs", count(stats.pairs)),
        row("decisions", count(stats.decisions)),
        row("texts", bytes(stats.text_bytes)),
        row("index", bytes(stats.index_bytes)),
        row("to be freed", bytes(stats.dead_bytes)),
    ]))
}
