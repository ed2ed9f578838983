//! `lookalike view`: the page over the result of a batch run.
//!
//! The documents are put into an index of the same recipe, in a folder of the result, linked by the pairs that the run
//! verified. So the page is the same as that of the service, and decisions made there are remembered, also when the folder
//! gets another run.

use std::borrow::Cow;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use clap::{Args, ValueHint};
use lookalike::decisions::Decisions;
use lookalike::index::{BulkLoader, Index, View};
use lookalike::{Recipe, Report, Session};
use lookalike_engine::run::{for_each_stored_pair, stored_report};
use lookalike_server::{Config, serve};
use serde_json::Value;

use crate::args::ReadingArgs;
use crate::decisions;
use crate::index::add::for_each_input;
use crate::out::{count, tell};

pub const VIEW_HELP: &str = "\
Examples:
  lookalike dedup corpus.jsonl -o deduped
  lookalike view deduped
  lookalike view deduped --listen 127.0.0.1:9000

The first time, the documents are read again from the inputs that the run had; name them if they are
elsewhere now. The pairs are those that the run found. What is decided on the page is remembered when
the folder gets another run, and `lookalike dedup --decisions DIR` heeds it.";

/// Names the run that the index is of.
const COMPLETE: &str = "complete";
/// An index that has not got all documents yet.
const FILLING: &str = "filling";

#[derive(Args)]
pub struct ViewArgs {
    /// The output folder of `dedup`
    #[arg(value_name = "DIR", value_hint = ValueHint::DirPath)]
    folder: PathBuf,
    /// The inputs of the run [default: as the run named them]
    #[arg(value_name = "INPUT", value_hint = ValueHint::AnyPath)]
    inputs: Vec<String>,
    /// Address and port
    #[arg(long, value_name = "ADDR:PORT", default_value = "127.0.0.1:8080")]
    listen: String,
    /// Show no progress
    #[arg(short, long)]
    quiet: bool,
}

pub fn run(session: &Session, arguments: &ViewArgs) -> anyhow::Result<()> {
    let folder = &arguments.folder;
    let report = stored_report(folder)
        .with_context(|| format!("{} is not the output folder of `lookalike dedup`", folder.display()))?;
    let mut config = Config { data: folder.join(decisions::VIEW), ..Config::default() };
    config.set("listen", &arguments.listen).context("--listen")?;
    config.set("log_level", "warn")?;
    let complete = config.data.join(COMPLETE);
    if !std::fs::read_to_string(&complete).is_ok_and(|run| run == report.run) {
        // Under a name of its own once it is whole: whoever was interrupted then goes on from there.
        let filled = config.data.join(format!("filled-{}", report.run));
        if !filled.exists() {
            fill(session, &config.data, &filled, &report, arguments)?;
        }
        replace_index(&config.data, &filled)?;
        std::fs::write(&complete, &report.run).with_context(|| complete.display().to_string())?;
    }
    let begun = |address: SocketAddr| tell(&format!("open http://{address}/ in a browser; Ctrl+C ends"));
    Ok(serve(session, config, None, begun)?)
}

/// Makes the index that the page shows. Nothing is changed before it is known that it can be made.
fn fill(
    session: &Session,
    data: &Path,
    filled: &Path,
    report: &Report,
    arguments: &ViewArgs,
) -> anyhow::Result<()> {
    let inputs = if arguments.inputs.is_empty() { &report.inputs } else { &arguments.inputs };
    if inputs.is_empty() || inputs.iter().any(|input| input == "-") {
        bail!(
            "the run read its documents from standard input; name a file that has them: lookalike view DIR FILE"
        );
    }
    let recipe = Recipe::of_report(report, &arguments.folder, session.registry())?;
    let recipe = recipe.after_run(&arguments.folder)?;
    let decisions = decisions::set_aside(session, &arguments.folder)?;
    let unfinished = data.join(FILLING);
    remove(&unfinished)?;
    let outcome = fill_index(session, &unfinished, &recipe, inputs, report, arguments, &decisions);
    if outcome.is_err() {
        let _ = remove(&unfinished);
        // Only if nothing else is in it.
        let _ = std::fs::remove_dir(data);
    }
    outcome?;
    std::fs::rename(&unfinished, filled).with_context(|| filled.display().to_string())
}

fn fill_index(
    session: &Session,
    folder: &Path,
    recipe: &Recipe,
    inputs: &[String],
    report: &Report,
    arguments: &ViewArgs,
    decisions: &Decisions,
) -> anyhow::Result<()> {
    let index = Index::create_for_bulk_load(folder, recipe, session.registry().clone())?;
    let mut loader = index.bulk_load()?;
    let reading = ReadingArgs::of_report(report, arguments.quiet);
    let unreadable = for_each_input(session, inputs, &reading, false, recipe, |lines| {
        let good: Vec<&[u8]> = lines.iter().filter_map(|line| line.document.as_deref().ok()).collect();
        // What cannot be used was told by the run itself.
        loader.add(&good)
    })?;
    let (places, mut unknown) = (Places::of(inputs), 0);
    // The documents that the run was compared against are not here, and may have ids of documents that are.
    let has_others = report.against > 0;
    for_each_stored_pair(&arguments.folder, |a, b, similarity| {
        match (places.index_id(a, &loader), places.index_id(b, &loader)) {
            (Some(a), Some(b)) => loader.link(&a, &b, similarity, has_others),
            _ => unknown += 1,
        }
        Ok(())
    })?;
    loader.finish()?;
    decisions::import_into(decisions, &arguments.folder, &index)?;
    let stats = index.reader().stats(&View::All)?;
    let documents = stats.documents;
    index.close()?;
    if documents != report.documents {
        tell(&format!(
            "warning: the page has {} documents, the run had {}: inputs changed, ids repeat, or files cannot be read \
             ({} of them)",
            count(documents),
            count(report.documents),
            unreadable.len()
        ));
    }
    if unknown > 0 && !has_others {
        tell(&format!(
            "warning: {} pairs of the run are about documents that the inputs do not have by the same names",
            count(unknown)
        ));
    }
    let why = match (has_others, decisions.pairs.is_empty() && decisions.keepers.is_empty()) {
        (true, _) => Some("the documents that the run was compared against are not in the page"),
        (false, false) => Some("the page heeds what was decided since"),
        (false, true) => None,
    };
    if let Some(why) = why.filter(|_| (stats.clusters, stats.duplicates) != (report.clusters, report.removed))
    {
        tell(&format!(
            "note: the page has {} clusters and {} duplicates, the report {} and {}: {why}",
            count(stats.clusters),
            count(stats.duplicates),
            count(report.clusters),
            count(report.removed)
        ));
    }
    Ok(())
}

/// Where the run may have been started. Documents that are named by their files have the names of these as they were given
/// to the run, while its report has whole paths.
struct Places {
    /// Folders, each with a slash behind it, as JSON has them.
    folders: Vec<String>,
}

impl Places {
    fn of(inputs: &[String]) -> Places {
        let mut folders: Vec<String> = Vec::new();
        for folder in inputs.iter().flat_map(|input| Path::new(input).ancestors().skip(1)) {
            let whole = folder.join("").to_string_lossy().into_owned();
            let json = Value::from(whole).to_string();
            let inner = json.trim_matches('"').to_owned();
            if !inner.is_empty() && !folders.contains(&inner) {
                folders.push(inner);
            }
        }
        Places { folders }
    }

    /// The id, as JSON, by which the index has a document of the run.
    fn index_id<'i>(&self, id: &'i str, loader: &BulkLoader<'_>) -> Option<Cow<'i, str>> {
        if loader.has(id) {
            return Some(Cow::Borrowed(id));
        }
        let name = id.strip_prefix('"')?;
        let name = name.strip_prefix("./").unwrap_or(name);
        let whole = self.folders.iter().map(|folder| format!("\"{folder}{name}"));
        whole.into_iter().find(|id| loader.has(id)).map(Cow::Owned)
    }
}

/// Lets a filled index take the place of an earlier one, and of what belongs to that. Tokens, lexicons and jobs stay.
fn replace_index(data: &Path, filled: &Path) -> anyhow::Result<()> {
    for name in ["search", "removals", "resign.json", "resign.toml", "index"] {
        remove(&data.join(name))?;
    }
    let index = data.join("index");
    std::fs::rename(filled, &index).with_context(|| index.display().to_string())
}

fn remove(path: &Path) -> anyhow::Result<()> {
    let removed = if path.is_dir() { std::fs::remove_dir_all(path) } else { std::fs::remove_file(path) };
    match removed {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(error).with_context(|| path.display().to_string())
        }
        _ => Ok(()),
    }
}
