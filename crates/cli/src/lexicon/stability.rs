//! `lookalike lexicon stability`

use std::path::PathBuf;

use anyhow::{Context, bail};
use clap::{Args, ValueHint};
use lookalike::Progress;
use lookalike_core::lexicon::simulate::{Simulated, Simulation};
use lookalike_core::lexicon::stability::{
    TABLE_4_CHANGES, TABLE_4_TERMS, dropped_terms, expected_as_printed, expected_by_equation_1, survival,
};
use serde_json::{Value, json};

use super::chart;
use crate::out::{count, print, print_json, table};
use crate::progress::Bars;

#[derive(Args)]
pub struct StabilityArgs {
    /// Fraction of the terms that each randomised copy of the lexicon lacks
    #[arg(long, value_name = "P", default_value_t = 0.33, allow_hyphen_values = true)]
    dropped: f64,
    /// Numbers of copies, such as 0,1,5 or 1..10
    #[arg(long, value_name = "K", default_value = "0,1,2,5,10", allow_hyphen_values = true)]
    lexicons: String,
    /// Numbers of lexicon terms added to or removed from a document, such as 1..20 or 1,2,5
    #[arg(long, value_name = "N", default_value = "1..20", allow_hyphen_values = true)]
    changes: String,
    /// Copies of the lexicon that are simulated for each number of changes
    #[arg(long, value_name = "N", default_value_t = 20_000, value_parser = clap::value_parser!(u32).range(1..=10_000_000))]
    trials: u32,
    /// Seed of the simulation
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Draw the curves into a file
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    svg: Option<PathBuf>,
    /// Print as JSON
    #[arg(long)]
    json: bool,
}

const MOST: u32 = 1000;
/// A lexicon of this size is simulated, with these numbers of changes: with more changes, no copy
/// of a reasonable number survives.
const SIMULATED_TERMS: usize = 1000;
const SIMULATED_CHANGES: [u32; 4] = [1, 2, 3, 5];

struct Judged {
    changes: u32,
    outcome: Simulated,
    equation_1: f64,
    equation_6: f64,
}

pub fn run(arguments: &StabilityArgs) -> anyhow::Result<()> {
    let dropped = arguments.dropped;
    if !(dropped > 0.0 && dropped < 1.0) {
        bail!("--dropped is {dropped}, it must be above 0 and below 1");
    }
    let lexicons = numbers(&arguments.lexicons).context("--lexicons")?;
    let changes = numbers(&arguments.changes).context("--changes")?;
    let judged = SIMULATED_CHANGES.map(|changes| judge(arguments, changes)).into_iter();
    let judged: Vec<Judged> = judged.collect::<anyhow::Result<_>>()?;
    if let Some(path) = &arguments.svg {
        let drawn = chart::draw(dropped, &changes, &lexicons);
        std::fs::write(path, drawn).with_context(|| path.display().to_string())?;
    }
    if arguments.json {
        return print_json(&as_json(dropped, &changes, &lexicons, &judged));
    }
    print(&format!(
        "Chance that a signature survives (K04 eq. 1) when n terms of the lexicon were added to or removed from the\n\
         document; each of K copies lacks {dropped} of the terms\n\n{}\n\
         Expected copies until one is unaffected: Table 4 of K08 by its eq. 6, and what follows from eq. 1\n\n{}\n\
         A simulation of {} copies of a lexicon of {} terms for each n: how many are unaffected?\n\n{}\n\
         Eq. 6 is the chance that a copy lacks none of the changed terms. A signature is unaffected when the copy\n\
         lacks all of them, which is eq. 1.\n",
        curve_table(dropped, &changes, &lexicons),
        expected_table(dropped),
        count(arguments.trials.into()),
        count(SIMULATED_TERMS as u64),
        judged_table(&judged)
    ))
}

/// `1,2,5`, `1..20` or both.
fn numbers(text: &str) -> anyhow::Result<Vec<u32>> {
    let mut all = Vec::new();
    let number = |text: &str| text.trim().parse::<u32>().ok().filter(|&number| number <= MOST);
    for part in text.split(',') {
        let ends = part.split_once("..").unwrap_or((part, part));
        match (number(ends.0), number(ends.1)) {
            (Some(first), Some(last)) if first <= last => all.extend(first..=last),
            _ => bail!("`{part}` is no number up to {MOST} and no range like 1..20"),
        }
    }
    all.sort_unstable();
    all.dedup();
    Ok(all)
}

fn judge(arguments: &StabilityArgs, changes: u32) -> anyhow::Result<Judged> {
    let experiment = Simulation {
        terms: SIMULATED_TERMS,
        dropped: arguments.dropped,
        changes: changes as usize,
        lexicons: 1,
        trials: arguments.trials,
        seed: arguments.seed,
    };
    let bars = Bars::new(true);
    let missing = dropped_terms(SIMULATED_TERMS as u64, arguments.dropped);
    Ok(Judged {
        changes,
        outcome: experiment.run_while(|| bars.advance(0, 0))?,
        equation_1: survival(arguments.dropped, changes, 1),
        equation_6: expected_as_printed(SIMULATED_TERMS as u64, missing, changes.into()).recip(),
    })
}

fn curve_table(dropped: f64, changes: &[u32], lexicons: &[u32]) -> String {
    let mut rows = vec![vec!["n".to_owned()]];
    rows[0].extend(lexicons.iter().map(|lexicons| format!("K = {lexicons}")));
    for &changes in changes {
        let mut row = vec![changes.to_string()];
        row.extend(lexicons.iter().map(|&lexicons| format!("{:.4}", survival(dropped, changes, lexicons))));
        rows.push(row);
    }
    table(&rows)
}

fn expected_table(dropped: f64) -> String {
    let mut rows = vec![vec![String::new()]];
    rows[0].extend(TABLE_4_CHANGES.map(|changes| format!("n = {changes}")));
    for terms in TABLE_4_TERMS {
        let mut row = vec![format!("eq. 6, L = {}", count(terms))];
        let missing = dropped_terms(terms, dropped);
        row.extend(
            TABLE_4_CHANGES.map(|changes| number(expected_as_printed(terms, missing, changes.into()))),
        );
        rows.push(row);
    }
    let mut row = vec!["eq. 1".to_owned()];
    row.extend(TABLE_4_CHANGES.map(|changes| number(expected_by_equation_1(dropped, changes))));
    rows.push(row);
    table(&rows)
}

/// With two decimals as in the paper, or as a power of ten.
fn number(value: f64) -> String {
    if value < 1e12 {
        let cents = (value * 100.0).round() as u64;
        return format!("{}.{:02}", count(cents / 100), cents % 100);
    }
    format!("{value:.2e}")
}

fn judged_table(judged: &[Judged]) -> String {
    let headings = ["n", "simulated", "eq. 1", "off by", "eq. 6", "off by"];
    let mut rows = vec![headings.map(str::to_owned).to_vec()];
    for Judged { changes, outcome, equation_1, equation_6 } in judged {
        let off = |equation: &f64| format!("{:.1} standard errors", outcome.standard_errors_from(*equation));
        rows.push(vec![
            changes.to_string(),
            format!("{:.4}", outcome.share()),
            format!("{equation_1:.4}"),
            off(equation_1),
            format!("{equation_6:.4}"),
            off(equation_6),
        ]);
    }
    table(&rows)
}

fn as_json(dropped: f64, changes: &[u32], lexicons: &[u32], judged: &[Judged]) -> Value {
    let mut curve = Vec::new();
    for &changes in changes {
        curve.extend(lexicons.iter().map(|&lexicons| {
            json!({ "changes": changes, "lexicons": lexicons, "survival": survival(dropped, changes, lexicons) })
        }));
    }
    let mut expected = Vec::new();
    for changes in TABLE_4_CHANGES {
        let by_terms = TABLE_4_TERMS.map(|terms| {
            let missing = dropped_terms(terms, dropped);
            let expected = expected_as_printed(terms, missing, changes.into());
            json!({ "terms": terms, "expected": expected })
        });
        expected.push(json!({
            "changes": changes,
            "equation_6": by_terms,
            "equation_1": expected_by_equation_1(dropped, changes),
        }));
    }
    let simulation: Vec<Value> = judged
        .iter()
        .map(|Judged { changes, outcome, equation_1, equation_6 }| {
            json!({
                "changes": changes,
                "terms": SIMULATED_TERMS,
                "trials": outcome.trials,
                "unaffected": outcome.unaffected,
                "equation_1": equation_1,
                "equation_6": equation_6,
                "standard_errors_from_equation_1": outcome.standard_errors_from(*equation_1),
                "standard_errors_from_equation_6": outcome.standard_errors_from(*equation_6),
            })
        })
        .collect();
    json!({ "dropped": dropped, "curve": curve, "expected_lexicons": expected, "simulation": simulation })
}
