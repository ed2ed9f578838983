//! A set of numbers: a bit for each.

use std::fmt;
use std::marker::PhantomData;

use lookalike_core::numbers::Number;

pub struct NumberSet<Of> {
    words: Vec<u64>,
    of: PhantomData<fn() -> Of>,
}

impl<Of> NumberSet<Of> {
    pub fn add(&mut self, number: Number<Of>) {
        let (word, bit) = place(number);
        if self.words.len() <= word {
            self.words.resize(word + 1, 0);
        }
        self.words[word] |= bit;
    }

    #[inline]
    pub fn has(&self, number: Number<Of>) -> bool {
        let (word, bit) = place(number);
        self.words.get(word).is_some_and(|bits| bits & bit != 0)
    }

    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    pub fn iter(&self) -> impl Iterator<Item = Number<Of>> + '_ {
        let bits = |(word, &bits): (usize, &u64)| {
            (0..64)
                .filter(move |bit| bits >> bit & 1 == 1)
                .map(move |bit| Number::from_index(word * 64 + bit))
        };
        self.words.iter().enumerate().flat_map(bits)
    }
}

#[inline]
fn place<Of>(number: Number<Of>) -> (usize, u64) {
    (number.index() / 64, 1 << (number.index() % 64))
}

impl<Of> Default for NumberSet<Of> {
    fn default() -> Self {
        NumberSet { words: Vec::new(), of: PhantomData }
    }
}

impl<Of> fmt::Debug for NumberSet<Of> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_set().entries(self.iter()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_added_is_there() {
        let number = Number::<()>::from_index;
        let mut set = NumberSet::default();
        assert!(set.is_empty() && !set.has(number(5)));
        for each in [700, 0, 63, 64, 63] {
            set.add(number(each));
        }
        assert_eq!(set.iter().collect::<Vec<_>>(), [0, 63, 64, 700].map(number));
        assert!(set.has(number(64)) && !set.has(number(65)) && !set.has(number(10_000)));
    }
}
