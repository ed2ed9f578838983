//! The framework as a whole: cluster, classify within clusters, keep; compared with plain thresholds
//! over all pairs.

use std::path::PathBuf;
use std::time::Instant;

use lookalike_core::hash::{combine, mix};
use lookalike_core::registry::Registry;
use lookalike_core::{Error, Result, hash};

use super::classifier::with_interval;
use super::{four, row};
use crate::{Data, Experiment, Reproduced, Section};
use lookalike_engine::Recipe;
use lookalike_engine::run::{Job, Progress};
use lookalike_judge::learn::{Training, VOTE, train};
use lookalike_judge::{
    Contestant, Evaluated, Evaluation, Judged, JudgedCorpus, Sweep, TruthSource, evaluate,
};

pub const EXPERIMENT: Experiment = Experiment {
    name: "x15-pipeline",
    paper: "X15 §3 and §4, Figures 1 to 3 (no figures in the paper)",
    summary: "Fuzzy c-means as narrowing, and the classifier within clusters, against plain thresholds",
    data: &["reuters21578.jsonl.zst", "ota-versions.jsonl.zst"],
    quick: false,
    run,
};

const SEED: u64 = 1;
/// The learner that is compared with.
const THRESHOLD: &str = "threshold";
/// Pairs that are trained on at most; of more that many are drawn and stand for all.
const MOST: usize = 8000;

fn run(data: &Data, progress: &dyn Progress) -> Result<Reproduced> {
    let began = Instant::now();
    let registry = Registry::with_built_ins();
    let narrowed = narrowing(data, &registry, progress)?;
    let (whole, finding) = pipeline(data, &registry, progress)?;
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
    findings.push(finding);
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
            whole,
        ],
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

/// Trains on one half of the documents and compares on the other.
fn pipeline(data: &Data, registry: &Registry, progress: &dyn Progress) -> Result<(Section, String)> {
    let (learning, testing) = halves(data, progress)?;
    let truth = TruthSource::ClusterField("cluster".to_owned());
    let within = |clustering: &str| {
        format!(
            "method = 'cosine'\n[features]\ntype = 'terms'\nstop_words = 'english'\nweight = 'idf'\nlexicon = 'english'\n\
             [candidates]\ntype = 'clusters'\nclustering = '{clustering}'\nfloor = 0.3"
        )
    };
    let evaluation = Evaluation { resamples: 500, seed: SEED, ..Evaluation::new(truth.clone()) };
    let mut table =
        vec![row(["pipeline", "threshold", "precision", "recall", "F1", "ARI", "comparisons", "seconds"])];
    let f1 = |judged: &Judged| judged.judgement.f1.map_or(0.0, |figure| figure.value);
    let mut best_plain: f64 = 0.0;
    // Plain thresholds, each chosen on the half on which the classifier was trained.
    for (name, toml) in [
        ("minhash, Jaccard of 3-word shingles", "method = 'minhash'\n[features]\nshingle = 3"),
        ("cosine of words, all pairs", "method = 'cosine'"),
    ] {
        let recipe = (name.to_owned(), Recipe::from_toml(toml, registry)?);
        let sweep = Sweep::parse("decide.threshold=0.3..0.95:0.05")?;
        let tried = Contestant::all(&[recipe], &[sweep])?;
        let learned = evaluate(
            &Evaluation { resamples: 0, ..evaluation.clone() },
            &tried,
            &learning,
            registry,
            progress,
        )?;
        let best =
            (0..tried.len()).max_by(|&x, &y| f1(&learned.results[x]).total_cmp(&f1(&learned.results[y])));
        let Some(best) = best else { continue };
        let tested = evaluate(&evaluation, &tried[best..=best], &testing, registry, progress)?;
        best_plain = best_plain.max(tested.results.first().map_or(0.0, f1));
        table.extend(tested.results.iter().map(|judged| line(name, judged)));
    }
    let mut trained = Vec::new();
    let mut promised = Vec::new();
    for (name, toml) in [
        ("minhash and word-tuples", "method = 'classifier'".to_owned()),
        ("fuzzy c-means", within("fuzzy-c-means")),
    ] {
        let mut recipe = Recipe::from_toml(&toml, registry)?;
        let mut figures = Vec::new();
        for (learner, what) in [(THRESHOLD, "best single threshold"), (VOTE, "classifier")] {
            // Each is trained on the candidates that it will decide.
            let training = Training {
                recipe: recipe.clone(),
                learner: learner.to_owned(),
                most: MOST,
                seed: SEED,
                ..Training::new(truth.clone(), registry)?
            };
            let model = data.scratch().join("ota.model");
            let learned = train(&training, &learning, registry, progress)?;
            learned.write(&model)?;
            if learner == VOTE {
                promised.push(format!("{name}: F1 {}", with_interval(&learned.report.tested)));
            }
            recipe.set("decide.type", "classifier")?;
            recipe.set("decide.model", &model.to_string_lossy())?;
            let label = format!("{name}, {what}");
            let tried = Contestant::all(&[(label.clone(), recipe.clone())], &[])?;
            let tested = evaluate(&evaluation, &tried, &testing, registry, progress)?;
            figures.push(tested.results.first().map_or(0.0, f1));
            table.extend(tested.results.iter().map(|judged| line(&label, judged)));
        }
        trained.push((name, figures));
    }
    let section = Section {
        heading: "The pipeline: terms of service, trained on one half of the documents, tested on the other".to_owned(),
        text: "All pairs of the test half count, so the negatives are those of a real run; within clusters, pairs of a tf-idf cosine below \
               0.3 are passed over. Thresholds are the best on the training \
               half; classifier and single threshold over the same candidates are trained on these."
            .to_owned(),
        table,
        figures: Vec::new(),
    };
    Ok((
        section,
        format!(
            "On the unseen half the best plain method reaches F1 {best_plain:.4}. {} Expected of the classifier after training: {}.",
            trained.iter().map(|(name, figures)| in_words(name, figures)).collect::<Vec<_>>().join(" "),
            promised.join("; ")
        ),
    ))
}

fn in_words(name: &str, figures: &[f64]) -> String {
    let figure = |place: usize| figures.get(place).map_or("–".to_owned(), |&figure| four(figure));
    format!("Over {name} the best single threshold reaches {}, the classifier {}.", figure(0), figure(1))
}

fn line(name: &str, judged: &Judged) -> Vec<String> {
    let value = |figure: Option<lookalike_learn::Interval>| {
        figure.map_or("–".to_owned(), |f| format!("{:.4} ({:.3}–{:.3})", f.value, f.low, f.high))
    };
    let judgement = &judged.judgement;
    vec![
        name.to_owned(),
        format!("{:.3}", judged.threshold),
        value(judgement.precision),
        value(judgement.recall),
        value(judgement.f1),
        judgement.ari.map_or("–".to_owned(), four),
        judged.candidates.to_string(),
        format!("{:.1}", judged.seconds),
    ]
}

/// The documents split by their cluster; documents with the same text follow the first of them.
fn halves(data: &Data, progress: &dyn Progress) -> Result<(Job, Job)> {
    let job = data.job(&["ota-versions.jsonl.zst"], progress)?;
    let corpus = JudgedCorpus::read(&job, &["cluster".to_owned()], None)?;
    let files: Vec<PathBuf> = ["ota-learning", "ota-testing"]
        .iter()
        .map(|name| data.scratch().join(format!("{name}.jsonl")))
        .collect();
    let mut of_text = std::collections::HashMap::new();
    let half = |document: u32| -> Result<usize> {
        let cluster = corpus.field("cluster")[document as usize].as_deref();
        let cluster = cluster.ok_or_else(|| Error::Input("a document has no cluster".to_owned()))?;
        Ok((mix(combine(mix(SEED), hash::bytes(cluster.as_bytes()))) & 1) as usize)
    };
    let mut place_of = Vec::new();
    for document in 0..corpus.len() {
        let own = half(document)?;
        place_of.push(*of_text.entry(corpus.texts[document as usize]).or_insert(own));
    }
    job.corpus()?.part(&files, |document| place_of.get(document.index()).copied())?;
    let over = |path: &PathBuf| Job { inputs: vec![path.to_string_lossy().into_owned()], ..job.clone() };
    Ok((over(&files[0]), over(&files[1])))
}
