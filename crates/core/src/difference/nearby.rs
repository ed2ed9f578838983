//! Where two texts differ and where they go on together, found by their bytes: of most differences nothing but the
//! words that differ has to be read.
//!
//! What differs must be between two plain words, words of ASCII letters that are part of no date, so that no date and no
//! number reaches across its ends.

use std::ops::Range;

use super::calendar::is_part_of_date;
use super::words::{ascii_key, is_separator};

/// After so many equal bytes the texts go on together.
const EQUAL_BYTES: usize = 24;
/// How many words of each text are looked at, and in how many bytes.
const WORDS: usize = 6;
const WORDS_BYTES: usize = 128;
/// How many words before a difference may be read with it, since they are no plain ones.
const BACK: usize = 4;
/// How many bytes a passage may have that only one text has.
const LONGEST_PASSAGE: usize = 2048;

/// The first difference of two texts.
pub struct Found {
    /// How many equal bytes are before it, up to the end of a word.
    pub after: usize,
    /// The bytes of both texts that differ. Each place begins with a word or is empty, and after it the texts go on
    /// together, or end.
    pub a: Range<usize>,
    pub b: Range<usize>,
}

/// The first difference, after `same` equal bytes from `x` of the first text and `y` of the second on, which must be
/// places where the texts can be cut. `None` if its ends are not found.
pub fn first_difference(a: &[u8], b: &[u8], (x, y): (usize, usize), same: usize) -> Option<Found> {
    let (after, start) = start_of_difference(&a[x..x + same], x == 0 && y == 0)?;
    let (mut words_a, mut words_b) = (Words::new(a, x + start), Words::new(b, y + start));
    let same = same_words(&mut words_a, &mut words_b)?;
    let (from_a, from_b) = (words_a.get(same)?.0, words_b.get(same)?.0);
    let next = go_on(&mut words_a, &mut words_b, same).or_else(|| {
        let (rest_a, rest_b) = (&a[from_a..], &b[from_b..]);
        let in_b = find(rest_a, rest_b);
        let in_a = find(rest_b, &rest_a[..in_b.unwrap_or(rest_a.len()).min(rest_a.len())]);
        match (in_a, in_b) {
            (Some(length), _) => Some((from_a + length, from_b)),
            (None, Some(length)) => Some((from_a, from_b + length)),
            (None, None) => None,
        }
    })?;
    let found = Found { after, a: words_a.get(0)?.0..next.0, b: words_b.get(0)?.0..next.1 };
    // Characters that are not ASCII may separate words, and what separates words must not part what is the same.
    let is_ascii = a[found.a.clone()].is_ascii() && b[found.b.clone()].is_ascii();
    is_ascii.then_some(found)
}

/// Of these bytes, the end of the last plain word that is complete, and the first byte of what is read with a
/// difference after them.
fn start_of_difference(equal: &[u8], is_start: bool) -> Option<(usize, usize)> {
    let after =
        |is: fn(u8) -> bool, end: usize| equal[..end].iter().rposition(|&byte| is(byte)).map(|at| at + 1);
    let mut end = equal.len();
    for _ in 0..BACK {
        // The word with the difference belongs to it.
        let Some(start) = after(is_separator, end) else { break };
        let Some(word_end) = after(|byte| !is_separator(byte), start) else { break };
        let word = after(is_separator, word_end).unwrap_or(0);
        if is_plain(&equal[word..word_end]) {
            return Some((word_end, start));
        }
        end = word_end;
    }
    // Before the first word of a text is nothing.
    (is_start && end <= WORDS_BYTES).then_some((0, 0))
}

/// Where the next words of a text begin, read as far as they are asked for.
struct Words<'t> {
    text: &'t [u8],
    /// Of each word its place and its first bytes.
    words: [(usize, u64); WORDS],
    count: usize,
    /// How far the text was read, and to where it is.
    at: usize,
    last: usize,
}

impl<'t> Words<'t> {
    fn new(text: &'t [u8], from: usize) -> Self {
        let last = text.len().min(from.saturating_add(WORDS_BYTES));
        Words { text, words: [(0, 0); WORDS], count: 0, at: from, last }
    }

    /// A word by its number, of which all before were asked for. The end of the text is one, too: there both can go
    /// on together.
    #[inline]
    fn get(&mut self, number: usize) -> Option<(usize, u64)> {
        if number == self.count {
            self.read();
        }
        self.words[..self.count].get(number).copied()
    }

    /// The word at a place, if its end is known.
    fn word(&self, at: usize) -> Option<&'t [u8]> {
        let rest = &self.text[at..self.last];
        match rest.iter().position(|&byte| is_separator(byte)) {
            Some(end) => Some(&rest[..end]),
            None => (self.last == self.text.len()).then_some(rest),
        }
    }

    fn read(&mut self) {
        let after = |at: usize, is_word: bool| {
            let rest = &self.text[at..self.last];
            at + rest.iter().position(|&byte| is_separator(byte) == is_word).unwrap_or(rest.len())
        };
        let at = after(self.at, false);
        // Beyond what is read nothing is known, and after the end of the text is nothing.
        let is_known = at < self.last
            || at == self.text.len() && self.words[..self.count].last().is_none_or(|last| last.0 < at);
        if let Some(word) = self.words.get_mut(self.count).filter(|_| is_known) {
            *word = (at, first_eight(&self.text[at..]));
            self.count += 1;
            self.at = after(at, true);
        }
    }
}

fn first_eight(text: &[u8]) -> u64 {
    text.first_chunk().map_or(0, |&eight| u64::from_le_bytes(eight))
}

/// How many words both have in common before those that differ. Only what is between these, or the case of letters,
/// differs there: so it is not passed over for a place further on that looks the same. `None` if no word differs.
fn same_words(words_a: &mut Words<'_>, words_b: &mut Words<'_>) -> Option<usize> {
    for number in 0..WORDS {
        let (x, y) = (words_a.get(number)?, words_b.get(number)?);
        if !words_a.word(x.0)?.eq_ignore_ascii_case(words_b.word(y.0)?) {
            return Some(number);
        }
        if number > 0 && go_on_together(&words_a.text[x.0..], &words_b.text[y.0..]) {
            return Some(number);
        }
    }
    None
}

/// The nearest words from which on the texts are the same, after so many that both have in common.
fn go_on(words_a: &mut Words<'_>, words_b: &mut Words<'_>, same: usize) -> Option<(usize, usize)> {
    let most = WORDS - same;
    for sum in 0..2 * most - 1 {
        for x in (sum + 1).saturating_sub(most)..most.min(sum + 1) {
            // Words are read in order.
            let (next_a, next_b) = (words_a.get(same + x), words_b.get(same + sum - x));
            let (Some((at_a, first_a)), Some((at_b, first_b))) = (next_a, next_b) else { continue };
            if first_a == first_b && go_on_together(&words_a.text[at_a..], &words_b.text[at_b..]) {
                return (same + sum > 0).then_some((at_a, at_b));
            }
        }
    }
    None
}

fn go_on_together(a: &[u8], b: &[u8]) -> bool {
    match (a.first_chunk::<EQUAL_BYTES>(), b.first_chunk::<EQUAL_BYTES>()) {
        (Some(x), Some(y)) => x == y && begins_plainly(x),
        (None, None) => a == b && (a.is_empty() || begins_plainly(a)),
        _ => false,
    }
}

/// Where the beginning of a text is in another text, if that does not begin with it.
fn find(text: &[u8], other: &[u8]) -> Option<usize> {
    let Some(wanted) = text.first_chunk::<EQUAL_BYTES>() else {
        // At its end, all that the other has is a passage.
        return (text.is_empty() && other.len() <= LONGEST_PASSAGE).then_some(other.len());
    };
    if !begins_plainly(wanted) {
        return None;
    }
    let wanted_first = first_eight(wanted);
    let other = &other[..other.len().min(LONGEST_PASSAGE + EQUAL_BYTES)];
    let mut windows = other.windows(8).enumerate().skip(1);
    loop {
        let (place, _) = windows.find(|(_, eight)| first_eight(eight) == wanted_first)?;
        if is_separator(other[place - 1]) && other[place..].starts_with(wanted) {
            return Some(place);
        }
    }
}

fn begins_plainly(text: &[u8]) -> bool {
    let word_end = text.iter().position(|&byte| is_separator(byte)).unwrap_or(text.len());
    is_plain(&text[..word_end])
}

/// Whether a word has only letters, and is part of no date.
fn is_plain(word: &[u8]) -> bool {
    !word.is_empty()
        && word.iter().all(u8::is_ascii_alphabetic)
        && !is_part_of_date(ascii_key(word, 0, word.len()))
}
