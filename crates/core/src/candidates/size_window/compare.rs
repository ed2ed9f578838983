//! How many chunks agree, place by place.
//!
//! After every [`CHECK_EVERY`] bytes the differing chunks are compared with how many the threshold
//! allows, so a hopeless pair costs only a part of its length. The AVX2 version is chosen at run time;
//! this version and `simd` give the same counts.

use super::CHECK_EVERY;
#[cfg(target_arch = "x86_64")]
use super::simd;

/// How many chunks of `element` bytes agree, or `None` as soon as more than `spare` do not. Chunks
/// agree if they differ in at most `tolerance` bits; chunks of eight bytes, which are hashes, only
/// if they are equal. Both slices are as long as the shorter, which is a whole number of chunks.
pub fn votes(a: &[u8], b: &[u8], element: usize, tolerance: u32, spare: usize) -> Option<usize> {
    let length = a.len().min(b.len());
    let (a, b) = (&a[..length], &b[..length]);
    #[cfg(target_arch = "x86_64")]
    if simd::is_available() {
        // SAFETY: the feature was just detected.
        return unsafe { simd::votes(a, b, element, tolerance, spare) };
    }
    portable(a, b, element, tolerance, spare)
}

/// In how many bits two streams differ as far as both go, or `None` as soon as it is more than `spare`.
pub fn differing_bits(a: &[u8], b: &[u8], spare: usize) -> Option<usize> {
    let mut differing = 0;
    for (x, y) in a.chunks(CHECK_EVERY).zip(b.chunks(CHECK_EVERY)) {
        differing += x.iter().zip(y).map(|(x, y)| (x ^ y).count_ones()).sum::<u32>() as usize;
        if differing > spare {
            return None;
        }
    }
    Some(differing)
}

/// The version that uses no CPU features.
pub fn portable(a: &[u8], b: &[u8], element: usize, tolerance: u32, spare: usize) -> Option<usize> {
    match element {
        1 => portable_of::<1>(a, b, tolerance, spare),
        2 => portable_of::<2>(a, b, tolerance, spare),
        4 => portable_of::<4>(a, b, tolerance, spare),
        _ => portable_of::<8>(a, b, 0, spare),
    }
}

fn portable_of<const ELEMENT: usize>(a: &[u8], b: &[u8], tolerance: u32, spare: usize) -> Option<usize> {
    let (mut equal, mut seen) = (0, 0);
    for (x, y) in a.chunks(CHECK_EVERY).zip(b.chunks(CHECK_EVERY)) {
        let (x, y) = (x.as_chunks::<ELEMENT>().0, y.as_chunks::<ELEMENT>().0);
        let chunks = x.iter().zip(y);
        equal += if tolerance == 0 {
            chunks.filter(|(x, y)| x == y).count()
        } else {
            chunks.filter(|(x, y)| bits_apart(x, y) <= tolerance).count()
        };
        seen += x.len();
        if seen - equal > spare {
            return None;
        }
    }
    Some(equal)
}

fn bits_apart<const ELEMENT: usize>(x: &[u8; ELEMENT], y: &[u8; ELEMENT]) -> u32 {
    x.iter().zip(y).map(|(x, y)| (x ^ y).count_ones()).sum()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The definition, literally: every byte of every chunk, one after the other.
    fn literal(a: &[u8], b: &[u8], element: usize, tolerance: u32) -> usize {
        let mut agreeing = 0;
        for start in (0..a.len().min(b.len())).step_by(element) {
            let differing: u32 = (start..start + element).map(|at| (a[at] ^ b[at]).count_ones()).sum();
            agreeing += usize::from(differing <= tolerance);
        }
        agreeing
    }

    /// Two texts of up to three blocks that differ here and there.
    fn similar() -> impl Strategy<Value = (Vec<u8>, Vec<u8>)> {
        let length = prop_oneof![0usize..100, 0usize..3 * CHECK_EVERY + 64];
        let byte = prop_oneof![any::<u8>(), 0u8..4];
        length.prop_flat_map(move |length| {
            let changes = proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..80);
            (proptest::collection::vec(byte.clone(), length), changes).prop_map(|(a, changes)| {
                let mut b = a.clone();
                for (place, mask) in changes.into_iter().filter(|_| !a.is_empty()) {
                    b[place.index(a.len())] ^= mask;
                }
                (a, b)
            })
        })
    }

    proptest! {
        #[test]
        fn counts_like_the_literal_twin_and_gives_up_only_the_hopeless(
            (mut a, mut b) in similar(),
            element in prop_oneof![Just(1usize), Just(2), Just(4), Just(8)],
            tolerance in 0u32..6,
            spare in 0usize..100,
        ) {
            a.truncate(a.len() / element * element);
            b.truncate(b.len() / element * element);
            let tolerance = if element == 8 { 0 } else { tolerance };
            let expected = literal(&a, &b, element, tolerance);
            let hopeful = a.len() / element - expected <= spare;
            for count in [votes, portable] {
                prop_assert_eq!(count(&a, &b, element, tolerance, usize::MAX), Some(expected));
                prop_assert_eq!(count(&a, &b, element, tolerance, spare), hopeful.then_some(expected));
            }
        }
    }

    #[test]
    fn every_length_and_place_of_a_difference() {
        for length in 0..300 {
            let a = vec![7u8; length];
            assert_eq!(votes(&a, &a, 1, 0, 0), Some(length));
            for place in [0, length / 2, length.saturating_sub(1)].into_iter().filter(|_| length > 0) {
                let mut b = a.clone();
                b[place] = 6;
                assert_eq!(votes(&a, &b, 1, 0, 1), Some(length - 1));
                assert_eq!(votes(&a, &b, 1, 0, 0), None);
                assert_eq!(votes(&a, &b, 1, 1, 0), Some(length));
            }
        }
    }
}
