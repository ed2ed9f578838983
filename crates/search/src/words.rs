//! Lookalike's own words as the terms of the search index, so that search and detection agree on what a word is:
//! normalised, case folded, accents kept, one character each in scripts without spaces.

use lookalike_core::text::{Scratch, for_each_word};
use tantivy::tokenizer::{Token, TokenStream, Tokenizer};

/// Words are cut to this many bytes: longer ones are addresses, keys and noise, and terms have a limit.
const LONGEST: usize = 64;

/// The words of a text, as indexed.
pub(crate) fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    for_each_word(text, &mut Scratch::default(), |word| {
        words.push(String::from_utf8_lossy(cut(word.bytes)).into_owned());
    });
    words
}

/// The part of a word that is indexed.
pub(crate) fn cut(word: &[u8]) -> &[u8] {
    if word.len() <= LONGEST {
        return word;
    }
    let is_inside = |&end: &usize| word[end] & 0b1100_0000 == 0b1000_0000;
    &word[..(0..=LONGEST).rev().find(|end| !is_inside(end)).unwrap_or(0)]
}

/// Gives the words of a text to the search library.
#[derive(Default)]
pub(crate) struct WordTokenizer {
    scratch: Scratch,
    bytes: Vec<u8>,
    /// Where each word ends in `bytes`.
    ends: Vec<usize>,
    token: Token,
}

/// A copy is for another thread, so buffers are not shared.
impl Clone for WordTokenizer {
    fn clone(&self) -> Self {
        WordTokenizer::default()
    }
}

pub(crate) struct WordStream<'a> {
    words: &'a mut WordTokenizer,
    next: usize,
}

impl Tokenizer for WordTokenizer {
    type TokenStream<'a> = WordStream<'a>;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> WordStream<'a> {
        /// Larger buffers are dropped, so that one giant document does not keep its memory.
        const KEEP: usize = 4 << 20;
        if self.bytes.capacity() > KEEP {
            *self = WordTokenizer::default();
        }
        let WordTokenizer { scratch, bytes, ends, token } = self;
        bytes.clear();
        ends.clear();
        token.reset();
        for_each_word(text, scratch, |word| {
            bytes.extend_from_slice(cut(word.bytes));
            ends.push(bytes.len());
        });
        WordStream { words: self, next: 0 }
    }
}

impl TokenStream for WordStream<'_> {
    fn advance(&mut self) -> bool {
        let WordTokenizer { bytes, ends, token, .. } = &mut *self.words;
        let Some(&end) = ends.get(self.next) else { return false };
        let start = if self.next == 0 { 0 } else { ends[self.next - 1] };
        token.text.clear();
        token.text.push_str(std::str::from_utf8(&bytes[start..end]).unwrap_or_default());
        token.position = self.next;
        self.next += 1;
        true
    }

    fn token(&self) -> &Token {
        &self.words.token
    }

    fn token_mut(&mut self) -> &mut Token {
        &mut self.words.token
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn streamed(text: &str) -> Vec<String> {
        let mut tokenizer = WordTokenizer::default();
        let mut stream = tokenizer.token_stream(text);
        let mut found = Vec::new();
        while stream.advance() {
            assert_eq!(stream.token().position, found.len());
            found.push(stream.token().text.clone());
        }
        found
    }

    #[test]
    fn terms_are_the_words_of_detection() {
        let text = "ＦULL Straße e-mail, ÉCOLE 東京!";
        assert_eq!(streamed(text), ["full", "strasse", "e", "mail", "école", "東", "京"]);
        assert_eq!(streamed(text), words(text));
    }

    #[test]
    fn long_words_are_cut_between_characters() {
        for text in ["a".repeat(1000), "é".repeat(1000), format!("x{}", "é".repeat(1000))] {
            let found = streamed(&text);
            assert!(found[0].len() <= LONGEST && found[0].len() > LONGEST - 4, "{}", found[0]);
            assert!(text.starts_with(&found[0]));
        }
    }
}
