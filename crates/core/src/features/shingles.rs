//! Word and character k-grams, hashed to 64 bits.
//!
//! A shingle's hash is the exclusive or of its units' hashes, each rotated by its place, mixed once
//! more: order counts, and a shingle's is made of that of the one before, however long it is.
//!
//! A document with fewer units than a shingle has one shorter shingle of all its units. Its length
//! is part of the hash, so it matches only a document of exactly the same units.

use super::extractor::{FeatureExtractor, Features};
use super::hash_set::FeatureHashSet;
use crate::document::Document;
use crate::error::{Error, Result};
use crate::hash;
use crate::lexicon::Lexicon;
use crate::part::{Param, Params, PartInfo, Spec};
use crate::registry::BuildContext;
use crate::text::{TEXT_RULES, for_each_word, push_word_hashes};

/// What a shingle is made of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unit {
    /// Words.
    Word,
    /// Characters.
    Char,
}

/// Runs of neighbouring words or characters.
pub struct Shingles {
    unit: Unit,
    size: usize,
    /// Only shingles whose hash is a multiple of this count; 1 for all.
    one_in: u64,
    /// Shingles that too many documents have, and the name of the table that says so.
    frequent: Option<(FeatureHashSet, Spec)>,
}

/// Rotations by multiples of this stay distinct even for very long shingles.
const ROTATION: u32 = 11;
const MAX_SIZE: usize = 64;

impl Shingles {
    /// The description of this part in the registry.
    pub const INFO: PartInfo = PartInfo {
        name: "shingles",
        summary: "Overlapping runs of words or characters (k-grams), hashed to 64 bits",
        paper: "Broder 1997; S09 §2.3",
        params: &[
            Param { name: "unit", default: "\"word\"", help: "what a shingle is made of: word or char" },
            Param { name: "shingle", default: "5", help: "units per shingle, 1 to 64" },
            Param {
                name: "one_in",
                default: "1",
                help: "keep only shingles whose hash is a multiple of this (mod p sampling)",
            },
            Param {
                name: "max_df",
                default: "any",
                help: "drop shingles that more documents have; needs a lexicon of shingles",
            },
            Param {
                name: "lexicon",
                default: "\"native\"",
                help: "with max_df: native (two passes) or a file",
            },
        ],
    };

    /// Runs of `size` units.
    pub fn new(unit: Unit, size: usize) -> Result<Self> {
        if !(1..=MAX_SIZE).contains(&size) {
            return Err(Error::config(format!(
                "features.shingle is {size}, it must be from 1 to {MAX_SIZE}"
            )));
        }
        Ok(Shingles { unit, size, one_in: 1, frequent: None })
    }

    /// Reads its parameters from a section of a recipe.
    pub fn from_params(params: &mut Params, context: &BuildContext<'_>) -> Result<Self> {
        let unit = match params.text("unit", "word")?.as_str() {
            "word" => Unit::Word,
            "char" => Unit::Char,
            other => {
                return Err(Error::config(format!("features.unit is `{other}`, known units are word, char")));
            }
        };
        let mut shingles = Shingles::new(unit, params.integer("shingle", 5)? as usize)?;
        shingles.one_in = params.integer("one_in", 1)?;
        if shingles.one_in == 0 {
            return Err(Error::config("features.one_in is 0, it must be at least 1"));
        }
        let max_df = params.optional_integer("max_df")?;
        let name = params.text("lexicon", "native")?;
        if let Some(max_df) = max_df {
            let lexicon = context.lexicons.load(&name)?;
            shingles.drop_frequent(&lexicon, max_df)?;
        }
        Ok(shingles)
    }

    /// Drops shingles that more than `max_df` documents of the lexicon have.
    fn drop_frequent(&mut self, lexicon: &Lexicon, max_df: u64) -> Result<()> {
        let counted = &lexicon.about().counted;
        if *counted != self.spec().to_table().to_string() {
            return Err(Error::Incompatible(format!(
                "the lexicon does not count these shingles: it counts {}",
                counted.trim().replace('\n', ", ")
            )));
        }
        let mut frequent = FeatureHashSet::default();
        let terms = || lexicon.terms().filter(|&(_, df)| u64::from(df) > max_df);
        frequent.clear(terms().count());
        terms().for_each(|(term, _)| {
            frequent.insert(term);
        });
        let name = Spec::new("max_df").with("max_df", max_df as i64).with("lexicon", lexicon.id());
        self.frequent = Some((frequent, name));
        Ok(())
    }
}

impl FeatureExtractor for Shingles {
    fn spec(&self) -> Spec {
        let unit = if self.unit == Unit::Word { "word" } else { "char" };
        let mut spec = Spec::new(Self::INFO.name)
            .with("unit", unit)
            .with("shingle", self.size as i64)
            .with("rules", TEXT_RULES);
        if self.one_in > 1 {
            spec = spec.with("one_in", self.one_in as i64);
        }
        if let Some((_, name)) = &self.frequent {
            spec.params.extend(name.params.clone());
        }
        spec
    }

    fn sees_every_word(&self) -> bool {
        self.one_in == 1 && self.frequent.is_none()
    }

    fn extract(&self, document: &Document<'_>, out: &mut Features) {
        let Features { hashes, scratch, units, .. } = out;
        units.clear();
        match self.unit {
            Unit::Word => push_word_hashes(&document.text, scratch, units),
            Unit::Char => {
                let mut after_spaced_word = false;
                for_each_word(&document.text, scratch, |word| {
                    // Words are kept apart by a space, except in scripts that have none.
                    if after_spaced_word && !word.single {
                        units.push(character_hash(' '));
                    }
                    let text = String::from_utf8_lossy(word.bytes);
                    units.extend(text.chars().map(character_hash));
                    after_spaced_word = !word.single;
                });
            }
        }
        shingle(units, self.size, hashes);
        if self.one_in > 1 {
            hashes.retain(|hash| hash % self.one_in == 0);
        }
        if let Some((frequent, _)) = &self.frequent {
            hashes.retain(|&hash| !frequent.contains(hash));
        }
    }
}

fn character_hash(character: char) -> u64 {
    hash::mix(u64::from(u32::from(character)))
}

/// Appends the hashes of all runs of `size` units; fewer units than that make one run.
pub(super) fn shingle(units: &[u64], size: usize, hashes: &mut Vec<u64>) {
    if units.is_empty() {
        return;
    }
    if units.len() < size {
        hashes.push(hash_window(units));
        return;
    }
    // The compiler knows the rotations of the usual sizes.
    match size {
        3 => roll(units, 3, hashes),
        4 => roll(units, 4, hashes),
        5 => roll(units, 5, hashes),
        _ => roll(units, size, hashes),
    }
}

/// Appends the hashes of all runs of `size` units, of which there are at least as many. From one run to the next the
/// oldest unit goes, the others are rotated back, and one is added.
#[inline(always)]
fn roll(units: &[u64], size: usize, hashes: &mut Vec<u64>) {
    let rotation = |place: usize| (place as u32 * ROTATION) % 64;
    let (first, rest) = units.split_at(size - 1);
    let rotated = first.iter().enumerate().map(|(place, unit)| unit.rotate_left(rotation(place)));
    let mut others = rotated.fold(0, |state, unit| state ^ unit);
    hashes.extend(rest.iter().zip(units).map(|(newest, oldest)| {
        let run = others ^ newest.rotate_left(rotation(size - 1));
        others = (run ^ oldest).rotate_right(ROTATION);
        hash::mix(run ^ size as u64)
    }));
}

fn hash_window(window: &[u64]) -> u64 {
    let mut state = window.len() as u64;
    for (place, &unit) in window.iter().enumerate() {
        state ^= unit.rotate_left((place as u32 * ROTATION) % 64);
    }
    hash::mix(state)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{check_extractor, hashes_of};

    fn words(size: usize) -> Shingles {
        Shingles::new(Unit::Word, size).unwrap()
    }

    fn chars(size: usize) -> Shingles {
        Shingles::new(Unit::Char, size).unwrap()
    }

    #[test]
    fn passes_the_conformance_suite() {
        check_extractor(&words(5));
        check_extractor(&chars(4));
    }

    /// Persisted signatures depend on these: a change here is a new scheme, never a fix.
    #[test]
    fn golden_vectors() {
        assert_eq!(hashes_of(&words(2), "One small step"), GOLDEN_WORDS);
        assert_eq!(hashes_of(&chars(3), "日本語 ab"), GOLDEN_CHARS);
        assert_eq!(hashes_of(&words(5), "Too short"), GOLDEN_SHORT);
    }

    const GOLDEN_WORDS: [u64; 2] = [8255154565959400793, 641389100974346957];
    const GOLDEN_CHARS: [u64; 3] = [8793541185616638520, 950420404878150920, 4999405612122722697];
    const GOLDEN_SHORT: [u64; 1] = [18009170408055028652];

    #[test]
    fn case_punctuation_and_spacing_do_not_count_but_order_does() {
        let five = words(5);
        let plain = hashes_of(&five, "one two three four five six");
        assert_eq!(plain.len(), 2);
        assert_eq!(plain, hashes_of(&five, "One, two — THREE\n(four) five… six!"));
        assert_ne!(plain, hashes_of(&five, "two one three four five six"));
    }

    #[test]
    fn short_documents_match_only_the_same_words() {
        let five = words(5);
        assert_eq!(hashes_of(&five, "hello world"), hashes_of(&five, "Hello, world!"));
        assert_ne!(hashes_of(&five, "hello world"), hashes_of(&five, "hello"));
        let first_three_of_five = hashes_of(&five, "a b c d e")[0];
        assert!(!hashes_of(&five, "a b c").contains(&first_three_of_five));
        assert!(hashes_of(&five, " … !!").is_empty());
    }

    #[test]
    fn runs_made_of_those_before_equal_runs_made_alone() {
        let units: Vec<u64> = (0..70).map(hash::mix).collect();
        for size in 1..=MAX_SIZE {
            let mut fast = Vec::new();
            shingle(&units, size, &mut fast);
            let slow: Vec<u64> = units.windows(size).map(hash_window).collect();
            assert_eq!(fast, slow);
        }
    }

    #[test]
    fn sampling_keeps_the_same_shingles_everywhere() {
        let mut sampled = words(2);
        sampled.one_in = 4;
        let text: String = (0..400).map(|i| format!("w{i} ")).collect();
        let (all, some) = (hashes_of(&words(2), &text), hashes_of(&sampled, &text));
        assert_eq!(some, all.iter().copied().filter(|hash| hash % 4 == 0).collect::<Vec<_>>());
        assert!((60..140).contains(&some.len()), "{}", some.len());
        check_extractor(&sampled);
    }

    #[test]
    fn shingles_of_too_many_documents_are_dropped() {
        let text = "all rights reserved by the authors";
        let counts = hashes_of(&words(3), text).into_iter().zip([900, 20, 1, 900]);
        let counted = words(3).spec().to_table().to_string();
        let lexicon = Lexicon::from_counts_of(&counted, 1000, counts);
        let mut rare = words(3);
        rare.drop_frequent(&lexicon, 20).unwrap();
        assert_eq!(hashes_of(&rare, text), hashes_of(&words(3), text)[1..3]);
        assert_ne!(rare.spec(), words(3).spec());
        let error = words(2).drop_frequent(&lexicon, 20).unwrap_err().to_string();
        assert!(error.contains("does not count these shingles"), "{error}");
        check_extractor(&rare);
    }

    #[test]
    fn unspaced_scripts_give_character_shingles() {
        assert_eq!(hashes_of(&words(3), "日本語テスト").len(), 4);
        assert_eq!(hashes_of(&chars(5), "日本 語テスト"), hashes_of(&chars(5), "日本語テスト"));
    }
}
