//! Arguments that several verbs share.

use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::{Args, ValueHint};
use lookalike::{Job, Recipe, Registry, Report};
use lookalike_engine::memory::parse_bytes;

use crate::host;

/// How a corpus is read, and with what means.
#[derive(Args)]
pub struct ReadingArgs {
    /// Field with a document's id, by name or by path (meta.id); absent: the line number
    #[arg(long, value_name = "NAME", default_value = "id")]
    pub id_field: String,
    /// Field with a document's text, by name or by path (meta.text)
    #[arg(long, value_name = "NAME", default_value = "text")]
    pub text_field: String,
    /// Worker threads [default: all cores]
    #[arg(long, value_name = "N")]
    pub threads: Option<usize>,
    /// Memory the run may use, such as 300MB or 4GiB; beyond it, data goes to disk
    /// [default: 70 % of the machine's or the container's]
    #[arg(long, value_name = "SIZE")]
    pub memory: Option<String>,
    /// Longest line that is read; a longer one is rejected
    #[arg(long, value_name = "SIZE", default_value = "64MiB")]
    pub max_line: String,
    /// Show no progress
    #[arg(short, long)]
    pub quiet: bool,
}

impl ReadingArgs {
    /// The settings with which a run read its documents.
    pub fn of_report(report: &Report, quiet: bool) -> Self {
        let named = |field: &str, default: &str| if field.is_empty() { default } else { field }.to_owned();
        ReadingArgs {
            id_field: named(&report.id_field, "id"),
            text_field: named(&report.text_field, "text"),
            threads: None,
            memory: None,
            max_line: "64MiB".to_owned(),
            quiet,
        }
    }

    pub fn job(&self, inputs: &[String], output: impl Into<PathBuf>) -> anyhow::Result<Job> {
        host::check_inputs(inputs)?;
        let mut job = Job::new(inputs.iter().cloned(), output);
        job.id_field.clone_from(&self.id_field);
        job.text_field.clone_from(&self.text_field);
        job.max_line = parse_bytes(&self.max_line).context("--max-line")?;
        if let Some(threads) = self.threads {
            job.threads = threads;
        }
        if let Some(memory) = &self.memory {
            job.memory = parse_bytes(memory).context("--memory")?;
        }
        Ok(job)
    }
}

/// How documents are compared.
#[derive(Args)]
pub struct RecipeArgs {
    /// Recipe file (TOML)
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub recipe: Option<PathBuf>,
    /// Method by name, see `lookalike methods` [default: minhash]
    #[arg(long, value_name = "NAME", conflicts_with = "recipe")]
    pub method: Option<String>,
    /// Least similarity of a near-duplicate, above 0 and at most 1 [default: 0.8]
    #[arg(long, value_name = "X", allow_hyphen_values = true)]
    pub threshold: Option<String>,
    /// Lexicon for methods that use one: english, a file, or native (counted from the input first)
    #[arg(long, value_name = "NAME", value_hint = ValueHint::FilePath)]
    pub lexicon: Option<String>,
    /// Keep documents apart that differ in one of these ways: numbers, dates, names, case, order, added, cut,
    /// replaced
    #[arg(long, value_name = "KIND,…")]
    pub unless: Option<String>,
    /// Keep documents apart if one of these contradicts a text that is alike: images, links, metadata, structure
    #[arg(long, value_name = "STREAM,…")]
    pub streams: Option<String>,
    /// Set any recipe key, such as features.shingle=3; may be repeated
    #[arg(long, value_name = "STAGE.KEY=VALUE")]
    pub set: Vec<String>,
}

impl RecipeArgs {
    /// Whether any option was given.
    pub fn is_given(&self) -> bool {
        self.recipe.is_some()
            || self.method.is_some()
            || self.threshold.is_some()
            || self.lexicon.is_some()
            || self.unless.is_some()
            || self.streams.is_some()
            || !self.set.is_empty()
    }

    pub fn recipe(&self, registry: &Registry) -> anyhow::Result<Recipe> {
        let recipe = match (&self.recipe, &self.method) {
            (Some(file), _) => Recipe::from_toml(&text_of(file)?, registry).with_context(|| shown(file))?,
            (None, Some(method)) => Recipe::for_method(method, registry)?,
            (None, None) => Recipe::standard(registry)?,
        };
        self.adjusted(recipe)
    }

    /// An existing recipe with the given options applied, and nothing else changed.
    pub fn changed(&self, stored: &Recipe, registry: &Registry) -> anyhow::Result<Recipe> {
        let recipe = match (&self.recipe, &self.method) {
            (Some(file), _) => stored.changed(&text_of(file)?, registry).with_context(|| shown(file))?,
            (None, Some(method)) => stored.with_method(method, registry)?,
            (None, None) => stored.clone(),
        };
        self.adjusted(recipe)
    }

    fn adjusted(&self, mut recipe: Recipe) -> anyhow::Result<Recipe> {
        let mut assignments = Vec::new();
        for assignment in &self.set {
            let (key, value) = assignment
                .split_once('=')
                .with_context(|| format!("--set {assignment}: write it as stage.key=value"))?;
            assignments.push((key.trim(), value.trim()));
        }
        // Types first: another type clears what its section had, and so what was given before it.
        let (types, others): (Vec<_>, Vec<_>) =
            assignments.into_iter().partition(|(key, _)| key.ends_with(".type"));
        let threshold = self.threshold.as_deref().map(|threshold| ("decide.threshold", threshold));
        for (key, value) in types.into_iter().chain(threshold).chain(others) {
            recipe.set(key, value)?;
        }
        if let Some(unless) = &self.unless {
            recipe.set("decide.unless", unless)?;
        }
        if let Some(streams) = &self.streams {
            recipe.set("decide.streams", streams)?;
        }
        // Last, since another option may select a method that uses a lexicon.
        if let Some(lexicon) = &self.lexicon {
            recipe.set_lexicon(lexicon)?;
        }
        Ok(recipe)
    }
}

fn text_of(file: &Path) -> anyhow::Result<String> {
    std::fs::read_to_string(file).with_context(|| shown(file))
}

fn shown(file: &Path) -> String {
    file.display().to_string()
}
