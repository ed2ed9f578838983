//! `lookalike index decide` and `decisions`.

use anyhow::bail;
use clap::Args;
use lookalike::Session;
use lookalike::index::View;
use lookalike_report::text::printable;

use super::{Folder, Labels, known_id};
use crate::out::print;

#[derive(Args)]
pub struct DecideArgs {
    #[command(flatten)]
    place: Folder,
    /// Id of a document
    #[arg(value_name = "A")]
    a: String,
    /// Id of another
    #[arg(value_name = "B")]
    b: String,
    /// Are they duplicates? yes, no, or forget what was decided before
    #[arg(value_name = "WORD")]
    word: String,
    /// Access labels of A, parted by commas, empty for none: needed where several documents have the id
    #[arg(long, value_name = "LABEL,…")]
    a_labels: Option<String>,
    /// Access labels of B
    #[arg(long, value_name = "LABEL,…")]
    b_labels: Option<String>,
}

#[derive(Args)]
pub struct DecisionsArgs {
    #[command(flatten)]
    place: Folder,
}

pub fn decide(session: &Session, arguments: &DecideArgs) -> anyhow::Result<()> {
    let (duplicate, told) = match arguments.word.as_str() {
        "yes" => (Some(true), "duplicates"),
        "no" => (Some(false), "not duplicates"),
        "forget" => (None, "decided by the recipe"),
        other => bail!("`{other}` is no decision; known: yes, no, forget"),
    };
    let index = session.open_index(&arguments.place.folder)?;
    let labels = |given: &Option<String>| Labels { labels: given.clone() }.list();
    let (of_a, of_b) = (labels(&arguments.a_labels), labels(&arguments.b_labels));
    let a = known_id(&index, &arguments.a, of_a.as_deref())?;
    let b = known_id(&index, &arguments.b, of_b.as_deref())?;
    index.writer().decide((&a, of_a.as_deref()), (&b, of_b.as_deref()), duplicate, "local", &View::All)?;
    index.close()?;
    print(&format!("{} and {}: {told}\n", printable(&a.display()), printable(&b.display())))
}

/// In the format that `dedup --decisions` reads.
pub fn decisions(session: &Session, arguments: &DecisionsArgs) -> anyhow::Result<()> {
    print(&session.open_index(&arguments.place.folder)?.reader().all_decisions()?.to_string())
}
