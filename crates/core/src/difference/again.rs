//! Where two runs of units go on together: the nearest places from which on a few are the same.

use super::units::Unit;
use crate::hash;

/// Where this many units are the same again, the texts go on together.
const SAME_AGAIN: usize = 4;
/// Units among which they are looked for first.
const NEAR: usize = 16;
/// How many times more units are looked at next.
const GROWTH: usize = 4;
/// Bits for each known hash, of which one is set: few others meet it by chance.
const BITS: usize = 8;

/// The nearest places from which on a few units are the same, and at which `is_cut` says that both texts can be read on.
pub fn same_again(a: &[Unit], b: &[Unit], is_cut: impl Fn(&Unit, &Unit) -> bool) -> Option<(usize, usize)> {
    let is_cut = |&(x, y): &(usize, usize)| is_cut(&a[x], &b[y]);
    // Most are near.
    if let Some(nearest) = near(a, b, is_cut) {
        return Some(nearest);
    }
    let mut reach = NEAR * GROWTH;
    loop {
        let (near_a, near_b) = (&a[..a.len().min(reach)], &b[..b.len().min(reach)]);
        let found = same_runs(near_a, near_b).filter(is_cut);
        if let Some(nearest) = found.min_by_key(|&(x, y)| (x + y, x.abs_diff(y), x)) {
            return Some(nearest);
        }
        if reach >= a.len().max(b.len()) {
            return None;
        }
        reach *= GROWTH;
    }
}

fn near(a: &[Unit], b: &[Unit], is_cut: impl Fn(&(usize, usize)) -> bool) -> Option<(usize, usize)> {
    let last = |units: &[Unit]| (units.len() + 1).saturating_sub(SAME_AGAIN).min(NEAR);
    let (last_a, last_b) = (last(a), last(b));
    if last_a == 0 || last_b == 0 {
        return None;
    }
    for sum in 1..last_a + last_b {
        for x in sum.saturating_sub(last_b - 1)..last_a.min(sum + 1) {
            let y = sum - x;
            let is_same = |next: usize| a[x + next].key == b[y + next].key;
            if is_same(0) && (1..SAME_AGAIN).all(is_same) && is_cut(&(x, y)) {
                return Some((x, y));
            }
        }
    }
    None
}

/// Places from which on a few units are the same: for each of the second run, the first of the first.
fn same_runs(a: &[Unit], b: &[Unit]) -> impl Iterator<Item = (usize, usize)> {
    let hashes = |units: &[Unit]| -> Vec<(u64, usize)> {
        let few = units.windows(SAME_AGAIN);
        few.map(|few| few.iter().fold(0, |hash, unit| hash::combine(hash, unit.key))).zip(0..).collect()
    };
    let (mut in_a, mut in_b) = (hashes(a), hashes(b));
    // Most of what differs is nowhere in the other text, and need not be sorted.
    retain_known(&mut in_b, &in_a);
    retain_known(&mut in_a, &in_b);
    in_a.sort_unstable();
    in_b.into_iter().filter_map(move |(hash, y)| {
        let place = in_a.partition_point(|&(other, _)| other < hash);
        let &(other, x) = in_a.get(place)?;
        (other == hash).then_some((x, y))
    })
}

/// Drops hashes of which one bit tells that they are not among the known ones.
pub fn retain_known(hashes: &mut Vec<(u64, usize)>, known: &[(u64, usize)]) {
    let words = (known.len() * BITS / 64).next_power_of_two();
    let place = |hash: u64| ((hash >> 6) as usize % words, 1u64 << (hash % 64));
    let mut bits = vec![0u64; words];
    for &(hash, _) in known {
        let (word, bit) = place(hash);
        bits[word] |= bit;
    }
    hashes.retain(|&(hash, _)| {
        let (word, bit) = place(hash);
        bits[word] & bit != 0
    });
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn the_nearest_of_all_places_is_found(
            a in prop::collection::vec(0u64..40, 0..150),
            b in prop::collection::vec(0u64..40, 0..150),
            shared in prop::collection::vec(0u64..40, 0..20),
            uncut in 0u64..40,
        ) {
            let units = |first: u64, keys: &[u64]| -> Vec<Unit> {
                let unit = |&key: &u64| Unit { start: 0, end: 0, key: hash::mix(key), is_date: false };
                [first].iter().chain(keys).chain(&shared).map(unit).collect()
            };
            // They differ here.
            let (a, b) = (units(100, &a), units(101, &b));
            let is_cut = |x: &Unit, _: &Unit| x.key != hash::mix(uncut);
            let is_same = |&(x, y): &(usize, usize)| {
                a[x..x + SAME_AGAIN].iter().zip(&b[y..y + SAME_AGAIN]).all(|(x, y)| x.key == y.key) && is_cut(&a[x], &b[y])
            };
            let places = |units: &[Unit]| 0..(units.len() + 1).saturating_sub(SAME_AGAIN);
            let all = places(&a).flat_map(|x| places(&b).map(move |y| (x, y)));
            let all: Vec<(usize, usize)> = all.filter(is_same).collect();
            let found = same_again(&a, &b, is_cut);
            prop_assert_eq!(found.is_some(), !all.is_empty());
            if let Some(found) = found {
                prop_assert!(is_same(&found));
                // Farther away, one may be found that is not the very nearest.
                let nearest = all.iter().map(|(x, y)| x + y).min();
                prop_assert!(nearest == Some(found.0 + found.1) || nearest.is_some_and(|sum| sum >= NEAR));
            }
        }
    }
}
