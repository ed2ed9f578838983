//! Cuts a window of a text into units: words, and dates of several words.

use std::ops::Range;

use super::dates;
use crate::hash;
use crate::text::{Class, class, for_each_word_span, is_stable};

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
const LOOK_AHEAD: usize = 96;

/// The units of a window.
#[derive(Default)]
pub struct Window {
    /// Those that begin in the window.
    pub units: Vec<Unit>,
    /// Whether the window reaches the end of the text.
    pub is_last: bool,
    words: Vec<Word>,
}

/// A word with what dates are recognised by.
#[derive(Clone, Copy, Debug)]
pub struct Word {
    pub start: usize,
    pub end: usize,
    pub key: u64,
    /// If it begins with digits.
    pub number: Option<Digits>,
}

/// A word that begins with digits.
#[derive(Clone, Copy, Debug)]
pub struct Digits {
    pub value: u32,
    pub count: usize,
    /// A hash of what follows the digits in the word; of an empty text if nothing does.
    pub tail: u64,
}

impl Window {
    /// Reads the units of about `bytes` bytes from `start`, which must be a place where the text [can be
    /// cut](can_cut).
    pub fn read(&mut self, text: &str, start: usize, bytes: usize) {
        let end = cut_from(text, start.saturating_add(bytes));
        let read_to = cut_from(text, end.saturating_add(LOOK_AHEAD));
        self.words.clear();
        let words = &mut self.words;
        for_each_word_span(text.get(start..read_to).unwrap_or_default(), |place, word| {
            let Range { start: from, end: to } = place;
            let key = hash::bytes(word.as_bytes());
            words.push(Word { start: start + from, end: start + to, key, number: Digits::of(word) });
        });
        self.is_last = end == text.len();
        self.units.clear();
        let mut at = 0;
        while at < words.len() && words[at].start < end {
            let length = dates::length(text, words, at);
            let found = &words[at..at + length.max(1)];
            let key = found[1..].iter().fold(found[0].key, |key, word| hash::combine(key, word.key));
            let (start, end) = (found[0].start, found[found.len() - 1].end);
            self.units.push(Unit { start, end, key, is_date: length > 0 });
            at += found.len();
        }
    }
}

impl Digits {
    fn of(word: &str) -> Option<Digits> {
        let count = word.bytes().take_while(u8::is_ascii_digit).count();
        // Longer numbers are no part of a date.
        if !(1..=4).contains(&count) {
            return None;
        }
        let (digits, tail) = word.split_at(count);
        let value = digits.parse().ok()?;
        Some(Digits { value, count, tail: hash::bytes(tail.as_bytes()) })
    }
}

/// Whether the words of a text are those before this place and those after it, each read alone.
pub fn can_cut(text: &str, place: usize) -> bool {
    let (Some(before), Some(after)) = (text.get(..place), text.get(place..)) else { return false };
    let (Some(last), Some(first)) = (before.chars().next_back(), after.chars().next()) else { return true };
    let separates = |c: char| c.is_ascii() && !c.is_ascii_alphanumeric() && c != '_';
    if separates(last) || separates(first) {
        return true;
    }
    let is_single = |c: char| matches!(class(c), Class::Single | Class::Separator);
    is_stable(first) && is_stable(last) && (is_single(first) || is_single(last))
}

/// The first place from `from` on where the text can be cut.
fn cut_from(text: &str, from: usize) -> usize {
    (from..text.len()).find(|&place| can_cut(text, place)).unwrap_or(text.len())
}

/// The last place up to `to` where the text can be cut, but not before `from`.
pub fn cut_back(text: &str, from: usize, to: usize) -> usize {
    (from..=to).rev().find(|&place| can_cut(text, place)).unwrap_or(from)
}
