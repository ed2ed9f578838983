//! The trained decision compared with the best single threshold, on four collections labelled by
//! people.

use std::fmt::Write;
use std::path::PathBuf;
use std::time::Instant;

use lookalike_core::registry::Registry;
use lookalike_core::{Error, Result};
use lookalike_plumbing::files::AtomicFile;
use serde_json::json;

use super::{four, row};
use crate::{Data, Experiment, Reproduced, Section};
use lookalike_engine::run::Progress;
use lookalike_judge::learn::{Quality, Training, TrainingReport, train};
use lookalike_judge::{FieldFilter, JudgedCorpus, Labels, TruthSource, read_pairs};

pub const EXPERIMENT: Experiment = Experiment {
    name: "x15-classifier",
    paper: "X15 §3 (no figures in the paper)",
    summary: "Trained classifiers against the best single threshold, tested on documents they have not seen",
    data: &[
        "asysd-citations.jsonl.zst",
        "clough-stevenson.jsonl.zst",
        "clough-stevenson.labels.jsonl.zst",
        "licences.jsonl.zst",
        "licences.pairs.jsonl.zst",
        "ota-versions.jsonl.zst",
    ],
    quick: false,
    run,
};

struct Collection {
    name: &'static str,
    about: &'static str,
    file: &'static str,
    truth: TruthSource,
    leave_out: Option<FieldFilter>,
    fields: &'static [&'static str],
}

fn run(data: &Data, progress: &dyn Progress) -> Result<Reproduced> {
    let began = Instant::now();
    let registry = Registry::with_built_ins();
    let mut summary = vec![row([
        "collection",
        "pairs",
        "near-duplicates",
        "groups",
        "best threshold F1",
        "linear SVM",
        "kernel SVM",
        "logistic",
        "tree",
        "forest",
        "the best of them, chosen unseen",
        "gain",
        "recommended",
    ])];
    let (mut sections, mut wins) = (Vec::new(), 0);
    for collection in collections(data, progress)? {
        let report = learned(&collection, data, &registry, progress)?;
        let mut line = vec![
            collection.name.to_owned(),
            report.pairs.to_string(),
            report.near_duplicates.to_string(),
            report.groups.to_string(),
            with_interval(&report.best_threshold),
        ];
        line.extend(report.tried.iter().map(|(_, quality)| four(quality.f1)));
        line.push(with_interval(&report.tested));
        line.push(report.gain.map_or("–".to_owned(), |gain| {
            format!("{:+.4} ({:+.4} to {:+.4})", gain.value, gain.low, gain.high)
        }));
        line.push(if report.recommended { "yes" } else { "no" }.to_owned());
        wins += usize::from(report.recommended);
        summary.push(line);
        sections.push(details(&collection, &report));
    }
    sections.insert(
        0,
        Section {
            heading: "F1 on documents of groups that were not trained on".to_owned(),
            text: "Candidates are those of the method `classifier`; near-duplicates that it does not propose count as missed. \
                   Five folds of whole groups: near-duplicates and documents with the same text are never parted, and a \
                   pair is judged by a model that has seen neither of its documents. The best single threshold (component \
                   and value) is chosen and tested in the same way, and so is the learner that is taken."
                .to_owned(),
            table: summary.clone(),
            figures: Vec::new(),
        },
    );
    Ok(Reproduced {
        name: EXPERIMENT.name.to_owned(),
        title: "A trained decision against the best single threshold".to_owned(),
        paper: EXPERIMENT.paper.to_owned(),
        data: collections(data, progress)?.iter().map(|c| format!("{} ({}): {}", c.name, c.file, c.about)).collect(),
        differs: vec![
            "The paper gives no figures and names Enron, RCV1, Reuters-21578 and Keepmedia without labels; these four collections \
             have labels by people or by provenance."
                .to_owned(),
        ],
        sections,
        findings: vec![format!("The classifier is expected to do better than the best single threshold on {wins} of {} collections.", summary.len() - 1)],
        seconds: began.elapsed().as_secs_f64(),
    })
}

fn collections(data: &Data, progress: &dyn Progress) -> Result<Vec<Collection>> {
    let by_cluster = || TruthSource::ClusterField("cluster".to_owned());
    Ok(vec![
        Collection {
            name: "asysd-citations",
            about: "bibliographic records; truth is the human decision, 104 records left out where titles and decision disagree; author, \
                    year, journal and doi compared beside title and abstract",
            file: "asysd-citations.jsonl.zst",
            truth: by_cluster(),
            leave_out: Some(FieldFilter::parse("ambiguous")?),
            fields: &["author", "year", "journal", "doi"],
        },
        Collection {
            name: "clough-stevenson",
            about: "short answers, copied, lightly or heavily revised, or not; all three kinds of reuse are near-duplicates",
            file: "clough-stevenson.jsonl.zst",
            truth: TruthSource::Pairs {
                file: data.path("clough-stevenson.labels.jsonl.zst"),
                labels: Labels {
                    positive: ["cut", "light", "heavy"].map(str::to_owned).to_vec(),
                    ..Labels::default()
                },
                rest: None,
            },
            leave_out: None,
            fields: &[],
        },
        Collection {
            name: "licences",
            about: "pairs of licence texts and notices with Jaccard >= 0.8; near-duplicates name the same licence expression, the others \
                    (22 %) are hard negatives",
            file: "licences.jsonl.zst",
            truth: TruthSource::Pairs {
                file: licence_labels(data, progress)?,
                labels: Labels::default(),
                rest: None,
            },
            leave_out: None,
            fields: &[],
        },
        Collection {
            name: "ota-versions",
            about: "dated versions of terms of service; near-duplicates are versions of one document, hard negatives other documents with \
                    a word cosine >= 0.5",
            file: "ota-versions.jsonl.zst",
            truth: by_cluster(),
            leave_out: None,
            fields: &[],
        },
    ])
}

/// Pairs of similar licences, labelled by whether their expressions are the same.
fn licence_labels(data: &Data, progress: &dyn Progress) -> Result<PathBuf> {
    let path = data.scratch().join("licence-labels.jsonl");
    if path.exists() {
        return Ok(path);
    }
    let corpus =
        JudgedCorpus::read(&data.job(&["licences.jsonl.zst"], progress)?, &["license".to_owned()], None)?;
    let licence =
        |id: &str| corpus.number(id).and_then(|number| corpus.field("license")[number as usize].clone());
    let labels = Labels { field: "j".to_owned(), least: Some(0.0), ..Labels::default() };
    let mut file = AtomicFile::create(&path)?;
    for pair in read_pairs(&data.path("licences.pairs.jsonl.zst"), &labels)?.0 {
        let (Some(a), Some(b)) = (licence(&pair.a), licence(&pair.b)) else {
            return Err(Error::Input(format!("no licence is known of {} or {}", pair.a, pair.b)));
        };
        file.write(format!("{}\n", json!({ "a": pair.a, "b": pair.b, "label": a == b })).as_bytes())?;
    }
    file.finish()?;
    Ok(path)
}

fn learned(
    collection: &Collection,
    data: &Data,
    registry: &Registry,
    progress: &dyn Progress,
) -> Result<TrainingReport> {
    let training = Training {
        leave_out: collection.leave_out.clone(),
        fields: collection.fields.iter().map(|&field| field.to_owned()).collect(),
        ..Training::new(collection.truth.clone(), registry)?
    };
    Ok(train(&training, &data.job(&[collection.file], progress)?, registry, progress)?.report)
}

fn details(collection: &Collection, report: &TrainingReport) -> Section {
    let mut table = vec![row(["", "precision", "recall", "F1", "accuracy"])];
    for (name, quality) in report
        .tried
        .iter()
        .chain(std::iter::once(&("best single threshold".to_owned(), report.best_threshold)))
    {
        let mut line = vec![name.clone()];
        line.extend([quality.precision, quality.recall, quality.f1, quality.accuracy].map(four));
        table.push(line);
    }
    let instead = report.instead.as_ref();
    let mut text = format!(
        "{}. {} pairs teach, {} of them near-duplicates; {} candidates are different documents; {} near-duplicates are \
         no candidates. Calibrated confidence: Brier score {:.4}, expected error {:.4}. Single threshold: {}. What weighs \
         most: {}.",
        collection.about,
        report.pairs,
        report.near_duplicates,
        report.hard_negatives,
        report.missed,
        report.brier,
        report.calibration_error,
        instead.map_or("–".to_owned(), |instead| format!("{} >= {}", instead.component, instead.threshold)),
        report.importance.iter().take(5).map(|(name, _)| name.as_str()).collect::<Vec<_>>().join(", "),
    );
    for note in report.notes.iter().filter(|note| !note.starts_with("trained on")) {
        let _ = write!(text, " {note}.");
    }
    Section { heading: collection.name.to_owned(), text, table, figures: Vec::new() }
}

/// The F1 with its interval.
pub fn with_interval(quality: &Quality) -> String {
    let interval = quality.intervals.and_then(|intervals| intervals.f1);
    interval.map_or_else(|| four(quality.f1), |f1| format!("{:.4} ({:.3}–{:.3})", f1.value, f1.low, f1.high))
}
