//! `lookalike reproduce`

use lookalike::Session;
use lookalike_core::threads;
use std::path::PathBuf;

use anyhow::{Context, bail};
use clap::{Args, ValueHint};
use lookalike::reproduce::{experiments, html, markdown, text};
use serde_json::json;

use super::evaluate::command;
use crate::out::{print, print_json, table, tell};
use crate::papers::explained;
use crate::progress::Bars;

pub const REPRODUCE_HELP: &str = "\
Examples:
  lookalike reproduce
  lookalike reproduce k08-table-4
  lookalike reproduce k08-spam --data ~/data --html spam.html

Without a name, lists all experiments and the files each needs; docs/reproduction.md says where these
are from.";

#[derive(Args)]
pub struct ReproduceArgs {
    /// The experiment
    #[arg(value_name = "NAME")]
    name: Option<String>,
    /// Folder with the public data that the experiment names
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    data: Option<PathBuf>,
    /// Worker threads [default: all cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    threads: Option<u16>,
    /// Write a page with plots
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    html: Option<PathBuf>,
    /// Print Markdown, as docs/reproduction.md has it
    #[arg(long, conflicts_with = "json")]
    markdown: bool,
    /// Print as JSON
    #[arg(long)]
    json: bool,
    /// Show no progress
    #[arg(short, long)]
    quiet: bool,
}

pub fn run(session: &Session, arguments: &ReproduceArgs) -> anyhow::Result<()> {
    let Some(name) = &arguments.name else { return list(arguments.json) };
    let needs_data = experiments().iter().any(|known| known.name == name && !known.data.is_empty());
    let folder = match &arguments.data {
        Some(folder) => folder.clone(),
        None if needs_data => {
            bail!("{name} reads public data: name its folder with --data, see docs/reproduction.md")
        }
        None => PathBuf::from("."),
    };
    let cores = threads::available();
    let bars = Bars::new(arguments.quiet);
    let outcome = session.reproduce(name, &folder, arguments.threads.map_or(cores, usize::from), &bars);
    bars.finish();
    let result = outcome?;
    if let Some(path) = &arguments.html {
        std::fs::write(path, html(&result, &command())).with_context(|| path.display().to_string())?;
        tell(&format!("The page is {}", path.display()));
    }
    match (arguments.json, arguments.markdown) {
        (true, _) => print_json(&result),
        (false, true) => print(&markdown(&result)),
        (false, false) => print(&text(&result)),
    }
}

fn list(as_json: bool) -> anyhow::Result<()> {
    let all = experiments();
    if as_json {
        let all: Vec<_> = all
            .iter()
            .map(|known| {
                json!({ "name": known.name, "paper": known.paper, "summary": known.summary, "data": known.data, "quick": known.quick })
            })
            .collect();
        return print_json(&all);
    }
    let mut rows = vec![["NAME", "PAPER", "SHOWS", "DATA"].map(str::to_owned).to_vec()];
    rows.extend(all.iter().map(|known| {
        vec![known.name.to_owned(), known.paper.to_owned(), known.summary.to_owned(), known.data.join(", ")]
    }));
    let text = table(&rows);
    print(&format!("{text}{}", explained(&text)))
}
