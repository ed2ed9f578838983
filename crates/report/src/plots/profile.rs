//! What each feature of a document weighs, by its place (S09 figures 3-4 and 5-1 to 5-4): impulses along
//! the text.

use std::fmt::{self, Write};

use super::frame::{Frame, WIDE};
use super::scale::{Range, figure, is_drawable};
use crate::text::{count, escaped};

const INSIDE: f64 = 180.0;
/// How many of the heaviest features are described.
const TOLD: usize = 10;
/// Impulses closer than this share a stroke, which is as long as the longest.
const NEAREST: f64 = 0.5;

/// A plot of the features of one document by their place, each as a stroke as high as its weight.
#[derive(Clone, Debug, Default)]
pub struct ProfilePlot<'a> {
    /// The title above the plot.
    pub title: &'a str,
    /// What the places are.
    pub x_label: &'a str,
    /// What the weights are.
    pub y_label: &'a str,
    /// The features.
    pub impulses: Vec<Impulse>,
    /// Weights below this are not used: they are drawn faintly, with a line at the limit.
    pub low: Option<f64>,
    /// Weights above this are not used, likewise.
    pub high: Option<f64>,
}

/// A feature at its place.
#[derive(Clone, Debug, Default)]
pub struct Impulse {
    /// Where it is.
    pub place: f64,
    /// How heavy it is.
    pub weight: f64,
    /// The feature, if it is to be named among the heaviest.
    pub name: String,
}

impl ProfilePlot<'_> {
    /// Writes the plot as inline SVG.
    pub fn draw(&self, out: &mut String) -> fmt::Result {
        let drawn: Vec<&Impulse> =
            self.impulses.iter().filter(|one| is_drawable(one.place) && is_drawable(one.weight)).collect();
        let x = Range::of(drawn.iter().map(|one| one.place), Some((0.0, 0.0)));
        let y = Range::of(drawn.iter().map(|one| one.weight), Some((0.0, 0.0)));
        let y = if drawn.iter().all(|one| one.weight == 0.0) { Range { low: 0.0, high: 1.0 } } else { y };
        let frame = Frame::new(WIDE, INSIDE, x, y.rounded(6));
        frame.open(out, self.title, &self.words(&drawn), 0.0)?;
        let ticks: Vec<(f64, String)> =
            x.ticks(14).into_iter().map(|(value, label)| (frame.place_x(value), label)).collect();
        frame.axes(out, &ticks, self.x_label, self.y_label)?;
        if drawn.is_empty() {
            frame.nothing(out)?;
        }
        let (used, left_out): (Vec<&Impulse>, Vec<&Impulse>) =
            drawn.iter().partition(|one| self.is_used(one.weight));
        strokes(out, &frame, "impulse faint", &left_out)?;
        strokes(out, &frame, "impulse", &used)?;
        let mut limits = Vec::new();
        for (limit, what) in [(self.low, "lowest"), (self.high, "highest")] {
            if let Some(limit) = limit.filter(|limit| is_drawable(*limit) && (y.low..=y.high).contains(limit))
            {
                let (from, to, y) = (frame.left(), frame.left() + frame.inside_width(), frame.place_y(limit));
                writeln!(out, r#"<path class="line" d="M{from:.1} {y:.1}H{to:.1}"/>"#)?;
                limits.push(format!("{what} weight used {}", figure(limit)));
            }
        }
        if !limits.is_empty() {
            // Above the plot, where no impulse crosses the letters.
            let right = frame.left() + frame.inside_width();
            let text = limits.join(" · ");
            writeln!(out, r#"<text class="before" x="{right:.1}" y="12">{}</text>"#, escaped(&text))?;
        }
        out.write_str("</svg>")
    }

    fn is_used(&self, weight: f64) -> bool {
        self.low.is_none_or(|low| weight >= low) && self.high.is_none_or(|high| weight <= high)
    }

    fn words(&self, drawn: &[&Impulse]) -> Vec<String> {
        let mut words = vec![
            format!("{} against {}", self.y_label, self.x_label),
            format!("{} features", count(drawn.len() as u64)),
        ];
        if self.low.is_some() || self.high.is_some() {
            let used = drawn.iter().filter(|one| self.is_used(one.weight)).count();
            words.push(format!("{} of them are used", count(used as u64)));
        }
        let mut heaviest = drawn.to_vec();
        heaviest.sort_by(|a, b| b.weight.total_cmp(&a.weight).then(a.place.total_cmp(&b.place)));
        let told: Vec<String> = heaviest
            .iter()
            .take(TOLD)
            .map(|one| {
                format!("{} at {}: {}", one.name, figure(one.place), figure(one.weight))
                    .trim_start()
                    .to_owned()
            })
            .collect();
        if !told.is_empty() {
            words.push(format!("The heaviest: {}", told.join("; ")));
        }
        words
    }
}

/// One path for all, since a document may have thousands of features.
fn strokes(out: &mut String, frame: &Frame, class: &str, impulses: &[&Impulse]) -> fmt::Result {
    let base = frame.place_y(0.0);
    let mut placed: Vec<(i64, f64)> = impulses
        .iter()
        .map(|one| ((frame.place_x(one.place) / NEAREST).round() as i64, frame.place_y(one.weight)))
        .collect();
    // Of those that share a stroke, the longest is drawn last.
    placed.sort_by(|a, b| a.0.cmp(&b.0).then((a.1 - base).abs().total_cmp(&(b.1 - base).abs())));
    let longest: Vec<(i64, f64)> =
        placed.chunk_by(|a, b| a.0 == b.0).filter_map(|same| same.last().copied()).collect();
    if longest.is_empty() {
        return Ok(());
    }
    write!(out, r#"<path class="{class}" d=""#)?;
    for (x, y) in longest {
        write!(out, "M{:.1} {base:.1}V{y:.1}", x as f64 * NEAREST)?;
    }
    out.write_str("\"/>\n")
}
