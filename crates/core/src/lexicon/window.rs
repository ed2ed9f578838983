//! Which terms a window of nidf values selects.
//!
//! I-Match takes the terms between two values of normalised idf: those below occur everywhere and
//! say nothing, those above are often misspelt or random (K04 §3).
//!
//! ```
//! use lookalike_core::lexicon::{Lexicon, Window};
//! let lexicon = Lexicon::from_counts(100, [(1, 1), (2, 10), (3, 99)]);
//! let window = Window::parse("0.2:0.8")?;
//! assert_eq!(window.select(&lexicon).terms, 1);
//! # Ok::<(), lookalike_core::Error>(())
//! ```

use super::Lexicon;
use crate::error::{Error, Result};

/// A range of nidf values, both ends included.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Window {
    /// The smallest nidf inside.
    pub lowest: f64,
    /// The largest nidf inside.
    pub highest: f64,
}

/// Tolerance, so that a term right on a border is inside on every machine, however its logarithms
/// are rounded.
const ROUNDING: f64 = 1e-9;

impl Window {
    /// A window; refuses one that is not within 0 to 1 or ends before it begins.
    pub fn new(lowest: f64, highest: f64) -> Result<Self> {
        // NaN is in no range.
        if (0.0..=1.0).contains(&lowest) && (lowest..=1.0).contains(&highest) {
            return Ok(Window { lowest, highest });
        }
        Err(Error::config(format!(
            "the window {lowest}:{highest} must go from a number to one that is not smaller, both from 0 to 1"
        )))
    }

    /// As people write it: `0.2:0.8`.
    pub fn parse(text: &str) -> Result<Self> {
        let ends = text
            .split_once(':')
            .and_then(|(lowest, highest)| Some((lowest.trim().parse().ok()?, highest.trim().parse().ok()?)));
        let (lowest, highest) =
            ends.ok_or_else(|| Error::config(format!("`{text}` is no window; write it like 0.2:0.8")))?;
        Window::new(lowest, highest)
    }

    /// Whether a term of this nidf is inside.
    #[inline]
    pub fn contains(&self, nidf: f64) -> bool {
        self.lowest - ROUNDING <= nidf && nidf <= self.highest + ROUNDING
    }

    /// The range of document frequencies inside the window, if any. Many terms of a large lexicon
    /// share a few frequencies, so testing these is quicker than computing a logarithm for each
    /// term.
    pub fn frequencies(&self, lexicon: &Lexicon) -> Option<std::ops::RangeInclusive<u32>> {
        // nidf falls while df rises.
        let most = u32::try_from(lexicon.documents()).unwrap_or(u32::MAX).max(1);
        let first = first_df(most, |df| lexicon.nidf(df) <= self.highest + ROUNDING)?;
        let behind = first_df(most, |df| lexicon.nidf(df) < self.lowest - ROUNDING);
        // A count above N means the same as N.
        let last = behind.map_or(u32::MAX, |behind| behind - 1);
        (first <= last).then_some(first..=last)
    }

    /// Counts the terms of a lexicon that are inside.
    pub fn select(&self, lexicon: &Lexicon) -> Selection {
        let mut selection = Selection::default();
        let frequencies = self.frequencies(lexicon);
        for (_, df) in lexicon.terms() {
            if frequencies.as_ref().is_some_and(|inside| inside.contains(&df.max(1))) {
                selection.terms += 1;
                selection.occurrences += u64::from(df);
                selection.least_df = Some(selection.least_df.map_or(df, |least| least.min(df)));
                selection.most_df = Some(selection.most_df.map_or(df, |most| most.max(df)));
            }
        }
        selection
    }
}

/// The smallest df from 1 to `most` that fulfils a condition which then holds for all larger ones.
fn first_df(most: u32, holds: impl Fn(u32) -> bool) -> Option<u32> {
    let (mut low, mut high) = (1, most);
    if !holds(high) {
        return None;
    }
    while low < high {
        let middle = low + (high - low) / 2;
        if holds(middle) { high = middle } else { low = middle + 1 }
    }
    Some(low)
}

/// What a window selects.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Selection {
    /// Terms inside.
    pub terms: u64,
    /// The sum of their document frequencies. Divided by N: how many of them a document has.
    pub occurrences: u64,
    /// The smallest document frequency inside, if any is.
    pub least_df: Option<u32>,
    /// The largest document frequency inside, if any is.
    pub most_df: Option<u32>,
}

/// How many terms fall into each of equal parts of the range from 0 to 1; the last part has both
/// its ends.
pub fn histogram(lexicon: &Lexicon, parts: usize) -> Vec<Selection> {
    let parts = parts.max(1);
    let mut bars = vec![Selection::default(); parts];
    for (_, df) in lexicon.terms() {
        let part = ((lexicon.nidf(df) + ROUNDING) * parts as f64) as usize;
        let bar = &mut bars[part.min(parts - 1)];
        bar.terms += 1;
        bar.occurrences += u64::from(df);
        bar.least_df = Some(bar.least_df.map_or(df, |least| least.min(df)));
        bar.most_df = Some(bar.most_df.map_or(df, |most| most.max(df)));
    }
    bars
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn windows_are_read_and_wrong_ones_refused() {
        assert_eq!(Window::parse("0.2:0.8").unwrap(), Window { lowest: 0.2, highest: 0.8 });
        assert_eq!(Window::parse(" 0 : 1 ").unwrap(), Window { lowest: 0.0, highest: 1.0 });
        for bad in
            ["", "0.2", "0.2:", "a:b", "0.8:0.2", "-0.1:0.5", "0.2:1.1", "nan:1", "0:nan", "0.1:0.2:0.3"]
        {
            let error = Window::parse(bad).unwrap_err().to_string();
            assert!(error.contains("window"), "{bad}: {error}");
        }
    }

    #[test]
    fn borders_are_inside_whatever_logarithms_round_to() {
        for exponent in 1..9u32 {
            let lexicon = Lexicon::from_counts(10u64.pow(exponent), []);
            for power in 0..=exponent {
                let border = 1.0 - f64::from(power) / f64::from(exponent);
                let df = 10u32.pow(power);
                let window = Window::new(border, border).unwrap();
                assert!(window.contains(lexicon.nidf(df)), "10^{power} of 10^{exponent}");
                let inside = window.frequencies(&lexicon).unwrap();
                assert!(inside.contains(&df), "{inside:?}");
            }
        }
    }

    proptest! {
        #[test]
        fn selects_what_the_definition_says(
            documents in 0u64..5000, dfs in proptest::collection::vec(0u32..6000, 0..200),
            ends in (0.0f64..=1.0, 0.0f64..=1.0),
        ) {
            let lexicon = Lexicon::from_counts(documents, (0..).zip(dfs.iter().copied()));
            let window = Window::new(ends.0.min(ends.1), ends.0.max(ends.1)).unwrap();
            let inside: Vec<u32> =
                dfs.iter().copied().filter(|&df| window.contains(lexicon.nidf(df))).collect();
            let selection = window.select(&lexicon);
            prop_assert_eq!(selection.terms, inside.len() as u64);
            prop_assert_eq!(selection.occurrences, inside.iter().map(|&df| u64::from(df)).sum::<u64>());
            prop_assert_eq!(selection.least_df, inside.iter().copied().min());
            prop_assert_eq!(selection.most_df, inside.iter().copied().max());
        }

        #[test]
        fn the_parts_of_a_histogram_hold_every_term_once(
            documents in 1u64..5000, dfs in proptest::collection::vec(1u32..6000, 0..200), parts in 1usize..30,
        ) {
            let lexicon = Lexicon::from_counts(documents, (0..).zip(dfs.iter().copied()));
            let bars = histogram(&lexicon, parts);
            prop_assert_eq!(bars.len(), parts);
            prop_assert_eq!(bars.iter().map(|bar| bar.terms).sum::<u64>(), dfs.len() as u64);
            for (part, bar) in bars.iter().enumerate().filter(|(_, bar)| bar.terms > 0) {
                let (low, high) = (part as f64 / parts as f64, (part + 1) as f64 / parts as f64);
                for df in [bar.least_df, bar.most_df].into_iter().flatten() {
                    prop_assert!((low - 1e-8..=high + 1e-8).contains(&lexicon.nidf(df)));
                }
            }
        }
    }
}
