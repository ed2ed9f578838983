//! `lookalike train`

use std::path::PathBuf;

use anyhow::Context;
use clap::{Args, ValueHint};
use lookalike::judge::{Interval, ModelFile, Quality, Training, VOTE};
use lookalike::{Recipe, Session};
use lookalike_core::registry::value_from_text;

use super::{CorpusArgs, TruthArgs, assignment};
use crate::exit::{DONE, FOUND};
use crate::out::{count, print, print_json, table, tell};
use crate::progress::Bars;

pub const TRAIN_HELP: &str = "\
Examples:
  lookalike train citations.jsonl --cluster-field cluster --leave-out ambiguous --fields author,year -o citations.model
  lookalike train corpus.jsonl --pairs labels.csv --learner logistic -o my.model
  lookalike train corpus.jsonl --cluster-field cluster --precision 0.98 -o careful.model
  lookalike dedup corpus.jsonl -o deduped --method classifier --set decide.model=my.model

Taught and tested on the pairs that a run asks the model about; near-duplicates and documents with the same text
are never parted between training and test. Exit 1: a single threshold does as well, and no model was written.";

#[derive(Args)]
pub struct TrainArgs {
    #[command(flatten)]
    corpus: CorpusArgs,
    #[command(flatten)]
    truth: TruthArgs,
    /// The model to write
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    output: PathBuf,
    /// linear-svm, kernel-svm, logistic, tree, forest, threshold; vote: of three of them; or best: all are tried,
    /// and what is better than a single threshold on pairs held out, by more than chance, is taken
    #[arg(long, value_name = "NAME", default_value = VOTE)]
    learner: String,
    /// Set a key of the learner, such as trees=200; may be repeated
    #[arg(long, value_name = "KEY=VALUE")]
    learner_set: Vec<String>,
    /// Least precision to aim at, above 0 and at most 1: as much is found as it allows [default: the best F1]
    #[arg(long, value_name = "X")]
    precision: Option<f64>,
    /// Fields to compare beside the text, such as title,author,year
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    fields: Vec<String>,
    /// Parts into which groups of documents are dealt; pairs are tested on what the parts taught that hold
    /// neither of their documents
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u16).range(2..=20))]
    folds: u16,
    /// Method whose candidates the model will decide on [default: classifier]
    #[arg(long, value_name = "NAME", conflicts_with = "recipe")]
    method: Option<String>,
    /// Recipe file (TOML) whose candidates the model will decide on
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    recipe: Option<PathBuf>,
    /// Most pairs to learn from; of more, this many are drawn and stand for all
    #[arg(long, value_name = "N", default_value_t = 20_000, value_parser = clap::value_parser!(u32).range(100..))]
    most: u32,
    /// Write the model even if a single threshold does as well
    #[arg(long)]
    anyway: bool,
    /// Resamples for the intervals
    #[arg(long, value_name = "N", default_value_t = 1000)]
    resamples: u32,
    /// Seed of all that is drawn
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Print the model's report as JSON
    #[arg(long)]
    json: bool,
}

pub fn run(session: &Session, arguments: &TrainArgs) -> anyhow::Result<u8> {
    let registry = session.registry();
    let mut settings = toml::Table::new();
    for setting in &arguments.learner_set {
        let (key, value) = assignment(setting)?;
        settings.insert(key, value_from_text(&value));
    }
    let mut training = Training {
        leave_out: arguments.truth.leave_out()?,
        fields: arguments.fields.clone(),
        learner: arguments.learner.clone(),
        settings,
        precision: arguments.precision,
        folds: usize::from(arguments.folds),
        most: arguments.most as usize,
        resamples: arguments.resamples,
        seed: arguments.seed,
        ..Training::new(arguments.truth.source()?, registry)?
    };
    if let Some(method) = &arguments.method {
        training.recipe = Recipe::for_method(method, registry)?;
    } else if let Some(file) = &arguments.recipe {
        let text = std::fs::read_to_string(file).with_context(|| file.display().to_string())?;
        training.recipe = Recipe::from_toml(&text, registry).with_context(|| file.display().to_string())?;
    }
    let bars = Bars::new(arguments.corpus.reading.quiet);
    let ready = arguments.corpus.open(session, &training.recipe, &bars)?;
    let outcome = session.train(&training, &ready, &bars);
    bars.finish();
    let model = outcome?;
    let recommended = model.report.recommended;
    if recommended || arguments.anyway {
        model.write(&arguments.output)?;
    }
    if arguments.json {
        print_json(&model.report)?;
    } else {
        print(&as_text(&model))?;
    }
    let file = arguments.output.display();
    match (recommended, arguments.anyway) {
        (true, _) => tell(&format!("The model is {file}")),
        (false, true) => tell(&format!("The model is {file}, though it is not recommended")),
        (false, false) => {
            tell(&format!("{file} was not written: a single threshold does as well; --anyway writes it"));
            return Ok(FOUND);
        }
    }
    Ok(DONE)
}

fn as_text(model: &ModelFile) -> String {
    let report = &model.report;
    let figure = |value: f64, interval: Option<Interval>| match interval {
        Some(Interval { low, high, .. }) => format!("{value:.4} ({low:.3}–{high:.3})"),
        None => format!("{value:.4}"),
    };
    let line = |name: &str, quality: &Quality| {
        let intervals = quality.intervals.unwrap_or_default();
        vec![
            name.to_owned(),
            figure(quality.precision, intervals.precision),
            figure(quality.recall, intervals.recall),
            figure(quality.f1, intervals.f1),
        ]
    };
    let mut rows = vec![["", "precision", "recall", "F1"].map(str::to_owned).to_vec()];
    rows.extend(report.tried.iter().map(|(name, quality)| line(name, quality)));
    if report.tried.len() > 1 {
        rows.push(line("the best, chosen unseen", &report.tested));
    }
    rows.push(line("best single threshold", &report.best_threshold));
    let learner = model.learner.get("type").and_then(|name| name.as_str()).unwrap_or_default();
    let mut text = format!(
        "{} documents; truth: {}\n{} pairs teach, {} of them near-duplicates, in {} groups; the recipe proposes {} pairs \
         of different documents\n{} near-duplicates are no candidates: no model finds them, they count as missed\n\n\
         Expected of a run on as many documents of other groups, in brackets intervals of 95 %:\n{}\n\
         Taken: {learner}; calibrated confidence: Brier score {:.4}, expected error {:.4}\nWhat weighs most: {}\n",
        count(report.documents),
        report.truth,
        count(report.pairs),
        count(report.near_duplicates),
        count(report.groups),
        count(report.hard_negatives),
        count(report.missed),
        table(&rows),
        report.brier,
        report.calibration_error,
        report.importance.iter().take(5).map(|(name, _)| name.as_str()).collect::<Vec<_>>().join(", "),
    );
    for note in &report.notes {
        text += &format!("Note: {note}\n");
    }
    text + &verdict(model, learner)
}

/// Whether the model is worth its cost, and what to use if it is not.
fn verdict(model: &ModelFile, learner: &str) -> String {
    let report = &model.report;
    let gain = report.gain.map_or("cannot be told".to_owned(), |gain| {
        format!("{:+.4}, with 95 % confidence from {:+.4} to {:+.4}", gain.value, gain.low, gain.high)
    });
    if report.recommended {
        let doubt = match report.gain {
            Some(gain) if gain.low <= 0.0 && learner != "threshold" => {
                "; more labels would show whether that is more than chance"
            }
            _ => "",
        };
        return format!("Recommended. F1 beyond the best single threshold: {gain}{doubt}\n");
    }
    let mut text = format!("Not recommended. F1 beyond the best single threshold: {gain}\n");
    if let Some(instead) = &report.instead {
        text += &format!("Use instead: {} of at least {}", instead.component, instead.threshold);
        text += &match &instead.recipe {
            Some(recipe) => format!(", as this recipe:\n\n{recipe}"),
            None => ", as `--learner threshold` writes it\n".to_owned(),
        };
    }
    text
}
