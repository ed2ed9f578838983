//! Multisets as sets: the number of an occurrence becomes part of the feature.
//!
//! The second *x* of one document equals the second *x* of another, so sets that share `n` such
//! features share `n` occurrences, and set measures give the figures of the multisets.

use crate::hash;

/// Replaces each hash by one that also counts the equal ones before it. `order` is a buffer.
/// Sorting keeps this fast for texts that repeat one thing a million times.
pub fn number_occurrences(hashes: &mut [u64], order: &mut Vec<u64>) {
    order.clear();
    order.extend(0..hashes.len() as u64);
    order.sort_unstable_by_key(|&place| (hashes[place as usize], place));
    let mut before = None;
    let mut number = 0;
    for &place in order.iter() {
        let plain = hashes[place as usize];
        number = if before == Some(plain) { number + 1 } else { 0 };
        before = Some(plain);
        hashes[place as usize] = hash::combine(plain, number);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{HashMap, HashSet};

    use proptest::prelude::*;

    use super::*;

    fn numbered(values: &[u64]) -> Vec<u64> {
        let mut hashes = values.to_vec();
        number_occurrences(&mut hashes, &mut vec![7; 3]);
        hashes
    }

    proptest! {
        #[test]
        fn shared_features_are_shared_occurrences(
            a in proptest::collection::vec(0u64..8, 0..60),
            b in proptest::collection::vec(0u64..8, 0..60),
        ) {
            let mut counts: HashMap<u64, (usize, usize)> = HashMap::new();
            a.iter().for_each(|&value| counts.entry(value).or_default().0 += 1);
            b.iter().for_each(|&value| counts.entry(value).or_default().1 += 1);
            let expected: usize = counts.values().map(|&(in_a, in_b)| in_a.min(in_b)).sum();
            let (one, two) = (numbered(&a), numbered(&b));
            let distinct: HashSet<u64> = one.iter().copied().collect();
            prop_assert_eq!(distinct.len(), a.len());
            prop_assert_eq!(two.iter().filter(|hash| distinct.contains(hash)).count(), expected);
        }
    }
}
