//! The AVX2 version of the comparison: 32 bytes at a time.
//!
//! A comparison leaves −1 in every byte of a chunk that agrees. Subtracting these counts agreeing
//! bytes in each of 32 places, and one instruction sums the places up after each block, long before
//! a place could overflow. `unsafe` is confined to the loads.

use std::arch::x86_64::{
    __m256i, _mm_add_epi64, _mm_cvtsi128_si64, _mm_unpackhi_epi64, _mm256_add_epi8, _mm256_and_si256,
    _mm256_castsi256_si128, _mm256_cmpeq_epi8, _mm256_cmpeq_epi16, _mm256_cmpeq_epi32, _mm256_cmpeq_epi64,
    _mm256_cmpgt_epi8, _mm256_cmpgt_epi16, _mm256_cmpgt_epi32, _mm256_extracti128_si256, _mm256_loadu_si256,
    _mm256_madd_epi16, _mm256_maddubs_epi16, _mm256_sad_epu8, _mm256_set1_epi8, _mm256_set1_epi16,
    _mm256_set1_epi32, _mm256_setr_epi8, _mm256_setzero_si256, _mm256_shuffle_epi8, _mm256_srli_epi16,
    _mm256_sub_epi8, _mm256_xor_si256,
};

use super::CHECK_EVERY;

const VECTOR: usize = 32;

/// From byte `n`, a mask that keeps the last `n` bytes of a vector.
const KEEP_LAST: [u8; 2 * VECTOR] = {
    let mut table = [0; 2 * VECTOR];
    let mut place = VECTOR;
    while place < 2 * VECTOR {
        table[place] = 0xff;
        place += 1;
    }
    table
};

pub fn is_available() -> bool {
    std::arch::is_x86_feature_detected!("avx2")
}

/// See [`super::compare::votes`].
#[target_feature(enable = "avx2")]
pub fn votes(a: &[u8], b: &[u8], element: usize, tolerance: u32, spare: usize) -> Option<usize> {
    // A tolerance above the bits of a chunk means that all may differ; limited, it fits into a
    // byte.
    let tolerance = tolerance.min(64);
    match (element, tolerance) {
        (1, 0) => votes_of::<1, false>(a, b, 0, spare),
        (1, _) => votes_of::<1, true>(a, b, tolerance, spare),
        (2, 0) => votes_of::<2, false>(a, b, 0, spare),
        (2, _) => votes_of::<2, true>(a, b, tolerance, spare),
        (4, 0) => votes_of::<4, false>(a, b, 0, spare),
        (4, _) => votes_of::<4, true>(a, b, tolerance, spare),
        _ => votes_of::<8, false>(a, b, 0, spare),
    }
}

#[inline]
#[target_feature(enable = "avx2")]
fn votes_of<const ELEMENT: usize, const TOLERANT: bool>(
    a: &[u8],
    b: &[u8],
    tolerance: u32,
    spare: usize,
) -> Option<usize> {
    let length = a.len().min(b.len()) / ELEMENT * ELEMENT;
    let (a, b) = (&a[..length], &b[..length]);
    let spare_bytes = spare.saturating_mul(ELEMENT);
    let (blocks, rest) = (a.as_chunks::<CHECK_EVERY>().0, length % CHECK_EVERY);
    let mut equal_bytes = 0;
    for (place, (x, y)) in blocks.iter().zip(b.as_chunks::<CHECK_EVERY>().0).enumerate() {
        let mut counts = _mm256_setzero_si256();
        for (x, y) in x.as_chunks::<VECTOR>().0.iter().zip(y.as_chunks::<VECTOR>().0) {
            counts = _mm256_sub_epi8(counts, agreeing::<ELEMENT, TOLERANT>(load(x), load(y), tolerance));
        }
        equal_bytes += sum(counts);
        if (place + 1) * CHECK_EVERY - equal_bytes > spare_bytes {
            return None;
        }
    }
    let (a_rest, b_rest) = (&a[length - rest..], &b[length - rest..]);
    let mut counts = _mm256_setzero_si256();
    for (x, y) in a_rest.as_chunks::<VECTOR>().0.iter().zip(b_rest.as_chunks::<VECTOR>().0) {
        counts = _mm256_sub_epi8(counts, agreeing::<ELEMENT, TOLERANT>(load(x), load(y), tolerance));
    }
    let tail = length % VECTOR;
    if let Some(keep) = KEEP_LAST[tail..].first_chunk::<VECTOR>().filter(|_| tail > 0) {
        let same = agreeing::<ELEMENT, TOLERANT>(last_vector(a), last_vector(b), tolerance);
        counts = _mm256_sub_epi8(counts, _mm256_and_si256(same, load(keep)));
    }
    equal_bytes += sum(counts);
    (length - equal_bytes <= spare_bytes).then_some(equal_bytes / ELEMENT)
}

/// −1 in every byte of a chunk that agrees, 0 elsewhere.
#[inline]
#[target_feature(enable = "avx2")]
fn agreeing<const ELEMENT: usize, const TOLERANT: bool>(x: __m256i, y: __m256i, tolerance: u32) -> __m256i {
    if !TOLERANT {
        return match ELEMENT {
            1 => _mm256_cmpeq_epi8(x, y),
            2 => _mm256_cmpeq_epi16(x, y),
            4 => _mm256_cmpeq_epi32(x, y),
            _ => _mm256_cmpeq_epi64(x, y),
        };
    }
    let bits = differing_bits(x, y);
    let above = tolerance as i32 + 1;
    match ELEMENT {
        1 => _mm256_cmpgt_epi8(_mm256_set1_epi8(above as i8), bits),
        2 => _mm256_cmpgt_epi16(_mm256_set1_epi16(above as i16), pairs(bits)),
        _ => {
            _mm256_cmpgt_epi32(_mm256_set1_epi32(above), _mm256_madd_epi16(pairs(bits), _mm256_set1_epi16(1)))
        }
    }
}

/// The sums of neighbouring bytes.
#[inline]
#[target_feature(enable = "avx2")]
fn pairs(bytes: __m256i) -> __m256i {
    _mm256_maddubs_epi16(bytes, _mm256_set1_epi8(1))
}

/// In how many bits each byte differs: half a byte at a time, by a table of sixteen.
#[inline]
#[target_feature(enable = "avx2")]
fn differing_bits(x: __m256i, y: __m256i) -> __m256i {
    let table = _mm256_setr_epi8(
        0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4, 0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4,
    );
    let half = _mm256_set1_epi8(0x0f);
    let differing = _mm256_xor_si256(x, y);
    let low = _mm256_and_si256(differing, half);
    let high = _mm256_and_si256(_mm256_srli_epi16(differing, 4), half);
    _mm256_add_epi8(_mm256_shuffle_epi8(table, low), _mm256_shuffle_epi8(table, high))
}

/// The sum of all bytes.
#[inline]
#[target_feature(enable = "avx2")]
fn sum(counts: __m256i) -> usize {
    let four = _mm256_sad_epu8(counts, _mm256_setzero_si256());
    let two = _mm_add_epi64(_mm256_castsi256_si128(four), _mm256_extracti128_si256(four, 1));
    _mm_cvtsi128_si64(_mm_add_epi64(two, _mm_unpackhi_epi64(two, two))) as usize
}

/// The last 32 bytes, the missing ones before them being 0.
#[inline]
#[target_feature(enable = "avx2")]
fn last_vector(bytes: &[u8]) -> __m256i {
    if let Some(last) = bytes.last_chunk::<VECTOR>() {
        return load(last);
    }
    let mut padded = [0; VECTOR];
    padded[VECTOR - bytes.len()..].copy_from_slice(bytes);
    load(&padded)
}

#[inline]
#[target_feature(enable = "avx2")]
fn load(bytes: &[u8; VECTOR]) -> __m256i {
    // SAFETY: the array has the 32 bytes that are read, and the load needs no alignment.
    unsafe { _mm256_loadu_si256(bytes.as_ptr().cast()) }
}
