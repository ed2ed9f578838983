//! Words with their places and hashes, read quickly.
//!
//! [`for_each_word_span`] gives the same words; here ASCII, which is most of most texts, takes no copy of any word.

use crate::hash;
use crate::text::for_each_word_span;

/// A word with what dates are recognised by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Word {
    /// Where it is in the text, in bytes.
    pub start: usize,
    pub end: usize,
    /// The hash of the normalised word.
    pub key: u64,
    /// If it begins with digits that may be part of a date.
    pub number: Option<Digits>,
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

/// Adds the words of `text[start..end]`, which must be places where the text can be cut.
pub fn read(text: &str, start: usize, end: usize, words: &mut Vec<Word>) {
    let bytes = &text.as_bytes()[..end];
    let mut at = start;
    while at < end {
        if !belongs(bytes[at]) {
            at += 1;
            continue;
        }
        let from = at;
        let mut is_ascii = true;
        while at < end && belongs(bytes[at]) {
            is_ascii &= bytes[at].is_ascii();
            at += 1;
        }
        if is_ascii {
            let word = &bytes[from..at];
            let number = if word[0].is_ascii_digit() { Digits::of(&text[from..at]) } else { None };
            words.push(Word { start: from, end: at, key: ascii_key(bytes, from, at), number });
        } else {
            for_each_word_span(&text[from..at], |place, word| {
                let (start, end) = (from + place.start, from + place.end);
                words.push(Word { start, end, key: hash::bytes(word.as_bytes()), number: Digits::of(word) });
            });
        }
    }
}

/// Whether a byte is part of a word, or of a character that may be.
#[inline]
fn belongs(byte: u8) -> bool {
    const TABLE: [bool; 256] = {
        let mut table = [false; 256];
        let mut byte = 0;
        while byte < 256 {
            table[byte] = (byte as u8).is_ascii_alphanumeric() || byte == b'_' as usize || byte > 0x7f;
            byte += 1;
        }
        table
    };
    TABLE[usize::from(byte)]
}

/// The hash of an ASCII word in lower case.
#[inline]
pub fn ascii_key(bytes: &[u8], from: usize, to: usize) -> u64 {
    let length = to - from;
    if length > 16 {
        return hash::bytes(&bytes[from..to].to_ascii_lowercase());
    }
    let mut padded = [0; 16];
    match bytes.get(from..from + 16) {
        Some(whole) => padded.copy_from_slice(whole),
        None => padded[..length].copy_from_slice(&bytes[from..to]),
    }
    let [low, high] = [0, 8].map(|half| {
        let kept = length.saturating_sub(half).min(8);
        let mut eight = [0; 8];
        eight.copy_from_slice(&padded[half..half + 8]);
        // Of what follows the word, nothing stays.
        u64::from_le_bytes(eight) & u64::MAX.checked_shr(64 - 8 * kept as u32).unwrap_or(0)
    });
    hash::short(lower(low), lower(high), length)
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
    fn of(word: &str) -> Option<Digits> {
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
        let mut words = Vec::new();
        read(text, 0, text.len(), &mut words);
        let found: Vec<_> = words.iter().map(|word| (word.start..word.end, word.key)).collect();
        assert_eq!(found, word_spans(text), "{text:?}");
    }

    #[test]
    fn awkward_texts_have_the_usual_words() {
        awkward_texts().iter().for_each(|text| check(text));
        check(&(1..40).map(|length| "aZ[@`{Az09_".repeat(4)[..length].to_owned() + " ").collect::<String>());
    }

    proptest! {
        #[test]
        fn any_text_has_the_usual_words(text in "\\PC{0,120}|[a-zA-Z0-9_ @\\[`{é東½]{0,80}") {
            check(&text);
        }
    }
}
