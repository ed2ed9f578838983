//! Votes of different weight, summed for each bit.
//!
//! Sums of floating-point numbers depend on their order, so weights become integers of 15 bits first:
//! weight · scale, rounded, where the scale is the power of two that brings the document's largest
//! weight into 2¹⁴…2¹⁵. A weight of less than about 1/65 000 of it counts as 0, and so does one that is
//! negative or not a number; an infinite one counts as the largest possible.
//!
//! Only the votes for a bit are summed; all other votes are against it. Sums of a chunk fit into 32
//! bits, those of all chunks are kept in 64.

#[cfg(target_arch = "x86_64")]
use super::simd;

/// Features summed at a time: a whole number of pairs, few enough for 32 bits and the stack.
const CHUNK: usize = 256;
const _: () = assert!(CHUNK.is_multiple_of(2) && CHUNK * (LARGEST as usize) < i32::MAX as usize);

const LARGEST: i16 = i16::MAX;
/// The largest weight of a document becomes a number with this many binary digits.
const DIGITS: i32 = 15;

/// The votes of a document's features.
pub struct Sums {
    /// For each bit, the integer weights of the features whose hash has it.
    votes: [i64; 64],
    /// The integer weights of all features.
    total: i64,
}

impl Sums {
    #[inline]
    pub fn of(hashes: &[u64], weights: &[f32], hash_of: impl Fn(u64) -> u64) -> Self {
        #[cfg(target_arch = "x86_64")]
        if simd::is_available() {
            // SAFETY: the feature was just detected.
            return unsafe { sum_avx2(hashes, weights, hash_of) };
        }
        sum(hashes, weights, hash_of, add_chunk)
    }

    /// The bits with more weight for than against; a tie gives 0.
    pub fn majority(&self) -> u64 {
        let bits = self.votes.iter().enumerate();
        bits.fold(0, |all, (bit, &votes)| all | u64::from(2 * votes > self.total) << bit)
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn sum_avx2(hashes: &[u64], weights: &[f32], hash_of: impl Fn(u64) -> u64) -> Sums {
    sum(hashes, weights, hash_of, |hashes, weights, lanes| simd::add_chunk(hashes, weights, lanes))
}

#[inline(always)]
fn sum(
    hashes: &[u64],
    weights: &[f32],
    hash_of: impl Fn(u64) -> u64,
    add_chunk: impl Fn(&[u64], &[i16], &mut [i32; 64]),
) -> Sums {
    let exponent = scale_exponent(weights);
    // Two factors, since the smallest weights need a scale that does not fit into an f32.
    let (first, second) = (power_of_two(exponent / 2), power_of_two(exponent - exponent / 2));
    let mut sums = Sums { votes: [0; 64], total: 0 };
    let (mut votes, mut integers) = ([0; CHUNK], [0; CHUNK]);
    for (hashes, weights) in hashes.chunks(CHUNK).zip(weights.chunks(CHUNK)) {
        for (vote, &hash) in votes.iter_mut().zip(hashes) {
            *vote = hash_of(hash);
        }
        let mut total = 0;
        for (integer, &weight) in integers.iter_mut().zip(weights) {
            *integer = rounded(weight.max(0.0) * first * second);
            total += i32::from(*integer);
        }
        let count = hashes.len().min(weights.len());
        let paired = count.next_multiple_of(2);
        integers[count..paired].fill(0);
        let mut lanes = [0; 64];
        add_chunk(&votes[..paired], &integers[..paired], &mut lanes);
        for (sum, lane) in sums.votes.iter_mut().zip(lanes) {
            *sum += i64::from(lane);
        }
        sums.total += i64::from(total);
    }
    sums
}

/// The nearest integer of a number from 0 up, the even one of two; 32 767 at most.
#[inline(always)]
fn rounded(number: f32) -> i16 {
    // Added to 2²³, a number leaves its integer part in the lowest bits; unlike a cast this is vectorised.
    const SHIFT: f32 = (1 << 23) as f32;
    (number.min(f32::from(LARGEST)) + SHIFT).to_bits() as i16
}

/// The binary logarithm of what weights are multiplied with.
#[inline(always)]
fn scale_exponent(weights: &[f32]) -> i32 {
    DIGITS - 1 - exponent(largest(weights))
}

/// The largest weight that counts, at least 0.
#[inline(always)]
fn largest(weights: &[f32]) -> f32 {
    // Floating-point numbers from 0 up compare like the integers of the same bits, negative ones are
    // negative; unlike the maximum of f32 this is vectorised.
    let bits = weights.iter().fold(0, |most, weight| most.max(weight.to_bits() as i32));
    let largest = f32::from_bits(bits as u32);
    if largest.is_finite() {
        return largest;
    }
    let numbers = weights.iter().filter(|weight| !weight.is_nan());
    numbers.fold(0.0f32, |most, &weight| most.max(weight.min(f32::MAX)))
}

/// The exponent e of 2^e ≤ weight < 2^(e+1).
fn exponent(weight: f32) -> i32 {
    let bits = weight.to_bits();
    match (bits >> 23) as i32 {
        // Subnormal numbers are multiples of 2⁻¹⁴⁹; 0 may have any exponent.
        0 => bits.max(1).ilog2() as i32 - 149,
        biased => biased - 127,
    }
}

/// 2^exponent, for exponents from -126 to 127.
fn power_of_two(exponent: i32) -> f32 {
    f32::from_bits(((exponent + 127) as u32) << 23)
}

/// Adds each weight to the lanes of the bits its hash has.
#[inline(always)]
fn add_chunk(hashes: &[u64], weights: &[i16], lanes: &mut [i32; 64]) {
    for (&hash, &weight) in hashes.iter().zip(weights) {
        for (bit, lane) in lanes.iter_mut().enumerate() {
            *lane += i32::from(weight) & -((hash >> bit & 1) as i32);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn sums(hashes: &[u64], weights: &[f32]) -> Vec<f64> {
        let sums = Sums::of(hashes, weights, |hash| hash);
        let scale = 2f64.powi(scale_exponent(weights));
        sums.votes.iter().map(|&votes| (2 * votes - sums.total) as f64 / scale).collect()
    }

    /// S09 Table 3.1: five words with hashes of four bits.
    #[test]
    fn worked_example_of_the_paper() {
        let hashes = [0b1001, 0b1110, 0b0010, 0b0101, 0b1101];
        let weights = [0.09, 0.01, 0.06, 0.05, 0.04];
        let got = sums(&hashes, &weights);
        for (sum, expected) in got[..4].iter().rev().zip([0.03, -0.05, -0.11, 0.11]) {
            assert!((sum - expected).abs() < 1e-5, "{sum} is not {expected}");
        }
        assert_eq!(Sums::of(&hashes, &weights, |hash| hash).majority(), 0b1001);
    }

    fn any_weight() -> impl Strategy<Value = f32> {
        prop_oneof![
            0.0f32..20.0,
            any::<f32>(),
            Just(0.0),
            Just(-1.0),
            Just(f32::NAN),
            Just(f32::INFINITY),
            Just(f32::MAX),
            Just(f32::MIN_POSITIVE),
            Just(1e-45),
        ]
    }

    proptest! {
        #[test]
        fn the_fast_kernel_equals_the_portable_one(
            features in proptest::collection::vec((any::<u64>(), any_weight()), 0..1200)
        ) {
            let (hashes, weights): (Vec<u64>, Vec<f32>) = features.into_iter().unzip();
            let fast = Sums::of(&hashes, &weights, |hash| hash);
            let slow = sum(&hashes, &weights, |hash| hash, add_chunk);
            prop_assert_eq!((fast.votes, fast.total), (slow.votes, slow.total));
        }

        #[test]
        fn order_does_not_matter(
            features in proptest::collection::vec((any::<u64>(), any_weight()), 1..600), by in 0usize..600
        ) {
            let of = |features: &[(u64, f32)]| {
                let (hashes, weights): (Vec<u64>, Vec<f32>) = features.iter().copied().unzip();
                let sums = Sums::of(&hashes, &weights, |hash| hash);
                (sums.votes, sums.total)
            };
            let mut turned = features.clone();
            turned.rotate_left(by % features.len());
            turned.reverse();
            prop_assert_eq!(of(&features), of(&turned));
        }

        #[test]
        fn sums_are_those_of_the_weights(
            features in proptest::collection::vec((any::<u64>(), 0.0f32..9.0), 1..700)
        ) {
            let (hashes, weights): (Vec<u64>, Vec<f32>) = features.into_iter().unzip();
            let most = weights.iter().fold(0.0f32, |most, &weight| most.max(weight));
            // Rounding moves each weight by at most half a unit, of which the largest has 2¹⁴ or more.
            let allowed = weights.len() as f64 * f64::from(most) / 32768.0 + 1e-9;
            for (bit, sum) in sums(&hashes, &weights).into_iter().enumerate() {
                let signs = hashes.iter().map(|hash| if hash >> bit & 1 == 1 { 1.0 } else { -1.0 });
                let exact: f64 = signs.zip(&weights).map(|(sign, &weight)| sign * f64::from(weight)).sum();
                prop_assert!((sum - exact).abs() <= allowed, "bit {}: {} is not {}", bit, sum, exact);
            }
        }
    }

    #[test]
    fn hostile_weights() {
        let majority = |weights: &[f32]| Sums::of(&[0b01, 0b10, 0b10], weights, |hash| hash).majority();
        assert_eq!(majority(&[0.0, 0.0, 0.0]), 0);
        assert_eq!(majority(&[f32::NAN, -5.0, 1e-45]), 0b10, "the smallest weight there is decides");
        assert_eq!(majority(&[1e-40, 1e-45, 1e-45]), 0b01);
        assert_eq!(majority(&[f32::MAX, 1e30, 1e30]), 0b01);
        assert_eq!(majority(&[f32::INFINITY, f32::MAX, f32::MAX]), 0b10);
        assert_eq!(majority(&[f32::INFINITY, f32::NAN, 1.0]), 0b01);
        let (hashes, weights) = (vec![1; 200_000], vec![f32::MAX; 200_000]);
        assert_eq!(Sums::of(&hashes, &weights, |hash| hash).majority(), 1, "no overflow");
    }

    #[test]
    fn rounds_to_the_nearest() {
        for (number, expected) in [(0.0, 0), (0.49, 0), (0.51, 1), (1.5, 2), (2.5, 2), (16384.4, 16384)] {
            assert_eq!(rounded(number), expected, "{number}");
        }
        assert_eq!([32767.4, 32768.0, 1e30, f32::INFINITY].map(rounded), [LARGEST; 4]);
    }

    #[test]
    fn exponents_are_those_of_the_number() {
        for (weight, expected) in [(1.0, 0), (1.99, 0), (2.0, 1), (0.09, -4), (1e-45, -149), (f32::MAX, 127)]
        {
            assert_eq!(exponent(weight), expected, "{weight}");
        }
        assert_eq!((power_of_two(-126), power_of_two(3)), (f32::MIN_POSITIVE, 8.0));
    }
}
