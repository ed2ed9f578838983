//! Cells of sizes: two documents whose sizes allow a pair are in the same cell or in neighbouring ones.

use std::ops::RangeInclusive;

/// Sizes cut into cells. A cell is at least so wide that no partner of a document in it is beyond the next cell.
pub struct SizeCells {
    /// The least size of each cell but the first.
    starts: Vec<u32>,
}

/// A cell is at least this much wider than the one before it, as a part of its least size: with a threshold of 1 each
/// size would have its own.
const GROWTH: f64 = 0.1;

impl SizeCells {
    /// `most(size)` is the largest size that a partner of a document of this size can have. It never falls when the size
    /// grows.
    pub fn new(most: impl Fn(u32) -> u32) -> SizeCells {
        let mut starts = Vec::new();
        let mut start = 1u32;
        loop {
            let wide = (f64::from(start) * (1.0 + GROWTH)).ceil();
            let next = most(start).saturating_add(1).max(start.saturating_add(1));
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

    /// The cells of these sizes.
    pub fn cells(&self, sizes: RangeInclusive<u32>) -> RangeInclusive<u64> {
        self.cell(*sizes.start())..=self.cell(*sizes.end())
    }
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
        fn partners_are_in_neighbouring_cells(
            part in prop_oneof![Just(1.0), Just(0.01), 0.05f64..1.0], small in 1u32..100_000
        ) {
            let pairs = |small: u32, large: u32| f64::from(small) >= part * f64::from(large);
            let most = |size: u32| largest_partner(size, |other| pairs(size, other));
            let cells = SizeCells::new(most);
            let large = most(small);
            prop_assert!(pairs(small, large) && !pairs(small, large + 1), "{small} {large}");
            prop_assert!(cells.cell(large) - cells.cell(small) <= 1);
            let least = smallest_partner(large, |other| pairs(other, large));
            prop_assert!(least <= small && pairs(least, large) && (least == 1 || !pairs(least - 1, large)));
        }
    }

    #[test]
    fn sizes_without_bound_are_in_one_cell() {
        let most = |size: u32| largest_partner(size, |_| true);
        assert_eq!(most(7), u32::MAX);
        let cells = SizeCells::new(most);
        assert_eq!((cells.cell(1), cells.cell(u32::MAX)), (0, 0));
    }
}
