//! From feature hashes to ranks: the rarer a feature, the smaller its number.
//!
//! Sets written as rising ranks begin with their rarest features, and that is where pairs are
//! looked for. Features that only one set has cannot be shared; they are counted and left out.
//!
//! Hashes are counted in tables. Each table covers one range of the hashes, which is one run of
//! every sorted set, so tables can be filled in parallel and stay small.

use super::super::join::Records;
use super::groups::{Groups, hashes};
use crate::error::{Error, Result};
use crate::threads::spread;

/// Every different set as rising ranks, end to end, in the order of the groups.
pub(super) struct Ranked {
    ranks: Vec<u32>,
    /// Where each set ends.
    ends: Vec<usize>,
    /// How many features each set has, with those that no other set has.
    pub(super) sizes: Vec<u32>,
    /// How many ranks there are.
    pub(super) terms: usize,
}

/// How many different features one table should count, so that it takes about 100 MB at most.
const TABLE_FEATURES: usize = 1 << 21;

impl Ranked {
    pub(super) fn new(records: &Records, groups: &Groups, threads: usize) -> Result<Ranked> {
        // The first of many tables shows how many are needed.
        const SAMPLE: usize = 256;
        let different = count(records, groups, 0, SAMPLE).used * SAMPLE;
        Ranked::with_tables(records, groups, threads, threads.max(different.div_ceil(TABLE_FEATURES)))
    }

    fn with_tables(records: &Records, groups: &Groups, threads: usize, tables: usize) -> Result<Ranked> {
        let sizes = (0..groups.len())
            .map(|group| u32::try_from(groups.hashes(group, records).len()))
            .collect::<Result<Vec<u32>, _>>()
            .map_err(|_| Error::input("a document has more than 2³² features"))?;
        let mut tables = Tables {
            tables: spread(threads, 0..tables, |part| count(records, groups, part, tables).shared_only()),
        };
        let terms = tables.counts_to_ranks(groups.len())?;

        let mut ranks = vec![0; sizes.iter().map(|&size| size as usize).sum()];
        let mut rest = ranks.as_mut_slice();
        let mut shares = Vec::new();
        for first in (0..groups.len()).step_by(SHARE) {
            let share = first..groups.len().min(first + SHARE);
            let features = sizes[share.clone()].iter().map(|&size| size as usize).sum();
            let (head, tail) = rest.split_at_mut(features);
            shares.push((share, head));
            rest = tail;
        }
        let lengths = spread(threads, shares, |(share, mut ranks)| {
            let mut lengths = Vec::with_capacity(share.len());
            for group in share {
                let hashes = groups.hashes(group, records);
                let (set, rest) = ranks.split_at_mut(hashes.len());
                lengths.push(tables.write_ranks(hashes, set));
                ranks = rest;
            }
            lengths
        });
        // Closes the gaps left by features that only one set has.
        let mut ends = Vec::with_capacity(groups.len());
        let (mut from, mut to) = (0, 0);
        for (length, &size) in lengths.into_iter().flatten().zip(&sizes) {
            ranks.copy_within(from..from + length, to);
            from += size as usize;
            to += length;
            ends.push(to);
        }
        ranks.truncate(to);
        ranks.shrink_to_fit();
        Ok(Ranked { ranks, ends, sizes, terms })
    }

    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    /// The ranks of those features of a set that other sets have, too.
    pub(super) fn set(&self, set: usize) -> &[u32] {
        let start = if set == 0 { 0 } else { self.ends[set - 1] };
        &self.ranks[start..self.ends[set]]
    }
}

/// Sets ranked in one go.
const SHARE: usize = 1024;

/// Counts the sets of each hash of one part of `parts`.
fn count(records: &Records, groups: &Groups, part: usize, parts: usize) -> Table {
    let mut table = Table::with_room(1024);
    for &place in groups.first_places() {
        let hashes = hashes(records, place as usize);
        let part_of = |bytes: &[u8; 8]| part_of(u64::from_le_bytes(*bytes), parts);
        let start = hashes.partition_point(|bytes| part_of(bytes) < part);
        for bytes in hashes[start..].iter().take_while(|bytes| part_of(bytes) == part) {
            table.add(u64::from_le_bytes(*bytes));
        }
    }
    table
}

/// Which table has a hash: the higher, the later.
fn part_of(hash: u64, parts: usize) -> usize {
    ((u128::from(hash) * parts as u128) >> 64) as usize
}

struct Tables {
    tables: Vec<Table>,
}

impl Tables {
    /// Replaces the number of sets that have a feature by its rank, and gives the number of ranks.
    fn counts_to_ranks(&mut self, sets: usize) -> Result<usize> {
        let mut next = vec![0usize; sets + 1];
        let entries = || self.tables.iter().flat_map(|table| &table.slots).filter(|slot| slot.value > 0);
        entries().for_each(|slot| next[slot.value as usize] += 1);
        let mut terms = 0;
        for next in &mut next {
            terms += std::mem::replace(next, terms);
        }
        if terms >= u32::MAX as usize {
            return Err(Error::input("the documents share more than 2³² different features"));
        }
        let entries = self.tables.iter_mut().flat_map(|table| &mut table.slots);
        for slot in entries.filter(|slot| slot.value > 0) {
            let rank = &mut next[slot.value as usize];
            // Zero remains the mark of an empty slot.
            slot.value = *rank as u32 + 1;
            *rank += 1;
        }
        Ok(terms)
    }

    /// Writes the ranks of those hashes that have one, rising, and gives their number.
    fn write_ranks(&self, hashes: &[[u8; 8]], ranks: &mut [u32]) -> usize {
        let mut length = 0;
        for &bytes in hashes {
            let hash = u64::from_le_bytes(bytes);
            let value = self.tables[part_of(hash, self.tables.len())].get(hash);
            if value > 0 {
                ranks[length] = value - 1;
                length += 1;
            }
        }
        ranks[..length].sort_unstable();
        length
    }
}

/// A number for each hash, by open addressing, 16 bytes a slot, at most three quarters full.
struct Table {
    slots: Vec<Slot>,
    used: usize,
}

#[derive(Clone, Copy, Default)]
struct Slot {
    hash: u64,
    /// 0 where the slot is empty.
    value: u32,
}

impl Table {
    fn with_room(entries: usize) -> Table {
        Table { slots: vec![Slot::default(); (entries * 4 / 3 + 1).next_power_of_two()], used: 0 }
    }

    /// The slot of the hash, or the empty one where it belongs.
    #[inline(always)]
    fn find(&self, hash: u64) -> usize {
        let mask = self.slots.len() - 1;
        // The high bits were used to choose the table, so all hashes in it share them.
        let mut place = (hash.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as usize & mask;
        while self.slots[place].value != 0 && self.slots[place].hash != hash {
            place = (place + 1) & mask;
        }
        place
    }

    fn get(&self, hash: u64) -> u32 {
        self.slots[self.find(hash)].value
    }

    fn add(&mut self, hash: u64) {
        let place = self.find(hash);
        self.slots[place].hash = hash;
        self.slots[place].value += 1;
        if self.slots[place].value == 1 {
            self.used += 1;
            if self.used * 4 > self.slots.len() * 3 {
                *self = self.kept(self.used * 2, 1);
            }
        }
    }

    fn shared_only(&self) -> Table {
        self.kept(self.slots.iter().filter(|slot| slot.value >= 2).count(), 2)
    }

    /// The entries of at least this value, in a table with room for so many.
    fn kept(&self, room: usize, least: u32) -> Table {
        let mut table = Table::with_room(room);
        for &slot in self.slots.iter().filter(|slot| slot.value >= least) {
            let place = table.find(slot.hash);
            table.slots[place] = slot;
            table.used += 1;
        }
        table
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use proptest::prelude::*;

    use super::*;
    use crate::hash;

    proptest! {
        /// Equal hashes have equal ranks, rarer ones smaller; what one set alone has is left out.
        #[test]
        fn ranks_rise_with_the_number_of_sets(
            sets in proptest::collection::btree_set(proptest::collection::btree_set(0u64..300, 1..40), 1..40),
            tables in 1usize..6,
            threads in 1usize..4,
        ) {
            let spread_out = |set: &BTreeSet<u64>| set.iter().map(|&term| hash::mix(term)).collect::<BTreeSet<u64>>();
            let sets: Vec<BTreeSet<u64>> = sets.iter().map(spread_out).collect();
            let mut frequency: BTreeMap<u64, usize> = BTreeMap::new();
            sets.iter().flatten().for_each(|&hash| *frequency.entry(hash).or_default() += 1);
            let mut records = Records::default();
            for set in &sets {
                records.push(&set.iter().flat_map(|hash| hash.to_le_bytes()).collect::<Vec<u8>>());
            }
            let groups = Groups::new(&records).unwrap();
            let ranked = Ranked::with_tables(&records, &groups, threads, tables).unwrap();
            prop_assert_eq!(ranked.len(), sets.len());
            let shared = frequency.values().filter(|&&sets| sets > 1).count();
            prop_assert_eq!(ranked.terms, shared);
            let mut frequencies = vec![0; shared];
            for set in 0..ranked.len() {
                let original = &sets[groups.places(set)[0] as usize];
                prop_assert_eq!(ranked.sizes[set] as usize, original.len());
                prop_assert_eq!(ranked.set(set).len(), original.iter().filter(|hash| frequency[hash] > 1).count());
                prop_assert!(ranked.set(set).is_sorted_by(|a, b| a < b));
                ranked.set(set).iter().for_each(|&rank| frequencies[rank as usize] += 1);
            }
            prop_assert!(frequencies.is_sorted() && frequencies.first().is_none_or(|&least| least > 1));
            for a in 0..ranked.len() {
                for b in 0..a {
                    let of = |set: usize| &sets[groups.places(set)[0] as usize];
                    let shared = ranked.set(a).iter().filter(|rank| ranked.set(b).contains(rank)).count();
                    prop_assert_eq!(shared, of(a).intersection(of(b)).count());
                }
            }
        }
    }
}
