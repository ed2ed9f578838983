//! Contents that share a key with so many others that not all of them were compared.
//!
//! Which pairs are linked in a crowd depends on everything in it. For callers who do not see everything these links
//! are computed again, which costs a look-up; the links of all other contents are the same for everyone. So it is
//! recorded for good which contents were ever in a crowd, even if others have left it since.

use lookalike_core::Result;
use lookalike_core::candidates::Buckets;

use crate::storage::document::ContentNumber;
use crate::storage::keys::Keys;

/// A bit for each content.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Crowds(Vec<u64>);

impl Crowds {
    /// Computes the crowds of an index that was written before they were recorded.
    pub fn of(keys: &Keys) -> Result<Crowds> {
        let mut crowds = Crowds::default();
        keys.for_each_bucket(|bucket| {
            if Buckets::default().needs_pivots(bucket.len()) {
                bucket.iter().for_each(|&content| crowds.add(content));
            }
        })?;
        Ok(crowds)
    }

    pub fn add(&mut self, content: ContentNumber) {
        let (word, bit) = place(content);
        if self.0.len() <= word {
            self.0.resize(word + 1, 0);
        }
        self.0[word] |= bit;
    }

    pub fn has(&self, content: ContentNumber) -> bool {
        let (word, bit) = place(content);
        self.0.get(word).is_some_and(|bits| bits & bit != 0)
    }

    pub fn iter(&self) -> impl Iterator<Item = ContentNumber> + '_ {
        let bits = |(word, &bits): (usize, &u64)| {
            (0..64)
                .filter(move |bit| bits >> bit & 1 == 1)
                .map(move |bit| ContentNumber::from_index(word * 64 + bit))
        };
        self.0.iter().enumerate().flat_map(bits)
    }
}

fn place(content: ContentNumber) -> (usize, u64) {
    (content.index() / 64, 1 << (content.index() % 64))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn content(number: usize) -> ContentNumber {
        ContentNumber::from_index(number)
    }

    #[test]
    fn what_is_added_is_there() {
        let mut crowds = Crowds::default();
        assert!(!crowds.has(content(5)));
        for number in [700, 0, 63, 64, 63] {
            crowds.add(content(number));
        }
        assert_eq!(crowds.iter().collect::<Vec<_>>(), [0, 63, 64, 700].map(content));
        assert!(crowds.has(content(64)) && !crowds.has(content(65)) && !crowds.has(content(10_000)));
    }

    #[test]
    fn crowds_are_found_in_keys() {
        let mut keys = Keys::default();
        for number in 0..300 {
            keys.head.insert(number as u64 % 2, content(number));
            keys.head.insert(9, content(number));
        }
        keys.head.insert(5, content(300));
        let crowds = Crowds::of(&keys).unwrap();
        assert!(crowds.has(content(0)) && crowds.has(content(299)) && !crowds.has(content(300)));
    }
}
