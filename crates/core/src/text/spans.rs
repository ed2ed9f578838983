//! Words with the places in the text they came from, to show what two documents share.
//!
//! Gives the words of [`for_each_word`](super::for_each_word) in the same order, each with the bytes
//! of the original text it was made of. Slower than the scanner: it is for showing two documents to a
//! person, not for reading a corpus.
//!
//! Normalisation joins, splits and reorders characters, so places cannot be derived from the
//! normalised text. Instead a stretch of text is cut into *pieces*, most of them one character with
//! its marks, before every character that neither composes with the text before it nor changes it.
//! Such pieces can be normalised one by one, and a word covers the pieces that contribute to it. If
//! one character stands for several words, as ½ does, they all have its place.

use std::ops::Range;

use super::BLOCK;
use super::classes::{Class, class, is_stable};
use super::normalise::{NO_BREAK, fold_each_into, normalise_into, split_words};
use crate::hash;

/// The place and the hash of every word. Neither starts nor ends ever decrease, and both are
/// character boundaries of `text`.
pub fn word_spans(text: &str) -> Vec<(Range<usize>, u64)> {
    let mut spans = Vec::new();
    for_each_word_span(text, |range, word| spans.push((range, hash::bytes(word.as_bytes()))));
    spans
}

/// Calls `emit` with the place and the normalised text of every word.
pub fn for_each_word_span(text: &str, emit: impl FnMut(Range<usize>, &str)) {
    WordSpans::default().for_each(text, emit);
}

/// Finds the places of words, with room that is kept from text to text.
#[derive(Default)]
pub struct WordSpans {
    normalised: String,
    /// Where each piece ends, in the normalised text and in the stretch.
    pieces: Vec<(usize, usize)>,
    one: String,
}

impl WordSpans {
    /// Calls `emit` with the place and the normalised text of every word.
    pub fn for_each(&mut self, text: &str, mut emit: impl FnMut(Range<usize>, &str)) {
        // The scanner reads no further than this, either.
        let text = &text[..text.floor_char_boundary(u32::MAX as usize - 2 * BLOCK)];
        let mut at = 0;
        // Cutting beside ASCII characters that belong to no word is sound: they never compose with what
        // stands before them, nor does anything that makes a word compose with them.
        let is_cut = |c: char| c.is_ascii() && !c.is_ascii_alphanumeric() && c != '_' || c == NO_BREAK;
        for stretch in text.split(is_cut) {
            if fold_each_into(stretch, &mut self.normalised) {
                // What is normalised stands at the same places.
                let origin = self.normalised.as_ptr() as usize;
                split_words(&self.normalised, |word, _| {
                    let from = at + (word.as_ptr() as usize - origin);
                    emit(from..from + word.len(), word);
                });
            } else {
                self.normalise(stretch);
                self.split(at, &mut emit);
            }
            at += stretch.len();
            at += text[at..].chars().next().map_or(0, char::len_utf8);
        }
    }

    /// Normalises a stretch piece by piece.
    fn normalise(&mut self, stretch: &str) {
        self.normalised.clear();
        self.pieces.clear();
        let mut start = 0;
        for (at, character) in stretch.char_indices().skip(1) {
            if begins_piece(character, &mut self.one) {
                self.close_piece(stretch, start..at);
                start = at;
            }
        }
        self.close_piece(stretch, start..stretch.len());
    }

    fn close_piece(&mut self, stretch: &str, piece: Range<usize>) {
        let text = &stretch[piece.clone()];
        if text.chars().all(is_stable) {
            self.normalised.push_str(text);
        } else {
            normalise_into(text, &mut self.normalised);
        }
        self.pieces.push((self.normalised.len(), piece.end));
    }

    /// Hands out the words of the stretch that begins at `base`.
    fn split(&self, base: usize, emit: &mut impl FnMut(Range<usize>, &str)) {
        let origin = self.normalised.as_ptr() as usize;
        split_words(&self.normalised, |word, _| {
            let from = word.as_ptr() as usize - origin;
            let first = self.pieces.partition_point(|&(end, _)| end <= from);
            let last = self.pieces.partition_point(|&(end, _)| end < from + word.len());
            let start = if first == 0 { 0 } else { self.pieces[first - 1].1 };
            let end = self.pieces[last].1;
            emit(base + start..base + end, word);
        });
    }
}

/// Whether text can be cut before a character: its normal form starts with a character that stays
/// the same whatever precedes it. Marks are moved and joined even where they become letters.
fn begins_piece(character: char, buffer: &mut String) -> bool {
    if character.is_ascii() || is_stable(character) {
        return true;
    }
    if class(character) == Class::Mark {
        return false;
    }
    buffer.clear();
    normalise_into(character.encode_utf8(&mut [0; 4]), buffer);
    buffer.chars().next().is_some_and(is_stable)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::{Scratch, for_each_word};
    use super::*;
    use crate::testing::awkward_texts;

    fn words_and_text(text: &str) -> Vec<(String, &str)> {
        let mut found = Vec::new();
        for_each_word_span(text, |range, word| found.push((word.to_owned(), &text[range])));
        found
    }

    /// The properties that this file states, for one text.
    fn check(text: &str) {
        let spans = word_spans(text);
        let mut hashes = Vec::new();
        for_each_word(text, &mut Scratch::default(), |word| hashes.push(word.hash));
        assert_eq!(spans.iter().map(|span| span.1).collect::<Vec<_>>(), hashes, "{text:?}");
        for pair in spans.windows(2) {
            assert!(pair[0].0.start <= pair[1].0.start && pair[0].0.end <= pair[1].0.end, "{text:?}");
        }
        for (range, hash) in spans {
            assert!(!range.is_empty() && text.get(range.clone()).is_some(), "{text:?} {range:?}");
            // The word is found at its place, even when that part is read alone.
            let alone = word_spans(&text[range]);
            assert!(alone.iter().any(|span| span.1 == hash), "{text:?}");
        }
    }

    #[test]
    fn places_are_those_a_reader_would_mark() {
        for (text, expected) in [
            ("One, two_3!", vec![("one", "One"), ("two_3", "two_3")]),
            (
                "L’ÉCOLE e\u{301}te\u{301}.",
                vec![("l", "L"), ("école", "ÉCOLE"), ("été", "e\u{301}te\u{301}")],
            ),
            ("Straße ﬁne", vec![("strasse", "Straße"), ("fine", "ﬁne")]),
            ("東京ab", vec![("東", "東"), ("京", "京"), ("ab", "ab")]),
            ("ｶﾞﾃ", vec![("ガ", "ｶﾞ"), ("テ", "ﾃ")]),
            ("วัส", vec![("วั", "วั"), ("ส", "ส")]),
            ("co\u{ad}op", vec![("coop", "co\u{ad}op")]),
            ("2½x", vec![("21", "2½"), ("2x", "½x")]),
            ("“quoted—text”", vec![("quoted", "quoted"), ("text", "text")]),
            ("\u{1112}\u{1161}\u{11ab}글", vec![("한글", "\u{1112}\u{1161}\u{11ab}글")]),
        ] {
            let found = words_and_text(text);
            let found: Vec<(&str, &str)> = found.iter().map(|(word, text)| (word.as_str(), *text)).collect();
            assert_eq!(found, expected);
        }
    }

    #[test]
    fn awkward_texts_keep_the_promises() {
        awkward_texts().iter().for_each(|text| check(text));
    }

    /// Every unstable character before which text is cut, among neighbours that compose and reorder.
    #[test]
    fn cutting_before_a_character_changes_nothing() {
        let normalised = |text: &str| {
            let mut out = String::new();
            normalise_into(text, &mut out);
            out
        };
        let before = [
            "a",
            "α\u{345}",
            "\u{1100}",
            "\u{ac00}",
            "か",
            "\u{915}",
            "\u{16d63}",
            "\u{9c7}",
            "\u{ad}",
            "\u{301}",
        ];
        let after = ["", "\u{301}", "\u{345}\u{301}", "\u{3099}", "\u{1161}\u{11a8}"];
        let mut cuts = 0;
        for character in (0..=0x10ffff).filter_map(char::from_u32) {
            if is_stable(character) || !begins_piece(character, &mut String::new()) {
                continue;
            }
            cuts += 1;
            for after in after {
                let right = format!("{character}{after}");
                let right_alone = normalised(&right);
                for left in before {
                    let whole = normalised(&format!("{left}{right}"));
                    assert_eq!(whole, normalised(left) + &right_alone, "{left:?} {right:?}");
                }
            }
        }
        assert!(cuts > 5000, "{cuts}");
    }

    proptest! {
        #[test]
        fn any_text_keeps_the_promises(text in "\\PC{0,120}") {
            check(&text);
        }

        /// Whether a text is folded at once or piece by piece makes no difference.
        #[test]
        fn text_that_is_folded_at_once_has_the_words_of_its_pieces(stretch in "[a-cXYZ_é-ÿÀ-Þ×“—東ಠ가]{0,20}") {
            let (mut spans, mut by_piece) = (WordSpans::default(), Vec::new());
            spans.normalise(&stretch);
            spans.split(0, &mut |place, word: &str| by_piece.push((place, word.to_owned())));
            let mut at_once = Vec::new();
            prop_assert!(fold_each_into(&stretch, &mut String::new()));
            spans.for_each(&stretch, |place, word| at_once.push((place, word.to_owned())));
            prop_assert_eq!(at_once, by_piece);
        }

        #[test]
        fn odd_text_keeps_the_promises(
            text in "[a-cXYZ_0-9 .=<>\u{a0}\u{301}\u{338}\u{345}\u{ad}\u{200b}éÉßﬁǅΣςｆ東のｶﾞกั한\u{1100}\u{1161}\u{11a8}\u{fdfa}\u{16d63}\u{16d67}¨½αι]{0,80}"
        ) {
            check(&text);
        }
    }
}
