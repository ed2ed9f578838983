//! Sentences as features, for finding what was copied from where (COPS).
//!
//! A feature is the hash of a sentence's normalised words. A sentence that occurs twice counts once,
//! and one of fewer than `min_words` words does not count at all: "Yes, of course." is in too many
//! documents. Dropping it, rather than joining it to the next, leaves every other feature
//! alone, so a text keeps its features wherever it is quoted.
//!
//! `boundaries` finds where sentences end. More than [`MAX_WORDS`] words without an end, as in
//! lists, logs or scripts without punctuation, are cut after words that are chosen by their hash: a
//! word more or less moves the cuts beside it, not all that follow.

mod boundaries;

use std::ops::Range;

use super::extractor::{FeatureExtractor, Features};
use crate::document::Document;
use crate::error::{Error, Result};
use crate::hash;
use crate::part::{Param, Params, PartInfo, Spec};
use crate::text::{Class, Scratch, TEXT_RULES, class, for_each_word, is_stable};
use boundaries::sentence_ends;

/// Whole sentences, normalised.
pub struct Sentences {
    min_words: usize,
}

/// The most words that count as one sentence.
const MAX_WORDS: usize = 100;
/// A longer sentence is cut into pieces of at least this many words …
const LEAST_PIECE: usize = 16;
/// … after one word in this many.
const CUT_ONE_IN: u64 = 16;

impl Sentences {
    /// The description of this part in the registry.
    pub const INFO: PartInfo = PartInfo {
        name: "sentences",
        summary: "Whole sentences, for finding copied passages",
        paper: "Brin, Davis, García-Molina 1995 (COPS); X15 §2, L17",
        params: &[Param {
            name: "min_words",
            default: "3",
            help: "sentences of fewer words do not count, 1 to 100",
        }],
    };

    /// Sentences of at least `min_words` words.
    pub fn new(min_words: usize) -> Result<Self> {
        if !(1..=MAX_WORDS).contains(&min_words) {
            return Err(Error::config(format!(
                "features.min_words is {min_words}, it must be from 1 to {MAX_WORDS}"
            )));
        }
        Ok(Sentences { min_words })
    }

    /// Reads its parameters from a section of a recipe.
    pub fn from_params(params: &mut Params) -> Result<Self> {
        let most = MAX_WORDS as u64 + 1;
        Sentences::new(params.integer("min_words", 3)?.min(most) as usize)
    }
}

impl FeatureExtractor for Sentences {
    fn spec(&self) -> Spec {
        Spec::new(Self::INFO.name).with("min_words", self.min_words as i64).with("rules", TEXT_RULES)
    }

    fn passages(&self, text: &str) -> Option<Vec<(Range<usize>, u64)>> {
        Some(sentence_spans(text, self.min_words))
    }

    fn extract(&self, document: &Document<'_>, out: &mut Features) {
        let Features { hashes, scratch, units, seen, .. } = out;
        seen.clear(0);
        for_each_sentence(&document.text, self.min_words, scratch, units, |_, hash| {
            if seen.insert(hash) {
                hashes.push(hash);
            }
        });
    }
}

/// Where each sentence of at least `min_words` words stands in the text, in bytes, and the feature it
/// has; repeats included.
fn sentence_spans(text: &str, min_words: usize) -> Vec<(Range<usize>, u64)> {
    let mut spans = Vec::new();
    for_each_sentence(text, min_words, &mut Scratch::default(), &mut Vec::new(), |range, hash| {
        let sentence = &text[range.clone()];
        let start = range.end - sentence.trim_start().len();
        spans.push((start..start + sentence.trim().len(), hash));
    });
    spans
}

/// Calls `emit` with the place and the hash of every sentence, or piece of one that is too long.
fn for_each_sentence(
    text: &str,
    min_words: usize,
    scratch: &mut Scratch,
    words: &mut Vec<u64>,
    mut emit: impl FnMut(Range<usize>, u64),
) {
    // A sentence without words does not count.
    let min_words = min_words.max(1);
    let mut start = 0;
    for end in sentence_ends(text) {
        let range = std::mem::replace(&mut start, end)..end;
        words.clear();
        for_each_word(&text[range.clone()], scratch, |word| words.push(word.hash));
        if words.len() > MAX_WORDS {
            cut_sentence(text, range, min_words, scratch, words, &mut emit);
        } else if words.len() >= min_words {
            emit(range, hash::digest(words) as u64);
        }
    }
}

/// Cuts a sentence that is too long, token by token.
fn cut_sentence(
    text: &str,
    range: Range<usize>,
    min_words: usize,
    scratch: &mut Scratch,
    words: &mut Vec<u64>,
    emit: &mut impl FnMut(Range<usize>, u64),
) {
    words.clear();
    let mut start = range.start;
    let mut token_start = range.start;
    for token in token_lengths(&text[range.clone()]) {
        let token_end = token_start + token;
        for_each_word(&text[token_start..token_end], scratch, |word| words.push(word.hash));
        token_start = token_end;
        let cut = words.len() >= LEAST_PIECE && words.last().is_some_and(|hash| hash % CUT_ONE_IN == 0);
        if cut || words.len() >= MAX_WORDS || token_end == range.end {
            if words.len() >= min_words {
                emit(start..token_end, hash::digest(words) as u64);
            }
            words.clear();
            start = token_end;
        }
    }
}

/// Lengths of the shortest parts whose words, taken one part after the other, are those of the
/// whole: nearly always one word each. The text is cut before characters that neither belong to the
/// word before nor change it: separators, and letters that are words of their own.
fn token_lengths(text: &str) -> impl Iterator<Item = usize> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let mut in_word = false;
        let ends_before = |character: char| match class(character) {
            Class::Separator => std::mem::replace(&mut in_word, false) && is_stable(character),
            Class::Single => std::mem::replace(&mut in_word, true) && is_stable(character),
            Class::Word | Class::Mark => {
                in_word = true;
                false
            }
        };
        let length = rest.find(ends_before).unwrap_or(rest.len());
        rest = &rest[length..];
        (length > 0).then_some(length)
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::testing::{awkward_texts, check_extractor, hashes_of};
    use crate::text::words;

    fn sentences() -> Sentences {
        Sentences::new(3).unwrap()
    }

    #[test]
    fn passes_the_conformance_suite() {
        check_extractor(&sentences());
        check_extractor(&Sentences::new(1).unwrap());
    }

    /// Persisted features depend on these: a change here is a new scheme, never a fix.
    #[test]
    fn golden_vectors() {
        assert_eq!(hashes_of(&sentences(), "One small step for man. One giant leap for mankind!"), GOLDEN);
    }

    const GOLDEN: [u64; 2] = [13008941160687744053, 405785455878625917];

    #[test]
    fn words_count_and_nothing_else() {
        let plain = hashes_of(&sentences(), "The cat sat down. The dog ran away.");
        assert_eq!(plain.len(), 2);
        assert_eq!(plain, hashes_of(&sentences(), "THE CAT\nsat — down!   “The dog, ran away?”"));
        assert_eq!(
            plain,
            hashes_of(&sentences(), "The cat sat down. The cat sat down. Oh, no! The dog ran away.")
        );
        assert_ne!(plain, hashes_of(&sentences(), "The cat sat. Down the dog ran away."));
        assert!(hashes_of(&sentences(), "Two words. And two.").is_empty());
    }

    #[test]
    fn text_without_ends_is_cut_by_content() {
        let text: String = (0..2000).map(|i| format!("w{} ", hash::mix(i) % 700)).collect();
        let before = hashes_of(&sentences(), &text);
        assert!((2000 / 100..2000 / 16).contains(&before.len()), "{}", before.len());
        let after = hashes_of(&sentences(), &format!("One more word {text}"));
        let kept = before.iter().filter(|hash| after.contains(hash)).count();
        assert!(kept + 5 >= before.len(), "{kept} of {}", before.len());
        let unspaced: String =
            (0..3000).filter_map(|i| char::from_u32(0x4e00 + hash::mix(i) as u32 % 2000)).collect();
        assert!(hashes_of(&sentences(), &unspaced).len() > 3000 / 100);
    }

    #[test]
    fn wrong_parameters_are_named() {
        for toml in
            ["min_words = 0", "min_words = 101", "min_words = 9223372036854775807", "min_words = 'few'"]
        {
            let mut params = Params::new("features", toml.parse().unwrap());
            let error = Sentences::from_params(&mut params).err().unwrap().to_string();
            assert!(error.contains("features.min_words"), "{toml}: {error}");
        }
    }

    fn check_spans(text: &str, min_words: usize) {
        let spans = sentence_spans(text, min_words);
        let mut hashes = Vec::new();
        for (range, hash) in &spans {
            if !hashes.contains(hash) {
                hashes.push(*hash);
            }
            // Each span by itself has the words that were hashed.
            let found = words(&text[range.clone()], &mut Scratch::default());
            let units: Vec<u64> = found.iter().map(|word| hash::bytes(word.as_bytes())).collect();
            assert_eq!(hash::digest(&units) as u64, *hash);
        }
        assert!(spans.windows(2).all(|pair| pair[0].0.end <= pair[1].0.start));
        assert_eq!(hashes, hashes_of(&Sentences::new(min_words).unwrap(), text));
    }

    #[test]
    fn spans_of_awkward_texts_have_the_features() {
        for text in awkward_texts() {
            check_spans(&text, 3);
        }
        assert_eq!(sentence_spans("! ? \n\n", 0), []);
        check_spans(&"ｶﾞ東ก\u{e31}e\u{301}É=\u{338} x".repeat(200), 1);
    }

    proptest! {
        #[test]
        fn spans_have_the_features(text in "([a-c]{1,3}[ .!?\n]{0,3}|\\PC|東|。){0,150}", min_words in 1usize..5) {
            check_spans(&text, min_words);
        }

        #[test]
        fn tokens_have_the_words_of_the_whole(
            text in "[a-cXYZ_0-9 .=<>\u{301}\u{338}\u{ad}\u{200b}éÉßﬁǅΣςｆ東のｶﾞกั한\u{1100}\u{1161}\u{11a8}\u{fdfa}¨½]{0,120}"
        ) {
            let mut scratch = Scratch::default();
            let mut rest = text.as_str();
            let mut found = Vec::new();
            for length in token_lengths(&text) {
                let (token, after) = rest.split_at(length);
                found.extend(words(token, &mut scratch));
                rest = after;
            }
            prop_assert!(rest.is_empty());
            prop_assert_eq!(found, words(&text, &mut scratch));
        }

        #[test]
        fn a_text_keeps_its_features_where_it_is_quoted(
            a in "([a-z]{2,9}[, ]{1,2}[0-9]{0,2} ?){0,60}(wind|東京|[0-9]{4})[.!?。]\"?",
            b in "([A-Z]?[a-z]{2,9}(\\. |! |\\n\\n| )){0,60}(wind|é12)[.!?]",
        ) {
            let whole = hashes_of(&sentences(), &format!("{a} {b}"));
            for part in [&a, &b] {
                for hash in hashes_of(&sentences(), part) {
                    prop_assert!(whole.contains(&hash), "{a:?} {b:?}");
                }
            }
        }
    }
}
