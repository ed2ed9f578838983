//! Whether the expectations of `tune` come true.

use std::time::Instant;

use lookalike_core::Result;
use lookalike_core::registry::Registry;

use super::{four, row};
use crate::{Data, Experiment, Reproduced, Section};
use lookalike_engine::run::Progress;
use lookalike_judge::TruthSource;
use lookalike_judge::learn::{Interval, Target, Tuned, Tuning, WallTime, tune_each};

pub const EXPERIMENT: Experiment = Experiment {
    name: "tune-intervals",
    paper: "none: our own promise",
    summary: "How often the expected intervals of precision and recall hold what the recipe has on the whole collection",
    data: &["ota-versions.jsonl.zst", "reuters-news.jsonl.zst"],
    quick: false,
    run,
};

const REPEATS: u64 = 20;

fn run(data: &Data, progress: &dyn Progress) -> Result<Reproduced> {
    let began = Instant::now();
    let registry = Registry::with_built_ins();
    let mut sections = Vec::new();
    let mut findings = Vec::new();
    let tasks = [
        (
            "terms of service, labelled clusters, precision of at least 0.8",
            "ota-versions.jsonl.zst",
            TruthSource::ClusterField("cluster".to_owned()),
            Target::Precision(0.8),
            900,
            &["cosine", "word-tuples"][..],
        ),
        (
            "news, word cosine of at least 0.9, recall of at least 0.9",
            "reuters-news.jsonl.zst",
            TruthSource::Exact { measure: "cosine".into(), threshold: "0.9".into(), settings: Vec::new() },
            Target::Recall(0.9),
            6000,
            &["cosine", "imatch"][..],
        ),
    ];
    for (name, file, truth, target, sample, methods) in tasks {
        let job = data.job(&[file], progress)?;
        let methods: Vec<String> = methods.iter().map(|&method| method.to_owned()).collect();
        let tuning = Tuning {
            target,
            truth,
            leave_out: None,
            sample,
            methods,
            check: true,
            time: None,
            resamples: 1000,
            seed: 0,
        };
        let seeds: Vec<u64> = (1..=REPEATS).collect();
        let all = tune_each(&tuning, &seeds, &job, (&registry, &WallTime::start(), progress))?;
        let mut table = vec![row([
            "seed",
            "recipe",
            "precision expected",
            "interval",
            "on all",
            "holds",
            "not drawn",
            "recall expected",
            "interval",
            "on all",
            "holds",
            "not drawn",
        ])];
        table.extend(seeds.iter().zip(&all).map(|(&seed, tuned)| line(seed, tuned)));
        for (figure, of) in [("precision", precision as Read), ("recall", recall as Read)] {
            findings.push(summary(&format!("{name}: {figure}"), &all.iter().map(of).collect::<Vec<_>>()));
        }
        sections.push(Section { heading: name.to_owned(), table, ..Section::default() });
    }
    Ok(Reproduced {
        name: EXPERIMENT.name.to_owned(),
        title: "What tune promises, and what comes".to_owned(),
        paper: EXPERIMENT.paper.to_owned(),
        data: vec![
            "ota-versions: dated versions of terms of service; truth is versions of one document".to_owned(),
            "reuters-news: truth by exact join".to_owned(),
        ],
        differs: vec![
            "Each repeat draws a fresh sample with its own seed, chooses a recipe on one half, predicts from the other half, and is \
             judged on the whole collection: its figure is what the interval promises."
                .to_owned(),
            "The documents that were not drawn are another sample, for which the interval was not made; their figures stand beside."
                .to_owned(),
        ],
        sections,
        findings,
        seconds: began.elapsed().as_secs_f64(),
    })
}

/// A figure as expected, on all documents, and on those that were not drawn.
type Seen = (Option<Interval>, Option<f64>, Option<f64>);
type Read = fn(&Tuned) -> Seen;

fn precision(tuned: &Tuned) -> Seen {
    let checked = tuned.checked.as_ref();
    let rest = checked.and_then(|checked| checked.not_drawn.precision);
    (tuned.precision, checked.and_then(|checked| checked.precision), rest)
}

fn recall(tuned: &Tuned) -> Seen {
    let checked = tuned.checked.as_ref();
    let rest = checked.and_then(|checked| checked.not_drawn.recall);
    (tuned.recall, checked.and_then(|checked| checked.recall), rest)
}

fn holds(expected: Option<Interval>, came: Option<f64>) -> bool {
    expected.zip(came).is_some_and(|(expected, came)| expected.holds(came))
}

fn summary(what: &str, all: &[Seen]) -> String {
    let count = |held: fn(&&Seen) -> bool| all.iter().filter(held).count();
    let widths = all.iter().filter_map(|seen| seen.0).map(|interval| interval.high - interval.low);
    format!(
        "{what}: the interval held {} of {} times on the collection, and {} times what came on the documents not drawn; it \
         is {:.3} wide on average.",
        count(|seen| holds(seen.0, seen.1)),
        all.len(),
        count(|seen| holds(seen.0, seen.2)),
        widths.sum::<f64>() / all.len().max(1) as f64
    )
}

fn line(seed: u64, tuned: &Tuned) -> Vec<String> {
    let value = |figure: Option<f64>| figure.map_or("–".to_owned(), four);
    let mut line = vec![seed.to_string(), tuned.name.clone()];
    for (expected, on_all, on_rest) in [precision(tuned), recall(tuned)] {
        line.push(value(expected.map(|figure| figure.value)));
        line.push(expected.map_or("–".to_owned(), |figure| format!("{:.4}–{:.4}", figure.low, figure.high)));
        line.push(value(on_all));
        line.push(if holds(expected, on_all) { "yes" } else { "no" }.to_owned());
        line.push(value(on_rest));
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn held_intervals_are_counted_and_their_widths_averaged() {
        let interval = |low, high| Some(Interval { value: low, low, high });
        let seen = [
            (interval(0.5, 0.7), Some(0.6), Some(0.8)),
            (interval(0.5, 0.9), Some(0.4), Some(0.8)),
            (interval(0.0, 0.0), None, None),
        ];
        let told = summary("recall", &seen);
        assert!(told.contains("held 1 of 3 times") && told.contains("and 1 times"), "{told}");
        assert!(told.contains("0.200 wide"), "{told}");
    }
}
