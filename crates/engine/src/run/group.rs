//! Documents that share a key, found by sorting one key column at a time.
//!
//! Keys are read column by column from the blocks. Most keys occur once, so a filter of two bits
//! per key removes nearly all of them before anything is sorted. What does not fit into memory is
//! sorted on disk, and so is a bucket of any size.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use lookalike_core::Result;
use lookalike_core::candidates::NO_KEY;

use super::external::{Record, Sorted, Sorter};
use crate::corpus::Bits;
use crate::corpus::CorpusNumber;
use crate::corpus::block::{Column, NO_FEATURES};
use crate::corpus::catalog::Catalog;

/// Documents by the key that they share with others.
pub type Shared<K> = Sorted<(K, CorpusNumber)>;

macro_rules! keyed {
    ($key:ty) => {
        impl Record for ($key, CorpusNumber) {
            type Key = Self;
            const BYTES: usize = size_of::<$key>() + 4;
            fn key(&self) -> Self {
                *self
            }
            fn put(&self, out: &mut Vec<u8>) {
                out.extend_from_slice(&self.0.to_le_bytes());
                out.extend_from_slice(&self.1.raw().to_le_bytes());
            }
            fn get(bytes: &[u8]) -> Option<Self> {
                let (key, document) = bytes.split_first_chunk()?;
                let document = u32::from_le_bytes(document.try_into().ok()?);
                Some((<$key>::from_le_bytes(*key), CorpusNumber::from_raw(document)?))
            }
        }
    };
}
keyed!(u64);
keyed!(u128);

/// A number of 64 bits or more of which the low bits tell nearly all from each other.
pub trait GroupKey: Copy + Ord + Send + Sync {
    fn low(self) -> u64;
}

impl GroupKey for u64 {
    fn low(self) -> u64 {
        self
    }
}

impl GroupKey for u128 {
    fn low(self) -> u64 {
        self as u64
    }
}

/// Documents with their keys; they are read twice.
pub trait Keyed {
    type Key: GroupKey;

    /// How many documents there are at most.
    fn documents(&self) -> u32;

    fn for_each(&self, visit: impl FnMut(CorpusNumber, Self::Key) -> Result<()>) -> Result<()>;
}

/// The documents that share their key with another one.
pub fn sharing<E: Keyed>(keyed: &E, work: &Path, memory: u64) -> Result<Shared<E::Key>>
where
    (E::Key, CorpusNumber): Record,
{
    let mut repeats = RepeatFilter::new(keyed.documents(), memory / 2);
    keyed.for_each(|_, key| {
        repeats.note(key.low());
        Ok(())
    })?;
    let mut sorter = Sorter::new(work, memory / 2);
    keyed.for_each(|document, key| match repeats.is_repeated(key.low()) {
        true => sorter.push((key, document)),
        false => Ok(()),
    })?;
    Ok(sorter.sorted())
}

/// One of the keys of each document, except of those that are passed over.
pub struct KeyColumn<'a> {
    pub catalog: &'a Catalog,
    pub key: usize,
    pub skip: &'a Bits,
}

impl Keyed for KeyColumn<'_> {
    type Key = u64;

    fn documents(&self) -> u32 {
        self.catalog.len()
    }

    fn for_each(&self, mut visit: impl FnMut(CorpusNumber, u64) -> Result<()>) -> Result<()> {
        for block in 0..self.catalog.blocks.len() {
            let column = self.catalog.column(block, Column::Key(self.key))?;
            for (document, bytes) in self.catalog.documents_of(block).zip(column.as_chunks::<8>().0) {
                let key = u64::from_le_bytes(*bytes);
                if key != NO_KEY && !self.skip.get(document) {
                    visit(document, key)?;
                }
            }
        }
        Ok(())
    }
}

/// The digests of all features.
struct Digests<'a>(&'a Catalog);

impl Keyed for Digests<'_> {
    type Key = u128;

    fn documents(&self) -> u32 {
        self.0.len()
    }

    fn for_each(&self, mut visit: impl FnMut(CorpusNumber, u128) -> Result<()>) -> Result<()> {
        for block in 0..self.0.blocks.len() {
            let column = self.0.column(block, Column::Digest)?;
            for (document, bytes) in self.0.documents_of(block).zip(column.as_chunks::<16>().0) {
                let digest = u128::from_le_bytes(*bytes);
                if digest != NO_FEATURES {
                    visit(document, digest)?;
                }
            }
        }
        Ok(())
    }
}

/// The documents of a bucket, by rising number.
pub enum Bucket<'a, K> {
    /// All of them.
    Small(&'a [CorpusNumber]),
    /// Too many to hold: those of this key.
    Large(&'a Shared<K>, K),
}

impl<K: GroupKey> Bucket<'_, K>
where
    (K, CorpusNumber): Record<Key = (K, CorpusNumber)>,
{
    /// Calls `visit` with each document; can be repeated.
    pub fn for_each(&self, mut visit: impl FnMut(CorpusNumber) -> Result<()>) -> Result<()> {
        match self {
            Bucket::Small(documents) => documents.iter().try_for_each(|&document| visit(document)),
            Bucket::Large(shared, key) => {
                for entry in shared.iter_from(&(*key, CorpusNumber::FIRST))? {
                    let (other, document) = entry?;
                    if other != *key {
                        break;
                    }
                    visit(document)?;
                }
                Ok(())
            }
        }
    }
}

/// Calls `emit` with every bucket of two documents or more, in rising order of the key; one of more than `small`
/// documents is not held in memory.
pub fn for_each_bucket<K: GroupKey>(
    shared: &Shared<K>,
    small: usize,
    mut emit: impl FnMut(Bucket<'_, K>) -> Result<()>,
) -> Result<()>
where
    (K, CorpusNumber): Record<Key = (K, CorpusNumber)>,
{
    let mut bucket: Vec<CorpusNumber> = Vec::new();
    let (mut current, mut count) = (None, 0usize);
    let mut end = |key: Option<K>, count: usize, bucket: &[CorpusNumber]| match key {
        Some(key) if count > small => emit(Bucket::Large(shared, key)),
        Some(_) if count > 1 => emit(Bucket::Small(bucket)),
        _ => Ok(()),
    };
    for entry in shared.iter()? {
        let (key, document) = entry?;
        if current != Some(key) {
            end(current, count, &bucket)?;
            bucket.clear();
            (current, count) = (Some(key), 0);
        }
        count += 1;
        if count <= small {
            bucket.push(document);
        }
    }
    end(current, count, &bucket)
}

/// An exact copy and its representative.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExactCopy {
    pub copy: CorpusNumber,
    pub representative: CorpusNumber,
}

impl Record for ExactCopy {
    /// Sorted by representative.
    type Key = (CorpusNumber, CorpusNumber);
    const BYTES: usize = 8;

    fn key(&self) -> Self::Key {
        (self.representative, self.copy)
    }

    fn put(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.representative.raw().to_le_bytes());
        out.extend_from_slice(&self.copy.raw().to_le_bytes());
    }

    fn get(bytes: &[u8]) -> Option<Self> {
        let number =
            |at: usize| CorpusNumber::from_raw(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?));
        Some(ExactCopy { representative: number(0)?, copy: number(4)? })
    }
}

/// The copies of one document that are held at once.
const COPIES_AT_ONCE: usize = 1 << 12;

/// The exact copies. The representative is the first of the copies in keep order, so it never depends on the order of
/// the input.
pub fn exact_copies(catalog: &Catalog, work: &Path, memory: u64) -> Result<Sorted<ExactCopy>> {
    let mut copies = Sorter::new(work, memory / 2);
    let shared = sharing(&Digests(catalog), work, memory / 2)?;
    for_each_bucket(&shared, COPIES_AT_ONCE, |bucket| {
        let representative = catalog.best(|see| bucket.for_each(see))?;
        bucket.for_each(|copy| match copy == representative {
            true => Ok(()),
            false => copies.push(ExactCopy { copy, representative }),
        })
    })?;
    Ok(copies.sorted())
}

/// The representatives of a few copies.
pub struct Representatives(HashMap<CorpusNumber, CorpusNumber>);

impl Representatives {
    /// Of those of the copies that are named.
    pub fn find(
        copies: &Sorted<ExactCopy>,
        named: impl IntoIterator<Item = CorpusNumber>,
    ) -> Result<Representatives> {
        let named: HashSet<CorpusNumber> = named.into_iter().collect();
        let mut of = HashMap::new();
        if !named.is_empty() {
            for copy in copies.iter()? {
                let ExactCopy { copy, representative } = copy?;
                if named.contains(&copy) {
                    of.insert(copy, representative);
                }
            }
        }
        Ok(Representatives(of))
    }

    /// The document that represents this one.
    pub fn of(&self, document: CorpusNumber) -> CorpusNumber {
        self.0.get(&document).copied().unwrap_or(document)
    }
}

impl FromIterator<(CorpusNumber, CorpusNumber)> for Representatives {
    fn from_iter<I: IntoIterator<Item = (CorpusNumber, CorpusNumber)>>(copies: I) -> Self {
        Representatives(copies.into_iter().collect())
    }
}

/// Remembers which keys occurred once and which more often, with few false positives where memory allows.
struct RepeatFilter {
    /// Bits of the keys that were seen, beside those of the keys that were seen again: one look into memory finds both.
    words: Vec<Seen>,
    mask: u64,
}

#[derive(Clone, Copy, Default)]
struct Seen {
    once: u64,
    again: u64,
}

impl RepeatFilter {
    fn new(keys: u32, memory: u64) -> Self {
        // Two sets of bits, each a power of two.
        let most = (memory * 4).max(1 << 10);
        let bits = (u64::from(keys) * 8).next_power_of_two().clamp(1 << 10, 1 << most.ilog2());
        RepeatFilter { words: vec![Seen::default(); bits as usize / 64], mask: bits - 1 }
    }

    fn note(&mut self, key: u64) {
        let (word, bit) = self.place(key);
        let Seen { once, again } = &mut self.words[word];
        *again |= *once & bit;
        *once |= bit;
    }

    fn is_repeated(&self, key: u64) -> bool {
        let (word, bit) = self.place(key);
        self.words[word].again & bit != 0
    }

    fn place(&self, key: u64) -> (usize, u64) {
        let place = key & self.mask;
        ((place / 64) as usize, 1 << (place % 64))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_buckets_are_read_from_where_they_are() {
        let dir = tempfile::tempdir().unwrap();
        let entry =
            |i: usize| ((lookalike_core::hash::mix(i as u64) % 40).min(30), CorpusNumber::from_index(i));
        // In memory, and in many runs on disk.
        for memory in [1 << 30, 1] {
            let mut sorter: Sorter<(u64, CorpusNumber)> = Sorter::new(dir.path(), memory);
            (0..20_000).for_each(|i| sorter.push(entry(i)).unwrap());
            sorter.push((77, CorpusNumber::FIRST)).unwrap();
            let shared = sorter.sorted();
            let mut found = Vec::new();
            let (mut small, mut large) = (0, 0);
            for_each_bucket(&shared, 1000, |bucket| {
                match bucket {
                    Bucket::Small(_) => small += 1,
                    Bucket::Large(..) => large += 1,
                }
                let mut documents = Vec::new();
                bucket.for_each(|document| {
                    documents.push(document);
                    Ok(())
                })?;
                found.push(documents);
                Ok(())
            })
            .unwrap();
            let expected: Vec<Vec<CorpusNumber>> = (0..=30)
                .map(|key| {
                    (0..20_000).map(entry).filter(|entry| entry.0 == key).map(|entry| entry.1).collect()
                })
                .collect();
            assert_eq!(found, expected, "the one document with a key of its own is in no bucket");
            assert_eq!((small, large), (30, 1));
        }
    }

    #[test]
    fn a_small_filter_loses_no_repeat() {
        for memory in [0, 300, 1 << 20] {
            let mut filter = RepeatFilter::new(5000, memory);
            let key = |i: u64| lookalike_core::hash::mix(i % 4000);
            (0..5000).for_each(|i| filter.note(key(i)));
            assert!((0..1000).all(|i| filter.is_repeated(key(i))));
        }
    }
}
