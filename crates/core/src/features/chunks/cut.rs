//! Streams cut into chunks, by place or by content.

use super::code::{self, MAX_CHUNKS, Stream};
use super::filter::Sink;
use crate::hash;

/// Cuts after every `bits` bits; a chunk's feature holds its place.
pub struct ByPlace<'a> {
    stream: Stream,
    bits: usize,
    width: usize,
    value: u64,
    /// Bits of the value so far.
    filled: usize,
    position: u64,
    limit: u64,
    features: &'a mut Vec<u64>,
}

impl<'a> ByPlace<'a> {
    pub fn new(stream: Stream, wanted: bool, bits: usize, features: &'a mut Vec<u64>) -> Self {
        let limit = if wanted { MAX_CHUNKS } else { 0 };
        let width = code::width_of(bits);
        ByPlace { stream, bits, width, value: 0, filled: 0, position: 0, limit, features }
    }

    /// Hands out the last chunk, which may be shorter.
    pub fn finish(mut self) {
        if self.filled > 0 {
            self.hand_out(self.value);
        }
    }

    #[inline(always)]
    fn hand_out(&mut self, value: u64) {
        self.features.push(code::placed(self.stream, self.width, self.position, value));
        self.position += 1;
    }
}

impl Sink for ByPlace<'_> {
    #[inline(always)]
    fn push(&mut self, byte: u8) {
        if self.position == self.limit {
            return;
        }
        self.value |= u64::from(byte) << self.filled;
        self.filled += 8;
        if self.filled == self.bits {
            self.hand_out(self.value);
            (self.value, self.filled) = (0, 0);
        } else if self.filled > self.bits {
            // Chunks that are no whole bytes have few bits, so a byte ends at most one of them.
            self.hand_out(self.value & ((1 << self.bits) - 1));
            (self.value, self.filled) = (self.value >> self.bits, self.filled - self.bits);
        }
    }
}

/// Cuts where a hash of the last eight bytes says so, so an insertion moves only the cuts beside it.
/// A chunk has at least a quarter of the average length, so that few chunks are so short that any
/// text has them, and at most four times the average.
pub struct ByContent<'a> {
    stream: Stream,
    wanted: bool,
    least: usize,
    most: usize,
    /// A cut where the mixed window is below this.
    bound: u64,
    window: u64,
    length: usize,
    block: u64,
    state: u64,
    features: &'a mut Vec<u64>,
}

impl<'a> ByContent<'a> {
    pub fn new(stream: Stream, wanted: bool, average: usize, features: &'a mut Vec<u64>) -> Self {
        let least = (average / 4).max(1);
        let bound = u64::MAX / (average - least).max(1) as u64;
        let (window, length, block, state) = (0, 0, 0, 0);
        ByContent { stream, wanted, least, most: average * 4, bound, window, length, block, state, features }
    }

    /// Hands out the last chunk.
    pub fn finish(mut self) {
        if self.length > 0 {
            self.flush();
        }
    }

    fn flush(&mut self) {
        let stream = u64::from(self.stream == Stream::NonText);
        let content = hash::combine(self.state, self.block);
        self.features.push(hash::combine(content, (self.length as u64) << 1 | stream));
        (self.length, self.block, self.state) = (0, 0, 0);
    }
}

impl Sink for ByContent<'_> {
    #[inline(always)]
    fn push(&mut self, byte: u8) {
        if !self.wanted {
            return;
        }
        self.window = self.window << 8 | u64::from(byte);
        self.block |= u64::from(byte) << (8 * (self.length % 8));
        self.length += 1;
        if self.length.is_multiple_of(8) {
            self.state = hash::combine(self.state, self.block);
            self.block = 0;
        }
        let cut = self.length >= self.least && hash::mix(self.window) < self.bound;
        if cut || self.length == self.most {
            self.flush();
        }
    }
}
