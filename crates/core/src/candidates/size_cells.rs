//! Cells of sizes, so that documents whose sizes allow a pair are in few cells.

use std::ops::RangeInclusive;

/// Sizes cut into cells. The larger partners of a document are in its own cell and in as many after it as was wished.
pub struct SizeCells {
    /// The least size of each cell but the first.
    starts: Vec<u32>,
}

/// A cell is at least this much wider than the one before it, as a part of its least size: with a threshold of 1 each
/// size would have its own.
const GROWTH: f64 = 0.1;

impl SizeCells {
    /// `most(size)` is the largest size that a partner of a document of this size can have. It never falls when the size
    /// grows. What lies between the two is cut into so many parts.
    pub fn new(most: impl Fn(u32) -> u32, parts: u32) -> SizeCells {
        let mut starts = Vec::new();
        let mut start = 1u32;
        loop {
            let wide = (f64::from(start) * (1.0 + GROWTH / f64::from(parts))).ceil();
            let most = most(start);
            let next = if most == u32::MAX { most } else { start + (most - start) / parts + 1 };
            if wide >= f64::from(u32::MAX) || next == u32::MAX {
                return SizeCells { starts };
            }
            start = next.max(wide as u32);
            starts.push(start);
        }
    }

    /// The cell of a size.
    pub fn cell(&self, size: u32) -> u64 {
        self.starts.partition_point(|&start| start <= size) as u64
    }

    /// The sizes of a cell.
    pub fn sizes(&self, cell: u64) -> RangeInclusive<u32> {
        let cell = cell as usize;
        let start = cell.checked_sub(1).and_then(|before| self.starts.get(before)).copied().unwrap_or(0);
        start..=self.starts.get(cell).map_or(u32::MAX, |next| next - 1)
    }

    /// The cells of these sizes.
    pub fn cells(&self, sizes: RangeInclusive<u32>) -> RangeInclusive<u64> {
        self.cell(*sizes.start())..=self.cell(*sizes.end())
    }
}

/// What two ranges have in common.
pub fn both(a: &RangeInclusive<u32>, b: &RangeInclusive<u32>) -> RangeInclusive<u32> {
    *a.start().max(b.start())..=*a.end().min(b.end())
}

/// The largest size from `size` on that a partner can have, by a test that never holds again once it has failed.
pub fn largest_partner(size: u32, is_possible: impl Fn(u32) -> bool) -> u32 {
    let (mut possible, mut step) = (size, 1u32);
    while possible.checked_add(step).is_some_and(&is_possible) {
        possible += step;
        step = step.saturating_mul(2);
    }
    if possible.checked_add(step).is_none() {
        return u32::MAX;
    }
    while step > 0 {
        if possible.checked_add(step).is_some_and(&is_possible) {
            possible += step;
        }
        step /= 2;
    }
    possible
}

/// The smallest size up to `size` that a partner can have, by a test that fails below some size.
pub fn smallest_partner(size: u32, is_possible: impl Fn(u32) -> bool) -> u32 {
    let (mut low, mut high) = (1, size);
    while low < high {
        let middle = low + (high - low) / 2;
        if is_possible(middle) { high = middle } else { low = middle + 1 }
    }
    high
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// A document of size `small` pairs with one of `large` if the first has at least this part of the second.
        #[test]
        fn partners_are_in_a_few_cells(
            part in prop_oneof![Just(1.0), Just(0.01), 0.05f64..1.0], small in 1u32..100_000, parts in 1u32..6
        ) {
            let pairs = |small: u32, large: u32| f64::from(small) >= part * f64::from(large);
            let most = |size: u32| largest_partner(size, |other| pairs(size, other));
            let cells = SizeCells::new(most, parts);
            let large = most(small);
            prop_assert!(pairs(small, large) && !pairs(small, large + 1), "{small} {large}");
            prop_assert!(cells.cell(large) - cells.cell(small) <= u64::from(parts));
            prop_assert!(cells.sizes(cells.cell(small)).contains(&small));
            prop_assert!(!cells.sizes(cells.cell(small) + 1).contains(&small));
            let least = smallest_partner(large, |other| pairs(other, large));
            prop_assert!(least <= small && pairs(least, large) && (least == 1 || !pairs(least - 1, large)));
        }
    }

    #[test]
    fn sizes_without_bound_are_in_one_cell() {
        let most = |size: u32| largest_partner(size, |_| true);
        assert_eq!(most(7), u32::MAX);
        let cells = SizeCells::new(most, 1);
        assert_eq!((cells.cell(1), cells.cell(u32::MAX), cells.sizes(0)), (0, 0, 0..=u32::MAX));
    }
}
