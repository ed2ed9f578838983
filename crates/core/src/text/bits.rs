//! Where bits are set in the masks of a text, which have one for each byte.

use super::BLOCK;

/// Room for the edges of a block and for what is written after them.
pub const ROOM: usize = BLOCK + 8;

/// Writes the places of all set bits, for each byte always eight: the excess is overwritten by the next. So there is no
/// branch, and how many bits a block has need not be predicted.
#[inline(always)]
pub fn write_places(bits: u64, base: u32, places: &mut [u32; ROOM]) -> usize {
    let mut count = 0;
    for (number, byte) in bits.to_le_bytes().into_iter().enumerate() {
        let base = base.wrapping_add(8 * number as u32);
        // Made first and written at once, so that compilers vectorise it.
        let eight = PLACES[usize::from(byte)].map(|bit| base.wrapping_add(bit));
        if let Some(places) = places[count..].first_chunk_mut() {
            *places = eight;
        }
        count += byte.count_ones() as usize;
    }
    count
}

/// The places of the set bits of each byte.
static PLACES: [[u32; 8]; 256] = {
    let mut table = [[0; 8]; 256];
    let mut byte = 0;
    while byte < 256 {
        let (mut bit, mut count) = (0u32, 0);
        while bit < 8 {
            if byte >> bit & 1 == 1 {
                table[byte][count] = bit;
                count += 1;
            }
            bit += 1;
        }
        byte += 1;
    }
    table
};

/// The place of the first bit that is set from a place on; beyond every text if there is none.
#[inline]
pub fn next_bit(masks: &[u64], from: usize) -> usize {
    let first = from / BLOCK;
    let Some(&mask) = masks.get(first) else { return usize::MAX };
    let mask = mask & u64::MAX << (from % BLOCK);
    if mask != 0 {
        return first * BLOCK + mask.trailing_zeros() as usize;
    }
    let after = masks.iter().enumerate().skip(first + 1).find(|&(_, &mask)| mask != 0);
    after.map_or(usize::MAX, |(block, mask)| block * BLOCK + mask.trailing_zeros() as usize)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn places_are_those_found_bit_by_bit(masks in proptest::collection::vec(
            prop_oneof![Just(0), Just(u64::MAX), any::<u64>(), (0..64u32).prop_map(|bit| 1 << bit)], 0..5,
        )) {
            let bits = 64 * masks.len();
            let all: Vec<usize> = (0..bits).filter(|bit| masks[bit / 64] >> (bit % 64) & 1 == 1).collect();
            let (mut found, mut places) = (Vec::new(), [7; ROOM]);
            for (number, &mask) in masks.iter().enumerate() {
                let count = write_places(mask, 64 * number as u32, &mut places);
                found.extend(places[..count].iter().map(|&place| place as usize));
            }
            prop_assert_eq!(&found, &all);
            for from in 0..bits + 70 {
                let next = all.iter().copied().find(|&place| place >= from);
                prop_assert_eq!(next_bit(&masks, from), next.unwrap_or(usize::MAX));
            }
        }
    }
}
