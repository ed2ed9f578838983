//! The words that every English text has and that say nothing about it.
//!
//! Contractions stand here as the text rules cut them: `don't` is `don` and `t`. The list defines what
//! `stop_words = "english"` means: another list needs another name, and this one never changes.

use crate::hash;

/// The hashes of a list of words, by some of their bits, in a table so small that it stays in the cache.
pub struct StopWords {
    buckets: Box<[[u64; PLACES]; BUCKETS]>,
}

const BUCKETS: usize = 512;
/// The size of a bucket; a test checks that no bucket needs more.
const PLACES: usize = 4;
/// Marks an empty place: the hash of no word on the list, and almost certainly of no other word.
const EMPTY: u64 = 0;

impl StopWords {
    pub fn english() -> Self {
        let mut buckets = Box::new([[EMPTY; PLACES]; BUCKETS]);
        for word in ENGLISH {
            let hash = hash::bytes(word.as_bytes());
            let mut places = buckets[hash as usize % BUCKETS].iter_mut();
            if let Some(place) = places.find(|place| **place == EMPTY) {
                *place = hash;
            }
        }
        StopWords { buckets }
    }

    /// Drops stop words, and the weights beside them if there are any.
    pub fn remove_from(&self, words: &mut Vec<u64>, weights: &mut Vec<f32>) {
        let mut kept = 0;
        for i in 0..words.len() {
            let word = words[i];
            // About every second word is a stop word, unpredictably, so moving all words is faster
            // than branching.
            words[kept] = word;
            if let Some(&weight) = weights.get(i) {
                weights[kept] = weight;
            }
            kept += usize::from(!self.contains(word));
        }
        words.truncate(kept);
        weights.truncate(kept);
    }

    #[inline(always)]
    fn contains(&self, word: u64) -> bool {
        // All places are compared, because a search that stops early would branch unpredictably.
        self.buckets[word as usize % BUCKETS].iter().fold(false, |found, &place| found | (place == word))
    }
}

#[rustfmt::skip]
const ENGLISH: [&str; WORDS] = [
    "a", "about", "above", "after", "again", "against", "all", "also", "although", "always", "am", "among",
    "an", "and", "another", "any", "anyone", "anything", "are", "aren", "around", "as", "at", "be", "became",
    "because", "become", "been", "before", "being", "below", "between", "both", "but", "by", "can", "cannot",
    "could", "couldn", "d", "did", "didn", "do", "does", "doesn", "doing", "don", "done", "down", "during",
    "each", "either", "else", "ever", "every", "few", "for", "from", "further", "had", "hadn", "has", "hasn",
    "have", "haven", "having", "he", "hence", "her", "here", "hers", "herself", "him", "himself", "his",
    "how", "however", "i", "if", "in", "indeed", "into", "is", "isn", "it", "its", "itself", "just", "least",
    "less", "let", "ll", "m", "many", "may", "me", "might", "mine", "more", "most", "much", "must", "mustn",
    "my", "myself", "neither", "never", "no", "nobody", "none", "nor", "not", "nothing", "now", "of", "off",
    "often", "on", "once", "one", "only", "onto", "or", "other", "others", "otherwise", "ought", "our",
    "ours", "ourselves", "out", "over", "own", "perhaps", "quite", "rather", "re", "s", "same", "shall",
    "she", "should", "shouldn", "since", "so", "some", "someone", "something", "still", "such", "t", "than",
    "that", "the", "their", "theirs", "them", "themselves", "then", "there", "therefore", "these", "they",
    "this", "those", "though", "through", "thus", "to", "too", "toward", "towards", "under", "until", "up",
    "upon", "us", "ve", "very", "was", "wasn", "we", "were", "weren", "what", "whatever", "when", "where",
    "whether", "which", "while", "who", "whoever", "whom", "whose", "why", "will", "with", "within",
    "without", "won", "would", "wouldn", "yet", "you", "your", "yours", "yourself", "yourselves",
];

const WORDS: usize = 209;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn knows_its_words_and_no_others() {
        let list = StopWords::english();
        assert!(ENGLISH.iter().all(|word| hash::bytes(word.as_bytes()) != EMPTY));
        assert!(ENGLISH.iter().all(|word| list.contains(hash::bytes(word.as_bytes()))));
        assert!(ENGLISH.is_sorted_by(|a, b| a < b), "sorted and each once");
        for other in ["medicare", "thee", "", "plan"] {
            assert!(!list.contains(hash::bytes(other.as_bytes())), "{other}");
        }
    }

    #[test]
    fn words_and_weights_go_together() {
        let hashes =
            |words: &[&str]| words.iter().map(|word| hash::bytes(word.as_bytes())).collect::<Vec<_>>();
        let (mut words, mut weights) =
            (hashes(&["the", "plan", "of", "a", "medicare"]), vec![1.0, 2.0, 3.0, 4.0, 5.0]);
        StopWords::english().remove_from(&mut words, &mut weights);
        assert_eq!((&words, weights), (&hashes(&["plan", "medicare"]), vec![2.0, 5.0]));
        words.extend(hashes(&["the"]));
        StopWords::english().remove_from(&mut words, &mut Vec::new());
        assert_eq!(words, hashes(&["plan", "medicare"]));
    }

    /// Persisted signatures depend on the list: another one needs another name.
    #[test]
    fn golden_vectors() {
        let hashes: Vec<u64> = ENGLISH.iter().map(|word| hash::bytes(word.as_bytes())).collect();
        assert_eq!(hash::digest(&hashes), GOLDEN);
    }

    const GOLDEN: u128 = 194025969155474083063180314451886488379;
}
