//! Results as rows: for a terminal, and with every figure for a spreadsheet.

use lookalike_learn::Interval;

use super::{Evaluated, Judged};
use lookalike_report::csv::{foreign, quoted};
use lookalike_report::text::cell;

/// A heading and a row for each recipe; columns without information are left out.
pub fn table(evaluated: &Evaluated) -> Vec<Vec<String>> {
    type Cell = fn(&Judged) -> String;
    let columns: [(&str, Cell); 10] = [
        ("precision", |row| with_interval(row.judgement.precision)),
        ("recall", |row| with_interval(row.judgement.recall)),
        ("F1", |row| with_interval(row.judgement.f1)),
        ("query recall", |row| plain(row.judgement.queries.recall.map(|recall| recall.value))),
        ("pure", |row| plain(row.judgement.pure_clusters.map(|share| share.value))),
        ("utility", |row| row.judgement.utility.map_or(String::new(), |utility| format!("{utility:.2}"))),
        ("legitimate", |row| row.judgement.legitimate_matched.map_or(String::new(), |n| n.to_string())),
        ("ARI", |row| plain(row.judgement.ari)),
        ("neighbours", |row| format!("{:.2}", row.neighbours)),
        ("time", |row| format!("{:.2} s", row.seconds)),
    ];
    let mut rows = vec![vec!["METHOD".to_owned()]];
    rows.extend(evaluated.results.iter().map(|row| vec![row.label()]));
    for (heading, cell) in columns {
        let cells: Vec<String> = evaluated.results.iter().map(cell).collect();
        if cells.iter().all(String::is_empty) {
            continue;
        }
        rows[0].push(heading.to_owned());
        for (row, cell) in rows[1..].iter_mut().zip(cells) {
            row.push(if cell.is_empty() { "–".to_owned() } else { cell });
        }
    }
    rows
}

fn plain(figure: Option<f64>) -> String {
    figure.map_or(String::new(), |figure| format!("{figure:.4}"))
}

/// `0.9876 (0.981–0.993)`.
pub fn with_interval(figure: Option<Interval>) -> String {
    figure.map_or(String::new(), |Interval { value, low, high }| format!("{value:.4} ({low:.3}–{high:.3})"))
}

/// Every figure, one line for each recipe.
pub fn csv(evaluated: &Evaluated) -> String {
    let mut keys: Vec<&str> = Vec::new();
    for (key, _) in evaluated.results.iter().flat_map(|row| &row.settings) {
        if !keys.contains(&key.as_str()) {
            keys.push(key);
        }
    }
    let figures: Vec<Vec<(String, String)>> = evaluated.results.iter().map(figures).collect();
    let mut header: Vec<String> = vec!["method".to_owned()];
    header.extend(keys.iter().map(|key| foreign(key)));
    header.extend(figures.first().into_iter().flatten().map(|(name, _)| name.clone()));
    let mut text = line(&header);
    for (row, figures) in evaluated.results.iter().zip(&figures) {
        let mut cells = vec![foreign(&row.name)];
        for key in &keys {
            let value = row.settings.iter().find(|(other, _)| other == key);
            // Numbers, also negative ones, are written as such; anything else is text.
            let cell =
                |value: &String| if value.parse::<f64>().is_ok() { value.clone() } else { foreign(value) };
            cells.push(value.map_or(String::new(), |(_, value)| cell(value)));
        }
        cells.extend(figures.iter().map(|(_, figure)| figure.clone()));
        text += &line(&cells);
    }
    text
}

fn figures(row: &Judged) -> Vec<(String, String)> {
    let judgement = &row.judgement;
    let mut all: Vec<(String, String)> = Vec::new();
    let mut add = |name: &str, value: String| all.push((name.to_owned(), value));
    for (name, figure) in [
        ("precision", judgement.precision),
        ("recall", judgement.recall),
        ("f1", judgement.f1),
        ("accuracy", judgement.accuracy),
        ("query_recall", judgement.queries.recall),
        ("query_precision", judgement.queries.precision),
        ("pure_clusters", judgement.pure_clusters),
    ] {
        let part = |part: fn(Interval) -> f64| number(figure.map(part));
        add(name, part(|figure| figure.value));
        add(&format!("{name}_low"), part(|figure| figure.low));
        add(&format!("{name}_high"), part(|figure| figure.high));
    }
    add("utility", number(judgement.utility));
    add("legitimate_matched", judgement.legitimate_matched.map_or(String::new(), |n| n.to_string()));
    add("ari", number(judgement.ari));
    let counts = judgement.counts;
    for (name, count) in [
        ("true_positives", counts.true_positives),
        ("false_positives", counts.false_positives),
        ("false_negatives", counts.false_negatives),
        ("true_negatives", counts.true_negatives),
        ("queries", judgement.queries.asked),
        ("clusters", judgement.cluster_sizes.clusters),
        ("largest_cluster", judgement.cluster_sizes.largest),
        ("candidates", row.candidates),
        ("peak_memory_bytes", row.peak_memory_bytes),
    ] {
        add(name, count.to_string());
    }
    add("average_cluster", number(judgement.cluster_sizes.average));
    add("neighbours", number(Some(row.neighbours)));
    add("seconds", format!("{:.3}", row.seconds));
    all
}

fn number(figure: Option<f64>) -> String {
    figure.map_or(String::new(), cell)
}

fn line(cells: &[String]) -> String {
    cells.iter().cloned().map(quoted).collect::<Vec<_>>().join(",") + "\n"
}
