//! The trained decision compared with the best single threshold, on every labelled collection.

use std::fmt::Write;
use std::time::Instant;

use lookalike_core::Result;
use lookalike_core::registry::Registry;

use super::collections::{COLLECTIONS, Collection, FILES};
use super::{four, row};
use crate::{Data, Experiment, Reproduced, Section};
use lookalike_engine::run::Progress;
use lookalike_judge::learn::{Quality, Training, TrainingReport, train};

pub const EXPERIMENT: Experiment = Experiment {
    name: "x15-classifier",
    paper: "X15 §3 (no figures in the paper)",
    summary: "Trained classifiers against the best single threshold, tested on documents they have not seen",
    data: &FILES,
    quick: false,
    run,
};

/// Pairs of a collection at most, so that all of them take minutes, not hours.
const MOST: usize = 20_000;

fn run(data: &Data, progress: &dyn Progress) -> Result<Reproduced> {
    let began = Instant::now();
    let registry = Registry::with_built_ins();
    let mut summary = vec![row([
        "collection",
        "pairs",
        "near-duplicates",
        "not proposed",
        "groups",
        "single threshold F1",
        "classifier F1",
        "difference",
        "",
    ])];
    let (mut sections, mut above, mut below) = (Vec::new(), Vec::new(), Vec::new());
    let mut better = 0;
    for collection in &COLLECTIONS {
        let report = learned(collection, data, &registry, progress)?;
        let said = match report.gain {
            Some(gain) if gain.low > 0.0 => {
                above.push(collection.name);
                "above"
            }
            Some(gain) if gain.high < 0.0 => {
                below.push(collection.name);
                "below"
            }
            _ => "equal",
        };
        better += usize::from(report.tested.f1 > report.best_threshold.f1);
        summary.push(vec![
            collection.name.to_owned(),
            report.pairs.to_string(),
            report.near_duplicates.to_string(),
            report.missed.to_string(),
            report.groups.to_string(),
            with_interval(&report.best_threshold),
            with_interval(&report.tested),
            report.gain.map_or("–".to_owned(), |gain| {
                format!("{:+.4} ({:+.4} to {:+.4})", gain.value, gain.low, gain.high)
            }),
            said.to_owned(),
        ]);
        sections.push(details(collection, &report));
    }
    sections.insert(
        0,
        Section {
            heading: "F1 on documents of groups that were not trained on".to_owned(),
            text: "Candidates are those of the method `classifier` (for clough-stevenson, whose texts are rewritten, all pairs); \
                   near-duplicates that it does not propose count as missed. Nested cross-validation over whole groups: \
                   near-duplicates and documents with the same text are never parted, and a pair is judged by a model that \
                   has seen neither of its documents. The learner is `vote`; its cut is chosen by folds inside the training \
                   part. The best single threshold (component and value) is chosen on the same part. \
                   The interval of the difference comes from reweighting whole groups: above or below means that it \
                   lies on one side of 0."
                .to_owned(),
            table: summary,
            figures: Vec::new(),
        },
    );
    Ok(Reproduced {
        name: EXPERIMENT.name.to_owned(),
        title: "A trained decision against the best single threshold".to_owned(),
        paper: EXPERIMENT.paper.to_owned(),
        data: COLLECTIONS.iter().map(|c| format!("{} ({}): {}", c.name, c.file, c.about)).collect(),
        differs: vec![
            "The paper gives no figures and names Enron, RCV1, Reuters-21578 and Keepmedia without labels; these collections have \
             labels by people or by provenance."
                .to_owned(),
            format!("Of more than {MOST} pairs that many are drawn from both classes and stand for all."),
        ],
        sections,
        findings: vec![format!(
            "The classifier has a higher F1 than the best single threshold on {better} of {} collections; with the whole \
             interval above 0 on {} ({}), below it on {}{}.",
            COLLECTIONS.len(),
            above.len(),
            above.join(", "),
            below.len(),
            if below.is_empty() { String::new() } else { format!(" ({})", below.join(", ")) },
        )],
        seconds: began.elapsed().as_secs_f64(),
    })
}

fn learned(
    collection: &Collection,
    data: &Data,
    registry: &Registry,
    progress: &dyn Progress,
) -> Result<TrainingReport> {
    let (job, truth) = collection.open(data, progress)?;
    let training = Training {
        leave_out: collection.leave_out()?,
        fields: collection.fields.iter().map(|&field| field.to_owned()).collect(),
        most: MOST,
        recipe: collection.recipe(registry)?,
        ..Training::new(truth, registry)?
    };
    Ok(train(&training, &job, registry, progress)?.report)
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
