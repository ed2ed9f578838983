//! Documents that share a key, found by sorting one key column at a time.
//!
//! Keys are read column by column from the blocks. Most keys occur once, so a filter of two bits
//! per key removes nearly all of them before anything is sorted. When a column does not fit into
//! the budget it is read several times, each time for one range of keys.

use lookalike_core::Result;
use lookalike_core::candidates::NO_KEY;

use super::bits::Bits;
use crate::corpus::CorpusNumber;
use crate::corpus::block::{Column, NO_FEATURES};
use crate::corpus::catalog::Catalog;

/// With less memory than this, a column would be read too often.
const LEAST_MEMORY: u64 = 1 << 20;

/// An exact copy and its representative.
pub type ExactCopy = (CorpusNumber, CorpusNumber);

/// Which column to group by.
#[derive(Clone, Copy)]
pub enum GroupBy {
    /// The lower half of the digest of all features.
    Digest,
    Key(usize),
}

/// Calls `emit` with the documents of every bucket of two or more, in rising order of the key and
/// then of the document. Documents in `skip` are passed over.
pub fn for_each_bucket(
    catalog: &Catalog,
    by: GroupBy,
    skip: &Bits,
    memory: u64,
    mut emit: impl FnMut(&mut Vec<CorpusNumber>) -> Result<()>,
) -> Result<()> {
    let entry = size_of::<(u64, CorpusNumber)>() as u64;
    // The filter leaves few of them, but nothing guarantees it: the worst case must fit.
    let memory = memory.max(LEAST_MEMORY);
    let ranges = (u64::from(catalog.len()) * entry).div_ceil(memory).max(1).next_power_of_two();
    let shift = 64 - ranges.trailing_zeros();
    let mut entries: Vec<(u64, CorpusNumber)> = Vec::new();
    let mut bucket = Vec::new();
    for range in 0..ranges {
        let in_range = |key: u64| key.checked_shr(shift).unwrap_or(0) == range;
        let mut repeats = RepeatFilter::new(u64::from(catalog.len()) / ranges);
        for_each_key(catalog, by, |document, key| {
            if in_range(key) && !skip.get(document) {
                repeats.note(key);
            }
        })?;
        entries.clear();
        for_each_key(catalog, by, |document, key| {
            if in_range(key) && repeats.is_repeated(key) && !skip.get(document) {
                entries.push((key, document));
            }
        })?;
        entries.sort_unstable();
        for same in entries.chunk_by(|a, b| a.0 == b.0).filter(|same| same.len() > 1) {
            bucket.clear();
            bucket.extend(same.iter().map(|&(_, document)| document));
            emit(&mut bucket)?;
        }
    }
    Ok(())
}

/// The exact copies: `(copy, representative)` by rising copy. The representative is the first of
/// the copies in keep order, so it never depends on the order of the input.
pub fn exact_copies(catalog: &Catalog, memory: u64) -> Result<Vec<ExactCopy>> {
    let mut copies = Vec::new();
    let none = Bits::new(catalog.len());
    for_each_bucket(catalog, GroupBy::Digest, &none, memory, |bucket| {
        let mut by_digest = bucket
            .iter()
            .map(|&document| Ok((catalog.digest(document)?, document)))
            .collect::<Result<Vec<_>>>()?;
        by_digest.sort_unstable();
        for group in by_digest.chunk_by(|a, b| a.0 == b.0).filter(|group| group.len() > 1) {
            let mut documents: Vec<CorpusNumber> = group.iter().map(|&(_, document)| document).collect();
            catalog.sort_by_keep_order(&mut documents)?;
            copies.extend(documents[1..].iter().map(|&copy| (copy, documents[0])));
        }
        Ok(())
    })?;
    copies.sort_unstable();
    Ok(copies)
}

/// The document that represents this one; `copies` holds (copy, representative) by rising copy.
pub fn representative(copies: &[ExactCopy], document: CorpusNumber) -> CorpusNumber {
    match copies.binary_search_by_key(&document, |&(copy, _)| copy) {
        Ok(place) => copies[place].1,
        Err(_) => document,
    }
}

fn for_each_key(catalog: &Catalog, by: GroupBy, mut visit: impl FnMut(CorpusNumber, u64)) -> Result<()> {
    for block in 0..catalog.blocks.len() {
        let documents = catalog.documents_of(block);
        match by {
            GroupBy::Key(key) => {
                let column = catalog.column(block, Column::Key(key))?;
                for (document, bytes) in documents.zip(column.as_chunks::<8>().0) {
                    let key = u64::from_le_bytes(*bytes);
                    if key != NO_KEY {
                        visit(document, key);
                    }
                }
            }
            GroupBy::Digest => {
                let column = catalog.column(block, Column::Digest)?;
                for (document, bytes) in documents.zip(column.as_chunks::<16>().0) {
                    let digest = u128::from_le_bytes(*bytes);
                    if digest != NO_FEATURES {
                        visit(document, digest as u64);
                    }
                }
            }
        }
    }
    Ok(())
}

/// Remembers which keys occurred once and which more often, with few false positives.
struct RepeatFilter {
    seen: Vec<u64>,
    repeated: Vec<u64>,
    mask: u64,
}

impl RepeatFilter {
    fn new(keys: u64) -> Self {
        let bits = (keys * 8).next_power_of_two().clamp(1 << 10, 1 << 34);
        RepeatFilter {
            seen: vec![0; bits as usize / 64],
            repeated: vec![0; bits as usize / 64],
            mask: bits - 1,
        }
    }

    fn note(&mut self, key: u64) {
        let (word, bit) = self.place(key);
        self.repeated[word] |= self.seen[word] & bit;
        self.seen[word] |= bit;
    }

    fn is_repeated(&self, key: u64) -> bool {
        let (word, bit) = self.place(key);
        self.repeated[word] & bit != 0
    }

    fn place(&self, key: u64) -> (usize, u64) {
        // Uses the low bits, because the high ones are the same for a whole range.
        let place = key & self.mask;
        ((place / 64) as usize, 1 << (place % 64))
    }
}
