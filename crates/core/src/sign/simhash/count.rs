//! Votes of equal weight: which bits are set in more than half of the hashes.
//!
//! The 64 counters are stored bit by bit: plane p holds bit p of all of them, so one logical operation
//! works on 64 counters. Full adders first reduce sixteen hashes to one carry (Harley and Seal), and
//! only that is added to the higher planes. This needs only common integer operations and is exact for
//! any number of hashes.

/// Hashes that are reduced together.
const BLOCK: usize = 16;
/// Planes that the reduction of a block fills; it carries into the next.
const REDUCED: usize = BLOCK.ilog2() as usize;

/// The bits set in more than half of the hashes; a tie gives 0.
pub fn majority(hashes: &[u64], hash_of: impl Fn(u64) -> u64) -> u64 {
    let mut planes = [0u64; 64];
    let (blocks, rest) = hashes.as_chunks::<BLOCK>();
    for block in blocks {
        add_block(&block.map(&hash_of), &mut planes);
    }
    if !rest.is_empty() {
        // Hashes without any bit set change no counter.
        let mut last = [0; BLOCK];
        for (slot, &hash) in last.iter_mut().zip(rest) {
            *slot = hash_of(hash);
        }
        add_block(&last, &mut planes);
    }
    let count = hashes.len() as u64;
    // No counter has more digits than the count.
    above(&planes[..64 - count.leading_zeros() as usize], count / 2)
}

/// Adds up three bits of 64 counters at once.
#[inline(always)]
fn full_adder(a: u64, b: u64, c: u64) -> (u64, u64) {
    let half = a ^ b;
    (half ^ c, a & b | half & c)
}

#[inline(always)]
fn add_block(block: &[u64; BLOCK], planes: &mut [u64; 64]) {
    // After round r, the first BLOCK >> r carries weigh 2^r each.
    let mut carries = *block;
    let mut count = BLOCK;
    for plane in &mut planes[..REDUCED] {
        count /= 2;
        for i in 0..count {
            (*plane, carries[i]) = full_adder(*plane, carries[2 * i], carries[2 * i + 1]);
        }
    }
    let mut carry = carries[0];
    for plane in &mut planes[REDUCED..] {
        if carry == 0 {
            break;
        }
        (*plane, carry) = (*plane ^ carry, *plane & carry);
    }
}

/// The counters that exceed a number: a comparison from the highest plane down.
fn above(planes: &[u64], number: u64) -> u64 {
    let (mut greater, mut equal) = (0, u64::MAX);
    for (p, plane) in planes.iter().enumerate().rev() {
        if number >> p & 1 == 1 {
            equal &= plane;
        } else {
            greater |= equal & plane;
            equal &= !plane;
        }
    }
    greater
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::hash;

    fn naive(hashes: &[u64]) -> u64 {
        (0..64).fold(0, |bits, bit| {
            let ones = hashes.iter().filter(|&&hash| hash >> bit & 1 == 1).count();
            bits | u64::from(ones * 2 > hashes.len()) << bit
        })
    }

    proptest! {
        #[test]
        fn counts_like_the_naive_loop(
            hashes in proptest::collection::vec(prop_oneof![any::<u64>(), Just(0), Just(u64::MAX)], 0..300)
        ) {
            prop_assert_eq!(majority(&hashes, |hash| hash), naive(&hashes));
        }
    }

    #[test]
    fn many_hashes_do_not_overflow_and_one_vote_decides() {
        let mut hashes = vec![u64::MAX; 70_000];
        hashes.extend(vec![0; 70_000]);
        assert_eq!(majority(&hashes, |hash| hash), 0, "a tie gives 0");
        hashes.push(0b101);
        assert_eq!(majority(&hashes, |hash| hash), 0b101);
    }

    #[test]
    fn counts_what_the_function_gives() {
        let hashes: Vec<u64> = (0..99).collect();
        let mapped: Vec<u64> = hashes.iter().copied().map(hash::mix).collect();
        assert_eq!(majority(&hashes, hash::mix), naive(&mapped));
    }
}
