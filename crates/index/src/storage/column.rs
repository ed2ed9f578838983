//! Values for all documents or contents: the older ones in a snapshot on disk, the newer and the changed in memory.
//!
//! A checkpoint writes all of them to a new snapshot, which then replaces what was in memory.

use std::ops::{Index, Range};

use lookalike_core::numbers::{Number, NumberMap};

use crate::storage::mapped::{Mapped, Record};
use crate::storage::number_set::NumberSet;

/// Values that are only ever appended.
pub struct Appended<T> {
    old: Mapped<T>,
    new: Vec<T>,
}

impl<T> Default for Appended<T> {
    fn default() -> Self {
        Appended { old: Mapped::default(), new: Vec::new() }
    }
}

impl<T: Record> Appended<T> {
    pub fn of(old: Mapped<T>) -> Self {
        Appended { old, new: Vec::new() }
    }

    #[inline]
    pub fn len(&self) -> usize {
        self.old.as_slice().len() + self.new.len()
    }

    /// How many are in the snapshot.
    #[inline]
    pub fn old_len(&self) -> usize {
        self.old.as_slice().len()
    }

    #[inline]
    pub fn get(&self, at: usize) -> Option<&T> {
        let old = self.old.as_slice();
        if at < old.len() { old.get(at) } else { self.new.get(at - old.len()) }
    }

    /// Values that were appended together; none if there are no such.
    #[inline]
    pub fn range(&self, range: Range<usize>) -> &[T] {
        let old = self.old.as_slice();
        let found = match range.start.checked_sub(old.len()) {
            Some(start) => range.end.checked_sub(old.len()).and_then(|end| self.new.get(start..end)),
            None => old.get(range),
        };
        found.unwrap_or_default()
    }

    pub fn push(&mut self, value: T) {
        self.new.push(value);
    }

    /// Bytes in memory.
    pub fn own_bytes(&self) -> usize {
        self.new.capacity() * size_of::<T>()
    }

    pub fn extend_from_slice(&mut self, values: &[T]) {
        self.new.extend_from_slice(values);
    }

    pub fn reserve_exact(&mut self, more: usize) {
        self.new.reserve_exact(more);
    }
}

/// A value for each `Of`, by its number. Old values that change are copied into memory one by one.
pub struct Column<Of, T> {
    values: Appended<T>,
    changed: NumberMap<Of, T>,
    /// The same numbers, which are asked for each time a value is.
    is_changed: NumberSet<Of>,
    blank: T,
}

impl<Of, T: Record> Default for Column<Of, T> {
    fn default() -> Self {
        Column::of(Mapped::default())
    }
}

impl<Of, T: Record> Column<Of, T> {
    pub fn of(old: Mapped<T>) -> Self {
        Column {
            values: Appended::of(old),
            changed: NumberMap::default(),
            is_changed: NumberSet::default(),
            blank: T::default(),
        }
    }

    #[inline]
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Whether all numbers are used.
    pub fn is_full(&self) -> bool {
        self.len() >= u32::MAX as usize - 1
    }

    /// The number that the next value will get.
    pub fn next_number(&self) -> Number<Of> {
        Number::from_index(self.len())
    }

    /// The first number that is not in the snapshot.
    pub fn first_new(&self) -> Number<Of> {
        Number::from_index(self.values.old_len())
    }

    /// Whether a value of the snapshot was changed since.
    #[inline]
    pub fn is_changed(&self, number: Number<Of>) -> bool {
        self.is_changed.has(number)
    }

    pub fn push(&mut self, value: T) -> Number<Of> {
        let number = self.next_number();
        self.values.push(value);
        number
    }

    #[inline]
    pub fn get(&self, number: Number<Of>) -> Option<&T> {
        if self.is_changed.has(number) {
            return self.changed.get(&number);
        }
        self.values.get(number.index())
    }

    pub fn get_mut(&mut self, number: Number<Of>) -> Option<&mut T> {
        let old = self.values.old.as_slice();
        let Some(&value) = old.get(number.index()) else {
            return self.values.new.get_mut(number.index() - old.len());
        };
        self.is_changed.add(number);
        Some(self.changed.entry(number).or_insert(value))
    }

    /// Sets a value, after default ones if there are not so many yet.
    pub fn set(&mut self, number: Number<Of>, value: T) {
        while self.len() <= number.index() {
            self.values.push(T::default());
        }
        if let Some(place) = self.get_mut(number) {
            *place = value;
        }
    }

    pub fn iter(&self) -> impl Iterator<Item = &T> {
        self.iter_from(Number::FIRST).map(|(_, value)| value)
    }

    /// All values with their numbers, from this one on.
    pub fn iter_from(&self, first: Number<Of>) -> impl Iterator<Item = (Number<Of>, &T)> {
        first.up_to(self.next_number()).map(|number| (number, &self[number]))
    }

    /// Values that are not in the snapshot, or otherwise.
    pub fn iter_new(&self) -> impl Iterator<Item = &T> {
        self.changed.values().chain(&self.values.new)
    }

    /// Bytes in memory, about, the bits for all numbers aside.
    pub fn own_bytes(&self) -> usize {
        self.values.own_bytes() + self.changed.capacity() * size_of::<(Number<Of>, T)>()
    }

    pub fn numbers(&self) -> impl Iterator<Item = Number<Of>> + use<Of, T> {
        Number::FIRST.up_to(self.next_number())
    }

    pub fn reserve_exact(&mut self, more: usize) {
        self.values.reserve_exact(more);
    }
}

impl<Of, T: Record + Ord> Column<Of, T> {
    /// The number of a value, if all are sorted.
    pub fn binary_search(&self, value: &T) -> Option<Number<Of>> {
        let (mut low, mut high) = (0, self.len());
        while low < high {
            let middle = low + (high - low) / 2;
            if self[Number::from_index(middle)] < *value { low = middle + 1 } else { high = middle }
        }
        Some(Number::from_index(low)).filter(|&number| self.get(number) == Some(value))
    }
}

/// A number without a value gives a blank one. There are none unless a file is wrong in a way that its checksums do not
/// tell, and even then nothing must panic.
impl<Of, T: Record> Index<Number<Of>> for Column<Of, T> {
    type Output = T;

    #[inline]
    fn index(&self, number: Number<Of>) -> &T {
        self.get(number).unwrap_or(&self.blank)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use proptest::prelude::*;

    use super::*;
    use crate::storage::mapped::bytes_of;

    fn mapped(values: &[u64]) -> Mapped<u64> {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(bytes_of(values)).unwrap();
        Mapped::new(&file, 0, 8 * values.len() as u64).unwrap().unwrap()
    }

    proptest! {
        /// Whether values are in a file, changed or new: they are those of a plain list.
        #[test]
        fn a_column_is_a_list(
            old in proptest::collection::vec(0u64..50, 0..40),
            changes in proptest::collection::vec((0usize..60, 0u64..50), 0..60),
        ) {
            let mut column: Column<(), u64> = Column::of(mapped(&old));
            let mut list = old.clone();
            for (at, value) in changes {
                match at {
                    55.. => {
                        prop_assert_eq!(column.push(value).index(), list.len());
                        list.push(value);
                    }
                    50..55 => {
                        column.set(Number::from_index(at), value);
                        list.resize(list.len().max(at + 1), 0);
                        list[at] = value;
                    }
                    _ => match (column.get_mut(Number::from_index(at)), list.get_mut(at)) {
                        (Some(found), Some(expected)) => (*found, *expected) = (value, value),
                        (found, expected) => prop_assert!(found.is_none() && expected.is_none()),
                    },
                }
                prop_assert_eq!(column.len(), list.len());
            }
            prop_assert!(column.iter().eq(&list));
            let blank = column[column.next_number()];
            prop_assert_eq!((blank, column.get(column.next_number())), (0, None));
            let other = list.iter().enumerate().filter(|&(at, value)| old.get(at) != Some(value));
            let mut new: Vec<u64> = column.iter_new().copied().collect();
            other.for_each(|(_, value)| {
                let place = new.iter().position(|one| one == value).expect("a new value");
                new.swap_remove(place);
            });
            list.sort_unstable();
            let sorted: Column<(), u64> = Column::of(mapped(&list));
            for value in 0..50 {
                let found = sorted.binary_search(&value).map(Number::index);
                prop_assert_eq!(found, Some(list.partition_point(|&one| one < value)).filter(|&at| list.get(at) == Some(&value)));
            }
        }
    }

    #[test]
    fn what_was_appended_together_is_found_together() {
        let mut values: Appended<u64> = Appended::of(mapped(&[1, 2, 3]));
        values.extend_from_slice(&[4, 5]);
        assert_eq!((values.len(), values.old_len(), values.get(3)), (5, 3, Some(&4)));
        assert_eq!((values.range(1..3), values.range(3..5)), (&[2, 3][..], &[4, 5][..]));
        assert!(values.range(2..4).is_empty() && values.range(4..6).is_empty() && values.get(5).is_none());
    }
}
