//! The AVX2 version of the scanner's block classifier.
//!
//! Compilers vectorise the comparisons of the portable form well, but not the last step, from bytes
//! to a bit mask, for which AVX2 has an instruction. A byte belongs to the classes that both its
//! low and its high half allow; each half is looked up in a table of sixteen. `unsafe` is confined
//! to the loads and stores.

use std::arch::x86_64::{
    __m256i, _mm256_and_si256, _mm256_cmpeq_epi8, _mm256_loadu_si256, _mm256_movemask_epi8, _mm256_or_si256,
    _mm256_set1_epi8, _mm256_setr_epi8, _mm256_setzero_si256, _mm256_shuffle_epi8, _mm256_srli_epi16,
    _mm256_storeu_si256,
};

use std::sync::OnceLock;

use super::BLOCK;

/// Classes: digits, the two rows of capitals, the underscore, the two rows of small letters.
const DIGIT: i8 = 1;
const UPPER_1: i8 = 2;
const UPPER_2: i8 = 4;
const UNDERSCORE: i8 = 8;
const LOWER_1: i8 = 16;
const LOWER_2: i8 = 32;

/// What a byte's high half allows: `0…9` have 3, `A…O` 4, `P…Z` and `_` 5, `a…o` 6, `p…z` 7.
const BY_HIGH: [i8; 16] =
    [0, 0, 0, DIGIT, UPPER_1, UPPER_2 | UNDERSCORE, LOWER_1, LOWER_2, 0, 0, 0, 0, 0, 0, 0, 0];

/// What a byte's low half allows.
const BY_LOW: [i8; 16] = {
    let mut table = [0; 16];
    let mut low = 0;
    while low < 16 {
        if low <= 9 {
            table[low] |= DIGIT;
        }
        if low >= 1 {
            table[low] |= UPPER_1 | LOWER_1;
        }
        if low <= 10 {
            table[low] |= UPPER_2 | LOWER_2;
        }
        if low == 15 {
            table[low] |= UNDERSCORE;
        }
        low += 1;
    }
    table
};

/// The bit that capitals lack, for each class of letters; it makes a letter small.
const TO_LOWER: [i8; 16] = [0, 0, 0x20, 0, 0x20, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];

/// Whether this processor has all that the fast versions need.
#[inline]
pub fn is_available() -> bool {
    static FOUND: OnceLock<bool> = OnceLock::new();
    *FOUND.get_or_init(|| {
        std::arch::is_x86_feature_detected!("avx2")
            && std::arch::is_x86_feature_detected!("bmi1")
            && std::arch::is_x86_feature_detected!("bmi2")
            && std::arch::is_x86_feature_detected!("lzcnt")
            && std::arch::is_x86_feature_detected!("popcnt")
    })
}

/// Lower-cases a block and computes which bytes belong to words and which are not ASCII.
#[inline]
#[target_feature(enable = "avx2")]
pub fn classify_block(block: &[u8; BLOCK], lower: &mut [u8; BLOCK]) -> (u64, u64) {
    let (mut words, mut wides) = (0u64, 0u64);
    for half in 0..2 {
        let at = half * 32;
        // SAFETY: both halves of 32 bytes lie within the 64 bytes of the block.
        let bytes = unsafe { _mm256_loadu_si256(block.as_ptr().add(at).cast()) };
        let high = _mm256_and_si256(_mm256_srli_epi16(bytes, 4), _mm256_set1_epi8(0x0f));
        // The look-up by the low half gives 0 for every byte beyond ASCII, as it should.
        let class = _mm256_and_si256(look_up(&BY_LOW, bytes), look_up(&BY_HIGH, high));
        let upper = _mm256_and_si256(class, _mm256_set1_epi8(UPPER_1 | UPPER_2));
        let small = _mm256_or_si256(bytes, look_up(&TO_LOWER, upper));
        // SAFETY: as above, for the 64 bytes that are written.
        unsafe { _mm256_storeu_si256(lower.as_mut_ptr().add(at).cast(), small) };
        let other = opaque(_mm256_movemask_epi8(_mm256_cmpeq_epi8(class, _mm256_setzero_si256())));
        // The mask takes the highest bit of each byte, which is what a byte beyond ASCII has set.
        let wide = opaque(_mm256_movemask_epi8(bytes));
        words |= u64::from(!other | wide) << at;
        wides |= u64::from(wide) << at;
    }
    (words, wides)
}

/// Keeps the compiler from joining the masks of both halves into one vector of 64 bits, which AVX2
/// does not have: it would take the vectors apart byte by byte.
#[inline(always)]
fn opaque(mask: i32) -> u32 {
    std::hint::black_box(mask as u32)
}

#[inline]
#[target_feature(enable = "avx2")]
fn look_up(table: &[i8; 16], places: __m256i) -> __m256i {
    let [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p] = *table;
    let table = _mm256_setr_epi8(
        a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p,
    );
    _mm256_shuffle_epi8(table, places)
}

#[cfg(test)]
mod tests {
    use super::super::scan::classify_block as portable;
    use super::*;

    #[test]
    fn equals_its_portable_twin_for_every_byte_at_every_place() {
        if !is_available() {
            return;
        }
        for shift in 0..=255u8 {
            let block: [u8; BLOCK] = std::array::from_fn(|i| shift.wrapping_add((i as u8).wrapping_mul(5)));
            let (mut one, mut two) = ([0; BLOCK], [0; BLOCK]);
            // SAFETY: the features were just detected.
            let fast = unsafe { classify_block(&block, &mut one) };
            assert_eq!(fast, portable(&block, &mut two), "{block:?}");
            assert_eq!(one, two);
        }
    }
}
