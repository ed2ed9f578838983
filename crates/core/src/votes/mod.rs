//! Votes of features with different weights, summed for each bit of their hashes: the running sums of simhash.
//!
//! Sums of floating-point numbers depend on their order, so weights become integers of 15 bits first:
//! weight · scale, rounded, where the scale is the power of two that brings the document's largest
//! weight into 2¹⁴…2¹⁵. A weight of less than about 1/65 000 of it counts as 0, and so does one that is
//! negative or not a number; an infinite one counts as the largest possible.
//!
//! Only the votes for a bit are summed; all other votes are against it. Sums of a chunk fit into 32
//! bits, those of all chunks are kept in 64.

#[cfg(target_arch = "x86_64")]
mod simd;

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
        Sums::scaled(hashes, weights, scale_exponent(largest(weights)), hash_of)
    }

    #[inline]
    fn scaled(hashes: &[u64], weights: &[f32], exponent: i32, hash_of: impl Fn(u64) -> u64) -> Self {
        #[cfg(target_arch = "x86_64")]
        if simd::is_available() {
            // SAFETY: the feature was just detected.
            return unsafe { sum_avx2(hashes, weights, exponent, hash_of) };
        }
        sum(hashes, weights, exponent, hash_of, add_chunk)
    }

    /// The bits with more weight for than against; a tie gives 0.
    pub fn majority(&self) -> u64 {
        let bits = self.votes.iter().enumerate();
        bits.fold(0, |all, (bit, &votes)| all | u64::from(2 * votes > self.total) << bit)
    }
}

/// The least weight with which one more feature decides the `bits` bits alone on which these features are least
/// decided: it outweighs their sums there, so each of these bits becomes the one of its hash.
pub fn deciding_weight(hashes: &[u64], weights: &[f32], bits: usize) -> f32 {
    let heaviest = largest(weights);
    let mut weight = 0.0;
    // A weight above all others changes the scale, and with it the sums; the second or third turn is the last.
    for _ in 0..8 {
        let exponent = scale_exponent(heaviest.max(weight));
        let sums = Sums::scaled(hashes, weights, exponent, |hash| hash);
        let mut distances = sums.votes.map(|votes| (2 * votes - sums.total).abs());
        distances.sort_unstable();
        let outweighed = distances[bits.clamp(1, 64) - 1];
        if i64::from(integer(weight, exponent)) > outweighed {
            break;
        }
        let (first, second) = factors(-exponent);
        weight = (outweighed + 1) as f32 * first * second;
    }
    weight
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn sum_avx2(hashes: &[u64], weights: &[f32], exponent: i32, hash_of: impl Fn(u64) -> u64) -> Sums {
    sum(hashes, weights, exponent, hash_of, |hashes, weights, lanes| simd::add_chunk(hashes, weights, lanes))
}

#[inline(always)]
fn sum(
    hashes: &[u64],
    weights: &[f32],
    exponent: i32,
    hash_of: impl Fn(u64) -> u64,
    add_chunk: impl Fn(&[u64], &[i16], &mut [i32; 64]),
) -> Sums {
    let (first, second) = factors(exponent);
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

/// 2^exponent as two factors, since the smallest weights need a scale that does not fit into an f32.
#[inline(always)]
fn factors(exponent: i32) -> (f32, f32) {
    (power_of_two(exponent / 2), power_of_two(exponent - exponent / 2))
}

/// A weight as it is summed.
fn integer(weight: f32, exponent: i32) -> i16 {
    let (first, second) = factors(exponent);
    rounded(weight.max(0.0) * first * second)
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
fn scale_exponent(largest: f32) -> i32 {
    DIGITS - 1 - exponent(largest)
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
        let scale = 2f64.powi(scale_exponent(largest(weights)));
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
            let exponent = scale_exponent(largest(&weights));
            let slow = sum(&hashes, &weights, exponent, |hash| hash, add_chunk);
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

    proptest! {
        /// S09 §7.1.1, literally: of the running sums of the text the smallest magnitudes are sought, and a feature with
        /// that weight decides their bits, whichever way it votes. Hardly less, and one of them is not decided.
        #[test]
        fn a_deciding_weight_decides_the_least_decided_bits(
            features in proptest::collection::vec((any::<u64>(), 0.01f32..9.0), 1..400),
            votes in proptest::collection::vec(any::<u64>(), 2..6),
            bits in 1usize..64,
        ) {
            let (hashes, weights): (Vec<u64>, Vec<f32>) = features.into_iter().unzip();
            let weight = deciding_weight(&hashes, &weights, bits);
            let mut magnitudes: Vec<(f64, usize)> = (0..64)
                .map(|bit| {
                    let signs = hashes.iter().map(|hash| if hash >> bit & 1 == 1 { 1.0 } else { -1.0 });
                    let sum: f64 = signs.zip(&weights).map(|(sign, &weight)| sign * f64::from(weight)).sum();
                    (sum.abs(), bit)
                })
                .collect();
            magnitudes.sort_by(|a, b| a.0.total_cmp(&b.0));
            // Each weight is rounded by at most half a unit, of which the largest has 2¹⁴ or more.
            let most = weights.iter().fold(weight, |most, &weight| most.max(weight));
            let rounding = (weights.len() + 2) as f64 * f64::from(most) / 16384.0;
            let least = magnitudes[bits - 1].0;
            prop_assert!((f64::from(weight) - least).abs() <= rounding, "{} is not {}", weight, least);
            let sign = |vote: u64, weight: f32| {
                let (hashes, weights) = ([&hashes[..], &[vote]].concat(), [&weights[..], &[weight]].concat());
                Sums::of(&hashes, &weights, |hash| hash).majority()
            };
            let decided = magnitudes.iter().filter(|(magnitude, _)| *magnitude < least - rounding);
            let decided = decided.fold(0u64, |all, (_, bit)| all | 1 << bit);
            for &vote in &votes {
                prop_assert_eq!((sign(vote, weight) ^ vote) & decided, 0);
                let agreeing = 64 - (sign(vote, weight) ^ vote).count_ones() as usize;
                prop_assert!(agreeing >= bits, "{} of {} bits", agreeing, bits);
            }
        }
    }

    #[test]
    fn a_feature_alone_needs_no_weight_to_speak_of() {
        assert_eq!(deciding_weight(&[], &[], 1), 0.0);
        // One feature of weight 4 decides every bit; the other must outweigh it.
        let weight = deciding_weight(&[5], &[4.0], 1);
        assert!(weight > 4.0 && weight < 4.001, "{weight}");
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
