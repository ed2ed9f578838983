//! The verbs that judge and learn, and what they share: a corpus that is read more than once, and
//! the truth about it.

mod ask;
pub mod evaluate;
pub mod reproduce;
pub mod train;
pub mod tune;

use lookalike::Session;
use std::path::PathBuf;

use anyhow::{Context, bail};
use clap::{Args, ValueHint};
use lookalike::judge::{FieldFilter, Labels, Sweep, TruthSource};
use lookalike::{ReadyJob, Recipe, Registry};

use crate::args::ReadingArgs;
use crate::progress::Bars;

/// The documents.
#[derive(Args)]
pub struct CorpusArgs {
    /// Files, folders or patterns: JSONL, JSON, CSV, Parquet, Arrow or WET, plain or packed, or documents of any other
    /// format; `-` reads standard input
    #[arg(required = true, value_name = "INPUT", value_hint = ValueHint::AnyPath)]
    pub inputs: Vec<String>,
    #[command(flatten)]
    pub reading: ReadingArgs,
}

impl CorpusArgs {
    pub fn open(&self, session: &Session, recipe: &Recipe, bars: &Bars) -> anyhow::Result<ReadyJob> {
        let ready = session.ready(recipe, self.reading.job(&self.inputs, "")?, bars);
        bars.finish();
        Ok(ready?)
    }
}

/// What is true of the documents.
#[derive(Args)]
pub struct TruthArgs {
    /// Labelled pairs: JSON lines or CSV with `a`, `b` and `label`; without labels, all are near-duplicates
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub pairs: Option<PathBuf>,
    /// Labelled clusters: JSON lines or CSV with `id` and `cluster`, or a clusters.jsonl
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub clusters: Option<PathBuf>,
    /// The documents' field that names their cluster
    #[arg(long, value_name = "NAME")]
    pub cluster_field: Option<String>,
    /// All pairs from a similarity on, by exact join, such as cosine:0.9 or jaccard:0.8
    #[arg(long, value_name = "MEASURE:X", allow_hyphen_values = true)]
    pub exact: Option<String>,
    /// Set a key of the exact join's recipe, such as features.type=shingles; may be repeated
    #[arg(long, value_name = "STAGE.KEY=VALUE", requires = "exact")]
    pub exact_set: Vec<String>,
    /// Key of the label in the file of pairs
    #[arg(long, value_name = "NAME", default_value = "label")]
    pub label_field: String,
    /// Labels that mean a near-duplicate, such as cut,light; all others mean different
    #[arg(long, value_name = "LABELS", value_delimiter = ',', requires = "pairs")]
    pub positive: Vec<String>,
    /// Labels of pairs that are left out
    #[arg(long, value_name = "LABELS", value_delimiter = ',', requires = "pairs")]
    pub skip: Vec<String>,
    /// For labels that are numbers: the least that means a near-duplicate
    #[arg(long, value_name = "X", requires = "pairs", allow_hyphen_values = true)]
    pub least: Option<f64>,
    /// Pairs that nobody labelled: `different` or `left-out` [default: left-out if any label says
    /// different, else different]
    #[arg(long, value_name = "WHAT", requires = "pairs")]
    pub rest: Option<String>,
    /// Leave documents out of the judgement: FIELD (any value but false and 0) or FIELD=VALUE,VALUE
    #[arg(long, value_name = "FIELD[=VALUES]")]
    pub leave_out: Option<String>,
}

impl TruthArgs {
    pub fn source(&self) -> anyhow::Result<TruthSource> {
        let given = [
            self.pairs.is_some(),
            self.clusters.is_some(),
            self.cluster_field.is_some(),
            self.exact.is_some(),
        ];
        match given.into_iter().filter(|&given| given).count() {
            1 => {}
            0 => bail!("nothing says what is true: give --pairs, --clusters, --cluster-field or --exact"),
            _ => bail!("--pairs, --clusters, --cluster-field and --exact exclude each other"),
        }
        if let Some(file) = &self.pairs {
            if self.least.is_some_and(|least| !least.is_finite()) {
                bail!("--least must be a number");
            }
            let labels = Labels {
                field: self.label_field.clone(),
                positive: self.positive.clone(),
                least: self.least,
                skipped: self.skip.clone(),
            };
            let rest = match self.rest.as_deref() {
                None => None,
                Some("different") => Some(lookalike::judge::Unlabelled::Different),
                Some("left-out") => Some(lookalike::judge::Unlabelled::LeftOut),
                Some(other) => bail!("--rest is `{other}`; known: different, left-out"),
            };
            return Ok(TruthSource::Pairs { file: file.clone(), labels, rest });
        }
        if let Some(file) = &self.clusters {
            return Ok(TruthSource::Clusters { file: file.clone() });
        }
        if let Some(field) = &self.cluster_field {
            return Ok(TruthSource::ClusterField(field.clone()));
        }
        let exact = self.exact.as_deref().unwrap_or_default();
        let (measure, threshold) = exact
            .split_once(':')
            .with_context(|| format!("--exact {exact}: write it as MEASURE:X, such as cosine:0.9"))?;
        let settings =
            self.exact_set.iter().map(|setting| assignment(setting)).collect::<anyhow::Result<_>>()?;
        Ok(TruthSource::Exact { measure: measure.to_owned(), threshold: threshold.to_owned(), settings })
    }

    pub fn leave_out(&self) -> anyhow::Result<Option<FieldFilter>> {
        Ok(self.leave_out.as_deref().map(FieldFilter::parse).transpose()?)
    }
}

/// Recipes to judge.
#[derive(Args)]
pub struct RecipesArgs {
    /// Method by name, see `lookalike methods`; may be repeated [default: minhash]
    #[arg(long, value_name = "NAME")]
    pub method: Vec<String>,
    /// Recipe file (TOML); may be repeated
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub recipe: Vec<PathBuf>,
    /// Least similarity of a near-duplicate, for all of them
    #[arg(long, value_name = "X", allow_hyphen_values = true)]
    pub threshold: Option<String>,
    /// Lexicon for those that use one: english, a file, or native (counted from the input first)
    #[arg(long, value_name = "NAME", value_hint = ValueHint::FilePath)]
    pub lexicon: Option<String>,
    /// Set any recipe key in all of them, such as decide.verify=signature; may be repeated
    #[arg(long, value_name = "STAGE.KEY=VALUE")]
    pub set: Vec<String>,
    /// Try several values of a recipe key: sign.lexicons=0..10, decide.threshold=0.5..0.9:0.1; may be
    /// repeated
    #[arg(long, value_name = "STAGE.KEY=VALUES")]
    pub sweep: Vec<String>,
}

impl RecipesArgs {
    /// The recipes by name.
    pub fn recipes(&self, registry: &Registry) -> anyhow::Result<Vec<(String, Recipe)>> {
        let mut recipes = Vec::new();
        for name in &self.method {
            recipes.push((name.clone(), Recipe::for_method(name, registry)?));
        }
        for file in &self.recipe {
            let text = std::fs::read_to_string(file).with_context(|| file.display().to_string())?;
            let recipe = Recipe::from_toml(&text, registry).with_context(|| file.display().to_string())?;
            let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            recipes.push((name, recipe));
        }
        if recipes.is_empty() {
            recipes.push(("minhash".to_owned(), Recipe::standard(registry)?));
        }
        for (_, recipe) in &mut recipes {
            if let Some(threshold) = &self.threshold {
                recipe.set("decide.threshold", threshold)?;
            }
            for setting in &self.set {
                let (key, value) = assignment(setting)?;
                recipe.set(&key, &value)?;
            }
            if let Some(lexicon) = &self.lexicon
                && recipe.has_lexicon()
            {
                recipe.set_lexicon(lexicon)?;
            }
        }
        Ok(recipes)
    }

    pub fn sweeps(&self) -> anyhow::Result<Vec<Sweep>> {
        Ok(self.sweep.iter().map(|sweep| Sweep::parse(sweep)).collect::<lookalike::Result<_>>()?)
    }
}

/// `key=value`.
pub fn assignment(text: &str) -> anyhow::Result<(String, String)> {
    let (key, value) =
        text.split_once('=').with_context(|| format!("{text}: write it as stage.key=value"))?;
    Ok((key.trim().to_owned(), value.trim().to_owned()))
}
