//! `lookalike train`

use std::path::PathBuf;

use clap::{Args, ValueHint};
use lookalike::core::registry::value_from_text;
use lookalike::learn::{BEST, Draw, ModelFile, Quality, Training, train};
use lookalike::{Recipe, Registry};

use super::{CorpusArgs, TruthArgs, assignment};
use crate::out::{count, print, print_json, table};
use crate::progress::Bars;

pub const TRAIN_HELP: &str = "\
Examples:
  lookalike train citations.jsonl --cluster-field cluster --leave-out ambiguous --fields author,year -o citations.model
  lookalike train corpus.jsonl --pairs labels.csv --learner logistic -o my.model
  lookalike dedup corpus.jsonl -o deduped --method classifier --set decide.model=my.model

Near-duplicates and documents with the same text are never parted between training and test.";

#[derive(Args)]
pub struct TrainArgs {
    #[command(flatten)]
    corpus: CorpusArgs,
    #[command(flatten)]
    truth: TruthArgs,
    /// The model to write
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    output: PathBuf,
    /// linear-svm, kernel-svm, logistic, tree, forest, threshold, or best: all are tried, the best on
    /// pairs held out is taken
    #[arg(long, value_name = "NAME", default_value = BEST)]
    learner: String,
    /// Set a key of the learner, such as trees=200; may be repeated
    #[arg(long, value_name = "KEY=VALUE")]
    learner_set: Vec<String>,
    /// Fields to compare beside the text, such as title,author,year
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    fields: Vec<String>,
    /// Parts into which the pairs are cut; each is tested once on what the others taught
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u16).range(2..=100))]
    folds: u16,
    /// Pairs of different documents for each near-duplicate, where the truth is clusters
    #[arg(long, value_name = "X", default_value_t = 3.0, allow_hyphen_values = true)]
    negatives: f64,
    /// Method whose candidates are hard negatives, where the truth is clusters
    #[arg(long, value_name = "NAME", default_value = "cosine")]
    hard_method: String,
    /// Its threshold
    #[arg(long, value_name = "X", default_value = "0.5", allow_hyphen_values = true)]
    hard_threshold: String,
    /// Most pairs to learn from; more are drawn from
    #[arg(long, value_name = "N", default_value_t = 20_000)]
    most: usize,
    /// Seed of all that is drawn
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Print the model's report as JSON
    #[arg(long)]
    json: bool,
}

pub fn run(arguments: &TrainArgs) -> anyhow::Result<()> {
    let registry = Registry::with_built_ins();
    let mut candidates = Recipe::for_method(&arguments.hard_method, &registry)?;
    candidates.set("decide.threshold", &arguments.hard_threshold)?;
    candidates.build(&registry)?;
    if !(arguments.negatives > 0.0 && arguments.negatives <= 1000.0) {
        anyhow::bail!("--negatives is {}, it must be above 0 and at most 1000", arguments.negatives);
    }
    let mut settings = toml::Table::new();
    for setting in &arguments.learner_set {
        let (key, value) = assignment(setting)?;
        settings.insert(key, value_from_text(&value));
    }
    let training = Training {
        truth: arguments.truth.source()?,
        leave_out: arguments.truth.leave_out()?,
        fields: arguments.fields.clone(),
        learner: arguments.learner.clone(),
        settings,
        folds: usize::from(arguments.folds),
        draw: Draw { negatives: arguments.negatives, most: arguments.most, seed: arguments.seed },
        candidates: candidates.clone(),
    };
    let bars = Bars::new(arguments.corpus.reading.quiet);
    let opened = arguments.corpus.open(&candidates, &bars)?;
    let outcome = train(&training, &opened.job, &registry, &bars);
    bars.finish();
    let model = outcome?;
    model.write(&arguments.output)?;
    if arguments.json {
        return print_json(&model.report);
    }
    print(&format!("{}\nThe model is {}\n", as_text(&model), arguments.output.display()))
}

fn as_text(model: &ModelFile) -> String {
    let report = &model.report;
    let figures = |quality: &Quality| {
        [quality.precision, quality.recall, quality.f1, quality.accuracy]
            .map(|figure| format!("{figure:.4}"))
            .to_vec()
    };
    let mut rows = vec![["LEARNER", "precision", "recall", "F1", "accuracy"].map(str::to_owned).to_vec()];
    for (name, quality) in &report.tried {
        rows.push([vec![name.clone()], figures(quality)].concat());
    }
    rows.push([vec!["best single threshold".to_owned()], figures(&report.best_threshold)].concat());
    let mut text = format!(
        "{} documents; truth: {}\n{} pairs, {} of them near-duplicates, in {} groups; {} folds that share no document \
         and no text\n\n{}\nTaken: {}; calibrated confidence: Brier score {:.4}, expected error {:.4}\n\
         What weighs most: {}\n",
        count(report.documents),
        report.truth,
        count(report.pairs),
        count(report.near_duplicates),
        count(report.groups),
        report.folds,
        table(&rows),
        model.learner.get("type").and_then(|name| name.as_str()).unwrap_or_default(),
        report.brier,
        report.calibration_error,
        report.importance.iter().take(5).map(|(name, _)| name.as_str()).collect::<Vec<_>>().join(", "),
    );
    if report.only_taught > 0 {
        text += &format!(
            "{} pairs of different documents lie between folds: they taught, but were in no test\n",
            count(report.only_taught)
        );
    }
    for note in &report.notes {
        text += &format!("Note: {note}\n");
    }
    text
}
