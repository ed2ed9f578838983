//! One bit for each document.

use super::CorpusNumber;

/// A set of documents.
#[derive(Clone)]
pub struct Bits(Vec<u64>);

impl Bits {
    pub fn new(documents: u32) -> Self {
        Bits(vec![0; (documents as usize).div_ceil(64)])
    }

    pub fn set(&mut self, document: CorpusNumber) {
        self.0[document.index() / 64] |= 1 << (document.index() % 64);
    }

    /// The documents in it, in order.
    pub fn iter(&self) -> impl Iterator<Item = CorpusNumber> {
        let places = |&(_, word): &(usize, &u64)| *word != 0;
        self.0.iter().enumerate().filter(places).flat_map(|(place, &word)| {
            let is_set = move |bit: &usize| word >> bit & 1 == 1;
            (0..64).filter(is_set).map(move |bit| CorpusNumber::from_index(place * 64 + bit))
        })
    }

    pub fn get(&self, document: CorpusNumber) -> bool {
        self.0[document.index() / 64] >> (document.index() % 64) & 1 == 1
    }
}
