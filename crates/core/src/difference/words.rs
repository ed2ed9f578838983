//! Words with their places and hashes, read quickly.
//!
//! [`for_each_word_span`](crate::text::for_each_word_span) gives the same words; here ASCII, which is most of most texts, takes no copy of any word.

use std::ops::Range;

use crate::hash;
use crate::text::{Scratch, WordSpans, for_each_stretch};

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

/// A word that begins with one to four digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Digits {
    pub value: u32,
    pub count: usize,
    pub tail: Tail,
}

/// What follows the digits of a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tail {
    Nothing,
    /// `1st`, `2nd`, `1er`, `1º`.
    Ordinal,
    /// `3pm`.
    HalfOfDay,
    /// `2024년`, `3월`, `1일`: which part of a date it is, from 0.
    Part(usize),
    Other,
}

/// A word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Word {
    /// Where it is in the text, in bytes.
    pub start: usize,
    pub end: usize,
    /// The hash of the normalised word.
    pub key: u64,
}

/// Calls `emit` with every word of `text[start..end]`, which must be places where the text can be cut, and with what its
/// digits are.
#[inline(always)]
pub fn read(
    text: &str,
    start: usize,
    end: usize,
    (scratch, spans): (&mut Scratch, &mut WordSpans),
    mut emit: impl FnMut(Word, Option<Digits>),
) {
    let bytes = text.as_bytes();
    for_each_stretch(&bytes[start..end], scratch, |place, key| {
        let (start, end) = (start + place.start, start + place.end);
        let Some(key) = key else { return read_wide(text, start..end, spans, &mut emit) };
        let digits = if bytes[start].is_ascii_digit() { Digits::of(&text[start..end]) } else { None };
        emit(Word { start, end, key }, digits);
    });
}

/// The same for a stretch without separators in which not all is ASCII.
fn read_wide(
    text: &str,
    stretch: Range<usize>,
    spans: &mut WordSpans,
    emit: &mut dyn FnMut(Word, Option<Digits>),
) {
    spans.for_each(&text[stretch.clone()], |place, word| {
        let (start, end) = (stretch.start + place.start, stretch.start + place.end);
        let written = &text[start..end];
        let digits = Digits::of(if written.is_ascii() { written } else { word });
        emit(Word { start, end, key: hash::bytes(word.as_bytes()) }, digits);
    });
}

/// The hash of an ASCII word in lower case.
#[inline]
pub fn ascii_key(bytes: &[u8], from: usize, to: usize) -> u64 {
    let length = to - from;
    if length > 16 {
        return hash::bytes(&bytes[from..to].to_ascii_lowercase());
    }
    let padded = match bytes[from..].first_chunk() {
        // Of what follows the word, nothing stays.
        Some(whole) => {
            u128::from_le_bytes(*whole) & u128::MAX.checked_shr(128 - 8 * length as u32).unwrap_or(0)
        }
        None => {
            let mut padded = [0; 16];
            padded[..length].copy_from_slice(&bytes[from..to]);
            u128::from_le_bytes(padded)
        }
    };
    hash::short(lower(padded as u64), lower((padded >> 64) as u64), length)
}

/// Eight ASCII characters in lower case.
#[inline]
fn lower(bytes: u64) -> u64 {
    const EACH: u64 = 0x0101_0101_0101_0101;
    // The highest bit of each byte tells whether it is at least `A`, or greater than `Z`; ASCII leaves it free.
    let from_a = bytes + EACH * u64::from(0x80 - b'A');
    let after_z = bytes + EACH * u64::from(0x7f - b'Z');
    bytes | ((from_a ^ after_z) & (EACH << 7)) >> 2
}

impl Digits {
    pub fn of(word: &str) -> Option<Digits> {
        if !word.as_bytes().first().is_some_and(u8::is_ascii_digit) {
            return None;
        }
        let count = word.bytes().take_while(u8::is_ascii_digit).count();
        if !(1..=4).contains(&count) {
            return None;
        }
        let (digits, tail) = word.split_at(count);
        let tail = match tail {
            "" => Tail::Nothing,
            "st" | "nd" | "rd" | "th" | "er" | "e" | "o" | "a" => Tail::Ordinal,
            "ST" | "ND" | "RD" | "TH" => Tail::Ordinal,
            "am" | "pm" | "AM" | "PM" => Tail::HalfOfDay,
            "년" => Tail::Part(0),
            "월" => Tail::Part(1),
            "일" => Tail::Part(2),
            _ => Tail::Other,
        };
        Some(Digits { value: digits.parse().ok()?, count, tail })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::testing::awkward_texts;
    use crate::text::word_spans;

    fn check(text: &str) {
        let mut found = Vec::new();
        let buffers = (&mut Scratch::default(), &mut WordSpans::default());
        read(text, 0, text.len(), buffers, |word, _| {
            found.push((word.start..word.end, word.key));
        });
        assert_eq!(found, word_spans(text), "{text:?}");
    }

    #[test]
    fn awkward_texts_have_the_usual_words() {
        awkward_texts().iter().for_each(|text| check(text));
        check(&(1..40).map(|length| "aZ[@`{Az09_".repeat(4)[..length].to_owned() + " ").collect::<String>());
    }

    proptest! {
        #[test]
        fn any_text_has_the_usual_words(text in "\\PC{0,120}|[a-zA-Z0-9_ @\\[`{é東½’“—\u{301}\u{ad}가]{0,80}") {
            check(&text);
            check(&text.replace(|c: char| !c.is_ascii(), ""));
        }
    }
}
