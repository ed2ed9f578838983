//! `lookalike evaluate`

use std::path::PathBuf;

use anyhow::Context;
use clap::{Args, ValueHint};
use lookalike::Session;
use lookalike::judge::{Contestant, Evaluated, Evaluation, FieldFilter, csv, page, table as rows};

use super::{CorpusArgs, RecipesArgs, TruthArgs};
use crate::host;
use crate::out::{count, print, print_json, table, tell};
use crate::progress::Bars;

pub const EVALUATE_HELP: &str = "\
Examples:
  lookalike evaluate news.jsonl --exact cosine:0.9 --method imatch --sweep sign.lexicons=0..10
  lookalike evaluate corpus.jsonl --pairs labels.csv --method minhash --method simhash --html page.html
  lookalike evaluate versions.jsonl --cluster-field cluster --sweep decide.threshold=0.3..0.9:0.1";

#[derive(Args)]
pub struct EvaluateArgs {
    #[command(flatten)]
    corpus: CorpusArgs,
    #[command(flatten)]
    truth: TruthArgs,
    #[command(flatten)]
    recipes: RecipesArgs,
    /// Documents that must never be matched, for the utility: FIELD or FIELD=VALUE,VALUE
    #[arg(long, value_name = "FIELD[=VALUES]")]
    legitimate: Option<String>,
    /// How many found documents one matched legitimate document outweighs
    #[arg(long, value_name = "X", default_value_t = 100.0, allow_hyphen_values = true)]
    cost: f64,
    /// Share of the documents that are queries, drawn at random [default: all that have a duplicate]
    #[arg(long, value_name = "SHARE", allow_hyphen_values = true)]
    queries: Option<f64>,
    /// Resamples for the intervals
    #[arg(long, value_name = "N", default_value_t = 1000)]
    resamples: u32,
    /// Seed of queries and intervals
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Write a page with plots
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    html: Option<PathBuf>,
    /// Add to the page the weights of this document's features by their place
    #[arg(long, value_name = "ID", requires = "html")]
    profile: Option<String>,
    /// Write every figure as CSV
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    csv: Option<PathBuf>,
    /// Print everything as JSON
    #[arg(long)]
    json: bool,
}

pub fn run(session: &Session, arguments: &EvaluateArgs) -> anyhow::Result<()> {
    let registry = session.registry();
    let recipes = arguments.recipes.recipes(registry)?;
    let contestants = Contestant::all(&recipes, &arguments.recipes.sweeps()?)?;
    // A wrong key or value should not be reported after an hour of work.
    for contestant in &contestants {
        contestant.check(registry).with_context(|| contestant.label())?;
    }
    let evaluation = Evaluation {
        legitimate: arguments.legitimate.as_deref().map(FieldFilter::parse).transpose()?,
        leave_out: arguments.truth.leave_out()?,
        queries: arguments.queries,
        cost: arguments.cost,
        resamples: arguments.resamples,
        seed: arguments.seed,
        ..Evaluation::new(arguments.truth.source()?)
    };
    let bars = Bars::new(arguments.corpus.reading.quiet);
    let ready = arguments.corpus.open(session, &recipes[0].1, &bars)?;
    let outcome = session.evaluate(&evaluation, &contestants, &ready, &bars);
    bars.finish();
    let evaluated = outcome?;
    if let Some(path) = &arguments.csv {
        std::fs::write(path, csv(&evaluated)).with_context(|| path.display().to_string())?;
    }
    if let Some(path) = &arguments.html {
        let mut profiles = Vec::new();
        if let Some(id) = &arguments.profile {
            profiles = session.profiles(&contestants, id, &ready)?;
        }
        let text = page("How good the methods are", &command(), &evaluated, &profiles);
        std::fs::write(path, text).with_context(|| path.display().to_string())?;
        tell(&format!("The page is {}", path.display()));
    }
    if arguments.json { print_json(&evaluated) } else { print(&as_text(&evaluated)) }
}

pub fn as_text(evaluated: &Evaluated) -> String {
    format!(
        "{} documents; truth: {}\nIn brackets: intervals of 95 %, from {} resamples of groups of linked documents\n\n{}",
        count(evaluated.documents),
        evaluated.truth,
        evaluated.resamples,
        table(&rows(evaluated))
    )
}

/// The command line, so that a page says how it was made.
pub fn command() -> String {
    let quoted = |argument: String| {
        let plain = !argument.is_empty()
            && argument.chars().all(|c| c.is_alphanumeric() || "-_./=:,#@+%".contains(c));
        if plain { argument } else { format!("'{}'", argument.replace('\'', "'\\''")) }
    };
    let arguments = host::arguments().into_iter().map(quoted);
    std::iter::once("lookalike".to_owned()).chain(arguments).collect::<Vec<_>>().join(" ")
}
