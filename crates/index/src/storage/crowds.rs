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

use crate::storage::document::{Content, ContentNumber};
use crate::storage::keys::Keys;
use crate::storage::number_set::NumberSet;
use crate::storage::population::Population;

/// The contents that were ever in a crowd.
pub type Crowds = NumberSet<Content>;

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

#[cfg(test)]
mod tests {
    use super::*;

    fn content(number: usize) -> ContentNumber {
        ContentNumber::from_index(number)
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
