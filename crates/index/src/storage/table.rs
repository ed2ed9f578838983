//! A hash table on disk: numbers by hashes.
//!
//! The first bits of a hash choose a bucket. Buckets lie end to end, so however many numbers have the same hash, the
//! table is made in one pass over each array.

use lookalike_core::numbers::Number;

use crate::storage::mapped::{Mapped, Record};

/// Numbers by hashes, in a snapshot.
pub struct Table<Of> {
    /// Where each bucket starts, and where the last one ends; as many buckets as a power of two.
    pub(super) starts: Mapped<u32>,
    pub(super) entries: Mapped<Entry<Of>>,
}

/// The last bits of a hash, which save most looks at a number that has another, and the number.
#[repr(C)]
pub struct Entry<Of> {
    tag: u32,
    number: Option<Number<Of>>,
}

// SAFETY: two fields of four bytes each, of which all patterns are valid.
unsafe impl<Of: 'static> Record for Entry<Of> {}

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
        let starts = self.starts.as_slice();
        let bucket = bucket(hash, starts.len().saturating_sub(1));
        let range = starts.get(bucket).zip(starts.get(bucket + 1));
        let entries =
            range.and_then(|(&start, &end)| self.entries.as_slice().get(start as usize..end as usize));
        let tagged = entries.unwrap_or_default().iter().filter(move |entry| entry.tag == hash as u32);
        tagged.filter_map(|entry| entry.number)
    }
}

/// The arrays of a table with these hashes and numbers, which are asked for twice.
pub fn build<Of, I: Iterator<Item = (u64, Number<Of>)>>(
    hashes: impl Fn() -> I,
) -> (Vec<u32>, Vec<Entry<Of>>) {
    let count = hashes().count();
    if count == 0 {
        return (Vec::new(), Vec::new());
    }
    let buckets = count.next_power_of_two();
    let mut starts = vec![0u32; buckets + 1];
    hashes().for_each(|(hash, _)| starts[bucket(hash, buckets) + 1] += 1);
    for at in 1..starts.len() {
        starts[at] += starts[at - 1];
    }
    let mut entries = vec![Entry::default(); count];
    // Filling a bucket moves its start to its end, which is where the next one starts.
    for (hash, number) in hashes() {
        let place = &mut starts[bucket(hash, buckets)];
        entries[*place as usize] = Entry { tag: hash as u32, number: Some(number) };
        *place += 1;
    }
    starts.rotate_right(1);
    starts[0] = 0;
    (starts, entries)
}

#[inline]
fn bucket(hash: u64, buckets: usize) -> usize {
    // The high half of the product of a hash and a power of two are the first bits of the hash.
    ((u128::from(hash) * buckets as u128) >> 64) as usize
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
        /// Many equal hashes, hashes that differ in the middle only, and any.
        #[test]
        fn every_number_is_found_by_its_hash(keys in proptest::collection::vec(0u64..60, 0..200)) {
            let hash = |key: u64| match key % 3 {
                0 => mix(key),
                1 => key << 32,
                _ => u64::MAX - key,
            };
            let all: Vec<(u64, Number<()>)> =
                keys.iter().enumerate().map(|(at, &key)| (hash(key), Number::from_index(at))).collect();
            let (starts, entries) = build(|| all.iter().copied());
            let table = Table { starts: mapped(&starts), entries: mapped(&entries) };
            for key in 0..60 {
                let expected = all.iter().filter(|one| one.0 == hash(key)).map(|one| one.1);
                let found: Vec<Number<()>> = table.find(hash(key)).collect();
                let with_hash = found.iter().copied().filter(|number| all[number.index()].0 == hash(key));
                prop_assert!(with_hash.eq(expected));
                prop_assert!(found.iter().all(|number| all[number.index()].0 as u32 == hash(key) as u32));
            }
        }
    }
}
