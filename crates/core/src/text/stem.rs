//! Words by their stems: `studies`, `studied` and `study` as one (Snowball).
//!
//! Stems come from a well-maintained library and cost an allocation each. So each word is stemmed
//! once and remembered by its hash; a text then costs one look-up per word.

use std::collections::HashMap;

use rust_stemmers::Algorithm;

use super::scan::Word;
use crate::error::{Error, Result};
use crate::hash;

/// Languages by the names a recipe uses.
const LANGUAGES: [(&str, Algorithm); 18] = [
    ("arabic", Algorithm::Arabic),
    ("danish", Algorithm::Danish),
    ("dutch", Algorithm::Dutch),
    ("english", Algorithm::English),
    ("finnish", Algorithm::Finnish),
    ("french", Algorithm::French),
    ("german", Algorithm::German),
    ("greek", Algorithm::Greek),
    ("hungarian", Algorithm::Hungarian),
    ("italian", Algorithm::Italian),
    ("norwegian", Algorithm::Norwegian),
    ("portuguese", Algorithm::Portuguese),
    ("romanian", Algorithm::Romanian),
    ("russian", Algorithm::Russian),
    ("spanish", Algorithm::Spanish),
    ("swedish", Algorithm::Swedish),
    ("tamil", Algorithm::Tamil),
    ("turkish", Algorithm::Turkish),
];

/// The name that stands for no stemming.
pub const NO_STEMS: &str = "none";

/// Brings words of a language to their stems.
pub struct Stemmer {
    language: &'static str,
    stemmer: rust_stemmers::Stemmer,
}

/// Stems by the hashes of words, in memory that is reused.
#[derive(Default)]
pub struct Stems(HashMap<u64, u64>);

/// Beyond this many words the memory is cleared: most of them are numbers and typing errors.
const MOST_STEMS: usize = 1 << 18;

impl Stemmer {
    /// The stemmer of a language; `None` for `none`.
    pub fn from_name(name: &str) -> Result<Option<Stemmer>> {
        if name == NO_STEMS {
            return Ok(None);
        }
        let known = LANGUAGES.into_iter().find(|(language, _)| *language == name);
        let (language, algorithm) = known.ok_or_else(|| {
            let names: Vec<&str> = LANGUAGES.iter().map(|(language, _)| *language).collect();
            Error::config(format!("features.stem is `{name}`; known: none, {}", names.join(", ")))
        })?;
        Ok(Some(Stemmer { language, stemmer: rust_stemmers::Stemmer::create(algorithm) }))
    }

    /// The name of the language.
    pub fn language(&self) -> &'static str {
        self.language
    }

    /// The hash of the word's stem.
    pub fn hash(&self, word: &Word<'_>, stems: &mut Stems) -> u64 {
        if let Some(&stem) = stems.0.get(&word.hash) {
            return stem;
        }
        let stem = match std::str::from_utf8(word.bytes) {
            Ok(text) => hash::bytes(self.stemmer.stem(text).as_bytes()),
            Err(_) => word.hash,
        };
        if stems.0.len() >= MOST_STEMS {
            stems.0.clear();
        }
        stems.0.insert(word.hash, stem);
        stem
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::{Scratch, for_each_word};

    fn stems(stemmer: &Stemmer, text: &str) -> Vec<u64> {
        let (mut stems, mut hashes, mut scratch) = (Stems::default(), Vec::new(), Scratch::default());
        for_each_word(text, &mut scratch, |word| hashes.push(stemmer.hash(&word, &mut stems)));
        hashes
    }

    #[test]
    fn forms_of_a_word_are_one() {
        let english = Stemmer::from_name("english").unwrap().unwrap();
        let found = stems(&english, "studies studied study, running Runs dog");
        assert!(found[0] == found[1] && found[1] == found[2] && found[3] == found[4]);
        assert!(found[0] != found[3] && found[3] != found[5]);
        let german = Stemmer::from_name("german").unwrap().unwrap();
        let found = stems(&german, "Häuser Haus hauses 東京");
        assert_eq!(found[1], found[2]);
        assert_eq!(found.len(), 5);
    }

    /// Persisted results depend on it: a change is a new scheme, never a fix.
    #[test]
    fn stems_are_those_they_were() {
        let english = Stemmer::from_name("english").unwrap().unwrap();
        let expected = ["generous", "run", "fair", "nation", "skies", "x"].map(|stem| {
            // Snowball keeps `skies` as `sky`.
            hash::bytes(if stem == "skies" { b"sky" } else { stem.as_bytes() })
        });
        assert_eq!(stems(&english, "generously running fairly nationally skies x"), expected);
    }

    #[test]
    fn unknown_languages_are_refused_with_the_known() {
        let error = Stemmer::from_name("klingon").err().unwrap().to_string();
        assert!(error.contains("klingon") && error.contains("english"), "{error}");
        assert!(Stemmer::from_name("none").unwrap().is_none());
    }
}
