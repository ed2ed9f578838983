//! An order of pairs in which few documents have to be read again.
//!
//! Pairs are compared in batches of as many documents as fit into memory. If many documents are in pairs with many others,
//! as within a large cluster, and pairs come by their first document, then each batch is filled with documents that have
//! one pair in it. By tiles, a block of documents against another block, each document of a batch has many.

use std::collections::HashMap;
use std::hash::BuildHasherDefault;

use lookalike_core::Result;
use lookalike_core::numbers::MixHasher;

/// What fits into a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Room {
    /// The most documents.
    pub documents: usize,
    /// The most bytes of them.
    pub bytes: u64,
}

/// A document of some pairs.
struct Size {
    bytes: u64,
    block: u32,
    /// The batch that had it last.
    batch: u64,
}

/// The documents of some pairs, numbered as they come.
struct Documents {
    sizes: Vec<Size>,
    /// The documents of each pair, by these numbers.
    pairs: Vec<[u32; 2]>,
    room: Room,
}

/// Sorts pairs by tiles if that saves at least a quarter of the bytes that batches would read, and says whether it did.
/// The order depends on nothing but the arguments.
pub fn by_tiles<P: Copy>(
    pairs: &mut Vec<P>,
    room: Room,
    ends: impl Fn(&P) -> [u32; 2],
    bytes: impl Fn(u32) -> Result<u64>,
) -> Result<bool> {
    let mut documents = Documents::new(pairs.iter().map(ends), room, bytes)?;
    let unsorted: Vec<usize> = (0..pairs.len()).collect();
    let all: u64 = documents.sizes.iter().map(|size| size.bytes).sum();
    let before = documents.read_in(&unsorted);
    // Nothing is gained where nearly every document is read once.
    if before / 4 * 3 <= all {
        return Ok(false);
    }
    let order = documents.tiled();
    if documents.read_in(&order) > before / 4 * 3 {
        return Ok(false);
    }
    *pairs = order.into_iter().map(|place| pairs[place]).collect();
    Ok(true)
}

impl Documents {
    fn new(
        ends: impl Iterator<Item = [u32; 2]>,
        room: Room,
        bytes: impl Fn(u32) -> Result<u64>,
    ) -> Result<Documents> {
        let mut numbers: HashMap<u32, u32, BuildHasherDefault<MixHasher>> = HashMap::default();
        let mut documents = Documents { sizes: Vec::new(), pairs: Vec::new(), room };
        // A tile has two blocks.
        let (mut block, mut filled, mut held) = (0, 0, 0);
        for pair in ends {
            let mut numbered = [0; 2];
            for (number, document) in numbered.iter_mut().zip(pair) {
                let next = documents.sizes.len() as u32;
                *number = *numbers.entry(document).or_insert(next);
                if *number == next {
                    let bytes = bytes(document)?;
                    if filled > 0 && (filled == room.documents / 2 || held + bytes > room.bytes / 2) {
                        (block, filled, held) = (block + 1, 0, 0);
                    }
                    (filled, held) = (filled + 1, held + bytes);
                    documents.sizes.push(Size { bytes, block, batch: 0 });
                }
            }
            documents.pairs.push(numbered);
        }
        Ok(documents)
    }

    /// The bytes that batches of the pairs in this order read.
    fn read_in(&mut self, order: &[usize]) -> u64 {
        let (mut batch, mut filled, mut held, mut read) = (0, 0, 0, 0);
        self.sizes.iter_mut().for_each(|size| size.batch = 0);
        for &place in order {
            let new = |sizes: &[Size], batch: u64| -> (usize, u64) {
                let pair = self.pairs[place].map(|number| &sizes[number as usize]);
                let new = pair.iter().filter(|size| size.batch != batch);
                (new.clone().count(), new.map(|size| size.bytes).sum())
            };
            let (more, bytes) = new(&self.sizes, batch);
            if batch == 0 || filled + more > self.room.documents || held + bytes > self.room.bytes {
                (batch, filled, held) = (batch + 1, 0, 0);
            }
            let (more, bytes) = new(&self.sizes, batch);
            (filled, held, read) = (filled + more, held + bytes, read + bytes);
            self.pairs[place].iter().for_each(|&number| self.sizes[number as usize].batch = batch);
        }
        read
    }

    fn tiled(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.pairs.len()).collect();
        order.sort_by_key(|&place| {
            let blocks = self.pairs[place].map(|number| self.sizes[number as usize].block);
            (blocks[0].min(blocks[1]), blocks[0].max(blocks[1]))
        });
        order
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    const ROOM: Room = Room { documents: 20, bytes: 400 };

    /// How many documents batches read, each cut where the next pair does not fit.
    fn read(pairs: &[(u32, u32)], bytes: impl Fn(u32) -> u64) -> u64 {
        let (mut held, mut read) = (BTreeSet::new(), 0);
        for &(a, b) in pairs {
            let mut with: BTreeSet<u32> = held.clone();
            with.extend([a, b]);
            if with.len() > ROOM.documents || with.iter().map(|&at| bytes(at)).sum::<u64>() > ROOM.bytes {
                with = BTreeSet::from([a, b]);
                held.clear();
            }
            read += with.difference(&held).map(|&at| bytes(at)).sum::<u64>();
            held = with;
        }
        read
    }

    proptest! {
        /// No pair is lost, and the order is another one only if it saves a quarter of what is read.
        #[test]
        fn pairs_are_sorted_where_it_saves(
            pairs in prop::collection::btree_set((0u32..60, 60u32..120), 1..500), sizes in prop::collection::vec(1u64..60, 120),
        ) {
            let before: Vec<(u32, u32)> = pairs.into_iter().collect();
            let size = |document: u32| sizes[document as usize];
            let mut after = before.clone();
            let is_sorted = by_tiles(&mut after, ROOM, |&(a, b)| [a, b], |document| Ok(size(document))).unwrap();
            prop_assert_eq!(is_sorted, after != before);
            if is_sorted {
                prop_assert!(4 * read(&after, size) <= 3 * read(&before, size) + 3);
                after.sort_unstable();
                prop_assert_eq!(after, before);
            }
        }
    }

    #[test]
    fn a_clique_is_read_in_tiles_and_small_clusters_stay() {
        let clique: Vec<(u32, u32)> = (0..100).flat_map(|a| (a + 1..100).map(move |b| (a, b))).collect();
        let mut tiled = clique.clone();
        assert!(by_tiles(&mut tiled, ROOM, |&(a, b)| [a, b], |_| Ok(20)).unwrap());
        // Ten blocks of ten: a tile of each two of them.
        let (before, after) = (read(&clique, |_| 20), read(&tiled, |_| 20));
        assert!(after * 4 < before, "{after} {before}");
        let mut small: Vec<(u32, u32)> = (0..100).map(|a| (a / 5 * 5, a)).filter(|(a, b)| a < b).collect();
        assert!(!by_tiles(&mut small, ROOM, |&(a, b)| [a, b], |_| Ok(20)).unwrap());
    }
}
