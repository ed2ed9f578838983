//! A hash table on disk: numbers by hashes.
//!
//! Entries are sorted by the first half of their hashes, of which the first bits are the bucket. So the next table is made by
//! merging the last one with what is new, in order, and however many numbers have the same hash, none is looked for.

use std::iter::Peekable;

use lookalike_core::numbers::Number;

use crate::storage::mapped::{Mapped, Record};

/// Numbers by hashes, in a snapshot.
pub struct Table<Of> {
    /// Where each bucket starts, and where the last one ends; as many buckets as a power of two.
    pub(super) starts: Mapped<u32>,
    pub(super) entries: Mapped<Entry<Of>>,
}

/// The first half of a hash, and a number that has it.
#[repr(C)]
pub struct Entry<Of> {
    tag: u32,
    number: Option<Number<Of>>,
}

// SAFETY: two fields of four bytes each, of which all patterns are valid.
unsafe impl<Of: 'static> Record for Entry<Of> {}

impl<Of> Entry<Of> {
    fn new(hash: u64, number: Number<Of>) -> Self {
        Entry { tag: (hash >> 32) as u32, number: Some(number) }
    }
}

impl<Of> Clone for Entry<Of> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<Of> Copy for Entry<Of> {}

impl<Of> Default for Entry<Of> {
    fn default() -> Self {
        Entry { tag: 0, number: None }
    }
}

impl<Of> Default for Table<Of> {
    fn default() -> Self {
        Table { starts: Mapped::default(), entries: Mapped::default() }
    }
}

impl<Of: 'static> Table<Of> {
    /// Numbers that may have this hash, among them all that have it, by rising number.
    pub fn find(&self, hash: u64) -> impl Iterator<Item = Number<Of>> + '_ {
        let tag = (hash >> 32) as u32;
        let starts = self.starts.as_slice();
        let bucket = bucket(tag, starts.len().saturating_sub(1));
        let range = starts.get(bucket).zip(starts.get(bucket + 1));
        let entries =
            range.and_then(|(&start, &end)| self.entries.as_slice().get(start as usize..end as usize));
        let tagged = entries.unwrap_or_default().iter().filter(move |entry| entry.tag == tag);
        tagged.filter_map(|entry| entry.number)
    }

    /// The next table: of this one the numbers that `keep` accepts, and greater ones with their hashes.
    pub fn renewed<K: Fn(Number<Of>) -> bool>(
        &self,
        keep: K,
        new: impl Iterator<Item = (u64, Number<Of>)>,
    ) -> RenewedTable<'_, Of, K> {
        let mut new: Vec<Entry<Of>> = new.map(|(hash, number)| Entry::new(hash, number)).collect();
        new.sort_unstable_by_key(|entry| (entry.tag, entry.number));
        RenewedTable { old: self.entries.as_slice(), new, keep }
    }
}

/// A table that is to be written.
pub struct RenewedTable<'a, Of, K> {
    old: &'a [Entry<Of>],
    new: Vec<Entry<Of>>,
    keep: K,
}

impl<Of, K: Fn(Number<Of>) -> bool> RenewedTable<'_, Of, K> {
    pub fn entries(&self) -> impl Iterator<Item = Entry<Of>> {
        let kept = |entry: &&Entry<Of>| entry.number.is_some_and(&self.keep);
        let (mut old, mut new) = (self.old.iter().filter(kept).peekable(), self.new.iter().peekable());
        std::iter::from_fn(move || {
            let is_old = match (old.peek(), new.peek()) {
                (Some(old), Some(new)) => old.tag <= new.tag,
                (old, _) => old.is_some(),
            };
            if is_old { old.next().copied() } else { new.next().copied() }
        })
    }

    /// Where each bucket starts, and where the last one ends; nothing for an empty table.
    pub fn starts(&self) -> impl Iterator<Item = u32> {
        let count = self.entries().count();
        let buckets = if count == 0 { 0 } else { count.next_power_of_two() };
        let mut entries: Peekable<_> = self.entries().peekable();
        let mut at = 0;
        let ends = (0..buckets).map(move |number| {
            while entries.next_if(|entry| bucket(entry.tag, buckets) <= number).is_some() {
                at += 1;
            }
            at
        });
        (buckets > 0).then_some(0).into_iter().chain(ends)
    }
}

#[inline]
fn bucket(tag: u32, buckets: usize) -> usize {
    // As there is a power of two of them: the first bits of the tag.
    ((u64::from(tag) * buckets as u64) >> 32) as usize
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use lookalike_core::hash::mix;
    use proptest::prelude::*;

    use super::*;
    use crate::storage::mapped::bytes_of;

    fn mapped<T: Record>(values: &[T]) -> Mapped<T> {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(bytes_of(values)).unwrap();
        Mapped::new(&file, 0, size_of_val(values) as u64).unwrap().unwrap()
    }

    proptest! {
        /// Many equal hashes, hashes that differ at the end only, and any; of a first table some are gone.
        #[test]
        fn every_number_is_found_by_its_hash(
            keys in proptest::collection::vec(0u64..60, 0..200), first in 0usize..200, gone in 0usize..7,
        ) {
            let hash = |key: u64| match key % 3 {
                0 => mix(key),
                1 => key,
                _ => (u64::MAX - key) ^ key << 32,
            };
            let all: Vec<(u64, Number<()>)> =
                keys.iter().enumerate().map(|(at, &key)| (hash(key), Number::from_index(at))).collect();
            let (before, after) = all.split_at(first.min(all.len()));
            let written = |starts: Vec<u32>, entries: Vec<Entry<()>>| Table { starts: mapped(&starts), entries: mapped(&entries) };
            let none = Table::default();
            let first = none.renewed(|_| true, before.iter().copied());
            let first = written(first.starts().collect(), first.entries().collect());
            let stays = |number: Number<()>| number.index() % 7 != gone || number.index() >= before.len();
            let second = first.renewed(stays, after.iter().copied());
            let second = written(second.starts().collect(), second.entries().collect());
            let staying: Vec<(u64, Number<()>)> = all.iter().copied().filter(|one| stays(one.1)).collect();
            for (table, there) in [(&first, before), (&second, &staying)] {
                for key in 0..60 {
                    let expected = there.iter().filter(|one| one.0 == hash(key)).map(|one| one.1);
                    let found: Vec<Number<()>> = table.find(hash(key)).collect();
                    let with_hash = found.iter().copied().filter(|number| all[number.index()].0 == hash(key));
                    prop_assert!(with_hash.eq(expected));
                    prop_assert!(found.iter().all(|number| all[number.index()].0 >> 32 == hash(key) >> 32));
                }
            }
        }
    }
}
