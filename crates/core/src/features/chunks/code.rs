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
    /// Bytes in a chunk; [`HASHED`] when they did not fit.
    pub width: usize,
    /// Where it stands in its stream, counted in chunks. Unknown when hashed.
    pub position: Option<u64>,
    /// Its bytes, the first being the lowest. Zero stands for none, since text has no zero bytes.
    /// When hashed, a hash of place and bytes.
    pub value: u64,
}

/// The widest chunk whose bytes fit into a feature.
const WIDEST: usize = 4;
/// The width reported for chunks that did not fit.
pub const HASHED: usize = 5;
const BY_CONTENT: u64 = 6;
/// More chunks than this in one stream are not compared: places have to fit into 28 bits.
pub const MAX_CHUNKS: u64 = 1 << 28;

const TAG_SHIFT: u32 = 60;
const LOW: u64 = (1 << TAG_SHIFT) - 1;

/// The feature of a chunk of up to eight bytes at a place below [`MAX_CHUNKS`].
#[inline(always)]
pub fn placed(stream: Stream, width: usize, position: u64, value: u64) -> u64 {
    if width <= WIDEST {
        tagged(width as u64, stream, position << (8 * width) | value)
    } else {
        tagged(HASHED as u64, stream, hash::combine(position, value))
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
    match width {
        1..=WIDEST => {
            let shift = 8 * width as u32;
            let value = low & ((1 << shift) - 1);
            Some(Placed { stream, width, position: Some(low >> shift), value })
        }
        HASHED => Some(Placed { stream, width, position: None, value: low }),
        _ => None,
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
            width in 1usize..=WIDEST, other: bool, position in 0..MAX_CHUNKS, bytes: u64
        ) {
            let stream = if other { Stream::NonText } else { Stream::Text };
            let value = bytes & ((1 << (8 * width)) - 1);
            let expected = Placed { stream, width, position: Some(position), value };
            prop_assert_eq!(read(placed(stream, width, position, value)), Some(expected));
        }

        #[test]
        fn wide_chunks_keep_stream_and_kind(position in 0..MAX_CHUNKS, value: u64) {
            let chunk = read(placed(Stream::NonText, 8, position, value)).unwrap();
            prop_assert_eq!((chunk.stream, chunk.width, chunk.position), (Stream::NonText, HASHED, None));
            prop_assert_ne!(placed(Stream::Text, 8, position, value), placed(Stream::NonText, 8, position, value));
        }

        #[test]
        fn mixing_can_be_undone(bits: u64) {
            prop_assert_eq!(gather(spread(bits)), bits);
        }
    }

    #[test]
    fn chunks_cut_by_content_have_no_place() {
        assert_eq!(read(by_content(17)), None);
    }
}
