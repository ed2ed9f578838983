//! The newest keys, in memory.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use crate::storage::document::ContentNumber;
use lookalike_core::candidates::{DETAIL_BITS, KeyRange};
use lookalike_core::numbers::{Number, Numbered};

/// The contents of keys, as chains through one array: nothing is allocated per key. Keys that differ in details only
/// share a chain.
#[derive(Default)]
pub struct Head {
    last: HashMap<u64, Number<Entry>, BuildHasherDefault<SpreadHasher>>,
    entries: Numbered<Entry, Entry>,
}

#[derive(Clone, Copy)]
pub struct Entry {
    content: ContentNumber,
    /// The end of the key.
    details: u32,
    /// The previous entry whose key has the same start.
    before: Option<Number<Entry>>,
}

/// The start of a key and its details.
fn split(key: u64) -> (u64, u32) {
    (key >> DETAIL_BITS, (key & ((1 << DETAIL_BITS) - 1)) as u32)
}

impl Head {
    /// Reserves memory for this many entries: growing the table would delay the document that is being added.
    pub fn with_room(entries: u64) -> Head {
        let mut head = Head::default();
        head.last.reserve(entries as usize);
        head.entries.reserve_exact(entries as usize);
        head
    }

    pub fn insert(&mut self, key: u64, content: ContentNumber) {
        let (start, details) = split(key);
        let before = self.last.insert(start, self.entries.next_number());
        self.entries.push(Entry { content, details, before });
    }

    /// The last entry with the start of this key. Finding those of several keys one right after the other overlaps the waits
    /// for memory.
    pub fn last_of(&self, key: u64) -> Option<Number<Entry>> {
        self.last.get(&split(key).0).copied()
    }

    /// Appends the contents from `first` on with keys in these ranges, which rise and have one start, by rising number.
    /// `last` is the last entry with that start.
    pub fn find(
        &self,
        ranges: &[KeyRange],
        last: Option<Number<Entry>>,
        first: ContentNumber,
        out: &mut Vec<ContentNumber>,
    ) {
        let Some(range) = ranges.first().filter(|_| last.is_some()) else { return };
        let start = split(range.first).0;
        let from = out.len();
        // The newest comes first.
        for (key, content) in self.chain(start, last).take_while(|&(_, content)| content >= first) {
            let place = ranges.partition_point(|range| range.last < key);
            out.extend(ranges.get(place).filter(|range| range.contains(key)).map(|_| content));
        }
        out[from..].reverse();
    }

    /// The first content that has a key here.
    pub fn first(&self) -> Option<ContentNumber> {
        self.entries.get(Number::FIRST).map(|entry| entry.content)
    }

    pub fn entries(&self) -> u64 {
        self.entries.len() as u64
    }

    /// The keys and contents of an entry and of the earlier ones with the same start.
    fn chain(
        &self,
        start: u64,
        last: Option<Number<Entry>>,
    ) -> impl Iterator<Item = (u64, ContentNumber)> + '_ {
        let mut at = last;
        std::iter::from_fn(move || {
            let entry = self.entries[at?];
            at = entry.before;
            Some((start << DETAIL_BITS | u64::from(entry.details), entry.content))
        })
    }

    /// All entries by key and content, as in a run.
    pub fn sorted(&self) -> Vec<(u64, u32)> {
        let mut all = Vec::with_capacity(self.entries.len());
        for (&start, &last) in &self.last {
            all.extend(self.chain(start, Some(last)).map(|(key, content)| (key, content.raw())));
        }
        all.sort_unstable();
        all
    }
}

/// The start of a key is a hash already, but of too few bits for a table, which looks at the lowest and the highest.
#[derive(Default)]
struct SpreadHasher(u64);

impl Hasher for SpreadHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        self.0 = lookalike_core::hash::bytes(bytes);
    }

    fn write_u64(&mut self, value: u64) {
        self.0 = value | value << 40;
    }
}
