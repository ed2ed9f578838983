//! Figures as inline SVG: drawn once, without scripts, coloured by the page's style.

use std::fmt::{self, Write};

use super::text::{count, counted, duration, escaped, percent, round_percent, short_count, shortened};

/// All charts have the same width; the page scales them together so that their letters stay the
/// same size.
const WIDTH: f64 = 400.0;
const HEIGHT: f64 = 210.0;
/// Leaves room for a number above the tallest column, and for the label of a line above that.
const TOP: f64 = 32.0;
const BASELINE: f64 = 170.0;
const SIDE: f64 = 4.0;

/// Smallest and largest cluster of each column.
const SIZES: [(u64, u64); 9] =
    [(2, 2), (3, 3), (4, 4), (5, 9), (10, 19), (20, 49), (50, 99), (100, 999), (1000, u64::MAX)];

/// Columns of a chart of similarities.
const BINS: usize = 20;

/// How many clusters have how many documents, as columns.
pub fn cluster_sizes(out: &mut String, sizes: &[(u64, u64)]) -> fmt::Result {
    let mut columns = Vec::new();
    let mut ticks = Vec::new();
    for (index, (from, to)) in SIZES.into_iter().enumerate() {
        let label = match to {
            _ if from == to => from.to_string(),
            u64::MAX => format!("{from}+"),
            _ => format!("{from}–{to}"),
        };
        let clusters = sizes.iter().filter(|(size, _)| (from..=to).contains(size)).map(|(_, n)| n).sum();
        columns.push((format!("{label} documents: {}", counted(clusters, "cluster")), clusters));
        ticks.push((index as f64 + 0.5, label));
    }
    let title = "Clusters by number of documents";
    Histogram { title, axis: "documents in the cluster", columns, ticks, line: None }.draw(out)
}

/// Counts similarities from the threshold up, for [`similarities`].
pub fn bins(threshold: f64, similarities: impl Iterator<Item = f64>) -> Vec<(f64, f64, u64)> {
    let width = (1.0 - threshold) / BINS as f64;
    if width.is_nan() || width <= 0.0 {
        return Vec::new();
    }
    let mut counts = [0u64; BINS];
    for similarity in similarities {
        let bin = ((similarity - threshold) / width).max(0.0) as usize;
        counts[bin.min(BINS - 1)] += 1;
    }
    let edge = |bin: usize| threshold + width * bin as f64;
    counts.iter().enumerate().map(|(bin, &count)| (edge(bin), edge(bin + 1), count)).collect()
}

/// What was counted at each similarity: `pair` or another noun.
pub fn similarities(out: &mut String, noun: &str, bins: &[(f64, f64, u64)], threshold: f64) -> fmt::Result {
    let columns = bins.iter().map(|&(from, to, pairs)| {
        (format!("{} to {} %: {}", round_percent(from), round_percent(to), counted(pairs, noun)), pairs)
    });
    let edges = bins.iter().map(|bin| bin.0).chain(bins.last().map(|bin| bin.1));
    // So many that the labels do not touch, counted from the right: the last edge is 100 %.
    let step = (bins.len() + 1).div_ceil(11);
    let ticks = edges.enumerate().filter(|(index, _)| (bins.len() - index).is_multiple_of(step));
    let line = bins.iter().position(|(from, to, _)| (*from..*to).contains(&threshold)).map(|index| {
        let (from, to, _) = bins[index];
        (index as f64 + (threshold - from) / (to - from), format!("threshold {} %", round_percent(threshold)))
    });
    Histogram {
        title: &format!("Number of {noun}s by similarity"),
        axis: "similarity, %",
        columns: columns.collect(),
        ticks: ticks.map(|(index, edge)| (index as f64, round_percent(edge))).collect(),
        line,
    }
    .draw(out)
}

/// How long each stage took, as bars.
pub fn stages(out: &mut String, stages: &[(String, f64)]) -> fmt::Result {
    let total: f64 = stages.iter().map(|(_, seconds)| seconds).filter(|seconds| seconds.is_finite()).sum();
    let rows = stages.iter().map(|(stage, seconds)| Bar {
        name: stage,
        length: *seconds,
        label: format!("{} · {}", duration(*seconds), percent(seconds / total)),
    });
    bars(out, "Time by stage", &rows.collect::<Vec<_>>())
}

/// A row of a chart.
pub struct Bar<'a> {
    /// What the bar stands for.
    pub name: &'a str,
    /// In any unit: the longest bar is as wide as the chart.
    pub length: f64,
    /// Stands at the end of the bar.
    pub label: String,
}

/// Names below each other, each with a bar.
pub fn bars(out: &mut String, title: &str, rows: &[Bar]) -> fmt::Result {
    const ROW: f64 = 24.0;
    const VALUES: f64 = 135.0;
    const LETTERS: usize = 16;
    let longest = rows.iter().map(|row| row.length).fold(0.0, f64::max);
    let letters = rows.iter().map(|row| row.name.chars().count()).max().unwrap_or(0).min(LETTERS);
    let names = letters as f64 * 7.0 + 12.0;
    let description: Vec<String> = rows.iter().map(|row| format!("{}: {}", row.name, row.label)).collect();
    open(out, title, &description, rows.len() as f64 * ROW + 8.0)?;
    for (index, row) in rows.iter().enumerate() {
        let top = index as f64 * ROW + 4.0;
        let width = (row.length / longest * (WIDTH - names - VALUES)).clamp(1.0, WIDTH);
        let width = if width.is_nan() { 1.0 } else { width };
        let text = top + ROW / 2.0;
        write!(
            out,
            r#"<text class="name" x="{}" y="{text}">{}</text>
<rect class="bar" x="{names}" y="{}" width="{width:.1}" height="{}" rx="2"/>
<text class="stage" x="{:.1}" y="{text}">{}</text>"#,
            names - 8.0,
            escaped(&shortened(row.name, LETTERS)),
            top + 4.0,
            ROW - 8.0,
            names + width + 8.0,
            escaped(&row.label),
        )?;
    }
    out.write_str("</svg>")
}

/// How many of the input's documents stay and go.
pub fn kept_and_removed(out: &mut String, kept: u64, removed: u64) -> fmt::Result {
    let all = kept + removed;
    if all == 0 {
        return Ok(());
    }
    // Anything above 0 is visible, however thin.
    let mut kept_width = kept as f64 / all as f64 * 1000.0;
    if kept > 0 && removed > 0 {
        kept_width = kept_width.clamp(3.0, 997.0);
    }
    write!(
        out,
        r#"<svg class="share" viewBox="0 0 1000 10" preserveAspectRatio="none" role="img"
aria-label="{} kept, {} removed">
<rect class="kept" width="{kept_width:.1}" height="10"/>
<rect class="removed" x="{kept_width:.1}" width="{:.1}" height="10"/></svg>"#,
        count(kept),
        count(removed),
        1000.0 - kept_width,
    )
}

struct Histogram<'a> {
    title: &'a str,
    axis: &'static str,
    /// The tooltip of a column, and its height.
    columns: Vec<(String, u64)>,
    /// Labels below, placed in columns from the left.
    ticks: Vec<(f64, String)>,
    /// A horizontal line, placed likewise.
    line: Option<(f64, String)>,
}

impl Histogram<'_> {
    fn draw(&self, out: &mut String) -> fmt::Result {
        let description: Vec<&str> = self.columns.iter().map(|(label, _)| label.as_str()).collect();
        open(out, self.title, &description, HEIGHT)?;
        let tallest = self.columns.iter().map(|(_, value)| *value).max().unwrap_or(0).max(1);
        let column = (WIDTH - 2.0 * SIDE) / self.columns.len().max(1) as f64;
        let gap = (column * 0.18).min(6.0);
        for (index, (label, value)) in self.columns.iter().enumerate().filter(|(_, (_, value))| *value > 0) {
            // Small columns next to large ones are still visible.
            let height = (*value as f64 / tallest as f64 * (BASELINE - TOP)).max(2.0);
            let left = SIDE + index as f64 * column;
            let top = BASELINE - height;
            write!(
                out,
                r#"<g><title>{}</title>
<rect class="bar" x="{:.1}" y="{top:.1}" width="{:.1}" height="{height:.1}"/>"#,
                escaped(label),
                left + gap / 2.0,
                column - gap,
            )?;
            if column >= 32.0 || *value == tallest {
                let middle = (left + column / 2.0).clamp(SIDE + 16.0, WIDTH - SIDE - 16.0);
                let bottom = top - 5.0;
                write!(out, r#"<text x="{middle:.1}" y="{bottom:.1}">{}</text>"#, short_count(*value))?;
            }
            out.write_str("</g>")?;
        }
        write!(out, r#"<path class="axis" d="M{SIDE} {BASELINE}H{}"/>"#, WIDTH - SIDE)?;
        for (place, label) in &self.ticks {
            let (x, y) = (SIDE + place * column, BASELINE + 15.0);
            write!(out, r#"<text class="tick" x="{x:.1}" y="{y}">{}</text>"#, escaped(label))?;
        }
        if let Some((place, label)) = &self.line {
            let x = SIDE + place * column;
            let side = if x < WIDTH / 2.0 { "after" } else { "before" };
            write!(
                out,
                r#"<path class="line" d="M{x:.1} 2V{BASELINE}"/><text class="{side}" x="{:.1}" y="10">{}</text>"#,
                if side == "after" { x + 5.0 } else { x - 5.0 },
                escaped(label),
            )?;
        }
        write!(
            out,
            r#"<text class="unit" x="{}" y="{}">{}</text></svg>"#,
            WIDTH / 2.0,
            HEIGHT - 6.0,
            self.axis
        )
    }
}

/// Starts a picture that a screen reader reads out as its title and its values.
fn open(out: &mut String, title: &str, values: &[impl AsRef<str>], height: f64) -> fmt::Result {
    write!(
        out,
        r#"<svg class="chart" viewBox="0 0 {WIDTH} {height}" role="img" aria-label="{}. "#,
        escaped(title)
    )?;
    for value in values {
        write!(out, "{}; ", escaped(value.as_ref()))?;
    }
    out.write_str(r#"">"#)
}
