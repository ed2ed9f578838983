//! `lookalike tune`

use std::path::PathBuf;

use anyhow::{Context, bail};
use clap::{Args, ValueHint};
use lookalike::judge::{NotTried, Target, Tuned, Tuning};
use lookalike::{Recipe, Session};

use super::ask::{ask, questions};
use super::{CorpusArgs, TruthArgs};
use crate::exit::{DONE, FOUND};
use crate::out::{bytes, count, print, print_json, seconds, table, tell};
use crate::progress::Bars;

pub const TUNE_HELP: &str = "\
Examples:
  lookalike tune corpus.jsonl --precision 0.99 --pairs labels.csv -o my.toml
  lookalike tune corpus.jsonl --recall 0.95 --exact jaccard:0.8 --exact-set features.type=shingles -o my.toml
  lookalike dedup corpus.jsonl -o deduped --recipe my.toml

Recipes are chosen on one half of the sample and judged on the other. Exit 1: no recipe meets the target; what
comes nearest is told, and written only with --nearest.";

#[derive(Args)]
pub struct TuneArgs {
    #[command(flatten)]
    corpus: CorpusArgs,
    #[command(flatten)]
    truth: TruthArgs,
    /// As many near-duplicates as possible at this precision
    #[arg(long, value_name = "X", group = "target", allow_hyphen_values = true)]
    precision: Option<f64>,
    /// As few mistakes as possible at this recall
    #[arg(long, value_name = "X", group = "target", allow_hyphen_values = true)]
    recall: Option<f64>,
    /// Try only this method; may be repeated [default: all that suit]
    #[arg(long, value_name = "NAME")]
    method: Vec<String>,
    /// About how many documents to draw, in whole groups of near-duplicates
    #[arg(long, value_name = "N", default_value_t = 20_000)]
    sample: usize,
    /// Judge the recipe on all documents, too
    #[arg(long)]
    check: bool,
    /// Stop trying after this time, such as 90s, 10min or 1h, and tell what was not tried
    #[arg(long, value_name = "TIME", value_parser = limit)]
    time: Option<f64>,
    /// If no recipe meets the target, write the one that comes nearest
    #[arg(long, requires = "output")]
    nearest: bool,
    /// The recipe to write
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    output: Option<PathBuf>,
    /// Ask on the terminal for this many labels of the pairs most worth one; they are added to the file
    /// of --pairs, which may be new. With --json, print these pairs and ask nothing
    #[arg(long, value_name = "N", requires = "pairs", conflicts_with_all = ["precision", "recall", "check", "time", "nearest", "output"])]
    ask: Option<usize>,
    /// Resamples for the intervals
    #[arg(long, value_name = "N", default_value_t = 1000)]
    resamples: u32,
    /// Seed of the sample and the intervals
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Print as JSON
    #[arg(long)]
    json: bool,
}

pub fn run(session: &Session, arguments: &TuneArgs) -> anyhow::Result<u8> {
    let registry = session.registry();
    let target = match (arguments.precision, arguments.recall) {
        (Some(least), None) => Target::Precision(share("--precision", least)?),
        (None, Some(least)) => Target::Recall(share("--recall", least)?),
        _ => Target::F1,
    };
    if arguments.sample < 2 {
        bail!("--sample is {}, at least 2 documents must be drawn", arguments.sample);
    }
    let tuning = Tuning {
        target,
        truth: arguments.truth.source()?,
        leave_out: arguments.truth.leave_out()?,
        sample: arguments.sample,
        methods: arguments.method.clone(),
        check: arguments.check,
        time: arguments.time,
        resamples: arguments.resamples,
        seed: arguments.seed,
    };
    let bars = Bars::new(arguments.corpus.reading.quiet);
    let ready = arguments.corpus.open(session, &Recipe::standard(registry)?, &bars)?;
    if let (Some(count), Some(file)) = (arguments.ask, &arguments.truth.pairs) {
        let asked = if arguments.json { questions } else { ask };
        asked(session, file, count, &ready, arguments.seed, &bars)?;
        return Ok(DONE);
    }
    let outcome = session.tune(&tuning, &ready, &bars);
    bars.finish();
    let tuned = outcome?;
    let is_written = tuned.meets || arguments.nearest;
    if let (Some(path), true) = (&arguments.output, is_written) {
        std::fs::write(path, &tuned.recipe).with_context(|| path.display().to_string())?;
    }
    if arguments.json {
        print_json(&tuned)?;
    } else {
        print(&as_text(&tuned))?;
    }
    if is_written {
        return Ok(DONE);
    }
    let written = match &arguments.output {
        Some(path) => format!("; {} was not written, --nearest writes it", path.display()),
        None => String::new(),
    };
    tell(&format!("No recipe meets the target; `{}` comes nearest{written}", tuned.name));
    Ok(FOUND)
}

/// Seconds from a number with a unit.
fn limit(text: &str) -> Result<f64, String> {
    let digits = text.trim_end_matches(|c: char| c.is_alphabetic() || c.is_whitespace());
    let unit = match text[digits.len()..].trim() {
        "" | "s" => 1.0,
        "min" | "m" => 60.0,
        "h" => 3600.0,
        other => return Err(format!("the unit `{other}` is not known: s, min or h")),
    };
    match digits.parse::<f64>() {
        Ok(number) if number.is_finite() && number > 0.0 => Ok(number * unit),
        _ => Err("write it as 90s, 10min or 1h".to_owned()),
    }
}

fn share(name: &str, value: f64) -> anyhow::Result<f64> {
    // NaN fails this test, too.
    if value > 0.0 && value <= 1.0 {
        return Ok(value);
    }
    bail!("{name} is {value}, it must be above 0 and at most 1")
}

fn as_text(tuned: &Tuned) -> String {
    let number = |figure: Option<f64>| figure.map_or("–".to_owned(), |figure| format!("{figure:.4}"));
    let mut rows = vec![["RECIPE", "threshold", "precision", "recall", "time"].map(str::to_owned).to_vec()];
    rows.extend(tuned.tried.iter().map(|tried| {
        let threshold = match (tried.threshold, tried.meets) {
            (Some(at), true) => at.to_string(),
            (Some(at), false) => format!("{at} (misses the target)"),
            (None, _) => "finds nothing".to_owned(),
        };
        vec![
            tried.name.clone(),
            threshold,
            number(tried.precision),
            number(tried.recall),
            format!("{:.2} s", tried.seconds),
        ]
    }));
    let interval = |figure: Option<lookalike::judge::Interval>| {
        figure.map_or("cannot be told".to_owned(), |figure| {
            format!("{:.4}, with 95 % confidence from {:.4} to {:.4}", figure.value, figure.low, figure.high)
        })
    };
    let mut text = format!(
        "{} of {} documents drawn; truth: {}\n\nOn the half that recipes were chosen on:\n{}{}\n\
         {} of `{}`, by the other half:\n  precision {}\n  recall    {}\n  a million documents take about {}; \
         {:.2} candidates a document; {} of memory for this sample\n\n{}",
        count(tuned.drawn),
        count(tuned.documents),
        tuned.truth,
        table(&rows),
        not_tried(tuned),
        if tuned.meets { "Expected" } else { "No recipe meets the target. What comes nearest, expected" },
        tuned.name,
        interval(tuned.precision),
        interval(tuned.recall),
        seconds(tuned.cost.seconds_per_million),
        tuned.cost.candidates_per_document,
        bytes(tuned.cost.peak_memory_bytes),
        tuned.recipe
    );
    if let Some(checked) = &tuned.checked {
        let says = |held: bool| if held { "as expected" } else { "outside the expected interval" };
        text += &format!(
            "\nOn all {} documents: precision {} ({}), recall {} ({})\n",
            count(checked.documents),
            number(checked.precision),
            says(checked.precision_in_interval),
            number(checked.recall),
            says(checked.recall_in_interval)
        );
        if checked.not_drawn.documents > 0 {
            text += &format!(
                "On the {} that were not drawn: precision {}, recall {}\n",
                count(checked.not_drawn.documents),
                number(checked.not_drawn.precision),
                number(checked.not_drawn.recall)
            );
        }
    }
    for note in &tuned.notes {
        text += &format!("\nNote: {note}\n");
    }
    text + &format!(
        "\nTrying and judging took {}, expected {}\n",
        seconds(tuned.seconds),
        seconds(tuned.expected_seconds)
    )
}

fn not_tried(tuned: &Tuned) -> String {
    let line = |one: &NotTried| format!("{}: not tried, about {}\n", one.name, seconds(one.expected_seconds));
    tuned.not_tried.iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::limit;

    #[test]
    fn times_have_units() {
        for (text, seconds) in [("90", 90.0), ("90s", 90.0), ("1.5 min", 90.0), ("2m", 120.0), ("1h", 3600.0)]
        {
            assert_eq!(limit(text), Ok(seconds), "{text}");
        }
        for wrong in ["", "0", "-1s", "nan", "5 days", "1e999", "s", "ß"] {
            assert!(limit(wrong).is_err(), "{wrong}");
        }
    }
}
