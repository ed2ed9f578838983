//! The newest keys, in memory.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use crate::storage::document::ContentNumber;
use lookalike_core::numbers::{Number, Numbered};

/// The contents of each key, as a chain through one array: nothing is allocated per key.
#[derive(Default)]
pub struct Head {
    last: HashMap<u64, Number<Entry>, BuildHasherDefault<IdentityHasher>>,
    entries: Numbered<Entry, Entry>,
}

#[derive(Clone, Copy)]
struct Entry {
    content: ContentNumber,
    /// The previous entry with the same key.
    before: Option<Number<Entry>>,
}

impl Head {
    /// Reserves memory for this many entries. It is reused after [`Head::clear`].
    pub fn reserve(&mut self, entries: u64) {
        self.last.reserve(entries as usize);
        self.entries.reserve_exact(entries as usize);
    }

    pub fn clear(&mut self) {
        self.last.clear();
        self.entries.clear();
    }

    pub fn insert(&mut self, key: u64, content: ContentNumber) {
        let before = self.last.insert(key, self.entries.next_number());
        self.entries.push(Entry { content, before });
    }

    /// Appends the contents with this key by rising number.
    pub fn find(&self, key: u64, out: &mut Vec<ContentNumber>) {
        let first = out.len();
        out.extend(self.chain(self.last.get(&key).copied()));
        out[first..].reverse();
    }

    pub fn entries(&self) -> u64 {
        self.entries.len() as u64
    }

    /// The contents of an entry and of the earlier ones with the same key.
    fn chain(&self, last: Option<Number<Entry>>) -> impl Iterator<Item = ContentNumber> {
        let mut at = last;
        std::iter::from_fn(move || {
            let entry = self.entries[at?];
            at = entry.before;
            Some(entry.content)
        })
    }

    /// All entries by key and content, as in a run.
    pub fn sorted(&self) -> Vec<(u64, u32)> {
        let mut all = Vec::with_capacity(self.entries.len());
        for (&key, &last) in &self.last {
            all.extend(self.chain(Some(last)).map(|content| (key, content.raw())));
        }
        all.sort_unstable();
        all
    }
}

/// Keys are hashes already, so they are used as they are.
#[derive(Default)]
struct IdentityHasher(u64);

impl Hasher for IdentityHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        self.0 = lookalike_core::hash::bytes(bytes);
    }

    fn write_u64(&mut self, value: u64) {
        self.0 = value;
    }
}
