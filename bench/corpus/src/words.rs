//! The documents as the truth sees them: word 5-grams, compared by the words themselves and never by a hash.

use std::collections::HashMap;

/// 5 × 25 bits fit a `u128`, so a packed 5-gram stands for exactly one sequence of five words.
const WORD_BITS: u32 = 25;
const GRAM_WORDS: usize = 5;

#[derive(Default)]
pub struct Words {
    ids: HashMap<String, u32>,
    /// The word ids of all documents, one document after the other.
    all: Vec<u32>,
    ends: Vec<usize>,
}

impl Words {
    pub fn push_document(&mut self, text: &str) {
        let mut lowered = String::new();
        for word in text.split(|c: char| !(c.is_alphanumeric() || c == '_')).filter(|w| !w.is_empty()) {
            lowered.clear();
            lowered.extend(word.chars().flat_map(char::to_lowercase));
            let id = match self.ids.get(&lowered) {
                Some(&id) => id,
                None => {
                    let id = self.ids.len() as u32;
                    assert!(id < 1 << WORD_BITS, "too many different words to pack five of them");
                    self.ids.insert(lowered.clone(), id);
                    id
                }
            };
            self.all.push(id);
        }
        self.ends.push(self.all.len());
    }

    pub fn documents(&self) -> usize {
        self.ends.len()
    }

    pub fn total(&self) -> usize {
        self.all.len()
    }

    /// The 5-grams of a document in its order, repeats included.
    pub fn grams(&self, document: u32) -> impl Iterator<Item = u128> {
        let document = document as usize;
        let start = if document == 0 { 0 } else { self.ends[document - 1] };
        let windows = self.all[start..self.ends[document]].windows(GRAM_WORDS);
        windows.map(|words| words.iter().fold(0, |gram, &word| gram << WORD_BITS | u128::from(word)))
    }

    /// The set of 5-grams of a document, sorted.
    pub fn gram_set(&self, document: u32) -> Vec<u128> {
        let mut set: Vec<u128> = self.grams(document).collect();
        set.sort_unstable();
        set.dedup();
        set
    }
}

pub fn overlap(a: &[u128], b: &[u128]) -> usize {
    let (mut i, mut j, mut common) = (0, 0, 0);
    while i < a.len() && j < b.len() {
        let (x, y) = (a[i], b[j]);
        common += usize::from(x == y);
        i += usize::from(x <= y);
        j += usize::from(y <= x);
    }
    common
}

pub fn jaccard(a: &[u128], b: &[u128]) -> f64 {
    let common = overlap(a, b);
    common as f64 / (a.len() + b.len() - common) as f64
}
