//! The stage `candidates` over a whole collection at once: what a join is, and what it remembers of
//! documents.

use std::sync::Arc;

use super::narrowing::Narrowing;
use crate::error::Result;
use crate::features::extractor::Features;
use crate::part::Spec;
use crate::partition::frozen_partition::FrozenPartition;

/// Finds the candidate pairs of a whole collection.
pub trait Join: Send + Sync {
    /// The type and parameters that rebuild this join.
    fn spec(&self) -> Spec;

    /// The chance that a pair of this similarity, by the recipe's own measure, is found; `None` if
    /// it is not known.
    fn recall_at(&self, similarity: f64) -> Option<f64>;

    /// What is remembered of each document.
    fn source(&self) -> JoinSource;

    /// Appends what the join must know of a document's features, in its own form. Not called when
    /// the source is the signature.
    fn pack(&self, _features: &Features, _out: &mut Vec<u8>) {}

    /// Hands out every candidate pair of places in `records`, the smaller place first, each pair once, in
    /// batches and from several threads. Stops at the first error of `emit`. Now and then `emit` gets an
    /// empty batch, so that a search that finds nothing for a long time can be stopped, too.
    fn pairs(&self, records: &Records, threads: usize, emit: &Emit<'_>) -> Result<()>;

    /// How to find the partners of one document at a time, for a join that can.
    fn neighbours(&self) -> Option<Box<dyn Neighbours>> {
        None
    }

    /// The clusters that the last call of [`Join::pairs`] made, for documents that come later.
    fn partition(&self) -> Option<Arc<FrozenPartition>> {
        None
    }

    /// What the last call of [`Join::pairs`] saved and what that cost, if the join skips pairs that
    /// might be alike.
    fn narrowing(&self) -> Option<Narrowing> {
        None
    }
}

/// The partners that a join would find, one document at a time. Everything here is a function of a document's record (its
/// signature, or what [`Join::pack`] made of its features) and of nothing that other documents could change.
pub trait Neighbours: Send + Sync {
    /// How many kinds of key there are. A key is of the kind that its place in the list of keys gives, counted round:
    /// keys of different kinds are never equal.
    fn kinds(&self) -> usize {
        1
    }

    /// Appends the keys under which a document is kept.
    fn write_keys(&self, record: &[u8], out: &mut Vec<u64>);

    /// Appends the keys under which partners of a document are kept. Each partner has at least one of them, or one in
    /// the ranges below.
    fn write_sought_keys(&self, record: &[u8], out: &mut Vec<u64>) {
        self.write_keys(record, out);
    }

    /// Whether partners are sought in ranges of keys. The last [`DETAIL_BITS`] of such keys are details: keys that differ
    /// in nothing else are kept side by side, and one look-up finds them all.
    fn seeks_ranges(&self) -> bool {
        false
    }

    /// Appends the ranges of keys in which partners of a document are kept, in any order. No two meet, and the ends of
    /// each differ in details only.
    fn write_sought_ranges(&self, _record: &[u8], _out: &mut Vec<KeyRange>) {}

    /// Bytes of an outline. If documents are known by their signatures, 0 says that these are the outlines; otherwise
    /// that there are none.
    fn outline_width(&self) -> usize {
        0
    }

    /// Appends a document's outline: what is held in memory of it, to tell most others from its partners.
    fn write_outline(&self, _record: &[u8], _out: &mut Vec<u8>) {}

    /// Whether two documents that share a key may be partners, by their outlines. Never `false` for partners.
    fn may_pair(&self, a: &[u8], b: &[u8]) -> bool;

    /// Whether two documents that share a key are partners, by their records.
    fn pairs(&self, a: &[u8], b: &[u8]) -> bool;
}

/// The bits at the end of a key that are details, where partners are sought in ranges.
pub const DETAIL_BITS: u32 = 24;

/// The keys from `first` to `last`, both included.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct KeyRange {
    /// The smallest key.
    pub first: u64,
    /// The greatest key.
    pub last: u64,
}

impl KeyRange {
    /// The range of one key.
    pub fn of(key: u64) -> KeyRange {
        KeyRange { first: key, last: key }
    }

    /// Whether a key is in the range.
    pub fn contains(&self, key: u64) -> bool {
        self.first <= key && key <= self.last
    }
}

/// Takes batches of candidate pairs. An error ends the search.
pub type Emit<'a> = dyn Fn(&[(u32, u32)]) -> Result<()> + Sync + 'a;

/// What a join remembers of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JoinSource {
    /// Its signature.
    Signature,
    /// What [`Join::pack`] makes of its features.
    Features,
}

/// One run of bytes for each document, end to end.
#[derive(Clone, Debug, Default)]
pub struct Records {
    /// All records, one after the other.
    pub bytes: Vec<u8>,
    /// Where each record ends.
    pub ends: Vec<usize>,
}

impl Records {
    /// How many records there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are no records.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The record at a place.
    pub fn get(&self, place: usize) -> &[u8] {
        let start = if place == 0 { 0 } else { self.ends[place - 1] };
        &self.bytes[start..self.ends[place]]
    }

    /// Appends a record.
    pub fn push(&mut self, record: &[u8]) {
        self.bytes.extend_from_slice(record);
        self.ends.push(self.bytes.len());
    }
}
