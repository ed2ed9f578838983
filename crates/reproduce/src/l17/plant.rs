//! Makes near-duplicates from real texts by a defined edit, the same on every machine.

use lookalike_core::hash::{combine, mix};

/// Words changed by an edit of single words: one in twenty.
const ONE_IN: u64 = 20;
/// How many words an inserted sentence has.
const SENTENCE: usize = 12;

/// An edit of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Edit {
    /// One word in twenty becomes another with as many bytes of letters and of other characters:
    /// everything else keeps its place.
    ReplacedInPlace,
    /// One word in twenty becomes another of any length.
    Replaced,
    /// One word in twenty is missing.
    Deleted,
    /// One word is inserted at the beginning.
    WordInFront,
    /// A sentence of twelve words of another text is inserted in the middle.
    SentenceInMiddle,
    /// Such a sentence is appended.
    SentenceAtEnd,
    /// The halves are exchanged.
    HalvesSwapped,
}

impl Edit {
    pub const ALL: [Edit; 7] = [
        Edit::ReplacedInPlace,
        Edit::Replaced,
        Edit::Deleted,
        Edit::WordInFront,
        Edit::SentenceInMiddle,
        Edit::SentenceAtEnd,
        Edit::HalvesSwapped,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Edit::ReplacedInPlace => "1 word in 20 replaced by one as long",
            Edit::Replaced => "1 word in 20 replaced",
            Edit::Deleted => "1 word in 20 deleted",
            Edit::WordInFront => "one word inserted in front",
            Edit::SentenceInMiddle => "sentence inserted in the middle",
            Edit::SentenceAtEnd => "sentence appended",
            Edit::HalvesSwapped => "halves swapped",
        }
    }

    /// The edited text; the sentence comes from `other`, and `seed` chooses the words.
    pub fn apply(self, text: &str, other: &str, seed: u64) -> String {
        let mut words: Vec<&str> = text.split_whitespace().collect();
        let sentence: Vec<&str> = other.split_whitespace().take(SENTENCE).collect();
        let middle = words.len() / 2;
        match self {
            Edit::ReplacedInPlace | Edit::Replaced => {
                let original = words.clone();
                let same_length = self == Edit::ReplacedInPlace;
                for place in chosen(original.len(), seed) {
                    words[place] = substitute(&original, place, same_length, seed);
                }
            }
            Edit::Deleted => {
                let gone: Vec<usize> = chosen(words.len(), seed).collect();
                let kept = words.iter().enumerate().filter(|(place, _)| gone.binary_search(place).is_err());
                words = kept.map(|(_, word)| *word).collect();
            }
            Edit::WordInFront => words.insert(0, "Updated"),
            Edit::SentenceInMiddle => drop(words.splice(middle..middle, sentence)),
            Edit::SentenceAtEnd => words.extend(sentence),
            Edit::HalvesSwapped => words.rotate_left(middle),
        }
        words.join(" ")
    }
}

/// One place in twenty, at random but rising.
fn chosen(words: usize, seed: u64) -> impl Iterator<Item = usize> {
    (0..words).filter(move |&place| drawn(seed, place, 0).is_multiple_of(ONE_IN))
}

/// Another word of the text, if there is one.
fn substitute<'a>(words: &[&'a str], place: usize, same_length: bool, seed: u64) -> &'a str {
    let fits = |word: &&str| **word != *words[place] && (!same_length || shape(word) == shape(words[place]));
    let start = (drawn(seed, place, 1) % words.len() as u64) as usize;
    let mut from_there = words[start..].iter().chain(&words[..start]);
    from_there.find(|word| fits(word)).unwrap_or(&words[place])
}

/// How many bytes of letters and digits and how many of other characters: LSBS treats them
/// separately.
fn shape(word: &str) -> (usize, usize) {
    let letters = word.chars().filter(|character| character.is_alphanumeric()).map(char::len_utf8).sum();
    (letters, word.len() - letters)
}

fn drawn(seed: u64, place: usize, turn: u64) -> u64 {
    mix(combine(mix(combine(seed, turn)), place as u64))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text() -> String {
        (0..400).map(|number| format!("word{} ", number % 90)).collect()
    }

    #[test]
    fn edits_do_what_their_names_say() {
        let (text, other) = (text(), "some other words of a sentence".to_owned());
        let original: Vec<&str> = text.split_whitespace().collect();
        let differing =
            |edited: &str| edited.split_whitespace().zip(&original).filter(|(a, b)| a != *b).count();
        let apply = |edit: Edit| edit.apply(&text, &other, 7);
        let in_place = apply(Edit::ReplacedInPlace);
        assert_eq!(in_place.len(), original.join(" ").len());
        assert!((8..40).contains(&differing(&in_place)), "{}", differing(&in_place));
        assert!((8..40).contains(&differing(&apply(Edit::Replaced))));
        let left = apply(Edit::Deleted).split_whitespace().count();
        assert!((360..392).contains(&left), "{left}");
        assert_eq!(apply(Edit::WordInFront), format!("Updated {}", original.join(" ")));
        assert_eq!(apply(Edit::SentenceAtEnd), format!("{} {other}", original.join(" ")));
        assert_eq!(apply(Edit::SentenceInMiddle).split_whitespace().count(), 406);
        assert!(apply(Edit::HalvesSwapped).starts_with(original[200]));
    }

    #[test]
    fn a_word_in_place_has_as_many_letters_and_marks() {
        assert_eq!(shape("end,"), (3, 1));
        let words = ["end,", "four", "two;", "ends"];
        assert_eq!(substitute(&words, 0, true, 1), "two;");
        assert_eq!(substitute(&["one", "one"], 0, true, 1), "one", "no other word");
    }

    #[test]
    fn the_same_seed_gives_the_same_text() {
        for edit in Edit::ALL {
            assert_eq!(edit.apply(&text(), "x", 3), edit.apply(&text(), "x", 3));
        }
        assert_ne!(Edit::Replaced.apply(&text(), "x", 3), Edit::Replaced.apply(&text(), "x", 4));
    }

    #[test]
    fn short_texts_stay_texts() {
        for edit in Edit::ALL {
            for text in ["", "one", "one one"] {
                edit.apply(text, "", 1);
            }
        }
    }
}
