//! The AVX2 version of the loop that adds weights to the lanes of a hash's bits.
//!
//! It takes two features at a time: sixteen bits of both hashes are spread over a vector, compared with a
//! mask for each bit, and one multiply-add turns the outcome into the sum of both features' weights.
//! `unsafe` is confined to the stores.

use std::arch::x86_64::{
    __m128i, __m256i, _mm_cvtsi64_si128, _mm_unpacklo_epi16, _mm256_add_epi32, _mm256_and_si256,
    _mm256_broadcastsi128_si256, _mm256_cmpeq_epi16, _mm256_madd_epi16, _mm256_set1_epi32, _mm256_setr_epi32,
    _mm256_setzero_si256, _mm256_shuffle_epi32, _mm256_storeu_si256,
};

pub fn is_available() -> bool {
    std::arch::is_x86_feature_detected!("avx2")
}

/// Adds each weight to the lanes of the bits its hash has. A last feature without a partner is left out.
#[inline]
#[target_feature(enable = "avx2")]
pub fn add_chunk(hashes: &[u64], weights: &[i16], lanes: &mut [i32; 64]) {
    let low_bits = pair_masks([0, 1, 2, 3, 4, 5, 6, 7]);
    let high_bits = pair_masks([8, 9, 10, 11, 12, 13, 14, 15]);
    let mut sums = [_mm256_setzero_si256(); 8];
    for (&[one, two], &[weight_one, weight_two]) in
        hashes.as_chunks::<2>().0.iter().zip(weights.as_chunks::<2>().0)
    {
        // A comparison that holds gives -1, hence the negative weights.
        let both =
            u32::from(weight_one.wrapping_neg() as u16) | u32::from(weight_two.wrapping_neg() as u16) << 16;
        let negative = _mm256_set1_epi32(both as i32);
        let hashes = _mm256_broadcastsi128_si256(interleave(one, two));
        let sixteens = [
            _mm256_shuffle_epi32::<0b00_00_00_00>(hashes),
            _mm256_shuffle_epi32::<0b01_01_01_01>(hashes),
            _mm256_shuffle_epi32::<0b10_10_10_10>(hashes),
            _mm256_shuffle_epi32::<0b11_11_11_11>(hashes),
        ];
        for (sixteen, sums) in sixteens.into_iter().zip(sums.as_chunks_mut::<2>().0) {
            for (sum, mask) in sums.iter_mut().zip([low_bits, high_bits]) {
                let set = _mm256_cmpeq_epi16(_mm256_and_si256(sixteen, mask), mask);
                *sum = _mm256_add_epi32(*sum, _mm256_madd_epi16(set, negative));
            }
        }
    }
    for (eight, sum) in lanes.as_chunks_mut::<8>().0.iter_mut().zip(sums) {
        let mut added = [0i32; 8];
        // SAFETY: eight numbers of 32 bits are the 32 bytes that are written.
        unsafe { _mm256_storeu_si256(added.as_mut_ptr().cast(), sum) };
        for (lane, more) in eight.iter_mut().zip(added) {
            *lane += more;
        }
    }
}

/// Sixteen bits of one hash beside the same of the other, four times.
#[inline]
#[target_feature(enable = "avx2")]
fn interleave(one: u64, two: u64) -> __m128i {
    _mm_unpacklo_epi16(_mm_cvtsi64_si128(one as i64), _mm_cvtsi64_si128(two as i64))
}

/// Masks of a bit for both features of a pair.
#[inline]
#[target_feature(enable = "avx2")]
fn pair_masks(bits: [u32; 8]) -> __m256i {
    let [a, b, c, d, e, f, g, h] = bits.map(|bit| (0x1_0001u32 << bit) as i32);
    _mm256_setr_epi32(a, b, c, d, e, f, g, h)
}
