//! The figures of L17 as tables and plots.

use lookalike_learn::Interval;

use super::cases::{Case, POSITION, THRESHOLDS};
use super::measured::{BY_EDIT, ByThreshold, Edits, PAPER_SECONDS, SIZES};
use super::natural::Natural;
use super::types::Type;
use crate::{Figure, Section};
use lookalike_judge::Judged;
use lookalike_report::plots::{LinePoint, Lines, Series};

pub fn type_section(kind: &Type, case: &Case, results: &ByThreshold) -> Section {
    let number =
        ["html", "pdf", "doc", "txt"].iter().position(|name| *name == kind.name).map_or(0, |place| place + 1);
    let accuracy = format!("{}: accuracy by threshold", kind.name);
    let f1 = format!("{}: F1 by threshold", kind.name);
    let paper = match kind.name {
        "txt" => "The paper's accuracy is 0.95 (Table 2).",
        "pdf" => "The paper's accuracy is 0.95 to 0.97 (Table 2).",
        _ => "The paper gives no number.",
    };
    Section {
        heading: format!("Metrics with {} documents (Figure 8.{number})", kind.name),
        text: format!("{} near-duplicates and {} different pairs. {paper}", case.positives, case.negatives),
        table: threshold_table(results),
        figures: vec![
            plot(&accuracy, "accuracy", results, |judged| judged.judgement.accuracy),
            plot(&f1, "F1", results, |judged| judged.judgement.f1),
        ],
    }
}

pub fn edit_section(edits: &Edits) -> Section {
    let name = |(method, threshold): &(&str, &str)| {
        if threshold.is_empty() { (*method).to_owned() } else { format!("{method}, {threshold}") }
    };
    let mut table =
        vec![std::iter::once("Edit".to_owned()).chain(BY_EDIT.iter().map(name)).collect::<Vec<_>>()];
    for (edit, recalls) in &edits.rows {
        let cells = recalls.iter().map(|recall| format!("{recall:.2}"));
        table.push(std::iter::once(edit.name().to_owned()).chain(cells).collect());
    }
    Section {
        heading: "By position and by content: recall for each edit".to_owned(),
        text: "The share of documents whose edited copy is found, of all types together. One word in front is the test: by position it shifts everything that follows.".to_owned(),
        table,
        figures: Vec::new(),
    }
}

pub fn natural_section(natural: &[Natural], judged: &[ByThreshold]) -> Section {
    let head = ["Set", "Method", "near / different"].map(str::to_owned).into_iter();
    let mut table = vec![
        head.chain(THRESHOLDS.map(|threshold| format!("at {threshold}: accuracy / F1"))).collect::<Vec<_>>(),
    ];
    for (one, results) in natural.iter().zip(judged) {
        for row in threshold_table(results).into_iter().skip(1) {
            let pairs = format!("{} / {}", one.case.positives, one.case.negatives);
            let mut row = row.into_iter();
            let method = row.next().unwrap_or_default();
            table.push([one.name.to_owned(), method, pairs].into_iter().chain(row).collect());
        }
    }
    Section {
        heading: "Near-duplicates that nobody made for the test".to_owned(),
        text: "The same methods where the labels come with the data. Different pairs are documents next to each other in length, except for Clough–Stevenson, whose labels have both.".to_owned(),
        table,
        figures: Vec::new(),
    }
}

pub fn time_section(times: &[(&'static str, Vec<f64>)]) -> Section {
    let mut table = vec![
        std::iter::once("Method".to_owned())
            .chain(SIZES.map(|size| format!("{size} documents")))
            .collect::<Vec<_>>(),
    ];
    for (method, seconds) in times {
        let cells = seconds.iter().map(|seconds| format!("{:.1} ms", seconds * 1e3));
        table.push(std::iter::once((*method).to_owned()).chain(cells).collect());
    }
    let series = |(method, seconds): &(&'static str, Vec<f64>)| Series {
        name: (*method).to_owned(),
        points: seconds
            .iter()
            .zip(SIZES)
            .map(|(seconds, size)| LinePoint { x: size as f64, y: seconds * 1e3, interval: None })
            .collect(),
    };
    let lines = Lines {
        title: "Time by number of documents",
        x_label: "documents",
        y_label: "milliseconds",
        series: times.iter().map(series).collect(),
        y_range: Some((0.0, 0.0)),
        ..Lines::default()
    };
    let thousand =
        times.iter().find(|(method, _)| *method == POSITION).and_then(|(_, seconds)| seconds.last().copied());
    let each = thousand.map_or(String::new(), |seconds| {
        format!(" LSBS takes {:.3} ms for each of the thousand documents; the paper: {PAPER_SECONDS} s for one more.", seconds)
    });
    Section {
        heading: "Elapsed time of the methods (Figure 10)".to_owned(),
        text: format!(
            "News articles: reading them, and finding all pairs among them, at threshold 0.8.{each}"
        ),
        table,
        figures: vec![drawn(&lines, "Time to find all pairs, by number of documents.".to_owned())],
    }
}

/// Rows of methods, columns of thresholds, accuracy and F1 in each cell.
fn threshold_table(results: &ByThreshold) -> Vec<Vec<String>> {
    let head = THRESHOLDS.map(|threshold| format!("at {threshold}: accuracy / F1"));
    let mut table = vec![std::iter::once("Method".to_owned()).chain(head).collect::<Vec<_>>()];
    for (method, judged) in results {
        let cell = |place: usize| {
            let judgement = &at(judged, place).judgement;
            format!("{} / {}", short(judgement.accuracy), short(judgement.f1))
        };
        table.push(std::iter::once((*method).to_owned()).chain((0..THRESHOLDS.len()).map(cell)).collect());
    }
    table
}

fn plot(
    title: &str,
    y_label: &str,
    results: &ByThreshold,
    figure: impl Fn(&Judged) -> Option<Interval>,
) -> Figure {
    let series = |(method, judged): &(&'static str, Vec<Judged>)| {
        let point = |(place, threshold): (usize, &&str)| {
            let figure = figure(at(judged, place));
            LinePoint {
                x: threshold.parse().unwrap_or(f64::NAN),
                y: figure.map_or(f64::NAN, |figure| figure.value),
                interval: figure.map(|figure| (figure.low, figure.high)),
            }
        };
        Series { name: (*method).to_owned(), points: THRESHOLDS.iter().enumerate().map(point).collect() }
    };
    let lines = Lines {
        title,
        x_label: "threshold",
        y_label,
        series: results.iter().map(series).collect(),
        y_range: Some((0.0, 1.0)),
        ..Lines::default()
    };
    drawn(&lines, format!("{title}, with intervals of 95 %."))
}

fn drawn(lines: &Lines<'_>, caption: String) -> Figure {
    let mut svg = String::new();
    // Writing to a string cannot fail.
    let _ = lines.draw(&mut svg);
    Figure { caption, svg }
}

/// The figures of a method at the index of a threshold.
pub fn at(results: &[Judged], place: usize) -> &Judged {
    &results[place.min(results.len() - 1)]
}

fn short(figure: Option<Interval>) -> String {
    figure.map_or("–".to_owned(), |figure| format!("{:.2}", figure.value))
}
