//! Figures against a setting, or against each other: lines through points, which may have
//! intervals.

use std::fmt::{self, Write};

use super::frame::{Frame, NARROW};
use super::legend::Legend;
use super::scale::{Range, figure, is_drawable, label, text_width};
use crate::text::escaped;

const INSIDE: f64 = 210.0;
/// A line of more points has markers and tooltips at some points only, and a band for its
/// intervals.
const FEW: usize = 24;
/// How many points of a line with more than [`FEW`] are marked and described.
const MARKED: usize = 9;
const TOLD: usize = 24;

/// A plot of one or several lines.
#[derive(Clone, Debug, Default)]
pub struct Lines<'a> {
    /// The title above the plot.
    pub title: &'a str,
    /// The label of the horizontal axis.
    pub x_label: &'a str,
    /// The label of the vertical axis.
    pub y_label: &'a str,
    /// The lines.
    pub series: Vec<Series>,
    /// The least range of the horizontal axis; if absent, that of the points.
    pub x_range: Option<(f64, f64)>,
    /// The same for the vertical axis.
    pub y_range: Option<(f64, f64)>,
    /// The ticks; if absent, round numbers.
    pub x_ticks: Option<Vec<f64>>,
}

/// One line.
#[derive(Clone, Debug, Default)]
pub struct Series {
    /// For the legend.
    pub name: String,
    /// In the order in which they are joined. A NaN interrupts the line.
    pub points: Vec<LinePoint>,
}

/// A point of a line.
#[derive(Clone, Copy, Debug)]
pub struct LinePoint {
    /// The horizontal position.
    pub x: f64,
    /// The vertical position.
    pub y: f64,
    /// The interval.
    pub interval: Option<(f64, f64)>,
}

impl LinePoint {
    fn is_drawable(&self) -> bool {
        is_drawable(self.x) && is_drawable(self.y)
    }

    fn bounds(&self) -> Option<(f64, f64)> {
        self.interval.filter(|(low, high)| is_drawable(*low) && is_drawable(*high))
    }
}

impl Lines<'_> {
    /// Writes the plot as inline SVG.
    pub fn draw(&self, out: &mut String) -> fmt::Result {
        let points =
            || self.series.iter().flat_map(|series| &series.points).filter(|point| point.is_drawable());
        let x = Range::of(points().map(|point| point.x), self.x_range);
        let bounds = points().filter_map(LinePoint::bounds).flat_map(|(low, high)| [low, high]);
        let y = Range::of(points().map(|point| point.y).chain(bounds), self.y_range);
        let y = if self.y_range.is_some() { y } else { y.rounded(6) };
        let frame = Frame::new(NARROW, INSIDE, x, y);
        let names: Vec<&str> = self.series.iter().map(|series| series.name.as_str()).collect();
        let legend = Legend::new(&names, frame.left(), NARROW);
        frame.open(out, self.title, &self.words(), legend.height())?;
        frame.axes(out, &self.ticks(&frame, x), self.x_label, self.y_label)?;
        if points().next().is_none() {
            frame.nothing(out)?;
        }
        // Bands lie below all lines, lines below all markers.
        for (place, series) in self.series.iter().enumerate() {
            series.draw_intervals(out, &frame, place)?;
        }
        for (place, series) in self.series.iter().enumerate() {
            series.draw_line(out, &frame, place)?;
        }
        for (place, series) in self.series.iter().enumerate() {
            series.draw_markers(out, &frame, place, (self.x_label, self.y_label))?;
        }
        legend.draw(out, frame.end(), |out, place, x, y| {
            let (line, middle) = (line_class(place), x + 13.0);
            write!(out, r#"<path class="{line}" d="M{x:.1} {y:.1}h26"/>"#)?;
            marker(out, place, middle, y, "")
        })?;
        out.write_str("</svg>")
    }

    fn ticks(&self, frame: &Frame, x: Range) -> Vec<(f64, String)> {
        let placed = |(value, label): (f64, String)| (frame.place_x(value), label);
        let Some(ticks) = &self.x_ticks else {
            let widest = x.ticks(8).iter().map(|(_, label)| text_width(label, 11.0)).fold(20.0, f64::max);
            let most = (frame.inside_width() / (widest + 14.0)) as usize;
            return x.ticks(most.clamp(2, 11)).into_iter().map(placed).collect();
        };
        let mut ticks: Vec<f64> = ticks
            .iter()
            .copied()
            .filter(|tick| is_drawable(*tick) && (x.low..=x.high).contains(tick))
            .collect();
        ticks.sort_unstable_by(f64::total_cmp);
        let named = |value: f64| if value == value.round() { label(value, 1.0) } else { figure(value) };
        ticks.into_iter().map(|value| placed((value, named(value)))).collect()
    }

    /// A sentence with the data of every series.
    fn words(&self) -> Vec<String> {
        let told = |series: &Series| {
            let drawn: Vec<&LinePoint> = series.points.iter().filter(|point| point.is_drawable()).collect();
            let some = spread(drawn.len(), TOLD).map(|place| in_words(drawn[place]));
            let data =
                if drawn.is_empty() { "no data".to_owned() } else { some.collect::<Vec<_>>().join("; ") };
            format!("{}: {data}", series.name)
        };
        let axes = format!("{} against {}", self.y_label, self.x_label);
        std::iter::once(axes).chain(self.series.iter().map(told)).collect()
    }
}

impl Series {
    fn is_long(&self) -> bool {
        self.points.len() > FEW
    }

    /// Parts of a line without a gap.
    fn runs(&self) -> impl Iterator<Item = &[LinePoint]> {
        self.points.split(|point| !point.is_drawable()).filter(|run| !run.is_empty())
    }

    fn draw_line(&self, out: &mut String, frame: &Frame, place: usize) -> fmt::Result {
        for run in self.runs() {
            write!(out, r#"<path class="{}" d=""#, line_class(place))?;
            for (index, point) in run.iter().enumerate() {
                let command = if index == 0 { 'M' } else { 'L' };
                write!(out, "{command}{:.1} {:.1}", frame.place_x(point.x), frame.place_y(point.y))?;
            }
            out.write_str("\"/>\n")?;
        }
        Ok(())
    }

    fn draw_intervals(&self, out: &mut String, frame: &Frame, place: usize) -> fmt::Result {
        let colour = place % COLOURS;
        if self.is_long() {
            let has_bounds = |point: &LinePoint| point.is_drawable() && point.bounds().is_some();
            for run in self.points.split(|point| !has_bounds(point)).filter(|run| run.len() > 1) {
                let bounds = |point: &LinePoint| point.bounds().unwrap_or((point.y, point.y));
                write!(out, r#"<path class="band s{colour}" d="M"#)?;
                for point in run {
                    write!(out, "{:.1} {:.1} ", frame.place_x(point.x), frame.place_y(bounds(point).1))?;
                }
                for point in run.iter().rev() {
                    write!(out, "{:.1} {:.1} ", frame.place_x(point.x), frame.place_y(bounds(point).0))?;
                }
                out.write_str("Z\"/>\n")?;
            }
            return Ok(());
        }
        for point in self.points.iter().filter(|point| point.is_drawable()) {
            if let Some((low, high)) = point.bounds() {
                let (x, low, high) = (frame.place_x(point.x), frame.place_y(low), frame.place_y(high));
                let (from, to) = (x - 3.0, x + 3.0);
                writeln!(
                    out,
                    r#"<path class="whisker s{colour}" d="M{x:.1} {low:.1}V{high:.1}M{from:.1} {low:.1}H{to:.1}M{from:.1} {high:.1}H{to:.1}"/>"#
                )?;
            }
        }
        Ok(())
    }

    fn draw_markers(
        &self,
        out: &mut String,
        frame: &Frame,
        place: usize,
        labels: (&str, &str),
    ) -> fmt::Result {
        let drawn: Vec<&LinePoint> = self.points.iter().filter(|point| point.is_drawable()).collect();
        let most = if self.is_long() { MARKED } else { FEW };
        for at in spread(drawn.len(), most) {
            let point = drawn[at];
            let tip = format!("{}, {} {}", self.name, labels.0, in_words(point));
            marker(out, place, frame.place_x(point.x), frame.place_y(point.y), &tip)?;
            out.write_str("\n")?;
        }
        Ok(())
    }
}

const COLOURS: usize = 6;

/// How many series share a dash or filling before it changes.
fn line_class(place: usize) -> String {
    format!("curve s{} dash{}", place % COLOURS, place % 4)
}

/// Circle, square, triangle, diamond, and a triangle upside down; then the same hollow.
fn marker(out: &mut String, place: usize, x: f64, y: f64, tip: &str) -> fmt::Result {
    const SHAPES: [&str; 5] = [
        "m-4 0a4 4 0 1 0 8 0a4 4 0 1 0 -8 0z",
        "m-3.6 -3.6h7.2v7.2h-7.2z",
        "m0 -4.8l4.6 8.2h-9.2z",
        "m0 -5l5 5l-5 5l-5 -5z",
        "m0 4.8l4.6 -8.2h-9.2z",
    ];
    let shape = SHAPES[place % SHAPES.len()];
    let open = if place / SHAPES.len() % 2 == 1 { " open" } else { "" };
    write!(out, r#"<path class="mark s{}{open}" d="M{x:.1} {y:.1}{shape}">"#, place % COLOURS)?;
    if !tip.is_empty() {
        write!(out, "<title>{}</title>", escaped(tip))?;
    }
    out.write_str("</path>")
}

fn in_words(point: &LinePoint) -> String {
    let interval = point.bounds().map(|(low, high)| format!(" ({} to {})", figure(low), figure(high)));
    format!("{}: {}{}", figure(point.x), figure(point.y), interval.unwrap_or_default())
}

/// At most this many of the indices, spread evenly, including both ends.
fn spread(places: usize, most: usize) -> impl Iterator<Item = usize> {
    let count = places.min(most);
    (0..count).map(move |turn| if count < 2 { 0 } else { turn * (places - 1) / (count - 1) })
}
