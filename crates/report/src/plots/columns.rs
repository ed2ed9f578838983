//! Counts by kind or by bin: columns, side by side for several series.

use std::fmt::{self, Write};

use super::frame::{Frame, NARROW, WIDE};
use super::legend::Legend;
use super::scale::{Range, figure, is_drawable, text_width};
use crate::text::{escaped, short_count};

const INSIDE: f64 = 190.0;
/// A plot with more bins than this has the full width of the page.
const MANY: usize = 40;
const COLOURS: usize = 6;
const FILLINGS: usize = 4;

/// A plot of columns, one or several side by side in each bin.
#[derive(Clone, Debug, Default)]
pub struct Columns<'a> {
    /// The title above the plot.
    pub title: &'a str,
    /// What the bins are.
    pub x_label: &'a str,
    /// What the heights are.
    pub y_label: &'a str,
    /// Names of the series.
    pub series: Vec<String>,
    /// From left to right.
    pub bins: Vec<Bin>,
}

/// Columns that stand side by side.
#[derive(Clone, Debug, Default)]
pub struct Bin {
    /// Stands below the columns.
    pub label: String,
    /// One for each series; a missing value or NaN has no column.
    pub values: Vec<f64>,
}

impl Columns<'_> {
    /// Writes the plot as inline SVG.
    pub fn draw(&self, out: &mut String) -> fmt::Result {
        let width = if self.bins.len() > MANY { WIDE } else { NARROW };
        let x = Range { low: 0.0, high: self.bins.len().max(1) as f64 };
        let values =
            || self.bins.iter().flat_map(|bin| &bin.values).copied().filter(|value| is_drawable(*value));
        let y = Range::of(values(), Some((0.0, 0.0)));
        let y = if y.high <= 0.5 && values().all(|value| value == 0.0) {
            Range { low: 0.0, high: 1.0 }
        } else {
            y
        };
        let frame = Frame::new(width, INSIDE, x, y.rounded(6));
        let names: Vec<&str> = self.series.iter().map(String::as_str).collect();
        let legend = Legend::new(&names, frame.left(), width);
        frame.open(out, self.title, &self.words(), legend.height())?;
        frame.axes(out, &self.ticks(&frame), self.x_label, self.y_label)?;
        if values().next().is_none() {
            frame.nothing(out)?;
        }
        for (place, bin) in self.bins.iter().enumerate() {
            self.draw_bin(out, &frame, place, bin)?;
        }
        legend.draw(out, frame.end(), |out, place, x, y| {
            let (left, top) = (x + 8.0, y - 6.0);
            write!(out, r#"<path class="{}" d="M{left:.1} {top:.1}h12v12h-12z"/>"#, class(place))
        })?;
        out.write_str("</svg>")
    }

    fn draw_bin(&self, out: &mut String, frame: &Frame, place: usize, bin: &Bin) -> fmt::Result {
        let (left, right) = (frame.place_x(place as f64), frame.place_x(place as f64 + 1.0));
        let series = self.series.len().max(1);
        let gap = ((right - left) * 0.2).min(10.0);
        let column = (right - left - gap) / series as f64;
        let space = if series > 1 { (column * 0.12).min(2.0) } else { 0.0 };
        let base = frame.place_y(0.0);
        let is_drawn = |value: f64| is_drawable(value) && value != 0.0;
        for (index, &value) in
            bin.values.iter().take(series).enumerate().filter(|(_, value)| is_drawn(**value))
        {
            let x = left + gap / 2.0 + index as f64 * column;
            // Small columns next to large ones are still visible.
            let height = (base - frame.place_y(value)).abs().max(1.5);
            let top = if value < 0.0 { base } else { base - height };
            let name = self.series.get(index).filter(|_| self.series.len() > 1);
            let tip = format!(
                "{} {}{}: {}",
                self.x_label,
                bin.label,
                name.map(|name| format!(", {name}")).unwrap_or_default(),
                figure(value)
            );
            let across = (column - space).max(0.5);
            write!(
                out,
                r#"<path class="{}" d="M{x:.2} {top:.1}h{across:.2}v{height:.1}h-{across:.2}z"><title>{}</title></path>"#,
                class(index),
                escaped(&tip)
            )?;
            let number = if value == value.round() && (0.0..1e18).contains(&value) {
                short_count(value as u64)
            } else {
                figure(value)
            };
            if series == 1 && value > 0.0 && text_width(&number, 12.0) < right - left {
                let (middle, above) = (x + across / 2.0, top - 4.0);
                write!(out, r#"<text x="{middle:.1}" y="{above:.1}">{}</text>"#, escaped(&number))?;
            }
            out.write_str("\n")?;
        }
        Ok(())
    }

    /// All labels, of which the axis drops those that touch; for many bins only some, at even steps.
    fn ticks(&self, frame: &Frame) -> Vec<(f64, String)> {
        const STEPS: [usize; 13] = [2, 4, 5, 8, 10, 16, 20, 32, 50, 64, 100, 128, 256];
        let widest = self.bins.iter().map(|bin| text_width(&bin.label, 11.0)).fold(1.0, f64::max);
        let bin_width = frame.inside_width() / self.bins.len().max(1) as f64;
        let fits = |step: &usize| *step as f64 * bin_width >= widest * 2.2;
        let step = match self.bins.len() > MANY {
            true => STEPS.into_iter().find(fits).unwrap_or(self.bins.len()),
            false => 1,
        };
        let middle = |place: usize| frame.place_x(place as f64 + 0.5);
        self.bins
            .iter()
            .enumerate()
            .step_by(step)
            .map(|(place, bin)| (middle(place), bin.label.clone()))
            .collect()
    }

    fn words(&self) -> Vec<String> {
        let told = |(index, name): (usize, &String)| {
            let value = |bin: &Bin| {
                bin.values.get(index).copied().filter(|value| is_drawable(*value) && *value != 0.0)
            };
            let some: Vec<String> = self
                .bins
                .iter()
                .filter_map(|bin| Some(format!("{}: {}", bin.label, figure(value(bin)?))))
                .collect();
            let data = if some.is_empty() { "nothing".to_owned() } else { some.join("; ") };
            format!("{name}, {data}")
        };
        let axes = format!("{} by {}", self.y_label, self.x_label);
        std::iter::once(axes).chain(self.series.iter().enumerate().map(told)).collect()
    }
}

fn class(series: usize) -> String {
    format!("column s{} fill{}", series % COLOURS, series % FILLINGS)
}
