//! Cuts a window of a text into units: words, and dates of several words.

use std::ops::Range;

use super::calendar::may_begin_date;
use super::dates;
pub use super::words::Unit;
use super::words::{self, Digits, Word};
use crate::hash;
use crate::text::{Class, Glance, Scratch, WordSpans, class, is_separator, is_stable};

/// Bytes after a window that are read as well, so that a date at its end is found whole.
const LOOK_AHEAD: usize = 32;

/// More words than a date can have, and those that are looked at after it.
const LONGEST_DATE: usize = 16;

/// The units of a window.
#[derive(Default)]
pub struct Window {
    /// Those that begin in the window.
    pub units: Vec<Unit>,
    /// Whether the window reaches the end of the text.
    pub is_last: bool,
    /// The words that begin with digits, by their places among the units before dates were found.
    numbers: Vec<(usize, Digits)>,
    /// Where dates may begin among them.
    starts: Vec<usize>,
    scratch: Scratch,
    spans: WordSpans,
}

impl Window {
    /// Reads the units of about `bytes` bytes from `start`, which must be a place where the text [can be
    /// cut](can_cut).
    pub fn read(&mut self, text: &str, start: usize, bytes: usize) {
        let end = cut_from(text, start.saturating_add(bytes));
        self.fill(text, start..end, cut_from(text, end.saturating_add(LOOK_AHEAD)));
    }

    /// Reads the units between two places where the text [can be cut](can_cut), and where no date does not end. Of most
    /// passages all is seen at a glance.
    pub fn read_passage(&mut self, text: &str, place: Range<usize>, glance: &Glance) {
        let (bytes, end) = (text.as_bytes(), place.end);
        self.begin(end == text.len());
        let Window { units, numbers, starts, .. } = self;
        let is_read = glance.words(place.clone(), |Range { start, end }, key| {
            let digits = if bytes[start].is_ascii_digit() { Digits::of(&text[start..end]) } else { None };
            push(units, numbers, starts, Word { start, end, key }, digits);
        });
        if !is_read {
            self.read_words(text, place);
        }
        self.find_dates(text, end);
    }

    /// Reads the units that begin in a part of the text, dates as far as `read_to`: all places where the text
    /// [can be cut](can_cut).
    fn fill(&mut self, text: &str, Range { start, end }: Range<usize>, read_to: usize) {
        self.begin(end == text.len());
        self.read_words(text, start..end);
        // Few windows end with what may be a date.
        if self.starts.last().is_some_and(|&last| last + LONGEST_DATE > self.units.len()) {
            self.read_words(text, end..read_to);
        }
        self.find_dates(text, end);
    }

    fn read_words(&mut self, text: &str, Range { start, end }: Range<usize>) {
        let Window { units, numbers, starts, scratch, spans, .. } = self;
        words::read(text, start, end, (scratch, spans), |word, digits| {
            push(units, numbers, starts, word, digits)
        });
    }

    fn begin(&mut self, is_last: bool) {
        self.is_last = is_last;
        self.units.clear();
        self.numbers.clear();
        self.starts.clear();
    }

    /// Makes one unit of the words of each date, and drops the units that do not begin before `end`.
    fn find_dates(&mut self, text: &str, end: usize) {
        let Window { units, numbers, starts, .. } = self;
        // What is kept has moved to the front as far as `kept`; `at` is the first that has not been looked at.
        let (mut kept, mut at) = (0, 0);
        for &start in &*starts {
            if start < at || units[start].start >= end {
                continue;
            }
            let length = dates::length(text, units, numbers, start);
            let Some(&last) = units[start..].get(length.wrapping_sub(1)) else { continue };
            let rest = &units[start + 1..start + length];
            let key = rest.iter().fold(units[start].key, |key, word| hash::combine(key, word.key));
            let date = Unit { end: last.end, key, is_date: true, ..units[start] };
            units.copy_within(at..start, kept);
            kept += start - at;
            units[kept] = date;
            (kept, at) = (kept + 1, start + length);
        }
        let left = at..units.len();
        units.copy_within(left.clone(), kept);
        units.truncate(kept + left.len());
        while units.last().is_some_and(|unit| unit.start >= end) {
            units.pop();
        }
    }
}

/// Appends a word, and notes whether a date may begin with it.
#[inline(always)]
fn push(
    units: &mut Vec<Unit>,
    numbers: &mut Vec<(usize, Digits)>,
    starts: &mut Vec<usize>,
    Word { start, end, key }: Word,
    digits: Option<Digits>,
) {
    if let Some(digits) = digits {
        numbers.push((units.len(), digits));
        starts.push(units.len());
    } else if may_begin_date(key) {
        starts.push(units.len());
    }
    units.push(Unit { start, end, key, is_date: false });
}

/// Whether the words of a text are those before this place and those after it, each read alone.
pub fn can_cut(text: &str, place: usize) -> bool {
    let bytes = text.as_bytes();
    match (place.checked_sub(1).and_then(|before| bytes.get(before)), bytes.get(place)) {
        (Some(&last), Some(&first)) if is_separator(last) || is_separator(first) => true,
        (Some(last), Some(first)) if last.is_ascii() && first.is_ascii() => false,
        (Some(_), Some(_)) => can_cut_unicode(text, place),
        _ => true,
    }
}

fn can_cut_unicode(text: &str, place: usize) -> bool {
    let Some((before, after)) = text.split_at_checked(place) else { return false };
    let (Some(last), Some(first)) = (before.chars().next_back(), after.chars().next()) else { return true };
    let is_alone = |c: char| matches!(class(c), Class::Single | Class::Separator);
    is_stable(first) && is_stable(last) && (is_alone(first) || is_alone(last))
}

/// The first place from `from` on where the text can be cut.
fn cut_from(text: &str, from: usize) -> usize {
    (from..text.len()).find(|&place| can_cut(text, place)).unwrap_or(text.len())
}

/// The last place up to `to` where the text can be cut, but not before `from`.
pub fn cut_back(text: &str, from: usize, to: usize) -> usize {
    (from..=to).rev().find(|&place| can_cut(text, place)).unwrap_or(from)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const TEXTS: &str = "([a-c]{1,3}|May|3|12:30|2024|Monday|at|of|’|é|東|½|月|日|1年| |,|\\. ){0,60}";

    proptest! {
        /// What follows a window is only read if a date may begin in it, and that is enough.
        #[test]
        fn windows_have_the_units_that_reading_on_gives(text in TEXTS, bytes in 0usize..200) {
            let (mut window, mut whole) = (Window::default(), Window::default());
            window.read(&text, 0, bytes);
            let end = cut_from(&text, bytes);
            whole.read_words(&text, 0..cut_from(&text, end + LOOK_AHEAD));
            whole.find_dates(&text, end);
            prop_assert_eq!(&window.units, &whole.units);
            prop_assert_eq!(window.is_last, end == text.len());
        }

        /// A passage has the same units whether it is seen at a glance or read word by word.
        #[test]
        fn a_glance_sees_the_units_that_reading_gives(text in TEXTS, cut in 0usize..60) {
            let start = cut_from(&text, cut);
            let (mut seen, mut read) = (Window::default(), Window::default());
            seen.read_passage(&text, start..text.len(), &Glance::new(text.as_bytes(), start));
            read.read(&text, start, text.len());
            prop_assert_eq!(&seen.units, &read.units);
        }
    }
}
