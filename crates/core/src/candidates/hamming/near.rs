//! Every pair of a few items compared: exclusive or, then a count of ones.
//!
//! Counting ones is a single instruction that the oldest CPUs lack, so the loop is compiled twice
//! from the same source and one version is chosen at run time. A short run of items stays in the
//! first cache while all later items are compared with it, however many there are.

use std::ops::Range;

use super::word::{Item, Word};

/// How many items are compared with everything behind them while they stay in the cache.
pub const RUN: usize = 512;

/// Calls `hit` with every pair within the distance whose first item lies in `run` and whose second
/// lies anywhere behind the first. Stops at its first error.
#[inline]
pub fn pairs<W: Word, E>(
    items: &[Item<W>],
    run: Range<usize>,
    distance: u32,
    hit: impl FnMut(&Item<W>, &Item<W>) -> Result<(), E>,
) -> Result<(), E> {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("popcnt") {
        // SAFETY: the feature was just detected.
        return unsafe { pairs_popcnt(items, run, distance, hit) };
    }
    compare(items, run, distance, hit)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "popcnt")]
fn pairs_popcnt<W: Word, E>(
    items: &[Item<W>],
    run: Range<usize>,
    distance: u32,
    hit: impl FnMut(&Item<W>, &Item<W>) -> Result<(), E>,
) -> Result<(), E> {
    compare(items, run, distance, hit)
}

#[inline(always)]
fn compare<W: Word, E>(
    items: &[Item<W>],
    run: Range<usize>,
    distance: u32,
    mut hit: impl FnMut(&Item<W>, &Item<W>) -> Result<(), E>,
) -> Result<(), E> {
    let (before, behind) = items.split_at(run.end);
    let run = &before[run.start..];
    for (at, second) in run.iter().enumerate() {
        for first in &run[..at] {
            if (first.value ^ second.value).ones() <= distance {
                hit(first, second)?;
            }
        }
    }
    for second in behind {
        for first in run {
            if (first.value ^ second.value).ones() <= distance {
                hit(first, second)?;
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash;

    fn found(
        search: impl Fn(&[Item<u64>], &mut dyn FnMut(&Item<u64>, &Item<u64>) -> Result<(), ()>),
    ) -> Vec<(u32, u32)> {
        let items: Vec<Item<u64>> =
            (0..300u32).map(|place| Item { value: hash::mix(u64::from(place % 60)) & 0xff, place }).collect();
        let mut pairs = Vec::new();
        search(&items, &mut |a, b| {
            pairs.push((a.place, b.place));
            Ok(())
        });
        pairs
    }

    #[test]
    fn equals_its_portable_twin() {
        let fast = found(|items, hit| pairs(items, 20..220, 2, hit).unwrap());
        let slow = found(|items, hit| compare(items, 20..220, 2, hit).unwrap());
        assert_eq!(fast, slow);
        assert!(!fast.is_empty());
    }

    #[test]
    fn runs_side_by_side_cover_every_pair_once() {
        let mut all = found(|items, hit| {
            for start in (0..items.len()).step_by(70) {
                pairs(items, start..(start + 70).min(items.len()), 64, &mut *hit).unwrap();
            }
        });
        assert!(all.iter().all(|(a, b)| a < b));
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), 300 * 299 / 2);
    }
}
