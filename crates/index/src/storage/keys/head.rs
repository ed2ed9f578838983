//! The newest keys, in memory.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

const NONE: u32 = u32::MAX;

/// For each key the contents that have it, as a chain through one array: nothing is allocated for a key.
#[derive(Default)]
pub struct Head {
    last: HashMap<u64, u32, BuildHasherDefault<AsItIs>>,
    entries: Vec<Entry>,
}

#[derive(Clone, Copy)]
struct Entry {
    content: u32,
    /// The entry before with the same key.
    before: u32,
}

impl Head {
    /// Takes the memory for so many entries, which is used again after [`Head::clear`].
    pub fn reserve(&mut self, entries: u64) {
        self.last.reserve(entries as usize);
        self.entries.reserve_exact(entries as usize);
    }

    pub fn clear(&mut self) {
        self.last.clear();
        self.entries.clear();
    }

    pub fn insert(&mut self, key: u64, content: u32) {
        let number = self.entries.len() as u32;
        let before = self.last.insert(key, number).unwrap_or(NONE);
        self.entries.push(Entry { content, before });
    }

    /// Appends the contents with this key by rising number.
    pub fn find(&self, key: u64, out: &mut Vec<u32>) {
        let first = out.len();
        let mut at = self.last.get(&key).copied().unwrap_or(NONE);
        while let Some(entry) = self.entries.get(at as usize) {
            out.push(entry.content);
            at = entry.before;
        }
        out[first..].reverse();
    }

    pub fn entries(&self) -> u64 {
        self.entries.len() as u64
    }

    /// All entries by key and content.
    pub fn sorted(&self) -> Vec<(u64, u32)> {
        let mut all = Vec::with_capacity(self.entries.len());
        for (&key, &last) in &self.last {
            let mut at = last;
            while let Some(entry) = self.entries.get(at as usize) {
                all.push((key, entry.content));
                at = entry.before;
            }
        }
        all.sort_unstable();
        all
    }
}

/// Keys are hashes already.
#[derive(Default)]
struct AsItIs(u64);

impl Hasher for AsItIs {
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
