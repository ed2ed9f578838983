//! Numbers for documents, contents and the like, with a type for each kind, so that they cannot be mixed up.
//!
//! They count from 0. The last `u32` is never used: on disk it stands for `None`, and in memory an `Option` of a
//! number takes no more space than the number.

use std::cmp::Ordering;
use std::collections::HashMap;
use std::fmt;
use std::hash::{BuildHasherDefault, Hash, Hasher};
use std::marker::PhantomData;
use std::num::NonZeroU32;
use std::ops;

/// The number of an `Of`. Transparent, so that an `Option` of one is four bytes of which every pattern is valid: it can
/// be used where it lies in a file.
#[repr(transparent)]
pub struct Number<Of> {
    /// The number plus one.
    above: NonZeroU32,
    of: PhantomData<fn() -> Of>,
}

impl<Of> Number<Of> {
    /// The number 0.
    pub const FIRST: Self = Number { above: NonZeroU32::MIN, of: PhantomData };

    /// The number of the item at an index. Callers do not add to a [`Numbered`] that [is full](Numbered::is_full),
    /// so every item at an index has a number.
    pub fn from_index(index: usize) -> Self {
        let index = u32::try_from(index).unwrap_or(u32::MAX);
        Number { above: NonZeroU32::MIN.saturating_add(index), of: PhantomData }
    }

    /// The index in a list that has an item for every number.
    pub fn index(self) -> usize {
        self.raw() as usize
    }

    /// A number from a file or a caller; `None` for the last `u32`, which is no number.
    pub fn from_raw(raw: u32) -> Option<Self> {
        Some(Number { above: NonZeroU32::MIN.checked_add(raw)?, of: PhantomData })
    }

    /// The number as it is written to files.
    pub fn raw(self) -> u32 {
        self.above.get() - 1
    }

    /// The number before this one; `None` for the first.
    pub fn before(self) -> Option<Self> {
        Some(Number { above: NonZeroU32::new(self.raw())?, of: PhantomData })
    }

    /// The numbers from this one up to but not including `end`.
    pub fn up_to(self, end: Self) -> impl Iterator<Item = Self> {
        (self.index()..end.index()).map(Number::from_index)
    }

    /// The next number.
    pub fn next(self) -> Self {
        Number { above: self.above.saturating_add(1), of: PhantomData }
    }
}

impl<Of> Clone for Number<Of> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<Of> Copy for Number<Of> {}

impl<Of> PartialEq for Number<Of> {
    fn eq(&self, other: &Self) -> bool {
        self.above == other.above
    }
}

impl<Of> Eq for Number<Of> {}

impl<Of> PartialOrd for Number<Of> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<Of> Ord for Number<Of> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.above.cmp(&other.above)
    }
}

impl<Of> Hash for Number<Of> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u32(self.raw());
    }
}

impl<Of> fmt::Debug for Number<Of> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.raw().fmt(out)
    }
}

/// A `T` for each `Of`, by its number.
pub struct Numbered<Of, T> {
    all: Vec<T>,
    of: PhantomData<fn() -> Of>,
}

impl<Of, T> Numbered<Of, T> {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Whether all numbers are used.
    pub fn is_full(&self) -> bool {
        self.all.len() >= u32::MAX as usize - 1
    }

    /// The number that the next item will get.
    pub fn next_number(&self) -> Number<Of> {
        Number::from_index(self.all.len())
    }

    /// Adds a value and gives its number.
    pub fn push(&mut self, value: T) -> Number<Of> {
        let number = self.next_number();
        self.all.push(value);
        number
    }

    /// The value of a number, if there is one.
    pub fn get(&self, number: Number<Of>) -> Option<&T> {
        self.all.get(number.index())
    }

    /// The value of a number, if there is one, to be changed.
    pub fn get_mut(&mut self, number: Number<Of>) -> Option<&mut T> {
        self.all.get_mut(number.index())
    }

    /// All values, by their numbers.
    pub fn iter(&self) -> std::slice::Iter<'_, T> {
        self.all.iter()
    }

    /// All items with their numbers, from this one on.
    pub fn iter_from(&self, first: Number<Of>) -> impl Iterator<Item = (Number<Of>, &T)> {
        first.up_to(self.next_number()).zip(self.all.iter().skip(first.index()))
    }

    /// All numbers.
    pub fn numbers(&self) -> impl Iterator<Item = Number<Of>> + use<Of, T> {
        Number::FIRST.up_to(self.next_number())
    }

    /// Removes all values.
    pub fn clear(&mut self) {
        self.all.clear();
    }

    /// Makes room for so many more.
    pub fn reserve_exact(&mut self, more: usize) {
        self.all.reserve_exact(more);
    }
}

impl<Of, T: Clone> Numbered<Of, T> {
    /// Sets the length, filling up with `value`.
    pub fn resize(&mut self, length: usize, value: T) {
        self.all.resize(length, value);
    }
}

impl<Of, T> Default for Numbered<Of, T> {
    fn default() -> Self {
        Numbered { all: Vec::new(), of: PhantomData }
    }
}

impl<Of, T> ops::Index<Number<Of>> for Numbered<Of, T> {
    type Output = T;

    fn index(&self, number: Number<Of>) -> &T {
        &self.all[number.index()]
    }
}

impl<Of, T> ops::IndexMut<Number<Of>> for Numbered<Of, T> {
    fn index_mut(&mut self, number: Number<Of>) -> &mut T {
        &mut self.all[number.index()]
    }
}

/// A map by numbers. Numbers are not chosen by outsiders, so mixing their bits is a sufficient hash.
pub type NumberMap<Of, T> = HashMap<Number<Of>, T, BuildHasherDefault<MixHasher>>;

/// Hashes a number for a [`NumberMap`].
#[derive(Default)]
pub struct MixHasher(u64);

impl Hasher for MixHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        self.0 = crate::hash::bytes(bytes);
    }

    fn write_u32(&mut self, number: u32) {
        self.0 = crate::hash::mix(u64::from(number));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Test = Number<()>;

    #[test]
    fn the_last_is_no_number_and_absence_takes_no_room() {
        assert_eq!((Test::FIRST.raw(), Test::from_raw(u32::MAX)), (0, None));
        for raw in [0, 1, 77, u32::MAX - 1] {
            let number = Test::from_raw(raw).unwrap();
            assert_eq!((number.raw(), Test::from_index(number.index())), (raw, number));
        }
        let last = Test::from_raw(u32::MAX - 1).unwrap();
        assert_eq!((Test::from_index(usize::MAX), last.next()), (last, last));
        assert!(Test::FIRST < Test::FIRST.next() && Test::FIRST.next() < last);
        assert_eq!((size_of::<Test>(), size_of::<Option<Test>>()), (4, 4));
    }

    #[test]
    fn what_is_pushed_is_found_by_its_number() {
        let mut all: Numbered<(), char> = Numbered::default();
        let (a, b) = (all.push('a'), all.push('b'));
        assert_eq!((all[a], all.get(b), all.get(all.next_number())), ('a', Some(&'b'), None));
        assert_eq!(all.iter_from(b).collect::<Vec<_>>(), [(b, &'b')]);
        assert_eq!(all.numbers().collect::<Vec<_>>(), [a, b]);
    }
}
