//! The evaluation as a page with plots, which needs no network.

use std::fmt::{self, Write};

use lookalike_learn::Interval;

use super::table::table;
use super::{Evaluated, Judged, WeightProfile};
use lookalike_report::plots::{self, Bin, Columns, Impulse, LinePoint, Lines, STYLE, Series};
use lookalike_report::text::{count, escaped};
use lookalike_report::{Head, rows};

/// Curves and distributions of more recipes than this cannot be distinguished in one picture.
const MOST_SERIES: usize = 8;
/// Sizes of neighbourhoods that share a column.
const SIZES: [(u64, u64); 9] =
    [(1, 1), (2, 2), (3, 3), (4, 5), (6, 10), (11, 20), (21, 50), (51, 200), (201, u64::MAX)];

/// The page; `command` says how it was made.
pub fn page(title: &str, command: &str, evaluated: &Evaluated, profiles: &[WeightProfile]) -> String {
    let mut out = String::new();
    // Writing to a string cannot fail.
    let _ = write_page(&mut out, title, command, evaluated, profiles);
    out
}

fn write_page(
    out: &mut String,
    title: &str,
    command: &str,
    evaluated: &Evaluated,
    profiles: &[WeightProfile],
) -> fmt::Result {
    Head { title, allows: "", style: STYLE }.write(out)?;
    writeln!(
        out,
        "<h1>{}</h1>\n<p>{} documents. Truth: {}. Intervals hold the true figure with 95 % confidence, from {} \
         resamples of groups of linked documents.</p>",
        escaped(title),
        count(evaluated.documents),
        escaped(&evaluated.truth),
        count(evaluated.resamples.into()),
    )?;
    writeln!(out, "<section aria-labelledby=\"figures\">\n<h2 id=\"figures\">Figures</h2>")?;
    rows(out, &table(evaluated))?;
    writeln!(
        out,
        "</section>\n<section aria-labelledby=\"plots\">\n<h2 id=\"plots\">Plots</h2>\n<div class=\"plots\">"
    )?;
    swept(out, evaluated)?;
    curves(out, evaluated)?;
    neighbourhoods(out, evaluated)?;
    let seconds: Vec<(String, f64)> =
        evaluated.results.iter().map(|row| (row.label(), row.seconds)).collect();
    figure(out, |out| plots::elapsed(out, "Elapsed time", &seconds))?;
    out.write_str("</div>\n</section>\n")?;
    fingerprints(out, evaluated)?;
    if !profiles.is_empty() {
        out.write_str("<section aria-labelledby=\"weights\">\n<h2 id=\"weights\">Weights of a document's features</h2>\n")?;
        profiles.iter().try_for_each(|profile| weights(out, profile))?;
        out.write_str("</section>\n")?;
    }
    writeln!(
        out,
        "<section aria-labelledby=\"made\">\n<h2 id=\"made\">How it was made</h2>\n<pre dir=\"ltr\" tabindex=\"0\">{}</pre>\n</section>\n\
         </main>\n</body>\n</html>",
        escaped(command)
    )
}

fn figure(out: &mut String, draw: impl FnOnce(&mut String) -> fmt::Result) -> fmt::Result {
    out.write_str("<figure>")?;
    draw(out)?;
    out.write_str("</figure>\n")
}

/// Each figure against the swept numbers, a line for each method.
fn swept(out: &mut String, evaluated: &Evaluated) -> fmt::Result {
    let mut keys: Vec<&str> = Vec::new();
    for (key, value) in evaluated.results.iter().flat_map(|row| &row.settings) {
        if value.parse::<f64>().is_ok() && !keys.contains(&key.as_str()) {
            keys.push(key);
        }
    }
    type Read = fn(&Judged) -> Option<Interval>;
    let figures: [(&str, Read); 7] = [
        ("Recall", |row| row.judgement.recall),
        ("Precision", |row| row.judgement.precision),
        ("F1", |row| row.judgement.f1),
        ("Recall of a query", |row| row.judgement.queries.recall),
        ("Share of pure clusters", |row| row.judgement.pure_clusters),
        ("Utility", |row| row.judgement.utility.map(bare)),
        ("Near-duplicates of a document", |row| Some(bare(row.neighbours))),
    ];
    for key in keys {
        for (name, read) in figures {
            let series = series_of(evaluated, key, read);
            if series.is_empty()
                || series.len() > MOST_SERIES
                || series.iter().all(|line| line.points.len() < 2)
            {
                continue;
            }
            let title = format!("{name} against {key}");
            let lines = Lines {
                title: &title,
                x_label: key,
                y_label: name,
                series,
                x_range: None,
                y_range: None,
                x_ticks: None,
            };
            figure(out, |out| lines.draw(out))?;
        }
    }
    Ok(())
}

/// A figure without an interval.
fn bare(value: f64) -> Interval {
    Interval { value, low: value, high: value }
}

/// A line for each method and each combination of the other settings.
fn series_of(evaluated: &Evaluated, key: &str, read: impl Fn(&Judged) -> Option<Interval>) -> Vec<Series> {
    let mut series: Vec<Series> = Vec::new();
    for row in &evaluated.results {
        let Some((_, value)) = row.settings.iter().find(|(other, _)| other == key) else { continue };
        let (Ok(x), Some(figure)) = (value.parse::<f64>(), read(row)) else { continue };
        let others = row.settings.iter().filter(|(other, _)| other != key);
        let name: String = std::iter::once(row.name.clone())
            .chain(others.map(|(key, value)| format!(" {key}={value}")))
            .collect();
        let interval = (figure.low < figure.high).then_some((figure.low, figure.high));
        let point = LinePoint { x, y: figure.value, interval };
        match series.iter_mut().find(|line| line.name == name) {
            Some(line) => line.points.push(point),
            None => series.push(Series { name, points: vec![point] }),
        }
    }
    series
}

/// Precision against recall as the threshold falls.
fn curves(out: &mut String, evaluated: &Evaluated) -> fmt::Result {
    let series: Vec<Series> = evaluated
        .results
        .iter()
        .filter(|row| row.curve.len() > 1)
        .map(|row| {
            let point = |point: &lookalike_learn::metrics::Point| LinePoint {
                x: point.recall,
                y: point.precision,
                interval: None,
            };
            Series { name: row.label(), points: row.curve.iter().map(point).collect() }
        })
        .collect();
    if series.is_empty() || series.len() > MOST_SERIES {
        return Ok(());
    }
    let lines = Lines {
        title: "Precision and recall as the threshold falls",
        x_label: "recall",
        y_label: "precision",
        series,
        x_range: Some((0.0, 1.0)),
        y_range: Some((0.0, 1.0)),
        x_ticks: None,
    };
    figure(out, |out| lines.draw(out))
}

fn neighbourhoods(out: &mut String, evaluated: &Evaluated) -> fmt::Result {
    if evaluated.results.len() > MOST_SERIES {
        return Ok(());
    }
    let bin = |&(from, to): &(u64, u64)| {
        let label = match to {
            _ if from == to => from.to_string(),
            u64::MAX => format!("{from}+"),
            _ => format!("{from}–{to}"),
        };
        let documents = |row: &Judged| {
            let sizes = row.neighbourhoods.iter().filter(|(size, _)| (from..=to).contains(size));
            sizes.map(|&(_, documents)| documents as f64).sum()
        };
        Bin { label, values: evaluated.results.iter().map(documents).collect() }
    };
    let columns = Columns {
        title: "Documents by how many the method calls the same",
        x_label: "documents, itself counted",
        y_label: "documents",
        series: evaluated.results.iter().map(Judged::label).collect(),
        // Nearly all documents are alone; they would dwarf all others.
        bins: SIZES[1..].iter().map(bin).collect(),
    };
    figure(out, |out| columns.draw(out))
}

/// How evenly fingerprints fill their space.
fn fingerprints(out: &mut String, evaluated: &Evaluated) -> fmt::Result {
    let mut shown: Vec<&Vec<u64>> = Vec::new();
    for row in &evaluated.results {
        let Some(counts) = &row.first_bytes else { continue };
        // A sweep of the distance does not change the fingerprints.
        if shown.contains(&counts) || shown.len() == MOST_SERIES {
            continue;
        }
        shown.push(counts);
        let title = format!("Fingerprints by their first byte: {}", row.label());
        let bins = counts.iter().enumerate();
        let columns = Columns {
            title: &title,
            x_label: "first byte",
            y_label: "documents",
            series: vec![row.label()],
            bins: bins
                .map(|(byte, &count)| Bin { label: byte.to_string(), values: vec![count as f64] })
                .collect(),
        };
        out.write_str("<div class=\"wide\">")?;
        figure(out, |out| columns.draw(out))?;
        out.write_str("</div>\n")?;
    }
    Ok(())
}

fn weights(out: &mut String, profile: &WeightProfile) -> fmt::Result {
    let impulses = profile.weights.iter().enumerate();
    let plot = plots::ProfilePlot {
        title: &profile.name,
        x_label: "place of the feature",
        y_label: "weight",
        impulses: impulses
            .map(|(place, &weight)| Impulse { place: (place + 1) as f64, weight, name: String::new() })
            .collect(),
        low: None,
        high: None,
    };
    out.write_str("<div class=\"wide\">")?;
    figure(out, |out| plot.draw(out))?;
    out.write_str("</div>\n")
}
