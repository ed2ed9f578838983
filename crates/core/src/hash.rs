//! The hash functions whose output is fixed for ever.
//!
//! Everything Lookalike persists or compares across machines rests on these few lines, so they
//! read bytes as little-endian, use no CPU feature and have golden vectors. They are built on one
//! 64×64→128-bit multiplication folded to 64 bits, which is the fastest good mixer on today's CPUs.

/// Both constants contain bytes that cannot occur in UTF-8 text, so that no word can zero a factor
/// of the multiplication and so erase the other one.
const FIRST: u64 = 0xfbc1_e5f7_9ed4_ffc5;
const SECOND: u64 = 0xf5a9_c3fd_71e6_fa8d;
const THIRD: u64 = 0x9e37_79b9_7f4a_7c15;

/// Multiplies to 128 bits and folds the halves together.
#[inline(always)]
pub fn fold(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    (product as u64) ^ ((product >> 64) as u64)
}

/// Turns any 64-bit value into a well mixed one.
#[inline(always)]
pub fn mix(value: u64) -> u64 {
    fold(value ^ SECOND, THIRD)
}

/// Combines two values; the order matters.
#[inline(always)]
pub fn combine(a: u64, b: u64) -> u64 {
    fold(a ^ FIRST, b ^ SECOND)
}

/// The hash of up to 16 bytes given as two zero-padded little-endian halves.
///
/// Split from [`bytes`] because the word scanner gets the halves by masked loads, without a branch
/// on the length.
#[inline(always)]
pub fn short(low: u64, high: u64, length: usize) -> u64 {
    fold(low ^ FIRST, high ^ SECOND ^ ((length as u64) << 56))
}

/// The hash of a byte string.
#[inline]
pub fn bytes(data: &[u8]) -> u64 {
    if data.len() <= 16 {
        let mut padded = [0u8; 16];
        padded[..data.len()].copy_from_slice(data);
        let (low, high) = halves(&padded);
        return short(low, high, data.len());
    }
    let mut state = data.len() as u64 ^ THIRD;
    for block in data.as_chunks::<16>().0 {
        state = add_block(state, block);
    }
    finish(state, data)
}

/// [`bytes`] of several byte strings. Each step of one waits for the step before, so several of one length take little
/// longer together than one of them alone.
pub fn bytes_of_all<const COUNT: usize>(all: [&[u8]; COUNT]) -> [u64; COUNT] {
    let length = all.first().map_or(0, |data| data.len());
    if length <= 16 || all.iter().any(|data| data.len() != length) {
        return all.map(bytes);
    }
    let mut states = [length as u64 ^ THIRD; COUNT];
    let blocks = all.map(|data| data.as_chunks::<16>().0);
    for place in 0..length / 16 {
        for (state, blocks) in states.iter_mut().zip(&blocks) {
            *state = add_block(*state, &blocks[place]);
        }
    }
    std::array::from_fn(|number| finish(states[number], all[number]))
}

#[inline(always)]
fn add_block(state: u64, block: &[u8; 16]) -> u64 {
    let (low, high) = halves(block);
    fold(low ^ FIRST ^ state, high ^ SECOND).rotate_left(23) ^ state.wrapping_mul(THIRD)
}

/// The hash of more than 16 bytes, of which all whole blocks were added. The last 16 may overlap the block before, so there
/// is no padding and no second code path.
#[inline(always)]
fn finish(state: u64, data: &[u8]) -> u64 {
    let (low, high) = halves(&data[data.len() - 16..]);
    fold(low ^ FIRST ^ state, high ^ SECOND)
}

/// A hash of a whole text, to tell whether two texts are the same. Not the one of [`bytes`]: here the blocks are hashed
/// independently of each other, which is several times as fast.
pub fn text(data: &[u8]) -> u64 {
    let (blocks, rest) = data.as_chunks::<16>();
    let (mut sum, mut place) = (bytes(rest), data.len() as u64 ^ FIRST);
    for block in blocks {
        let (low, high) = halves(block);
        sum = sum.wrapping_add(fold(low ^ place, high ^ place.rotate_left(32) ^ SECOND));
        place = place.wrapping_add(THIRD);
    }
    combine(sum, place)
}

/// A 128-bit digest of a sequence of 64-bit values, used to recognise identical documents: among a
/// billion documents a chance collision has probability below 10⁻²⁰.
#[inline]
pub fn digest(values: &[u64]) -> u128 {
    // A sum of terms that depend on value and place, so the terms can be computed independently.
    let (mut low, mut high) = (values.len() as u64, SECOND);
    let mut place = FIRST;
    for &value in values {
        low = low.wrapping_add(fold(value ^ FIRST, place));
        high = high.wrapping_add(fold(value ^ SECOND, place.rotate_left(32)));
        place = place.wrapping_add(THIRD);
    }
    (u128::from(combine(high, low)) << 64) | u128::from(combine(low, high))
}

/// The [`digest`] of values that come one by one.
#[derive(Clone)]
pub struct Digester {
    low: u64,
    high: u64,
    place: u64,
    count: u64,
}

impl Default for Digester {
    fn default() -> Self {
        Digester { low: 0, high: SECOND, place: FIRST, count: 0 }
    }
}

impl Digester {
    /// Takes one more value.
    #[inline]
    pub fn push(&mut self, value: u64) {
        self.low = self.low.wrapping_add(fold(value ^ FIRST, self.place));
        self.high = self.high.wrapping_add(fold(value ^ SECOND, self.place.rotate_left(32)));
        self.place = self.place.wrapping_add(THIRD);
        self.count += 1;
    }

    /// The digest of all values taken so far.
    pub fn finish(&self) -> u128 {
        let low = self.low.wrapping_add(self.count);
        (u128::from(combine(self.high, low)) << 64) | u128::from(combine(low, self.high))
    }
}

/// A 128-bit digest of a byte string, used to check whether a text has changed.
pub fn digest_bytes(data: &[u8]) -> u128 {
    let mut digester = Digester::default();
    // The length distinguishes a short last block from one that ends in zeros.
    digester.push(data.len() as u64);
    for block in data.chunks(8) {
        let mut padded = [0u8; 8];
        padded[..block.len()].copy_from_slice(block);
        digester.push(u64::from_le_bytes(padded));
    }
    digester.finish()
}

// Called for every 16 bytes, from other crates, too.
#[inline(always)]
fn halves(block: &[u8]) -> (u64, u64) {
    let (low, high) = block.split_at(8);
    let number = |half: &[u8]| u64::from_le_bytes(half.try_into().unwrap_or([0; 8]));
    (number(low), number(high))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_with_other_bytes_lengths_or_order_have_other_hashes() {
        let mut texts: Vec<Vec<u8>> = (0..200).map(|length| vec![b'a'; length]).collect();
        let long: Vec<u8> = (0..96).collect();
        texts.extend((0..long.len()).flat_map(|place| {
            (0..8)
                .map(|bit| (place, bit))
                .map(|(place, bit)| {
                    let mut changed = (0..96u8).collect::<Vec<u8>>();
                    changed[place] ^= 1 << bit;
                    changed
                })
                .collect::<Vec<_>>()
        }));
        // The same blocks in another order.
        texts.push([&long[16..32], &long[..16], &long[32..]].concat());
        texts.push(long);
        let hashes: std::collections::HashSet<u64> = texts.iter().map(|data| text(data)).collect();
        assert_eq!(hashes.len(), texts.len());
    }

    #[test]
    fn several_strings_have_the_hashes_of_each() {
        let data: Vec<u8> = (0..400u32).map(|i| (mix(u64::from(i)) >> 8) as u8).collect();
        for length in [0, 5, 16, 17, 31, 32, 33, 96] {
            let all = [&data[..length], &data[100..100 + length], &data[300..300 + length]];
            assert_eq!(bytes_of_all(all), all.map(bytes), "{length}");
            let unlike = [all[0], all[1], &data[..length + 1]];
            assert_eq!(bytes_of_all(unlike), unlike.map(bytes), "{length}");
        }
        assert_eq!(bytes_of_all([]), [0u64; 0]);
    }

    /// Persisted signatures depend on these: a change here is a new scheme, never a fix.
    #[test]
    fn golden_vectors() {
        let text = b"the quick brown fox jumps over the lazy dog";
        let got: Vec<u64> = [0, 1, 3, 8, 15, 16, 17, 43].map(|n| bytes(&text[..n])).to_vec();
        assert_eq!(got, GOLDEN_BYTES);
        assert_eq!(mix(1), GOLDEN_MIX);
        assert_eq!(digest(&[1, 2, 3]), GOLDEN_DIGEST);
        let digests: Vec<String> =
            [0, 3, 8, 43].map(|n| format!("{:032x}", digest_bytes(&text[..n]))).to_vec();
        assert_eq!(digests, GOLDEN_TEXTS);
    }

    const GOLDEN_BYTES: [u64; 8] = [
        8557546997410436532,
        6163867994585026911,
        12781049125869153738,
        4998281027370247493,
        11910126986937043780,
        18316767851293720796,
        6349265947710996306,
        1866941434163174859,
    ];
    const GOLDEN_MIX: u64 = 16924410906706607075;
    const GOLDEN_DIGEST: u128 = 61702877259705307299899576093062827293;
    const GOLDEN_TEXTS: [&str; 4] = [
        "d5fdbdfe0f6626528ee68af665c496cd",
        "1e51b672c93ab76e2a732b37c9030675",
        "dff4b07a33e0d2d2528a1fa8a3644ab8",
        "cf43d0f46aec843373756fc1c1a945a8",
    ];

    #[test]
    fn every_input_bit_moves_half_of_the_output() {
        for length in [1usize, 5, 8, 9, 16, 17, 40] {
            let base: Vec<u8> = (0..length as u8).map(|i| b'a' + i % 26).collect();
            let before = bytes(&base);
            for bit in 0..length * 8 {
                let mut changed = base.clone();
                changed[bit / 8] ^= 1 << (bit % 8);
                let moved = (before ^ bytes(&changed)).count_ones();
                assert!((12..=52).contains(&moved), "length {length} bit {bit}: {moved}");
            }
        }
    }

    #[test]
    fn values_one_by_one_have_the_digest_of_all() {
        for length in [0, 1, 2, 50] {
            let values: Vec<u64> = (0..length).map(mix).collect();
            let mut digester = Digester::default();
            values.iter().for_each(|&value| digester.push(value));
            assert_eq!(digester.finish(), digest(&values));
        }
    }

    #[test]
    fn length_and_order_count() {
        assert_ne!(bytes(b"a"), bytes(b"a\0"));
        assert_ne!(digest(&[1, 2]), digest(&[2, 1]));
        assert_ne!(digest(&[]), digest(&[0]));
        assert_ne!(digest_bytes(b"a"), digest_bytes(b"a\0"));
        assert_ne!(digest_bytes(b"abcdefgh12345678"), digest_bytes(b"12345678abcdefgh"));
        assert_ne!(combine(1, 2), combine(2, 1));
    }
}
