//! Cuts a window of a text into units: words, and dates of several words.

use std::ops::Range;

use super::calendar::may_begin_date;
use super::dates;
use super::words::{self, Digits, PlainWord, Word};
use crate::hash;
use crate::text::{Class, Scratch, class, is_separator, is_stable};

/// A word or a date.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unit {
    /// Where it is in the text, in bytes.
    pub start: usize,
    pub end: usize,
    /// Equal for equal words, whatever their case.
    pub key: u64,
    pub is_date: bool,
}

/// Bytes after a window that are read as well, so that a date at its end is found whole.
const LOOK_AHEAD: usize = 32;

/// The units of a window.
#[derive(Default)]
pub struct Window {
    /// Those that begin in the window.
    pub units: Vec<Unit>,
    /// Whether the window reaches the end of the text.
    pub is_last: bool,
    words: Vec<Word>,
    /// Which of the words begin with digits.
    numbers: Vec<(usize, Digits)>,
    scratch: Scratch,
}

impl Window {
    /// Reads the units of about `bytes` bytes from `start`, which must be a place where the text [can be
    /// cut](can_cut).
    pub fn read(&mut self, text: &str, start: usize, bytes: usize) {
        let end = cut_from(text, start.saturating_add(bytes));
        self.fill(text, start..end, cut_from(text, end.saturating_add(LOOK_AHEAD)));
    }

    /// Reads the units between two places where the text [can be cut](can_cut), and where no date does not end.
    pub fn read_passage(&mut self, text: &str, place: Range<usize>) {
        let end = place.end;
        self.fill(text, place, end);
    }

    /// Reads the units that begin in a part of the text, dates as far as `read_to`.
    fn fill(&mut self, text: &str, Range { start, end }: Range<usize>, read_to: usize) {
        let Window { units, is_last, words, numbers, scratch } = self;
        *is_last = end == text.len();
        units.clear();
        numbers.clear();
        let mut has_name = false;
        words::read(text, start, read_to, scratch, |PlainWord { start, end, key }, digits| {
            numbers.extend(digits.map(|digits| (units.len(), digits)));
            has_name |= may_begin_date(key);
            units.push(Unit { start, end, key, is_date: false });
        });
        if numbers.is_empty() && !has_name {
            while units.last().is_some_and(|unit| unit.start >= end) {
                units.pop();
            }
            return;
        }
        words.clear();
        words.extend(units.iter().map(|&Unit { start, end, key, .. }| Word {
            start,
            end,
            key,
            number: None,
        }));
        numbers.iter().for_each(|&(place, digits)| words[place].number = Some(digits));
        units.clear();
        let mut at = 0;
        while at < words.len() && words[at].start < end {
            let Word { start, end, key, .. } = words[at];
            let length = dates::length(text, words, at);
            let unit = match length {
                0 => Unit { start, end, key, is_date: false },
                _ => {
                    let rest = &words[at + 1..at + length];
                    let end = rest.last().map_or(end, |last| last.end);
                    let key = rest.iter().fold(key, |key, word| hash::combine(key, word.key));
                    Unit { start, end, key, is_date: true }
                }
            };
            units.push(unit);
            at += length.max(1);
        }
    }
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
