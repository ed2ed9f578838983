//! What all plots share: the picture with its description, axes, grid and labels.

use std::fmt::{self, Write};

use super::scale::{Range, text_width};
use crate::text::escaped;

/// The widths of a plot next to another, and of one across the page.
pub const NARROW: f64 = 480.0;
pub const WIDE: f64 = 960.0;

const TICK_SIZE: f64 = 11.0;
/// Leaves room for the label of the y axis.
const TOP: f64 = 30.0;
const RIGHT: f64 = 14.0;
/// From the x axis to the middle of its ticks, and to its label.
const BELOW: f64 = 16.0;
const LABEL_BELOW: f64 = 34.0;

/// The area inside the axes.
pub struct Frame {
    width: f64,
    left: f64,
    bottom: f64,
    x: Range,
    y: Range,
    y_ticks: Vec<(f64, String)>,
}

impl Frame {
    /// `inside` is the height between the axis and the top of the scale.
    pub fn new(width: f64, inside: f64, x: Range, y: Range) -> Self {
        let y_ticks = y.ticks(6);
        let widest = y_ticks.iter().map(|(_, label)| text_width(label, TICK_SIZE)).fold(0.0, f64::max);
        Frame { width, left: widest + 12.0, bottom: TOP + inside, x, y, y_ticks }
    }

    /// Where the legend begins.
    pub fn end(&self) -> f64 {
        self.bottom + LABEL_BELOW + 10.0
    }

    pub fn inside_width(&self) -> f64 {
        self.width - RIGHT - self.left
    }

    pub fn left(&self) -> f64 {
        self.left
    }

    pub fn place_x(&self, value: f64) -> f64 {
        self.left + self.x.share(value) * self.inside_width()
    }

    pub fn place_y(&self, value: f64) -> f64 {
        self.bottom - self.y.share(value) * (self.bottom - TOP)
    }

    /// Begins the picture: its title and a description of its data.
    pub fn open(&self, out: &mut String, title: &str, words: &[String], legend: f64) -> fmt::Result {
        let wide = if self.width > NARROW { " wide" } else { "" };
        let (width, height) = (self.width, self.end() + legend);
        let title = escaped(title);
        write!(
            out,
            r#"<svg class="chart plot{wide}" viewBox="0 0 {width} {height:.0}" role="img" aria-label="{title}">
<title>{title}</title>
<desc>"#
        )?;
        for sentence in words {
            write!(out, "{}. ", escaped(sentence))?;
        }
        out.write_str("</desc>\n")
    }

    /// Grid, axis, ticks and labels. The ticks of the x axis that would touch their neighbour are left out.
    pub fn axes(
        &self,
        out: &mut String,
        x_ticks: &[(f64, String)],
        x_label: &str,
        y_label: &str,
    ) -> fmt::Result {
        let (left, right, bottom) = (self.left, self.width - RIGHT, self.bottom);
        for (value, label) in &self.y_ticks {
            let y = self.place_y(*value);
            write!(
                out,
                r#"<path class="grid" d="M{left:.1} {y:.1}H{right:.1}"/><text class="tick value" x="{:.1}" y="{y:.1}">{}</text>"#,
                left - 6.0,
                escaped(label)
            )?;
        }
        writeln!(out, r#"<path class="axis" d="M{left:.1} {bottom:.1}H{right:.1}"/>"#)?;
        let mut free_from = f64::NEG_INFINITY;
        for (x, label) in x_ticks {
            let half = text_width(label, TICK_SIZE) / 2.0;
            // Labels at the ends stay inside the picture.
            let middle = x.clamp(half.min(self.width / 2.0), (self.width - half).max(self.width / 2.0));
            if middle - half < free_from {
                continue;
            }
            free_from = middle + half + 6.0;
            let y = bottom + BELOW;
            write!(
                out,
                r#"<path class="axis" d="M{x:.1} {bottom:.1}v4"/><text class="tick" x="{middle:.1}" y="{y:.1}">{}</text>"#,
                escaped(label)
            )?;
        }
        writeln!(
            out,
            r#"<text class="unit" x="{:.1}" y="{:.1}">{}</text><text class="unit over" x="2" y="12">{}</text>"#,
            (left + right) / 2.0,
            bottom + LABEL_BELOW,
            escaped(x_label),
            escaped(y_label)
        )
    }

    /// The message in the middle of a plot without data.
    pub fn nothing(&self, out: &mut String) -> fmt::Result {
        let (x, y) = (self.left + self.inside_width() / 2.0, (TOP + self.bottom) / 2.0);
        writeln!(out, r#"<text class="nothing" x="{x:.1}" y="{y:.1}">no data</text>"#)
    }
}
