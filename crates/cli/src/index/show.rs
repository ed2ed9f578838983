//! `lookalike index get` and `stats`.

use anyhow::bail;
use clap::Args;
use lookalike::Session;
use lookalike::index::{DocumentName, LexiconKind, LexiconStats, QueryOptions, View};
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
    let mut rows = vec![
        row("scheme", stats.scheme),
        row("documents", count(stats.documents)),
        row("clusters", count(stats.clusters)),
        row("duplicates", count(stats.duplicates)),
        row("pairs", count(stats.pairs)),
        row("decisions", count(stats.decisions)),
        row("texts", bytes(stats.text_bytes)),
        row("index", bytes(stats.index_bytes)),
        row("to be freed", bytes(stats.dead_bytes)),
    ];
    for lexicon in &stats.lexicons {
        rows.extend(lexicon_rows(lexicon).into_iter().map(|(name, value)| row(name, value)));
    }
    print(&table(&rows))
}

/// How long ago a time was, in the largest unit that fits.
fn ago(time: u64) -> String {
    let seconds = QueryOptions::default().now.saturating_sub(time);
    let units = [("days", 86_400), ("hours", 3600), ("minutes", 60)];
    let (unit, length) =
        units.into_iter().find(|(_, length)| seconds >= 2 * length).unwrap_or(("seconds", 1));
    format!("{} {unit} ago", count(seconds / length))
}

/// What is told of a lexicon.
fn lexicon_rows(lexicon: &LexiconStats) -> Vec<(&'static str, String)> {
    let kind = match lexicon.kind {
        LexiconKind::Native => "counted from this index",
        LexiconKind::BuiltIn => "built in",
        LexiconKind::File => "a file",
    };
    let percent = |share: f64| format!("{:.1} %", 100.0 * share);
    let mut rows = vec![("lexicon", format!("{}, {kind}, id {}", lexicon.name, lexicon.id))];
    let counted = lexicon.counted.map_or_else(String::new, |time| format!(", {}", ago(time)));
    rows.push(("  counted", format!("{} documents{counted}", count(lexicon.documents))));
    rows.push(("  since then", format!("{} documents", count(lexicon.documents_since))));
    rows.push(("  unknown terms", lexicon.unknown_terms.map_or_else(|| "–".to_owned(), percent)));
    if let Some(refresh) = &lexicon.refresh {
        let after = refresh.documents_left.map(|left| format!("after {} more documents", count(left)));
        let share = refresh.unknown.map(|share| format!("above {} of unknown terms", percent(share)));
        let next = match (refresh.due, after, share) {
            (true, ..) => "due now".to_owned(),
            (false, None, None) => "never".to_owned(),
            (false, after, share) => after.into_iter().chain(share).collect::<Vec<_>>().join(" or "),
        };
        rows.push(("  counted again", format!("{} times by itself, next {next}", count(refresh.refreshes))));
    }
    rows
}
