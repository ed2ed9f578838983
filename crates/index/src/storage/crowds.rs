//! Contents that share a key with so many others that not all of them were compared.
//!
//! Which pairs are linked in a crowd depends on everything in it, so they change with every content that comes and goes,
//! and from caller to caller. These links are computed when they are asked for; the links of all other contents are
//! stored, and the same for everyone. So it is recorded for good which contents were ever in a crowd, even if others
//! have left it since.

use std::cmp::Ordering;
use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use lookalike_core::Result;
use lookalike_core::candidates::Buckets;

use crate::storage::document::ContentNumber;
use crate::storage::keys::Keys;
use crate::storage::population::Population;

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

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
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

/// By key the crowds whose pivots were looked for. Contents that come are added; if one goes or changes its rank, all are
/// forgotten, because nothing tells under which keys it was.
#[derive(Default)]
pub struct KnownCrowds(Mutex<HashMap<u64, KnownCrowd>>);

/// What the pivots of a crowd are chosen by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownCrowd {
    pub size: usize,
    /// The best content.
    pub best: ContentNumber,
    /// The contents with the smallest digests, as many as there are pivots.
    pub digests: Vec<(u128, ContentNumber)>,
}

impl KnownCrowds {
    pub fn len(&self) -> usize {
        self.lock().len()
    }

    pub fn get(&self, key: u64) -> Option<KnownCrowd> {
        self.lock().get(&key).cloned()
    }

    pub fn insert(&self, key: u64, crowd: KnownCrowd) {
        self.lock().insert(key, crowd);
    }

    /// A new content joins the crowds of its keys.
    pub fn join(&mut self, keys: &[u64], content: ContentNumber, population: &Population) {
        let crowds = self.0.get_mut().unwrap_or_else(PoisonError::into_inner);
        if crowds.is_empty() {
            return;
        }
        for key in keys {
            let Some(crowd) = crowds.get_mut(key) else { continue };
            crowd.size += 1;
            if population.rank(content, crowd.best) == Ordering::Less {
                crowd.best = content;
            }
            crowd.digests.push((population.contents[content].digest, content));
            crowd.digests.sort_unstable();
            crowd.digests.pop();
        }
    }

    pub fn forget(&mut self) {
        self.0.get_mut().unwrap_or_else(PoisonError::into_inner).clear();
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<u64, KnownCrowd>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
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
