//! `lookalike demo`: the main job on documents compiled in; with `--data`, these documents to try other verbs on.

use std::path::PathBuf;

use anyhow::Context;
use clap::{Args, ValueHint};
use lookalike::{Job, Quiet, Session};
use serde_json::Value;

use crate::dedup::report_table;
use crate::out::{print, print_json, similarity, table, tell};
use crate::samples;

#[derive(Args)]
pub struct DemoArgs {
    /// Folder for the results
    #[arg(short, long, value_name = "DIR", default_value = "lookalike-demo", value_hint = ValueHint::DirPath)]
    pub output: PathBuf,
    /// Only write the samples that the documentation uses: corpus.jsonl, more.jsonl, documents/, recipes/
    #[arg(long, value_name = "DIR", conflicts_with_all = ["output", "json"], value_hint = ValueHint::DirPath)]
    pub data: Option<PathBuf>,
    /// Print the report as JSON
    #[arg(long)]
    pub json: bool,
}

pub fn run(session: &Session, arguments: &DemoArgs) -> anyhow::Result<()> {
    if let Some(folder) = &arguments.data {
        samples::write(folder)?;
        tell(&format!("samples: {}/corpus.jsonl, more.jsonl, documents/, recipes/", folder.display()));
        return Ok(());
    }
    let mut recipe = session.standard()?;
    // For short documents: one changed word affects fewer of the shorter shingles.
    recipe.set("features.shingle", "3")?;
    recipe.set("decide.threshold", "0.6")?;
    let output = &arguments.output;
    std::fs::create_dir_all(output).with_context(|| output.display().to_string())?;
    let documents = output.join("documents.jsonl");
    let is_demo = std::fs::read_to_string(&documents).is_ok_and(|text| text == samples::CORPUS);
    let is_empty = std::fs::read_dir(output).is_ok_and(|mut entries| entries.next().is_none());
    if !is_demo && !is_empty {
        anyhow::bail!("{} is not empty; choose another folder with -o", output.display());
    }
    std::fs::write(&documents, samples::CORPUS).with_context(|| documents.display().to_string())?;
    let job = Job { force: true, ..Job::new([documents.to_string_lossy()], output) };
    let report = session.dedup(&recipe, job, &Quiet)?.run(&Quiet)?;
    if arguments.json {
        return print_json(&report);
    }
    let mut rows = vec![["removed", "kept instead", "similarity", "why"].map(str::to_owned).to_vec()];
    let removed = output.join("removed.jsonl");
    for line in std::fs::read_to_string(&removed).with_context(|| removed.display().to_string())?.lines() {
        let removal: Value = serde_json::from_str(line)?;
        let text = |key: &str| removal[key].as_str().unwrap_or_default().to_owned();
        let alike = similarity(removal["similarity"].as_f64().unwrap_or_default());
        rows.push(vec![text("id"), text("keeper"), alike, text("reason")]);
    }
    print(&format!("{}\n{}", table(&rows), report_table(&report, output)))
}
