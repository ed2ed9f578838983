//! What documents are found by → rows for each group of keys, packed.
//!
//! A row for each key of each document would be the largest part of a shuffle, most of it not the key. So the keys that
//! go to one place are packed together: eight bytes for a key, four for a document.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Int32Type, Int64Type};
use arrow_array::{Array, ArrayRef, BinaryArray, Int32Array, RecordBatch};
use lookalike_core::candidates::DETAIL_BITS;
use lookalike_core::{Result, hash};

use super::pack::{Reader, broken, unpack};
use super::{Plan, Step};
use crate::kernels::columns::column;
use crate::texts::bytes_at;
use crate::values::arrow_error;

/// By what documents are grouped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RouteBy {
    /// The digest that exact copies share.
    Digest,
    /// The whole signature, in branches where many equal ones are a crowd.
    Signature,
    /// The keys under which they are kept and sought.
    Keys,
}

/// The branch of digests, which no method has.
pub(super) const DIGESTS: u8 = u8::MAX;

/// Why a document is under a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    /// It is kept there and looks there.
    Both = 0,
    Kept = 1,
    Sought = 2,
    /// It looks from this key to another.
    Range = 3,
}

/// A document under a key. `last` is the end of a range, or the key itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Key {
    pub branch: u8,
    pub kind: Kind,
    pub key: u64,
    pub last: u64,
    pub number: i64,
    /// Where its outline begins among those of its group, and how long it is.
    pub outline: usize,
    pub width: u16,
}

impl Key {
    pub fn outline<'a>(&self, outlines: &'a [u8]) -> &'a [u8] {
        &outlines[self.outline..self.outline + usize::from(self.width)]
    }
}

/// Packed keys are handed on when they are this many bytes.
const FULL: usize = 32 << 20;

/// In: `number`, and `digest` or `lookup`; `skip` (int32, may be missing): a bit for each branch that must not see the
/// document. Out: `place` (int32) and `keys`.
pub struct Route {
    plan: Arc<Plan>,
    by: RouteBy,
    places: u32,
    groups: BTreeMap<u32, Group>,
    bytes: usize,
    ready: VecDeque<RecordBatch>,
}

#[derive(Default)]
pub(super) struct Group {
    pub keys: Vec<Key>,
    pub outlines: Vec<u8>,
}

impl Group {
    pub fn push(&mut self, key: Key, outline: &[u8]) {
        // Signatures and outlines are far shorter than that.
        let width = u16::try_from(outline.len()).unwrap_or(u16::MAX);
        self.keys.push(Key { outline: self.outlines.len(), width, ..key });
        self.outlines.extend_from_slice(&outline[..usize::from(width)]);
    }
}

impl Route {
    /// Keys go to this many places.
    pub fn new(plan: Arc<Plan>, by: RouteBy, places: u32) -> Route {
        Route { plan, by, places: places.max(1), groups: BTreeMap::new(), bytes: 0, ready: VecDeque::new() }
    }

    fn add(&mut self, branch: u8, kind: Kind, (key, last): (u64, u64), number: i64, outline: &[u8]) {
        // Keys that differ in details only are kept side by side.
        let place = (u128::from(hash::mix(key >> DETAIL_BITS)) * u128::from(self.places)) >> 64;
        let key = Key { branch, kind, key, last, number, outline: 0, width: 0 };
        self.groups.entry(place as u32).or_default().push(key, outline);
        self.bytes += size_of::<Key>() + outline.len();
    }

    fn add_document(&mut self, number: i64, lookup: &[u8], skip: u32) -> Result<()> {
        let (entry, looks_under_own) = unpack(lookup)?;
        let plan = self.plan.clone();
        let of = |branch: u8| plan.lookup.outline(branch, &entry.stored);
        if self.by == RouteBy::Signature {
            let wanted = plan.crowds_by_signature();
            for branch in (0..plan.pipeline.branches.len() as u8).filter(|branch| wanted >> branch & 1 == 1) {
                if plan.lookup.has_signature(branch, &entry.stored) {
                    let key = signature_key(plan.lookup.signature(branch, &entry.stored));
                    self.add(branch, Kind::Both, (key, key), number, &[]);
                }
            }
            return Ok(());
        }
        let seen = |branch: u8| skip >> branch & 1 == 0;
        let kind = if looks_under_own { Kind::Both } else { Kind::Kept };
        for &(branch, key) in entry.kept.iter().filter(|(branch, _)| seen(*branch)) {
            self.add(branch, kind, (key, key), number, of(branch));
        }
        let sought = entry.sought.keys.iter().filter(|_| !looks_under_own);
        for &(branch, key) in sought.filter(|(branch, _)| seen(*branch)) {
            self.add(branch, Kind::Sought, (key, key), number, of(branch));
        }
        for &(branch, range) in entry.sought.ranges.iter().filter(|(branch, _)| seen(*branch)) {
            self.add(branch, Kind::Range, (range.first, range.last), number, of(branch));
        }
        Ok(())
    }

    fn flush(&mut self) -> Result<()> {
        let groups = std::mem::take(&mut self.groups);
        self.bytes = 0;
        if groups.is_empty() {
            return Ok(());
        }
        let places = Int32Array::from_iter_values(groups.keys().map(|&place| place as i32));
        let packed: Vec<Vec<u8>> = groups.into_values().map(Group::pack).collect();
        let keys = BinaryArray::from_iter_values(packed);
        let columns: [(&str, ArrayRef); 2] = [("place", Arc::new(places)), ("keys", Arc::new(keys))];
        self.ready.push_back(RecordBatch::try_from_iter(columns).map_err(arrow_error)?);
        Ok(())
    }
}

impl Step for Route {
    fn push(&mut self, batch: &RecordBatch) -> Result<()> {
        let numbers = column(batch, "number")?.as_primitive_opt::<Int64Type>().ok_or_else(broken)?;
        let what = column(batch, if self.by == RouteBy::Digest { "digest" } else { "lookup" })?;
        let skips = batch.column_by_name("skip").and_then(|skips| skips.as_primitive_opt::<Int32Type>());
        for row in 0..batch.num_rows() {
            if numbers.is_null(row) {
                continue;
            }
            let Some(bytes) = bytes_at(what, row) else { continue };
            if self.by == RouteBy::Digest {
                // Half of it tells nearly all apart; who shares that half is looked at more closely later.
                let key = u64::from_le_bytes(*bytes.first_chunk().ok_or_else(broken)?);
                self.add(DIGESTS, Kind::Both, (key, key), numbers.value(row), &[]);
            } else {
                let skip =
                    skips.filter(|skips| skips.is_valid(row)).map_or(0, |skips| skips.value(row) as u32);
                self.add_document(numbers.value(row), bytes, skip)?;
            }
            if self.bytes > FULL {
                self.flush()?;
            }
        }
        Ok(())
    }

    fn end(&mut self) -> Result<()> {
        self.flush()
    }

    fn pull(&mut self) -> Result<Option<RecordBatch>> {
        Ok(self.ready.pop_front())
    }
}

/// A short signature is its own key.
fn signature_key(signature: &[u8]) -> u64 {
    signature.try_into().map_or_else(|_| hash::text(signature), u64::from_le_bytes)
}

/// Numbers of documents that differ in their last bits only are told by these.
const LOW_BITS: u32 = 24;

impl Group {
    fn pack(mut self) -> Vec<u8> {
        let Group { keys, outlines } = &mut self;
        keys.sort_by_key(|key| (key.branch, key.kind));
        let mut prefixes: Vec<i64> = keys.iter().map(|key| key.number >> LOW_BITS).collect();
        prefixes.sort_unstable();
        prefixes.dedup();
        let is_short = prefixes.len() < usize::from(u8::MAX);
        let mut bytes = vec![if is_short { prefixes.len() as u8 } else { u8::MAX }];
        if is_short {
            prefixes.iter().for_each(|prefix| bytes.extend(prefix.to_le_bytes()));
        }
        // The outlines of a section are of one width.
        for section in keys.chunk_by(|a, b| (a.branch, a.kind) == (b.branch, b.kind)) {
            let Key { branch, kind, width, .. } = section[0];
            bytes.extend([branch, kind as u8]);
            bytes.extend(width.to_le_bytes());
            bytes.extend((section.len() as u32).to_le_bytes());
            for key in section {
                bytes.extend(key.key.to_le_bytes());
                if kind == Kind::Range {
                    bytes.extend(key.last.to_le_bytes());
                }
            }
            for key in section {
                if is_short {
                    let place = prefixes.binary_search(&(key.number >> LOW_BITS)).unwrap_or_default();
                    bytes.push(place as u8);
                    bytes.extend(&key.number.to_le_bytes()[..3]);
                } else {
                    bytes.extend(key.number.to_le_bytes());
                }
            }
            section.iter().for_each(|key| bytes.extend(key.outline(outlines)));
        }
        bytes
    }

    /// Adds what was packed.
    pub fn unpack(&mut self, bytes: &[u8]) -> Result<()> {
        let mut reader = Reader(bytes);
        let [count] = reader.take()?;
        let is_short = count != u8::MAX;
        let mut prefixes = Vec::new();
        for _ in 0..if is_short { count } else { 0 } {
            prefixes.push(reader.number()? as i64);
        }
        while !reader.0.is_empty() {
            let [branch, kind] = reader.take()?;
            let kind = [Kind::Both, Kind::Kept, Kind::Sought, Kind::Range]
                .into_iter()
                .find(|known| *known as u8 == kind);
            let kind = kind.ok_or_else(broken)?;
            let width = u16::from_le_bytes(reader.take()?);
            let count = reader.count()?;
            let first = self.keys.len();
            for _ in 0..count {
                let key = reader.number()?;
                let last = if kind == Kind::Range { reader.number()? } else { key };
                self.keys.push(Key { branch, kind, key, last, number: 0, outline: 0, width });
            }
            for key in &mut self.keys[first..] {
                key.number = if is_short {
                    let [place, a, b, c] = reader.take()?;
                    let prefix = prefixes.get(usize::from(place)).ok_or_else(broken)?;
                    prefix << LOW_BITS | i64::from(u32::from_le_bytes([a, b, c, 0]))
                } else {
                    reader.number()? as i64
                };
            }
            for key in &mut self.keys[first..] {
                key.outline = self.outlines.len();
                self.outlines.extend_from_slice(reader.bytes(usize::from(width))?);
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn packed_keys_come_back(
            keys in prop::collection::vec((0u8..3, 0u8..4, any::<u64>(), any::<u64>(), any::<i64>()), 1..60),
            near in any::<bool>(),
        ) {
            let mut group = Group::default();
            for (branch, kind, key, last, number) in keys {
                let kind = [Kind::Both, Kind::Kept, Kind::Sought, Kind::Range][usize::from(kind)];
                let last = if kind == Kind::Range { last } else { key };
                // Numbers of one partition are packed; those of many are not.
                let number = if near { number & 0xff_ffff } else { number };
                let outline = vec![key as u8; usize::from(branch) * 3];
                group.push(Key { branch, kind, key, last, number, outline: 0, width: 0 }, &outline);
            }
            let told = |group: &Group| {
                let told = group.keys.iter().map(|key| {
                    (key.branch, key.kind, key.key, key.last, key.number, key.outline(&group.outlines).to_vec())
                });
                let mut told: Vec<_> = told.collect();
                told.sort_unstable();
                told
            };
            let expected = told(&group);
            let bytes = group.pack();
            let mut back = Group::default();
            back.unpack(&bytes).unwrap();
            prop_assert_eq!(told(&back), expected);
            prop_assert!(Group::default().unpack(&bytes[..bytes.len() - 1]).is_err());
        }
    }
}
