//! Contents that share a key with so many that they were not all compared.
//!
//! Which pairs are linked in a crowd depends on everything that is in it. For who does not see everything these links are
//! found anew among what they see, which costs a look-up; of all other contents the links are those of everybody. So it
//! is noted for good which contents were ever in a crowd, whoever is gone since.

use lookalike_core::Result;
use lookalike_core::candidates::Buckets;

use crate::storage::keys::Keys;

/// A bit for each content.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Crowds(Vec<u64>);

impl Crowds {
    /// Those of an index that was written before crowds were noted.
    pub fn of(keys: &Keys) -> Result<Crowds> {
        let mut crowds = Crowds::default();
        keys.for_each_bucket(|bucket| {
            if Buckets::default().needs_pivots(bucket.len()) {
                bucket.iter().for_each(|&content| crowds.add(content));
            }
        })?;
        Ok(crowds)
    }

    pub fn add(&mut self, content: u32) {
        let (word, bit) = place(content);
        if self.0.len() <= word {
            self.0.resize(word + 1, 0);
        }
        self.0[word] |= bit;
    }

    pub fn has(&self, content: u32) -> bool {
        let (word, bit) = place(content);
        self.0.get(word).is_some_and(|bits| bits & bit != 0)
    }

    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        let bits = |(word, &bits): (usize, &u64)| {
            (0..64).filter(move |bit| bits >> bit & 1 == 1).map(move |bit| (word * 64 + bit) as u32)
        };
        self.0.iter().enumerate().flat_map(bits)
    }
}

fn place(content: u32) -> (usize, u64) {
    (content as usize / 64, 1 << (content % 64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_added_is_there() {
        let mut crowds = Crowds::default();
        assert!(!crowds.has(5));
        for content in [700, 0, 63, 64, 63] {
            crowds.add(content);
        }
        assert_eq!(crowds.iter().collect::<Vec<_>>(), [0, 63, 64, 700]);
        assert!(crowds.has(64) && !crowds.has(65) && !crowds.has(10_000));
    }

    #[test]
    fn crowds_are_found_in_keys() {
        let mut keys = Keys::default();
        for content in 0..300 {
            keys.head.insert(u64::from(content % 2), content);
            keys.head.insert(9, content);
        }
        keys.head.insert(5, 300);
        let crowds = Crowds::of(&keys).unwrap();
        assert!(crowds.has(0) && crowds.has(299) && !crowds.has(300));
    }
}
