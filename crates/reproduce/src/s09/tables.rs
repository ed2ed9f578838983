//! Tables 6.1 and 6.2 of the thesis, beside our figures.

use lookalike_learn::Interval;

use super::DISTANCES;
use super::measure::{Cell, Row};
use crate::{Figure, Section};
use lookalike_report::plots::{LinePoint, Lines, Series};
use lookalike_report::text::count;

pub fn precision(rows: &[Row]) -> Section {
    let mut svg = String::new();
    let series = |row: &Row| {
        let point = |(cell, &distance): (&Cell, &u32)| LinePoint {
            x: f64::from(distance),
            y: value(cell.person.precision),
            interval: cell.person.precision.map(|figure| (figure.low, figure.high)),
        };
        Series {
            name: row.variant.name.clone(),
            points: row.cells.iter().zip(&DISTANCES).map(point).collect(),
        }
    };
    let lines = Lines {
        title: "Precision by distance",
        x_label: "Hamming distance at most",
        y_label: "precision",
        series: rows.iter().take(8).map(series).collect(),
        y_range: Some((0.0, 1.0)),
        x_ticks: Some(vec![0.0, 1.0, 2.0, 3.0]),
        ..Lines::default()
    };
    // Writing to a string cannot fail.
    let _ = lines.draw(&mut svg);
    Section {
        heading: "Precision (Table 6.1)".to_owned(),
        text: "The share of found pairs that are near-duplicates by the stand-in for the thesis's person; unclear pairs do not count. Rows without figures of the thesis are adjustments that it proposes or constants chosen as it chose its own.".to_owned(),
        table: beside(rows, |paper| paper.0, |cell| short(cell.person.precision)),
        figures: vec![Figure { caption: "Our precision with intervals of 95 % from resampling, for the rows of Table 6.1.".to_owned(), svg }],
    }
}

pub fn exact_precision(rows: &[Row]) -> Section {
    Section {
        heading: "Precision by exact measures".to_owned(),
        text: "The same pairs, all of them, judged by a Jaccard similarity of word 3-grams of at least 0.5 (j) and by a cosine of distinct words of at least 0.9 (c).".to_owned(),
        table: each(
            rows,
            |distance| vec![format!("pairs {}", at(distance)), format!("j {}", at(distance)), format!("c {}", at(distance))],
            |cell| vec![count(cell.pairs), short(cell.resemblance.precision), short(cell.cosine.precision)],
        ),
        figures: Vec::new(),
    }
}

pub fn recall(rows: &[Row]) -> Section {
    Section {
        heading: "Recall, which the thesis could not measure".to_owned(),
        text: "The share of near-duplicates by the stand-in that are found, and how many found pairs it leaves unclear.".to_owned(),
        table: each(
            rows,
            |distance| vec![format!("recall {}", at(distance)), format!("unclear {}", at(distance))],
            |cell| vec![short(cell.person.recall), count(cell.unclear)],
        ),
        figures: Vec::new(),
    }
}

pub fn neighbours(rows: &[Row]) -> Section {
    Section {
        heading: "Average number of near-duplicates (Table 6.2)".to_owned(),
        text: "Ours: over all documents, and in brackets the size of the cluster of a document that has any, itself counted. The thesis does not say which it averaged; its text calls the figures sizes of clusters.".to_owned(),
        table: beside(rows, |paper| paper.1, |cell| format!("{:.2} ({:.2})", cell.size.mean, cell.size.of_those_with_any)),
        figures: Vec::new(),
    }
}

pub fn heading(first: &str, of_each: impl Fn(u32) -> Vec<String>) -> Vec<String> {
    std::iter::once(first.to_owned())
        .chain(DISTANCES.iter().flat_map(|&distance| of_each(distance)))
        .collect()
}

pub fn at(distance: u32) -> String {
    if distance == 0 { "= 0".to_owned() } else { format!("≤ {distance}") }
}

/// A row for each variant: the figures of the thesis and ours, for each distance.
fn beside(
    rows: &[Row],
    paper: impl Fn(&([f64; 4], [f64; 4])) -> [f64; 4],
    ours: impl Fn(&Cell) -> String,
) -> Vec<Vec<String>> {
    let head = heading("Method", |distance| {
        vec![format!("thesis {}", at(distance)), format!("ours {}", at(distance))]
    });
    let line = |row: &Row| {
        let mut line = vec![row.variant.name.clone()];
        let figures = row.variant.paper.as_ref().map(&paper);
        for (place, cell) in row.cells.iter().enumerate() {
            line.push(figures.map_or("–".to_owned(), |figures| format!("{:.2}", figures[place])));
            line.push(ours(cell));
        }
        line
    };
    std::iter::once(head).chain(rows.iter().map(line)).collect()
}

fn each(
    rows: &[Row],
    of_each: impl Fn(u32) -> Vec<String>,
    cells: impl Fn(&Cell) -> Vec<String>,
) -> Vec<Vec<String>> {
    let line = |row: &Row| {
        std::iter::once(row.variant.name.clone()).chain(row.cells.iter().flat_map(&cells)).collect()
    };
    std::iter::once(heading("Method", of_each)).chain(rows.iter().map(line)).collect()
}

pub fn value(figure: Option<Interval>) -> f64 {
    figure.map_or(f64::NAN, |figure| figure.value)
}

pub fn short(figure: Option<Interval>) -> String {
    figure.map_or("–".to_owned(), |figure| format!("{:.2}", figure.value))
}
