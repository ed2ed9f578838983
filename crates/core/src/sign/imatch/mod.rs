//! I-Match with a secondary lexicon and randomised copies of both (K04, K08).
//!
//! A document's signature is the hash of its words that lie in the lexicon: words neither so common
//! that every text has them nor so rare that they are mistakes. Where the lexicon knows too little
//! of a document, the most common of the rarer words, the secondary lexicon, are added until the
//! signature rests on a fair share of the document (K08) or on so many words (`fill`, K04); if even
//! that fails, it is rejected.
//!
//! The features must be distinct words (`features.type = "words"`). One look-up per word gives its
//! memberships in the lexicon and all its copies, so further copies cost little.

mod table;

use std::sync::Arc;

use self::table::{SecondaryWord, Table};
use super::randomise::{self, COORDINATE, Coordinates, NO_COORDINATE, Randomisation, Term};
use super::signer::Signer;
use crate::error::{Error, Result};
use crate::features::Features;
use crate::lexicon::{Lexicon, Window};
use crate::part::{Param, Params, PartInfo, Spec};
use crate::registry::BuildContext;

/// I-Match: a hash of a document's words of middling rarity, for each of several lexicons.
pub struct IMatch {
    table: Table,
    lexicon: String,
    settings: Settings,
    randomisation: Randomisation,
}

/// The rules by which words make a signature.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// The window of nidf whose words are the lexicon.
    pub window: Window,
    /// The most words of the secondary lexicon.
    pub secondary: usize,
    /// The least share of a document's distinct words that its signature must rest on.
    pub ratio: f64,
    /// The secondary lexicon also fills up signatures that rest on fewer words than this; 0 for the ratio alone.
    pub fill: u32,
    /// The least number of words that a signature must rest on.
    pub least: u32,
    /// Documents with fewer distinct words have no signature.
    pub least_words: usize,
    /// Whether a rejected document has a signature of all its words instead.
    pub fallback: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            window: Window { lowest: 0.2, highest: 0.8 },
            secondary: 1_000_000,
            ratio: 0.1,
            fill: 0,
            least: 5,
            least_words: 5,
            fallback: true,
        }
    }
}

impl IMatch {
    /// The description of this part in the registry.
    pub const INFO: PartInfo = PartInfo {
        name: "imatch",
        summary: "I-Match: a hash of the words in a lexicon, and in randomised copies of it",
        paper: "K04; K08; S09 §2.4.3",
        params: &[
            Param {
                name: "lexicon",
                default: "\"english\"",
                help: "english, native (two passes), or a file",
            },
            Param {
                name: "preset",
                default: "\"web\"",
                help: "window of nidf: web is 0.2 to 0.8, email is 0.2 to 0.3",
            },
            Param { name: "low", default: "0.2", help: "least nidf of the lexicon's words" },
            Param { name: "high", default: "0.8", help: "largest nidf of the lexicon's words" },
            Param {
                name: "secondary",
                default: "1000000",
                help: "most words of the secondary lexicon (nidf above high); 0 for none",
            },
            Param {
                name: "ratio",
                default: "0.1",
                help: "least share of a document's words in its signature",
            },
            Param {
                name: "fill",
                default: "0",
                help: "fill up from the secondary lexicon to so many words (K04), too, not only to the ratio",
            },
            Param { name: "least", default: "5", help: "least number of words in a signature" },
            Param {
                name: "least_words",
                default: "5",
                help: "documents with fewer distinct words have none",
            },
            Param {
                name: "fallback",
                default: "\"words\"",
                help: "what a rejected document has instead: a hash of all its words, or none",
            },
            randomise::PARAMS[0],
            randomise::PARAMS[1],
            randomise::PARAMS[2],
        ],
    };

    fn new(lexicon: &Lexicon, settings: Settings, randomisation: Randomisation) -> Self {
        let table = Table::new(lexicon, &settings, &randomisation);
        IMatch { table, lexicon: lexicon.id(), settings, randomisation }
    }

    /// Reads its parameters from a section of a recipe.
    pub fn from_params(params: &mut Params, context: &BuildContext<'_>) -> Result<Self> {
        let lexicon: Arc<Lexicon> = context.word_lexicon(&params.text("lexicon", "english")?)?;
        let usual = Settings::default();
        let high = match params.choice("preset", "web", &["web", "email"])?.as_str() {
            "email" => 0.3,
            _ => usual.window.highest,
        };
        let low = params.number("low", usual.window.lowest, 0.0..=1.0)?;
        let high = params.number("high", high, 0.0..=1.0)?;
        if low > high {
            return Err(Error::config(format!("sign.low is {low}, above sign.high, which is {high}")));
        }
        let settings = Settings {
            window: Window { lowest: low, highest: high },
            secondary: params.integer("secondary", usual.secondary as u64)? as usize,
            ratio: params.number("ratio", usual.ratio, 0.0..=1.0)?,
            fill: params.integer("fill", u64::from(usual.fill))?.min(u64::from(u32::MAX)) as u32,
            least: params.integer("least", u64::from(usual.least))?.clamp(1, u64::from(u32::MAX)) as u32,
            least_words: params.integer("least_words", usual.least_words as u64)? as usize,
            fallback: params.choice("fallback", "words", &["words", "none"])? == "words",
        };
        Ok(IMatch::new(&lexicon, settings, Randomisation::from_params(params)?))
    }

    /// The signature's coordinates; [`NO_COORDINATE`] where it is rejected.
    fn coordinates(&self, words: &[u64], mut write: impl FnMut(u128)) {
        let used = self.randomisation.coordinates();
        let mut sums = Coordinates::new(used);
        self.add_lexicon_words(words, &mut sums);
        let wanted = (self.settings.ratio * words.len() as f64).ceil() as u32;
        let enough = wanted.max(self.settings.fill);
        let too_few = |sums: &Coordinates| (0..used).any(|place| sums.count(place) < enough);
        if too_few(&sums) {
            self.add_rarer_words(words, enough, &mut sums);
        }
        let too_short = words.len() < self.settings.least_words;
        for place in 0..used {
            let count = sums.count(place);
            let rejected = count < self.settings.least || count < wanted;
            write(match (too_short, rejected) {
                (false, false) => sums.value(place),
                // Only one coordinate gets it: a hash of all words is the same for every copy.
                (false, true) if self.settings.fallback && place == 0 => all_words(words),
                _ => NO_COORDINATE,
            });
        }
    }

    /// Looks up every word and sums up those in the lexicon. Which words these are is
    /// unpredictable, so the look-ups do not branch on it but leave a list of what they found.
    fn add_lexicon_words(&self, words: &[u64], sums: &mut Coordinates) {
        const AT_ONCE: usize = 64;
        let mut found = [Term::default(); AT_ONCE];
        for some in words.chunks(AT_ONCE) {
            let mut count = 0;
            for &word in some {
                let mask = self.table.mask(word);
                found[count] = Term::new(word, mask);
                count += usize::from(mask != 0);
            }
            sums.add_all(&found[..count]);
        }
    }

    /// Adds words of the secondary lexicon to every coordinate that rests on too few, the most common
    /// words first: they are closest to the lexicon and least likely to be mistakes.
    #[cold]
    fn add_rarer_words(&self, words: &[u64], wanted: u32, sums: &mut Coordinates) {
        let mut rarer: Vec<(SecondaryWord, u64)> =
            words.iter().filter_map(|&word| Some((self.table.rarer(word)?, word))).collect();
        rarer.sort_unstable_by_key(|(rarer, _)| rarer.rank);
        for place in 0..self.randomisation.coordinates() {
            let bit = 1 << place;
            for (_, word) in rarer.iter().filter(|(rarer, _)| rarer.mask & bit != 0) {
                if sums.count(place) >= wanted {
                    break;
                }
                sums.add(*word, bit);
            }
        }
    }
}

/// A hash of the set of all words. It cannot equal the hash of another document's lexicon words,
/// unless these are all its words.
fn all_words(words: &[u64]) -> u128 {
    let mut sums = Coordinates::new(1);
    words.iter().for_each(|&word| sums.add(word, 1));
    sums.value(0)
}

impl Signer for IMatch {
    fn spec(&self) -> Spec {
        let Settings { window, secondary, ratio, fill, least, least_words, fallback } = self.settings;
        let spec = Spec::new(Self::INFO.name)
            .with("lexicon", self.lexicon.clone())
            .with("low", window.lowest)
            .with("high", window.highest)
            .with("secondary", secondary as i64)
            .with("ratio", ratio)
            .with("least", i64::from(least))
            .with("least_words", least_words as i64)
            .with("fallback", if fallback { "words" } else { "none" });
        // A key added later is written only if it is not at its default, so that older schemes stay the same.
        let spec = if fill > 0 { spec.with("fill", i64::from(fill)) } else { spec };
        self.randomisation.write_spec(spec)
    }

    fn width(&self) -> usize {
        self.values() * COORDINATE
    }

    fn values(&self) -> usize {
        self.randomisation.coordinates()
    }

    fn sign(&self, features: &Features, out: &mut [u8]) {
        let mut places = out.as_chunks_mut::<COORDINATE>().0.iter_mut();
        self.coordinates(&features.hashes, |value| {
            if let Some(place) = places.next() {
                *place = value.to_le_bytes();
            }
        });
    }

    fn estimates_jaccard(&self) -> bool {
        false
    }

    fn estimate(&self, a: &[u8], b: &[u8]) -> f64 {
        f64::from(u8::from(a == b || randomise::agree(a, b)))
    }

    fn explain(&self, a: &[u8], b: &[u8]) -> String {
        randomise::explain(a, b)
    }
}

#[cfg(test)]
mod tests;
