//! A few plain words of both texts around a difference: most differences are of one or two words, and nothing more
//! has to be read.

use std::ops::Range;

use super::units::Unit;
use super::words::ascii_key;

/// How many words are read.
const WORDS: usize = 6;
/// How many words of a text a difference may have.
const LONGEST: usize = 2;
/// After so many equal bytes the texts go on together.
const EQUAL_BYTES: usize = 24;

/// Words of ASCII letters, with nothing but ASCII between them.
pub struct PlainWords {
    words: [Unit; WORDS],
    count: usize,
}

impl PlainWords {
    /// The words from `start` on, up to the first that is no plain one.
    pub fn read(text: &str, start: usize) -> PlainWords {
        let bytes = text.as_bytes();
        let none = Unit { start, end: start, key: 0, is_date: false };
        let mut found = PlainWords { words: [none; WORDS], count: 0 };
        let mut at = start;
        while found.count < WORDS {
            while bytes.get(at).is_some_and(|&byte| is_separator(byte)) {
                at += 1;
            }
            let from = at;
            while bytes.get(at).is_some_and(u8::is_ascii_alphabetic) {
                at += 1;
            }
            let ends = bytes.get(at).is_some_and(|&byte| is_separator(byte));
            if from == at || !ends {
                break;
            }
            // Most keys are not needed.
            found.words[found.count] = Unit { start: from, end: at, key: 0, is_date: false };
            found.count += 1;
        }
        found
    }

    /// Words by their numbers, without keys.
    pub fn get(&self, numbers: Range<usize>) -> &[Unit] {
        &self.words[numbers]
    }

    /// Words by their numbers, with keys.
    pub fn with_keys(&mut self, text: &str, numbers: Range<usize>) -> &[Unit] {
        for word in &mut self.words[numbers.clone()] {
            word.key = ascii_key(text.as_bytes(), word.start, word.end);
        }
        &self.words[numbers]
    }

    /// Where a word begins.
    pub fn start(&self, number: usize) -> usize {
        self.words[number].start
    }
}

/// How many of the words are the same, and how many of each text have been passed where the texts go on together;
/// `None` if that is not among these words.
pub fn go_on(
    (a, words_a): (&str, &PlainWords),
    (b, words_b): (&str, &PlainWords),
) -> Option<(usize, (usize, usize))> {
    let (count_a, count_b) = (words_a.count, words_b.count);
    let pairs = words_a.get(0..count_a).iter().zip(words_b.get(0..count_b));
    let is_same =
        |x: &Unit, y: &Unit| a.as_bytes()[x.start..x.end].eq_ignore_ascii_case(&b.as_bytes()[y.start..y.end]);
    let same = pairs.take_while(|(x, y)| is_same(x, y)).count();
    let is_equal = |&(x, y): &(usize, usize)| {
        x < count_a && y < count_b && {
            let equal_a = a.as_bytes()[words_a.start(x)..].first_chunk::<EQUAL_BYTES>();
            equal_a.is_some() && equal_a == b.as_bytes()[words_b.start(y)..].first_chunk()
        }
    };
    // Where the words are the same, only something between them or the case of letters differs.
    let mut same_words = (1..=same).map(|number| (number, number));
    if let Some(place) = same_words.find(is_equal) {
        return Some((place.0, place));
    }
    let places = (1..=2 * LONGEST).flat_map(|sum| (0..=sum).map(move |x| (x, sum - x)));
    let mut places = places.filter(|&(x, y)| x <= LONGEST && y <= LONGEST).map(|(x, y)| (same + x, same + y));
    places.find(is_equal).map(|place| (same, place))
}

/// The start of the word before the first difference, or of the one with it, if nothing near it may be part of a
/// number or a date; never before `from`.
pub fn word_before(text: &str, from: usize, place: usize) -> Option<usize> {
    let bytes = &text.as_bytes()[from..place];
    let trimmed = |bytes: &[u8], is: fn(u8) -> bool| {
        bytes.iter().rposition(|&byte| !is(byte)).map_or(0, |last| last + 1)
    };
    let is_letter = |byte: u8| byte.is_ascii_alphabetic();
    let word_end = trimmed(bytes, is_separator);
    let word = trimmed(&bytes[..word_end], is_letter);
    let before = trimmed(&bytes[..word], is_separator);
    // Neither the word nor the one before it may be more than letters.
    let is_plain = word_end > word && word > before && before > 0 && is_letter(bytes[before - 1]);
    is_plain.then_some(from + word)
}

fn is_separator(byte: u8) -> bool {
    byte.is_ascii() && !byte.is_ascii_alphanumeric() && byte != b'_'
}
