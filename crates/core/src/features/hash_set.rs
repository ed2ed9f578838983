//! Which values were met already, in memory that is reused from document to document.

/// A set of hashes with open addressing; cleared by one fill.
#[derive(Default)]
pub struct FeatureHashSet {
    /// 0 marks an empty place; a hash of 0 has a flag of its own.
    slots: Vec<u64>,
    zero: bool,
    len: usize,
}

impl FeatureHashSet {
    /// Empties the set and makes room for up to `expected` values.
    pub fn clear(&mut self, expected: usize) {
        const KEEP: usize = 1 << 20;
        let slots = (expected * 2).next_power_of_two().max(64);
        if self.slots.len() < slots || self.slots.len() > KEEP.max(slots) {
            self.slots = vec![0; slots];
        } else {
            // A short document after a long one must not have to clear all the memory that the long
            // one needed.
            if self.slots.len() > 8 * slots {
                self.slots.truncate(slots);
            }
            self.slots.fill(0);
        }
        self.zero = false;
        self.len = 0;
    }

    /// Adds a value; false if it was there already.
    #[inline(always)]
    pub fn insert(&mut self, value: u64) -> bool {
        if value == 0 {
            return !std::mem::replace(&mut self.zero, true);
        }
        if self.len * 2 >= self.slots.len() {
            self.grow();
        }
        let mask = self.slots.len() - 1;
        let mut place = value as usize & mask;
        loop {
            let slot = self.slots[place];
            if slot == value {
                return false;
            }
            if slot == 0 {
                self.slots[place] = value;
                self.len += 1;
                return true;
            }
            place = (place + 1) & mask;
        }
    }

    /// Appends the values that are new to `out`, each once.
    pub fn distinct(&mut self, values: &[u64], out: &mut Vec<u64>) {
        self.clear(values.len());
        let start = out.len();
        out.resize(start + values.len(), 0);
        let mut end = start;
        let mask = self.slots.len() - 1;
        for &value in values {
            let place = value as usize & mask;
            let slot = self.slots[place];
            // Half of all words are repeats, in an unpredictable order, so nothing branches on that.
            // Only when another value occupies the place there is more to do.
            if (slot != value) & (slot != 0) | (value == 0) {
                out[end] = value;
                end += usize::from(self.insert(value));
                continue;
            }
            self.slots[place] = value;
            self.len += usize::from(slot == 0);
            out[end] = value;
            end += usize::from(slot == 0);
        }
        out.truncate(end);
    }

    /// Whether the value was met.
    #[inline]
    pub fn contains(&self, value: u64) -> bool {
        if value == 0 || self.slots.is_empty() {
            return value == 0 && self.zero;
        }
        let mask = self.slots.len() - 1;
        let mut place = value as usize & mask;
        while self.slots[place] != 0 {
            if self.slots[place] == value {
                return true;
            }
            place = (place + 1) & mask;
        }
        false
    }

    #[cold]
    fn grow(&mut self) {
        let slots = (self.slots.len() * 2).max(64);
        let old = std::mem::replace(&mut self.slots, vec![0; slots]);
        self.len = 0;
        for value in old.into_iter().filter(|&value| value != 0) {
            self.insert(value);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn is_a_set(documents in proptest::collection::vec(
            (proptest::collection::vec(prop_oneof![any::<u64>(), 0u64..20], 0..300), 0usize..400), 1..5)
        ) {
            let mut seen = FeatureHashSet::default();
            for (values, expected_values) in documents {
                let mut twin = HashSet::new();
                let mut distinct = vec![7];
                seen.distinct(&values, &mut distinct);
                let mut met = HashSet::new();
                let expected = std::iter::once(7).chain(values.iter().copied().filter(|value| met.insert(*value)));
                prop_assert_eq!(distinct, expected.collect::<Vec<_>>());
                seen.clear(expected_values);
                for value in values {
                    prop_assert_eq!(seen.contains(value), twin.contains(&value));
                    prop_assert_eq!(seen.insert(value), twin.insert(value));
                }
            }
        }
    }
}
