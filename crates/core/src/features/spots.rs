//! SpotSigs: short chains of content words behind common words.
//!
//! A spot is an *antecedent*, a word such as `the` or `is` that natural sentences are full of and
//! that menus and advertisements lack, with a chain of words that follow: the `distance`-th content
//! word after it, the `distance`-th after that one, and so on until there are `chain` of them. Stop
//! words, antecedents among them, are never part of a chain and are not counted. A chain that the
//! text's end cuts short is no spot.
//!
//! The paper compares multisets of spots. Here the number of the occurrence is part of the feature,
//! so the ordinary measures on sets are those of the multisets.

use super::extractor::{FeatureExtractor, Features};
use super::occurrences::number_occurrences;
use crate::document::Document;
use crate::error::{Error, Result};
use crate::hash;
use crate::part::{Param, Params, PartInfo, Spec};
use crate::text::{Scratch, TEXT_RULES, for_each_word};

/// Short chains of content words behind common words, as in SpotSigs.
pub struct Spots {
    antecedents: Vec<String>,
    stop_words: Vec<String>,
    distance: usize,
    chain: usize,
    roles: Roles,
}

/// Articles, and verbs and particles that sentences need.
const ANTECEDENTS: &str = "a an the is are was were be been do does did have has had will would can could \
                           there that this to said";

/// The usual English function words; the text rules cut `don't` in two, hence the single letters.
const STOP_WORDS: &str = "a about above after again against all also am an and any are as at be because \
    been before being below between both but by can cannot could d did do does doing down during each few for \
    from further had has have having he her here hers herself him himself his how i if in into is it its itself \
    just ll m me more most my myself no nor not now of off on once only or other our ours ourselves out over own \
    re s said same she should so some such t than that the their theirs them themselves then there these they \
    this those through to too under until up us ve very was we were what when where which while who whom why \
    will with would you your yours yourself yourselves";

const MOST: u64 = 64;

impl Spots {
    /// The description of this part in the registry.
    pub const INFO: PartInfo = PartInfo {
        name: "spots",
        summary: "SpotSigs: chains of content words behind common words such as `the` and `is`",
        paper: "Theobald, Siddharth, Paepcke 2008; L17, X15 as baseline",
        params: &[
            Param {
                name: "antecedents",
                default: "English",
                help: "list of words that start a spot; common English ones unless given",
            },
            Param {
                name: "stop_words",
                default: "English",
                help: "list of words that a chain skips, besides antecedents; the usual English ones unless given",
            },
            Param {
                name: "distance",
                default: "1",
                help: "content words from one word of a chain to the next",
            },
            Param { name: "chain", default: "2", help: "content words in a spot" },
        ],
    };

    /// Empty lists stand for the English ones.
    pub fn new(antecedents: &[String], stop_words: &[String], distance: usize, chain: usize) -> Result<Self> {
        let most = MOST as usize;
        for (key, value) in [("distance", distance), ("chain", chain)] {
            if !(1..=most).contains(&value) {
                return Err(Error::config(format!("features.{key} is {value}, it must be from 1 to {most}")));
            }
        }
        let antecedents = normalised("antecedents", antecedents, ANTECEDENTS)?;
        let stop_words = normalised("stop_words", stop_words, STOP_WORDS)?;
        let roles = Roles::new(&antecedents, &stop_words);
        Ok(Spots { antecedents, stop_words, distance, chain, roles })
    }

    /// Reads its parameters from a section of a recipe.
    pub fn from_params(params: &mut Params) -> Result<Self> {
        let (antecedents, stop_words) = (params.texts("antecedents")?, params.texts("stop_words")?);
        let distance = params.integer("distance", 1)?.min(MOST + 1) as usize;
        Spots::new(&antecedents, &stop_words, distance, params.integer("chain", 2)?.min(MOST + 1) as usize)
    }
}

/// Words as the text rules give them, sorted and distinct; refuses phrases.
fn normalised(key: &str, given: &[String], otherwise: &str) -> Result<Vec<String>> {
    let mut scratch = Scratch::default();
    let mut words = Vec::new();
    if given.is_empty() {
        words.extend(otherwise.split_whitespace().map(str::to_owned));
    }
    for text in given {
        match <[String; 1]>::try_from(crate::text::words(text, &mut scratch)) {
            Ok([word]) => words.push(word),
            Err(found) => {
                let count = found.len();
                return Err(Error::config(format!(
                    "features.{key} has {text:?}, which is {count} words; it must be a list of single words"
                )));
            }
        }
    }
    words.sort();
    words.dedup();
    Ok(words)
}

impl FeatureExtractor for Spots {
    fn spec(&self) -> Spec {
        Spec::new(Self::INFO.name)
            .with("antecedents", self.antecedents.clone())
            .with("stop_words", self.stop_words.clone())
            .with("distance", self.distance as i64)
            .with("chain", self.chain as i64)
            .with("rules", TEXT_RULES)
    }

    fn extract(&self, document: &Document<'_>, out: &mut Features) {
        let Features { hashes, scratch, units, .. } = out;
        units.clear();
        // For each antecedent its hash and how many content words stand before it.
        for_each_word(&document.text, scratch, |word| match self.roles.of(word.hash) {
            Role::Content => units.push(word.hash),
            Role::Antecedent => hashes.extend([word.hash, units.len() as u64]),
            Role::Stop => {}
        });
        let reach = self.distance * self.chain;
        let mut spots = 0;
        for place in 0..hashes.len() / 2 {
            let (antecedent, first) = (hashes[2 * place], hashes[2 * place + 1] as usize);
            let Some(following) = units.get(first..first + reach) else { break };
            let chain = following.iter().skip(self.distance - 1).step_by(self.distance);
            hashes[place] = chain.fold(antecedent, |state, &word| hash::combine(state, word));
            spots += 1;
        }
        hashes.truncate(spots);
        number_occurrences(hashes, units);
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Role {
    Content,
    Stop,
    Antecedent,
}

/// Looks up the role of a word. The table is so large that one step nearly always suffices.
struct Roles {
    slots: Vec<(u64, Role)>,
}

impl Roles {
    fn new(antecedents: &[String], stop_words: &[String]) -> Self {
        let size = ((antecedents.len() + stop_words.len()) * 8).next_power_of_two();
        let mut roles = Roles { slots: vec![(0, Role::Content); size] };
        // A word keeps the first role it is given.
        let all = antecedents.iter().map(|word| (word, Role::Antecedent));
        for (word, role) in all.chain(stop_words.iter().map(|word| (word, Role::Stop))) {
            let hash = hash::bytes(word.as_bytes());
            let place = roles.place(hash);
            if roles.slots[place].1 == Role::Content {
                roles.slots[place] = (hash, role);
            }
        }
        roles
    }

    /// The slot of a word, or the one where it would go. An empty slot has the role of unknown
    /// words.
    #[inline(always)]
    fn place(&self, hash: u64) -> usize {
        let mask = self.slots.len() - 1;
        let mut place = hash as usize & mask;
        while self.slots[place].1 != Role::Content && self.slots[place].0 != hash {
            place = (place + 1) & mask;
        }
        place
    }

    #[inline(always)]
    fn of(&self, hash: u64) -> Role {
        self.slots[self.place(hash)].1
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::testing::{check_extractor, hashes_of};

    fn list(words: &str) -> Vec<String> {
        words.split_whitespace().map(str::to_owned).collect()
    }

    fn english(distance: usize, chain: usize) -> Spots {
        Spots::new(&[], &[], distance, chain).unwrap()
    }

    /// The features of spots written as `antecedent:word:word`.
    fn named(spots: &[String]) -> Vec<u64> {
        let hash_of = |spot: &String| {
            let hashes = spot.split(':').map(|word| hash::bytes(word.as_bytes()));
            hashes.reduce(hash::combine).unwrap()
        };
        let mut hashes: Vec<u64> = spots.iter().map(hash_of).collect();
        number_occurrences(&mut hashes, &mut Vec::new());
        hashes
    }

    #[test]
    fn passes_the_conformance_suite() {
        check_extractor(&english(1, 2));
        check_extractor(&english(3, 4));
    }

    /// Persisted features depend on these: a change here is a new scheme, never a fix.
    #[test]
    fn golden_vectors() {
        assert_eq!(hashes_of(&english(1, 2), "That was one small step for a man."), GOLDEN);
    }

    const GOLDEN: [u64; 2] = [10190133781120210258, 164970198126496117];

    /// The example of the SpotSigs paper, in the order of the text.
    #[test]
    fn worked_example() {
        let text = "At a rally to kick off a weeklong campaign for the South Carolina primary, Obama tried to \
                    set the record straight from an attack circulating widely on the Internet that is designed \
                    to play into prejudices against Muslims and fears of terrorism.";
        let spots = Spots::new(&list("a an the is"), &[], 1, 2).unwrap();
        let expected = list(
            "a:rally:kick a:weeklong:campaign the:south:carolina the:record:straight an:attack:circulating \
             the:internet:designed is:designed:play",
        );
        assert_eq!(hashes_of(&spots, text), named(&expected));
    }

    #[test]
    fn distance_counts_content_words() {
        let spots = Spots::new(&list("the"), &list("of"), 2, 2).unwrap();
        let text = "the one of two three of four five the six seven eight";
        assert_eq!(hashes_of(&spots, text), named(&list("the:two:four")));
    }

    #[test]
    fn without_antecedents_there_is_nothing() {
        assert!(hashes_of(&english(1, 2), "Home News Sports Weather Contact").is_empty());
        assert!(hashes_of(&english(1, 2), "contact the").is_empty());
    }

    #[test]
    fn wrong_parameters_are_named() {
        for (toml, named) in [
            ("chain = 0", "features.chain"),
            ("distance = 65", "features.distance"),
            ("distance = 9223372036854775807", "features.distance"),
            ("antecedents = ['as well']", "features.antecedents"),
            ("stop_words = ['!']", "features.stop_words"),
            ("antecedents = 3", "features.antecedents"),
        ] {
            let mut params = Params::new("features", toml.parse().unwrap());
            let error = Spots::from_params(&mut params).err().unwrap().to_string();
            assert!(error.contains(named), "{toml}: {error}");
        }
    }

    #[test]
    fn given_words_are_normalised() {
        let spots = Spots::new(&list("THE Le"), &[], 1, 1).unwrap();
        assert_eq!(hashes_of(&spots, "the x le y"), named(&list("the:x le:y")));
    }

    proptest! {
        #[test]
        fn equals_the_definition_followed_literally(
            text in "(the |a |of |x |y |z ){0,40}", distance in 1usize..4, chain in 1usize..4
        ) {
            let words: Vec<&str> = text.split_whitespace().collect();
            let is_stop = |word: &str| ["the", "a", "of"].contains(&word);
            let mut expected = Vec::new();
            for (place, antecedent) in words.iter().enumerate().filter(|(_, word)| ["the", "a"].contains(word)) {
                let following: Vec<&str> = words[place..].iter().copied().filter(|word| !is_stop(word)).collect();
                let chained: Vec<&str> =
                    (1..=chain).filter_map(|link| following.get(link * distance - 1).copied()).collect();
                if chained.len() == chain {
                    expected.push(format!("{antecedent}:{}", chained.join(":")));
                }
            }
            let spots = Spots::new(&list("the a"), &list("of"), distance, chain).unwrap();
            prop_assert_eq!(hashes_of(&spots, &text), named(&expected));
        }
    }
}
