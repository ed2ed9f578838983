//! The links of contents: those of a snapshot in rows end to end, those that changed since in memory.

use lookalike_core::numbers::NumberMap;

use crate::storage::document::{Content, ContentNumber};
use crate::storage::mapped::{Mapped, Record};

/// A verified near-duplicate. As in memory, so in a snapshot.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Link {
    other: u32,
    /// The bits of a number, the lower half first: as a number it would be followed by padding.
    similarity: [u32; 2],
}

// SAFETY: three fields of four bytes each, of which all patterns are valid.
unsafe impl Record for Link {}

impl Link {
    pub fn new(other: ContentNumber, similarity: f64) -> Link {
        let bits = similarity.to_bits();
        Link { other: other.raw(), similarity: [bits as u32, (bits >> 32) as u32] }
    }

    #[inline]
    pub fn other(&self) -> ContentNumber {
        ContentNumber::from_index(self.other as usize)
    }

    #[inline]
    pub fn similarity(&self) -> f64 {
        let [low, high] = self.similarity;
        f64::from_bits(u64::from(low) | u64::from(high) << 32)
    }
}

#[derive(Default)]
pub struct Links {
    /// Where the row of each content ends.
    ends: Mapped<u64>,
    rows: Mapped<Link>,
    /// Rows that are not in the snapshot, or otherwise.
    changed: NumberMap<Content, Vec<Link>>,
    /// How many links are in these.
    in_memory: usize,
}

impl Links {
    pub fn of(ends: Mapped<u64>, rows: Mapped<Link>) -> Links {
        Links { ends, rows, changed: NumberMap::default(), in_memory: 0 }
    }

    /// Bytes in memory, about.
    pub fn own_bytes(&self) -> usize {
        self.changed.capacity() * size_of::<(ContentNumber, Vec<Link>)>() + self.in_memory * size_of::<Link>()
    }

    pub fn get(&self, content: ContentNumber) -> &[Link] {
        match self.changed.get(&content) {
            Some(links) => links,
            None => self.old(content),
        }
    }

    /// The row of the snapshot.
    fn old(&self, content: ContentNumber) -> &[Link] {
        let ends = self.ends.as_slice();
        let Some(&end) = ends.get(content.index()) else { return &[] };
        let start = content.before().and_then(|before| ends.get(before.index())).copied().unwrap_or(0);
        self.rows.as_slice().get(start as usize..end as usize).unwrap_or_default()
    }

    pub fn add(&mut self, content: ContentNumber, link: Link) {
        if !self.changed.contains_key(&content) {
            let old = self.old(content).to_vec();
            self.in_memory += old.len();
            self.changed.insert(content, old);
        }
        if let Some(links) = self.changed.get_mut(&content) {
            links.push(link);
            self.in_memory += 1;
        }
    }

    /// Drops the link of a content to another; returns whether there was one.
    pub fn drop_half(&mut self, from: ContentNumber, to: ContentNumber) -> bool {
        let Some(place) = self.get(from).iter().position(|link| link.other() == to) else { return false };
        let mut links = self.remove(from);
        links.swap_remove(place);
        self.put(from, links);
        true
    }

    /// Takes all links of a content.
    pub fn remove(&mut self, content: ContentNumber) -> Vec<Link> {
        let changed = self.changed.remove(&content);
        self.in_memory -= changed.as_ref().map_or(0, Vec::len);
        let links = changed.unwrap_or_else(|| self.old(content).to_vec());
        self.put(content, Vec::new());
        links
    }

    fn put(&mut self, content: ContentNumber, links: Vec<Link>) {
        // No row in memory means that of the snapshot.
        if links.is_empty() && self.old(content).is_empty() {
            self.changed.remove(&content);
        } else {
            self.in_memory += links.len();
            let before = self.changed.insert(content, links);
            self.in_memory -= before.map_or(0, |before| before.len());
        }
    }
}
