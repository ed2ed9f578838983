//! Whether what `tune` expects of a recipe comes true on documents that it has not seen.

use std::time::Instant;

use lookalike_core::Result;
use lookalike_core::registry::Registry;

use super::{four, row};
use crate::judge::TruthSource;
use crate::learn::{Target, Tuned, Tuning, tune};
use crate::reproduce::{Data, Experiment, Reproduced, Section};
use crate::run::Progress;

pub const EXPERIMENT: Experiment = Experiment {
    name: "tune-intervals",
    paper: "none: our own promise",
    summary: "How often the expected interval of precision holds on the documents that were not drawn",
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
        let mut table = vec![row([
            "seed",
            "recipe",
            "precision expected",
            "interval",
            "on the rest",
            "holds",
            "recall expected",
            "interval",
            "on the rest",
            "holds",
        ])];
        let (mut precision, mut recall) = (0, 0);
        for seed in 1..=REPEATS {
            let tuning = Tuning {
                target,
                truth: truth.clone(),
                leave_out: None,
                sample,
                methods: methods.clone(),
                check: true,
                resamples: 1000,
                seed,
            };
            let tuned = tune(&tuning, &job, &registry, progress)?;
            if let Some(checked) = &tuned.checked {
                precision += u64::from(checked.precision_in_interval);
                recall += u64::from(checked.recall_in_interval);
            }
            table.push(line(seed, &tuned));
        }
        findings.push(format!(
            "{name}: the interval of precision held {precision} of {REPEATS} times, that of recall {recall} of {REPEATS} times."
        ));
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
             judged on all documents that were not drawn."
                .to_owned(),
        ],
        sections,
        findings,
        seconds: began.elapsed().as_secs_f64(),
    })
}

fn line(seed: u64, tuned: &Tuned) -> Vec<String> {
    let value = |figure: Option<f64>| figure.map_or("–".to_owned(), four);
    let interval = |figure: Option<crate::learn::Interval>| {
        figure.map_or("–".to_owned(), |figure| format!("{:.4}–{:.4}", figure.low, figure.high))
    };
    let says = |held: bool| if held { "yes" } else { "no" }.to_owned();
    let checked = tuned.checked.as_ref();
    vec![
        seed.to_string(),
        tuned.name.clone(),
        value(tuned.precision.map(|figure| figure.value)),
        interval(tuned.precision),
        value(checked.and_then(|checked| checked.precision)),
        checked.map_or("–".to_owned(), |checked| says(checked.precision_in_interval)),
        value(tuned.recall.map(|figure| figure.value)),
        interval(tuned.recall),
        value(checked.and_then(|checked| checked.recall)),
        checked.map_or("–".to_owned(), |checked| says(checked.recall_in_interval)),
    ]
}
