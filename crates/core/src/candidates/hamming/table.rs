//! Items sorted into buckets by a few of their bits.
//!
//! Two passes: the first counts the items of each key, the second moves those that share their key.
//! Only keys that items have are visited, so the cost of a table is that of its items plus clearing
//! the counters.

use std::ops::Range;

use super::word::{Item, Word};

/// Neighbouring bits of a value, read as a key.
#[derive(Clone, Copy, Debug)]
pub struct Field {
    pub shift: u32,
    pub bits: u32,
}

impl Field {
    /// How many keys there are.
    pub fn keys(self) -> usize {
        1 << self.bits
    }

    /// Always below [`Field::keys`].
    #[inline(always)]
    pub fn of<W: Word>(self, value: W) -> usize {
        (value >> self.shift).low() as usize & (self.keys() - 1)
    }
}

/// Marks a counter that has become the next free place of its bucket.
const PLACED: u32 = 1 << 31;

/// With more items than this, a place could be mistaken for the mark.
pub const MOST_ITEMS: usize = PLACED as usize - 1;

#[derive(Default)]
pub struct Table<W> {
    counters: Vec<u32>,
    items: Vec<Item<W>>,
    buckets: Vec<Range<usize>>,
}

impl<W: Word> Table<W> {
    /// Sorts the items into buckets; an item whose key no other item has is left out.
    pub fn fill(&mut self, items: &[Item<W>], field: Field) {
        self.count(items, field);
        if self.items.len() < items.len() {
            self.items.resize(items.len(), Item::default());
        }
        self.buckets.clear();
        let mut filled = 0u32;
        for item in items {
            let counter = &mut self.counters[field.of(item.value)];
            if *counter == 1 {
                continue;
            }
            if *counter & PLACED == 0 {
                self.buckets.push(filled as usize..(filled + *counter) as usize);
                let start = filled;
                filled += *counter;
                *counter = start | PLACED;
            }
            self.items[(*counter & !PLACED) as usize] = *item;
            *counter += 1;
        }
    }

    /// The buckets of two or more items, in the order in which they were found.
    pub fn buckets(&self) -> impl Iterator<Item = &[Item<W>]> {
        self.buckets.iter().map(|bucket| &self.items[bucket.clone()])
    }

    /// How many pairs the buckets would hold.
    pub fn pairs(&mut self, items: &[Item<W>], field: Field) -> u64 {
        self.count(items, field)
    }

    fn count(&mut self, items: &[Item<W>], field: Field) -> u64 {
        self.counters.clear();
        self.counters.resize(field.keys(), 0);
        let mut pairs = 0;
        for item in items {
            let counter = &mut self.counters[field.of(item.value)];
            pairs += u64::from(*counter);
            *counter += 1;
        }
        pairs
    }
}

/// Sorts all items by key into `sorted`, which is as long; gives the end of every bucket there.
pub fn scatter<W: Word>(items: &[Item<W>], field: Field, sorted: &mut [Item<W>]) -> Vec<u32> {
    let mut ends = vec![0u32; field.keys()];
    for item in items {
        ends[field.of(item.value)] += 1;
    }
    let mut start = 0;
    for end in &mut ends {
        start += std::mem::replace(end, start);
    }
    for item in items {
        let next = &mut ends[field.of(item.value)];
        sorted[*next as usize] = *item;
        *next += 1;
    }
    ends
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash;

    fn items() -> Vec<Item<u64>> {
        (0..1000).map(|place| Item { value: hash::mix(u64::from(place)), place }).collect()
    }

    #[test]
    fn buckets_hold_all_that_share_a_key_and_nobody_else() {
        let (items, field, mut table) = (items(), Field { shift: 7, bits: 9 }, Table::default());
        let mut expected = vec![Vec::new(); field.keys()];
        for item in &items {
            expected[field.of(item.value)].push(*item);
        }
        // A table that is used again must not see what the first use left.
        for _ in 0..2 {
            table.fill(&items, field);
            let mut seen = 0;
            for bucket in table.buckets() {
                assert_eq!(bucket, expected[field.of(bucket[0].value)]);
                seen += 1;
            }
            assert_eq!(seen, expected.iter().filter(|bucket| bucket.len() > 1).count());
        }
        let pairs = expected.iter().map(|bucket| (bucket.len() * bucket.len().saturating_sub(1) / 2) as u64);
        assert_eq!(table.pairs(&items, field), pairs.sum::<u64>());
    }

    #[test]
    fn scattered_items_stand_by_their_keys() {
        let (items, field) = (items(), Field { shift: 60, bits: 4 });
        let mut sorted = vec![Item::default(); items.len()];
        let ends = scatter(&items, field, &mut sorted);
        let mut expected = items.clone();
        expected.sort_by_key(|item| field.of(item.value));
        assert_eq!(sorted, expected);
        assert!(ends.iter().enumerate().all(|(key, &end)| {
            sorted[..end as usize].iter().all(|item| field.of(item.value) <= key)
                && sorted[end as usize..].iter().all(|item| field.of(item.value) > key)
        }));
    }
}
