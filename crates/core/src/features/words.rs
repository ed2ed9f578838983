//! The distinct words of a document, in the order of their first occurrence. For the methods
//! `imatch` and `cosine`, which ask only which words a document has.

use super::{FeatureExtractor, Features, Seen};
use crate::document::{Document, Value};
use crate::error::Result;
use crate::registry::{Param, Params, PartInfo, Spec};
use crate::text::{Scratch, TEXT_RULES, Word, for_each_word};

pub struct Words {
    min_length: usize,
    max_digits: usize,
    fields: Vec<String>,
}

/// No word has as many digits.
const ANY_DIGITS: u64 = u32::MAX as u64;

impl Words {
    pub const INFO: PartInfo = PartInfo {
        name: "words",
        summary: "The distinct words of a document",
        paper: "K04 §6.3, K08 §6.3",
        params: &[
            Param {
                name: "min_length",
                default: "1",
                help: "shorter words do not count; I-Match takes 4 (scripts without spaces are exempt)",
            },
            Param {
                name: "max_digits",
                default: "any",
                help: "words with more digits do not count; I-Match takes 1",
            },
            Param {
                name: "fields",
                default: "[]",
                help: "further fields whose words count, such as subject",
            },
        ],
    };

    pub fn new(min_length: usize, max_digits: usize, fields: Vec<String>) -> Self {
        Words { min_length, max_digits, fields }
    }

    pub fn from_params(params: &mut Params) -> Result<Self> {
        let min_length = params.integer("min_length", 1)? as usize;
        let max_digits = params.integer("max_digits", ANY_DIGITS)?.min(ANY_DIGITS) as usize;
        Ok(Words::new(min_length, max_digits, params.texts("fields")?))
    }

    fn counts(&self, word: &Word<'_>) -> bool {
        // Plain words need no second look; bytes are at least as many as characters.
        let long_enough = self.min_length <= 1
            || word.single
            || word.bytes.len() >= self.min_length
                && (word.bytes.len() >= 4 * self.min_length || characters(word.bytes) >= self.min_length);
        long_enough
            && (self.max_digits >= word.bytes.len()
                || word.bytes.iter().filter(|byte| byte.is_ascii_digit()).count() <= self.max_digits)
    }

    fn add(&self, text: &str, scratch: &mut Scratch, seen: &mut Seen, hashes: &mut Vec<u64>) {
        for_each_word(text, scratch, |word| {
            if self.counts(&word) && seen.insert(word.hash) {
                hashes.push(word.hash);
            }
        });
    }
}

fn characters(bytes: &[u8]) -> usize {
    bytes.iter().filter(|&&byte| byte & 0xc0 != 0x80).count()
}

impl FeatureExtractor for Words {
    fn spec(&self) -> Spec {
        let spec = Spec::new(Self::INFO.name)
            .with("min_length", self.min_length as i64)
            .with("max_digits", self.max_digits as i64)
            .with("rules", TEXT_RULES);
        if self.fields.is_empty() { spec } else { spec.with("fields", self.fields.clone()) }
    }

    fn fields(&self) -> Vec<String> {
        self.fields.clone()
    }

    fn extract(&self, document: &Document<'_>, out: &mut Features) {
        let Features { hashes, scratch, seen, .. } = out;
        // Half of the words of an ordinary text are repeats.
        seen.clear(document.text.len() / 16);
        for value in document.fields.iter().take(self.fields.len()).flatten() {
            if let Value::Text(text) = value {
                self.add(text, scratch, seen, hashes);
            }
        }
        self.add(&document.text, scratch, seen, hashes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash;
    use crate::testing::{check_extractor, hashes_of};

    fn of(words: &[&str]) -> Vec<u64> {
        words.iter().map(|word| hash::bytes(word.as_bytes())).collect()
    }

    #[test]
    fn passes_the_conformance_suite() {
        check_extractor(&Words::new(1, usize::MAX, Vec::new()));
        check_extractor(&Words::new(4, 1, Vec::new()));
    }

    #[test]
    fn every_word_once() {
        let all = Words::new(1, usize::MAX, Vec::new());
        assert_eq!(hashes_of(&all, "To be, or not TO be"), of(&["to", "be", "or", "not"]));
    }

    #[test]
    fn the_rules_of_i_match() {
        let words = Words::new(4, 1, Vec::new());
        let text = "the rate was 1234 in q4fy99, team7 and über élan won: 東京";
        assert_eq!(hashes_of(&words, text), of(&["rate", "team7", "über", "élan", "東", "京"]));
    }

    #[test]
    fn fields_count_as_text() {
        let words = Words::new(1, usize::MAX, vec!["subject".to_owned()]);
        let mut features = Features::default();
        let fields = vec![Some(Value::Text("Cheap watches".into())), Some(Value::Text("other".into()))];
        let document = Document { text: "watches now".into(), fields, position: 0 };
        features.fill(&words, &document);
        assert_eq!(features.hashes, of(&["cheap", "watches", "now"]));
    }
}
