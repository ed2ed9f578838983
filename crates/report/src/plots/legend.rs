//! The names of the series, below a plot, each beside a sample of how it is drawn.

use std::fmt::{self, Write};

use super::scale::text_width;
use crate::text::{escaped, shortened};

const ROW: f64 = 20.0;
const SAMPLE: f64 = 34.0;
const GAP: f64 = 16.0;
const SIZE: f64 = 12.0;
const LETTERS: usize = 48;

pub struct Legend {
    entries: Vec<(f64, f64, String)>,
    height: f64,
}

impl Legend {
    /// Arranges names in rows. A single series needs none: the title says what it is.
    pub fn new(names: &[&str], left: f64, right: f64) -> Self {
        if names.len() < 2 {
            return Legend { entries: Vec::new(), height: 0.0 };
        }
        let mut entries = Vec::with_capacity(names.len());
        let (mut x, mut y) = (left, ROW / 2.0);
        for name in names {
            let name = shortened(name, LETTERS);
            let width = SAMPLE + text_width(&name, SIZE) + GAP;
            if x > left && x + width - GAP > right {
                (x, y) = (left, y + ROW);
            }
            entries.push((x, y, name));
            x += width;
        }
        Legend { entries, height: y + ROW / 2.0 + 4.0 }
    }

    pub fn height(&self) -> f64 {
        self.height
    }

    /// `sample` draws the series into a width of 26 around the height given.
    pub fn draw(
        &self,
        out: &mut String,
        top: f64,
        sample: impl Fn(&mut String, usize, f64, f64) -> fmt::Result,
    ) -> fmt::Result {
        for (series, (x, y, name)) in self.entries.iter().enumerate() {
            let y = top + y;
            sample(out, series, *x, y)?;
            let after = x + SAMPLE;
            writeln!(out, r#"<text class="key" x="{after:.1}" y="{y:.1}">{}</text>"#, escaped(name))?;
        }
        Ok(())
    }
}
