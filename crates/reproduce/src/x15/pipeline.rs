//! The framework as a whole: cluster, classify within clusters, keep; compared with plain thresholds
//! over all pairs.

use std::time::Instant;

use lookalike_core::Result;
use lookalike_core::registry::Registry;

use super::unseen::unseen;
use super::{SEED, four, row};
use crate::{Data, Experiment, Reproduced, Section};
use lookalike_engine::Recipe;
use lookalike_engine::run::Progress;
use lookalike_judge::{Contestant, Evaluated, Evaluation, Judged, TruthSource, evaluate};

pub const EXPERIMENT: Experiment = Experiment {
    name: "x15-pipeline",
    paper: "X15 §3 and §4, Figures 1 to 3 (no figures in the paper)",
    summary: "Fuzzy c-means as narrowing, and the classifier within clusters, against plain thresholds",
    data: &["reuters21578.jsonl.zst", "ota-versions.jsonl.zst"],
    quick: false,
    run,
};

fn run(data: &Data, progress: &dyn Progress) -> Result<Reproduced> {
    let began = Instant::now();
    let registry = Registry::with_built_ins();
    let narrowed = narrowing(data, &registry, progress)?;
    let (whole, found) = unseen(data, &registry, progress)?;
    let sentence = |row: &Judged| {
        let narrowing = row.narrowing.first().map(|narrowed| &narrowed.narrowing);
        narrowing.map(|narrowing| {
            format!(
                "{} saves {:.1} % of the comparisons and finds {} of the pairs that all comparisons find.",
                row.name,
                100.0 * narrowing.saved,
                row.judgement.recall.map_or("–".to_owned(), |recall| four(recall.value)),
            )
        })
    };
    let mut findings: Vec<String> = narrowed.results.iter().filter_map(sentence).collect();
    findings.extend(found);
    Ok(Reproduced {
        name: EXPERIMENT.name.to_owned(),
        title: "Cluster, classify within clusters, keep".to_owned(),
        paper: EXPERIMENT.paper.to_owned(),
        data: vec![
            "Reuters-21578, all 21,578 items; truth for the narrowing: what all comparisons find".to_owned(),
            "ota-versions: versions of terms of service; truth: versions of one document".to_owned(),
        ],
        differs: vec![
            "The paper prints no measurements, and its test loop compares neighbours in a list; here each document is compared with \
             all others of its clusters."
                .to_owned(),
            "The paper leaves its fuzzifier open; ours is 1.02. With the usual 2, memberships of sparse text are nearly equal: fewer \
             comparisons are saved and more pairs lost (docs/parts.md has figures)."
                .to_owned(),
        ],
        sections: vec![
            Section {
                heading: "Narrowing: Reuters-21578".to_owned(),
                text: format!(
                    "{} documents; decision: tf-idf cosine of at least 0.8. Truth: {}.",
                    narrowed.documents, narrowed.truth
                ),
                table: narrowing_table(&narrowed),
                figures: Vec::new(),
            },
        ]
        .into_iter()
        .chain(whole)
        .collect(),
        findings,
        seconds: began.elapsed().as_secs_f64(),
    })
}

/// Judged against all pairs of the same measure.
fn narrowing(data: &Data, registry: &Registry, progress: &dyn Progress) -> Result<Evaluated> {
    let recipe = |clustering: &str| -> Result<(String, Recipe)> {
        let text = format!(
            "method = 'cosine'\n[features]\ntype = 'terms'\nstop_words = 'english'\nweight = 'idf'\nlexicon = 'english'\n\
             [candidates]\ntype = 'clusters'\nclustering = '{clustering}'\nfloor = 0.79\n[decide]\nmeasure = 'weighted-cosine'\n\
             threshold = 0.8"
        );
        Ok((clustering.to_owned(), Recipe::from_toml(&text, registry)?))
    };
    let recipes = [recipe("fuzzy-c-means")?, recipe("k-means")?];
    let job = data.job(&["reuters21578.jsonl.zst"], progress)?;
    // All comparisons, by the same measure, so that only the losses by clustering differ.
    let settings = [
        ("features.type", "terms"),
        ("features.stop_words", "english"),
        ("features.weight", "idf"),
        ("features.lexicon", "english"),
        ("candidates.type", "clusters"),
        ("candidates.clustering", "none"),
        ("candidates.floor", "0.79"),
    ];
    let truth = TruthSource::Exact {
        measure: "weighted-cosine".to_owned(),
        threshold: "0.8".to_owned(),
        settings: settings.map(|(key, value)| (key.to_owned(), value.to_owned())).to_vec(),
    };
    let evaluation = Evaluation { resamples: 200, seed: SEED, ..Evaluation::new(truth) };
    evaluate(&evaluation, &Contestant::all(&recipes, &[])?, &job, registry, progress)
}

fn narrowing_table(evaluated: &Evaluated) -> Vec<Vec<String>> {
    let mut table = vec![row(["clustering", "clusters", "comparisons", "saved", "recall", "seconds"])];
    for judged in &evaluated.results {
        let Some(narrowing) = judged.narrowing.first().map(|narrowed| &narrowed.narrowing) else { continue };
        let recall = judged.judgement.recall;
        table.push(vec![
            judged.name.clone(),
            narrowing.clusters.to_string(),
            narrowing.comparisons.to_string(),
            format!("{:.2} %", 100.0 * narrowing.saved),
            recall.map_or("–".to_owned(), |recall| four(recall.value)),
            format!("{:.1}", judged.seconds),
        ]);
    }
    table
}
