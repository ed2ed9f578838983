//! A chunk as a 64-bit feature, and back.
//!
//! Four bits say what kind of chunk it is and which stream it comes from. The other sixty hold place
//! and bytes if the chunk has at most four bytes, or else a hash. So for the usual small chunks,
//! features are equal exactly when place and bytes are, and a comparison place by place can recover
//! the bytes. Last, an invertible mixer spreads the features evenly over 64 bits, as hashes are
//! expected to be.

use crate::hash;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stream {
    Text,
    NonText,
}

/// What a feature says about a chunk at a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Placed {
    pub stream: Stream,
    /// Bytes in a chunk; [`TEN_BITS`] for a chunk of ten bits, [`HASHED`] when they did not fit.
    pub width: usize,
    /// Where it stands in its stream, counted in chunks. Unknown when hashed.
    pub position: Option<u64>,
    /// Its bytes or bits, the first being the lowest. Zero stands for none, since text has no zero bytes.
    /// When hashed, a hash of place and bytes.
    pub value: u64,
}

/// The widest chunk whose bytes fit into a feature.
const WIDEST: usize = 4;
/// The width reported for chunks that did not fit.
pub const HASHED: usize = 5;
const BY_CONTENT: u64 = 6;
/// The width reported for chunks of ten bits.
pub const TEN_BITS: usize = 7;
/// More chunks than this in one stream are not compared: places have to fit into 28 bits.
pub const MAX_CHUNKS: u64 = 1 << 28;

const TAG_SHIFT: u32 = 60;
const LOW: u64 = (1 << TAG_SHIFT) - 1;

/// How many bits a chunk of a width has; `None` where only a hash is left of it.
#[inline(always)]
pub fn bits_of(width: usize) -> Option<u32> {
    match width {
        1..=WIDEST => Some(8 * width as u32),
        TEN_BITS => Some(10),
        _ => None,
    }
}

/// The width of chunks with so many bits: ten, or whole bytes.
pub fn width_of(bits: usize) -> usize {
    match bits / 8 {
        _ if bits == 10 => TEN_BITS,
        bytes if bytes <= WIDEST => bytes,
        _ => HASHED,
    }
}

/// The feature of a chunk of up to 64 bits at a place below [`MAX_CHUNKS`].
#[inline(always)]
pub fn placed(stream: Stream, width: usize, position: u64, value: u64) -> u64 {
    match bits_of(width) {
        Some(bits) => tagged(width as u64, stream, position << bits | value),
        None => tagged(HASHED as u64, stream, hash::combine(position, value)),
    }
}

/// The feature of a chunk by its content alone, without a place.
pub fn by_content(hash: u64) -> u64 {
    tagged(BY_CONTENT, Stream::Text, hash)
}

/// Decodes a feature made by [`placed`]; `None` if it is recognisably another kind of feature.
pub fn read(feature: u64) -> Option<Placed> {
    let bits = gather(feature);
    let tag = bits >> TAG_SHIFT;
    let width = (tag >> 1) as usize;
    let stream = if tag & 1 == 0 { Stream::Text } else { Stream::NonText };
    let low = bits & LOW;
    match bits_of(width) {
        Some(shift) => {
            let value = low & ((1 << shift) - 1);
            Some(Placed { stream, width, position: Some(low >> shift), value })
        }
        None => (width == HASHED).then_some(Placed { stream, width, position: None, value: low }),
    }
}

#[inline(always)]
fn tagged(kind: u64, stream: Stream, low: u64) -> u64 {
    spread((kind << 1 | u64::from(stream == Stream::NonText)) << TAG_SHIFT | (low & LOW))
}

const MULTIPLIER: u64 = 0xd6e8_feb8_6659_fd93;
/// `MULTIPLIER * INVERSE == 1` modulo 2⁶⁴.
const INVERSE: u64 = inverse(MULTIPLIER);

#[inline(always)]
fn spread(bits: u64) -> u64 {
    let bits = (bits ^ bits >> 32).wrapping_mul(MULTIPLIER);
    let bits = (bits ^ bits >> 32).wrapping_mul(MULTIPLIER);
    bits ^ bits >> 32
}

fn gather(bits: u64) -> u64 {
    let bits = (bits ^ bits >> 32).wrapping_mul(INVERSE);
    let bits = (bits ^ bits >> 32).wrapping_mul(INVERSE);
    bits ^ bits >> 32
}

/// The inverse of an odd number: each of Newton's steps doubles the bits that are right.
const fn inverse(odd: u64) -> u64 {
    let mut inverse = odd;
    let mut step = 0;
    while step < 6 {
        inverse = inverse.wrapping_mul(2u64.wrapping_sub(odd.wrapping_mul(inverse)));
        step += 1;
    }
    inverse
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn small_chunks_come_back_whole(
            width in prop_oneof![1usize..=WIDEST, Just(TEN_BITS)],
            other: bool,
            position in 0..MAX_CHUNKS,
            bytes: u64,
        ) {
            let stream = if other { Stream::NonText } else { Stream::Text };
            let value = bytes & ((1 << bits_of(width).unwrap()) - 1);
            let expected = Placed { stream, width, position: Some(position), value };
            prop_assert_eq!(read(placed(stream, width, position, value)), Some(expected));
        }

        #[test]
        fn wide_chunks_keep_stream_and_kind(position in 0..MAX_CHUNKS, value: u64) {
            let chunk = read(placed(Stream::NonText, HASHED, position, value)).unwrap();
            prop_assert_eq!((chunk.stream, chunk.width, chunk.position), (Stream::NonText, HASHED, None));
            let of = |stream| placed(stream, HASHED, position, value);
            prop_assert_ne!(of(Stream::Text), of(Stream::NonText));
        }

        #[test]
        fn mixing_can_be_undone(bits: u64) {
            prop_assert_eq!(gather(spread(bits)), bits);
        }
    }

    #[test]
    fn widths_are_those_of_the_bits() {
        let bits = [8, 10, 16, 24, 32, 40, 64];
        assert_eq!(bits.map(width_of), [1, TEN_BITS, 2, 3, 4, HASHED, HASHED]);
        assert_eq!(bits.map(|bits| bits_of(width_of(bits)).unwrap_or(0)), [8, 10, 16, 24, 32, 0, 0]);
    }

    #[test]
    fn chunks_cut_by_content_have_no_place() {
        assert_eq!(read(by_content(17)), None);
    }
}
