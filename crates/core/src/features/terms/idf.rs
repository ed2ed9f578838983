//! The weight of a word by how few documents have it, found with one memory access.
//!
//! A slot holds 32 bits of the word's hash and its weight, so eight slots share a cache line and a search
//! hardly ever leaves it. A word that is not in the lexicon is mistaken for one that is with a chance of
//! about one in four thousand million.

use std::cmp::Reverse;

use crate::lexicon::Lexicon;

pub struct IdfTable {
    /// The upper half of a word's hash, above the bits of its weight.
    slots: Vec<u64>,
    /// For words that the lexicon does not know: they count as being in one document.
    unknown: f32,
}

/// Marks an empty slot: its lower half is NaN, so it is no weight.
const EMPTY: u64 = u64::MAX;

impl IdfTable {
    /// `weigh` gives the weight of words that are in so many documents.
    pub fn new(lexicon: &Lexicon, weigh: impl Fn(u32) -> f32) -> Self {
        let mut terms: Vec<(u64, u32)> = lexicon.terms().collect();
        // The most common words come first, so that nearly every search ends at its first slot.
        terms.sort_by_key(|&(term, df)| (Reverse(df), term));
        let mut slots = vec![EMPTY; (terms.len() * 2).next_power_of_two().max(8)];
        let mask = slots.len() - 1;
        for (term, df) in terms {
            let mut place = term as usize & mask;
            while slots[place] != EMPTY {
                place = (place + 1) & mask;
            }
            slots[place] = term >> 32 << 32 | u64::from(weigh(df).to_bits());
        }
        IdfTable { slots, unknown: weigh(1) }
    }

    #[inline(always)]
    pub fn idf(&self, word: u64) -> f32 {
        let mask = self.slots.len() - 1;
        let mut place = word as usize & mask;
        loop {
            let slot = self.slots[place];
            if slot == EMPTY {
                return self.unknown;
            }
            if slot >> 32 == word >> 32 {
                return f32::from_bits(slot as u32);
            }
            place = (place + 1) & mask;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash;

    #[test]
    fn gives_the_weight_of_every_term() {
        for count in [0, 1, 5, 3000] {
            let terms = (0..count).map(|n: u64| (hash::mix(hash::mix(n)), n as u32 % 90 + 1));
            let lexicon = Lexicon::from_counts(100, terms);
            let table = IdfTable::new(&lexicon, |df| lexicon.idf(df) as f32);
            for (term, df) in lexicon.terms() {
                assert_eq!(table.idf(term), lexicon.idf(df) as f32);
            }
            assert_eq!(table.idf(hash::bytes(b"unknown")), 100f64.ln() as f32);
        }
    }

    #[test]
    fn terms_that_want_the_same_slot_stay_apart() {
        let terms = (0..50u64).map(|n| (n << 40 | 7, n as u32 + 1));
        let lexicon = Lexicon::from_counts(100, terms);
        let table = IdfTable::new(&lexicon, |df| lexicon.idf(df) as f32);
        assert!(lexicon.terms().all(|(term, df)| table.idf(term) == lexicon.idf(df) as f32));
        assert_eq!(table.idf(u64::MAX), lexicon.idf(1) as f32);
    }
}
