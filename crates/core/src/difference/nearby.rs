//! Where two texts differ and where they go on together, found by their bytes: of most differences nothing but the
//! words that differ has to be read.
//!
//! What differs must be between two plain words, words of ASCII letters that are part of no date, so that no date and no
//! number reaches across its ends.

use memchr::memmem;

use super::calendar::{begins_no_name, is_part_of_date};
use super::units::Window;
use super::words::ascii_key;
use crate::text::{BLOCK, Glance, NextWords, WORDS, is_separator, nearest};

/// After so many equal bytes the texts go on together.
const EQUAL_BYTES: usize = 24;
/// How many bytes may be before the first difference of two texts, if no plain word is.
const FIRST_BYTES: usize = 128;
/// How many words before a difference may be read with it, since they are no plain ones.
const BACK: usize = 4;
/// How many bytes a passage may have that only one text has.
const LONGEST_PASSAGE: usize = 2048;

/// The first difference of two texts.
pub struct Found {
    /// How many equal bytes are before it, up to the end of a word.
    pub after: usize,
    /// Where the texts go on together after it, or end.
    pub next: (usize, usize),
}

/// Finds the first difference, after `same` equal bytes from `x` of the first text and `y` of the second on, which must be
/// places where the texts can be cut, and reads what differs. `None` if its ends are not found.
pub fn read_first_difference(
    (text_a, in_a): (&str, &mut Window),
    (text_b, in_b): (&str, &mut Window),
    (x, y): (usize, usize),
    same: usize,
) -> Option<Found> {
    let (a, b) = (text_a.as_bytes(), text_b.as_bytes());
    let (after, start) = start_of_difference(&a[x..x + same], x == 0 && y == 0)?;
    let (mut words_a, mut words_b) = (NextWords::new(a, x + start), NextWords::new(b, y + start));
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
    let (place_a, place_b) = (words_a.get(0)?.0..next.0, words_b.get(0)?.0..next.1);
    // Characters that are not ASCII may separate words, and what separates words must not part what is the same.
    if !a[place_a.clone()].is_ascii() || !b[place_b.clone()].is_ascii() {
        return None;
    }
    in_a.read_passage(text_a, place_a, &words_a.glance);
    in_b.read_passage(text_b, place_b, &words_b.glance);
    Some(Found { after, next })
}

/// Of these bytes, the end of the last plain word that is complete, and the first byte of what is read with a
/// difference after them. No more than the last block is looked at.
fn start_of_difference(equal: &[u8], is_start: bool) -> Option<(usize, usize)> {
    let length = equal.len();
    let seen = length.min(BLOCK);
    // Which of them belong to words, the last one first.
    let unused = (BLOCK - seen) % BLOCK;
    let in_word = Glance::new(equal, length - seen).in_word << unused;
    let run_before = |back: usize| (in_word << back).leading_ones() as usize;
    let mut back = 0;
    for _ in 0..BACK {
        // The word with the difference belongs to it.
        let start = back + run_before(back);
        if start >= seen {
            break;
        }
        let end = start + (in_word << start).leading_zeros() as usize;
        if end >= seen {
            break;
        }
        let word = end + run_before(end);
        if word == seen && seen < length {
            break;
        }
        if is_plain(&equal[length - word..length - end]) {
            return Some((length - end, length - start));
        }
        back = end;
    }
    // Before the first word of a text is nothing.
    (is_start && length - back <= FIRST_BYTES).then_some((0, 0))
}

/// The word at a place, if its end is known.
fn word<'t>(words: &NextWords<'t>, at: usize) -> Option<&'t [u8]> {
    if let Some(end) = words.glance.word_end(at) {
        return Some(&words.text[at..end]);
    }
    let rest = &words.text[at..words.last];
    match rest.iter().position(|&byte| is_separator(byte)) {
        Some(end) => Some(&rest[..end]),
        None => (words.last == words.text.len()).then_some(rest),
    }
}

/// How many words both have in common before those that differ. Only what is between these, or the case of letters,
/// differs there: so it is not passed over for a place further on that looks the same. `None` if no word differs.
fn same_words(words_a: &mut NextWords<'_>, words_b: &mut NextWords<'_>) -> Option<usize> {
    for number in 0..WORDS {
        let (x, y) = (words_a.get(number)?, words_b.get(number)?);
        if !word(words_a, x.0)?.eq_ignore_ascii_case(word(words_b, y.0)?) {
            return Some(number);
        }
        if number > 0 && go_on_together(&words_a.text[x.0..], &words_b.text[y.0..]) {
            return Some(number);
        }
    }
    None
}

/// The nearest words from which on the texts are the same, after so many that both have in common.
fn go_on(words_a: &mut NextWords<'_>, words_b: &mut NextWords<'_>, same: usize) -> Option<(usize, usize)> {
    let (a, b) = (words_a.text, words_b.text);
    let first = (words_a.get(same)?.0, words_b.get(same)?.0);
    let next = nearest(words_a, words_b, same, |x, y| go_on_together(&a[x..], &b[y..]))?;
    (same > 0 || next != first).then_some(next)
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
    let other = &other[..other.len().min(LONGEST_PASSAGE + EQUAL_BYTES)];
    // Looking for all of it would take longer to begin than most searches take.
    let beginning = memmem::Finder::new(&wanted[..EQUAL_BYTES / 3]);
    let mut place = 0;
    loop {
        place += 1 + beginning.find(other.get(place + 1..)?)?;
        if is_separator(other[place - 1]) && other[place..].starts_with(wanted) {
            return Some(place);
        }
    }
}

/// Whether the first word is [plain](is_plain).
fn begins_plainly(text: &[u8]) -> bool {
    let letters = text.iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
    text.get(letters).is_none_or(|&byte| is_separator(byte)) && is_in_no_date(&text[..letters])
}

/// Whether a word has only letters, and is part of no date.
fn is_plain(word: &[u8]) -> bool {
    word.iter().all(u8::is_ascii_alphabetic) && is_in_no_date(word)
}

/// Whether there are letters, and no word of a date.
fn is_in_no_date(letters: &[u8]) -> bool {
    letters.first().is_some_and(|&first| {
        begins_no_name(first, letters.len()) || !is_part_of_date(ascii_key(letters, 0, letters.len()))
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The same search at every place.
    fn plain_find(text: &[u8], other: &[u8]) -> Option<usize> {
        let Some(wanted) = text.first_chunk::<EQUAL_BYTES>() else {
            return (text.is_empty() && other.len() <= LONGEST_PASSAGE).then_some(other.len());
        };
        if !begins_plainly(wanted) {
            return None;
        }
        let other = &other[..other.len().min(LONGEST_PASSAGE + EQUAL_BYTES)];
        (1..other.len()).find(|&place| is_separator(other[place - 1]) && other[place..].starts_with(wanted))
    }

    /// The same, byte by byte, with the beginning of the plain word.
    fn plain_start(equal: &[u8]) -> Option<(usize, usize, usize)> {
        let after =
            |is: fn(u8) -> bool, end: usize| equal[..end].iter().rposition(|&byte| is(byte)).map(|at| at + 1);
        let mut end = equal.len();
        for _ in 0..BACK {
            let start = after(is_separator, end)?;
            let word_end = after(|byte| !is_separator(byte), start)?;
            let word = after(is_separator, word_end).unwrap_or(0);
            if is_plain(&equal[word..word_end]) {
                return Some((word_end, start, word));
            }
            end = word_end;
        }
        None
    }

    proptest! {
        #[test]
        fn what_differs_begins_after_the_last_plain_word(equal in "[a-c1_ ,é]{0,60}|([a-c]{0,30}[ ,.1]{0,40}){0,4}") {
            let equal = equal.as_bytes();
            let is_seen = |start: usize| start == 0 && equal.len() <= BLOCK || start + BLOCK > equal.len();
            let expected = plain_start(equal).filter(|&(_, _, word)| is_seen(word));
            prop_assert_eq!(start_of_difference(equal, false), expected.map(|(end, start, _)| (end, start)));
        }

        #[test]
        fn a_beginning_is_found_where_it_is_first_after_a_separator(
            text in "[a-b ]{0,40}", before in "[a-b ]{0,60}|([a-b ]{0,9}ab ){0,400}", after in "[a-b ]{0,40}",
        ) {
            let other = format!("{before}{text}{after}");
            let (text, other) = (text.as_bytes(), other.as_bytes());
            prop_assert_eq!(find(text, other), plain_find(text, other));
            let repeated = text.repeat(20);
            prop_assert_eq!(find(&repeated, other), plain_find(&repeated, other));
            prop_assert_eq!(find(text, &repeated), plain_find(text, &repeated));
        }
    }
}
