//! Plots of measurements as inline SVG: lines with intervals, columns side by side, impulses along a text.
//!
//! Like the charts they need no script and use the colours of the page's style, which a page with plots
//! completes with [`STYLE`]. Series also differ by marker, dash or filling, so that nothing depends on
//! distinguishing colours, and every plot describes its data in words for screen readers. NaN is left out;
//! no value that is not finite ever reaches the picture.

mod columns;
mod frame;
mod legend;
mod lines;
mod profile;
mod scale;

use std::fmt;

pub use columns::{Bin, Columns};
pub use lines::{LinePoint, Lines, Series};
pub use profile::{Impulse, ProfilePlot};

use super::charts::{Bar, bars};
use super::text::duration;

/// Styles of a page that has plots, for [`super::Head::style`].
pub const STYLE: &str = include_str!("style.css");

/// How long each method took, in seconds.
pub fn elapsed(out: &mut String, title: &str, methods: &[(String, f64)]) -> fmt::Result {
    let rows =
        methods.iter().map(|(name, seconds)| Bar { name, length: *seconds, label: duration(*seconds) });
    bars(out, title, &rows.collect::<Vec<_>>())
}

#[cfg(test)]
mod tests;
