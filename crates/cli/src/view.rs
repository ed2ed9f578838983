//! `lookalike view`: the page over the result of a batch run.
//!
//! The documents are put into an index of the same recipe, in a folder of the result, so that the page is the same as that
//! of the service and decisions made there are remembered, also when the folder gets another run.

use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use clap::{Args, ValueHint};
use lookalike::index::{Ask, Index, Policy};
use lookalike::{Recipe, Registry, Report, stored_report};
use lookalike_server::{Config, serve};

use crate::args::ReadingArgs;
use crate::decisions;
use crate::files::reader;
use crate::index::add::for_each_input;
use crate::out::{count, tell};

pub const VIEW_HELP: &str = "\
Examples:
  lookalike dedup corpus.jsonl -o deduped
  lookalike view deduped
  lookalike view deduped --listen 127.0.0.1:9000

The first time, the documents are read again from the inputs that the run had; name them if they are
elsewhere now. Methods that an index cannot use, such as cosine, cannot be viewed. What is decided on the page is
remembered when the folder gets another run, and `lookalike dedup --decisions DIR` heeds it.";

/// Names the run whose documents are all in the index.
const COMPLETE: &str = "complete";

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

pub fn run(arguments: &ViewArgs) -> anyhow::Result<()> {
    let folder = &arguments.folder;
    let report = stored_report(folder)
        .with_context(|| format!("{} is not the output folder of `lookalike dedup`", folder.display()))?;
    let mut config = Config { data: folder.join(decisions::VIEW), ..Config::default() };
    config.set("listen", &arguments.listen).context("--listen")?;
    config.set("log_level", "warn")?;
    let complete = config.data.join(COMPLETE);
    if !std::fs::read_to_string(&complete).is_ok_and(|run| run == report.run) {
        fill(&config.data, &report, arguments)?;
        std::fs::write(&complete, &report.run).with_context(|| complete.display().to_string())?;
    }
    tell(&format!("open http://{}/ in a browser; Ctrl+C ends", config.listen));
    Ok(serve(config, None, &reader()?)?)
}

/// Makes the index that the page shows.
fn fill(data: &Path, report: &Report, arguments: &ViewArgs) -> anyhow::Result<()> {
    let inputs = if arguments.inputs.is_empty() { &report.inputs } else { &arguments.inputs };
    if inputs.is_empty() || inputs.iter().any(|input| input == "-") {
        bail!(
            "the run read its documents from standard input; name a file that has them: lookalike view DIR FILE"
        );
    }
    let said = decisions::put_aside(&arguments.folder)?;
    if data.exists() {
        std::fs::remove_dir_all(data).with_context(|| data.display().to_string())?;
    }
    let registry = Registry::with_built_ins();
    let mut recipe = report.recipe.clone();
    // The report names the text rules, which are the program's and no key of a recipe.
    if let Some(features) = recipe.get_mut("features").and_then(|features| features.as_table_mut()) {
        features.remove("rules");
    }
    let recipe = Recipe::from_toml(&recipe.to_string(), &registry)?;
    let index = Index::create(&data.join("index"), &recipe, registry)?;
    let reading = ReadingArgs::of_report(report, arguments.quiet);
    let mut documents = 0;
    let unreadable = for_each_input(inputs, &reading, false, &recipe, |lines| {
        let good: Vec<&[u8]> = lines.iter().filter_map(|line| line.document.as_deref().ok()).collect();
        for answer in index.add_many(&good, Policy::Report, &Ask::default())? {
            // What cannot be used was told by the run itself.
            documents += u64::from(answer.is_ok());
        }
        Ok(())
    })?;
    decisions::bring_back(&said, &arguments.folder, &index)?;
    index.close()?;
    if documents != report.documents {
        tell(&format!(
            "warning: the inputs have {} documents, the run had {}; {} files are unreadable",
            count(documents),
            count(report.documents),
            unreadable.len()
        ));
    }
    Ok(())
}
