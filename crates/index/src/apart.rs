//! What tells documents apart that are all like one master: the words that are in one of them and in few of the others.

use std::collections::{HashMap, HashSet};

use serde::Serialize;

/// The most words of a text that are looked at, and the most characters of a word and of what is told.
const MOST_WORDS: usize = 1000;
const MOST_CHARACTERS: usize = 80;

/// The words in which a text differs from that of the master, cut short.
#[derive(Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Apart {
    /// Words that the master has not, those first that the fewest of the documents told beside it have; empty where the
    /// master only has more.
    pub own: String,
    /// Words of the master that it has not.
    pub masters: String,
}

/// Collects the words of one text after another.
pub struct DifferingWords<'a> {
    master: Vec<&'a str>,
    known: HashSet<&'a str>,
    /// Of each text its own words, and what it lacks.
    texts: Vec<(Vec<String>, String)>,
    /// How many texts have a word.
    counts: HashMap<String, u32>,
}

impl<'a> From<&'a str> for DifferingWords<'a> {
    fn from(master: &'a str) -> Self {
        let master: Vec<&str> = master.split_whitespace().collect();
        let known = master.iter().copied().collect();
        DifferingWords { master, known, texts: Vec::new(), counts: HashMap::new() }
    }
}

impl DifferingWords<'_> {
    pub fn add(&mut self, text: &str) {
        let words: HashSet<&str> = text.split_whitespace().collect();
        let mut seen = HashSet::new();
        let own = text.split_whitespace().filter(|word| !self.known.contains(word) && seen.insert(*word));
        // One character more than is told shows that a word was cut.
        let own: Vec<String> =
            own.take(MOST_WORDS).map(|word| word.chars().take(MOST_CHARACTERS + 1).collect()).collect();
        for word in &own {
            *self.counts.entry(word.clone()).or_default() += 1;
        }
        let mut seen = HashSet::new();
        let lacks = self.master.iter().filter(|word| !words.contains(*word) && seen.insert(**word)).copied();
        let lacks = joined(lacks);
        self.texts.push((own, lacks));
    }

    /// For each text in which words it differs; `None` if in none.
    pub fn apart(self) -> impl Iterator<Item = Option<Apart>> {
        let counts = self.counts;
        self.texts.into_iter().map(move |(mut own, masters)| {
            // Words as rare as others stay in the order of the text.
            own.sort_by_key(|word| counts.get(word).copied());
            let own = joined(own.iter().map(String::as_str));
            (!own.is_empty() || !masters.is_empty()).then_some(Apart { own, masters })
        })
    }
}

fn joined<'a>(words: impl Iterator<Item = &'a str>) -> String {
    let mut told = String::new();
    let mut left = MOST_CHARACTERS;
    for word in words {
        if !told.is_empty() {
            told.push(' ');
        }
        let length = word.chars().count();
        if length > left {
            told.extend(word.chars().take(left));
            told.push('…');
            break;
        }
        told.push_str(word);
        left = left.saturating_sub(length + 1);
    }
    told
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(master: &str, texts: &[&str]) -> Vec<Option<(String, String)>> {
        let mut words = DifferingWords::from(master);
        texts.iter().for_each(|text| words.add(text));
        words.apart().map(|apart| apart.map(|apart| (apart.own, apart.masters))).collect()
    }

    fn two(own: &str, masters: &str) -> Option<(String, String)> {
        Some((own.to_owned(), masters.to_owned()))
    }

    #[test]
    fn the_rarest_words_are_told_first() {
        let texts = [
            "a report of 12 May",
            "a REPORT of 15 May",
            "a REPORT of 16 May",
            "a of 12 May",
            "May a report of 12",
        ];
        let expected =
            [None, two("15 REPORT", "report 12"), two("16 REPORT", "report 12"), two("", "report"), None];
        assert_eq!(told("a report of 12 May", &texts), expected);
        assert_eq!(told("", &["", "x x"]), [None, two("x", "")]);
    }

    #[test]
    fn what_is_told_is_short_whatever_the_texts() {
        let long = "語".repeat(500);
        let many: String = (0..5000).map(|number| format!("w{number} ")).collect();
        for apart in told("one two", &[&long, &many, &many]).into_iter().flatten() {
            assert!(apart.0.chars().count() <= 2 * MOST_CHARACTERS && apart.0.ends_with('…'), "{apart:?}");
            assert_eq!(apart.1, "one two");
        }
    }
}
