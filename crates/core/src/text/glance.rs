//! A few words of a text, without buffers: the next 64 bytes, classified once.

use std::ops::Range;

use super::BLOCK;
use super::scan::{classify_block, hash_padded};
#[cfg(target_arch = "x86_64")]
use super::simd;

/// The next 64 bytes of a text, or all that it has: for what needs no more than a few words, and no buffers.
pub(crate) struct Glance {
    /// Where it begins in the text.
    start: usize,
    /// Which bytes may belong to words, a bit each: those that are not ASCII may.
    pub in_word: u64,
    wide: u64,
    lower: [u8; BLOCK + 16],
}

impl Glance {
    #[inline]
    pub fn new(text: &[u8], start: usize) -> Glance {
        let mut lower = [0; BLOCK + 16];
        let (in_word, wide) = match lower.first_chunk_mut() {
            Some(lower) => masks_of(&text[start..], lower),
            None => (0, 0),
        };
        Glance { start, in_word, wide, lower }
    }

    /// Where what may be a word ends, if that is seen.
    #[inline]
    pub fn word_end(&self, start: usize) -> Option<usize> {
        let from = start.checked_sub(self.start).filter(|&from| from < BLOCK)?;
        let length = (self.in_word >> from).trailing_ones() as usize;
        (from + length < BLOCK).then_some(start + length)
    }

    /// The words of a part of the text, in order: the place and the hash of each. Returns `false`, having found nothing, if
    /// not all of the part is seen and ASCII.
    #[inline]
    pub fn words(&self, part: Range<usize>, mut emit: impl FnMut(Range<usize>, u64)) -> bool {
        if part.start < self.start || part.end > self.start + BLOCK || part.is_empty() {
            return part.is_empty();
        }
        // The bits of the part; it has one at least.
        let (from, to) = (part.start - self.start, part.end - self.start);
        let within = u64::MAX << from & u64::MAX >> (BLOCK - to);
        if self.wide & within != 0 {
            return false;
        }
        let mut left = self.in_word & within;
        while left != 0 {
            let start = left.trailing_zeros() as usize;
            let end = start + (left >> start).trailing_ones() as usize;
            // Adding to the lowest bit of a run clears the run.
            left &= left.wrapping_add(1 << start);
            emit(self.start + start..self.start + end, hash_padded(&self.lower, start, end).0);
        }
        true
    }
}

/// Which of the first 64 bytes may belong to words and which are not ASCII, a bit each; and these bytes in lower case.
#[inline]
fn masks_of(text: &[u8], lower: &mut [u8; BLOCK]) -> (u64, u64) {
    match text.first_chunk() {
        Some(block) => masks_of_block(block, lower),
        None => {
            let mut block = [b' '; BLOCK];
            block[..text.len()].copy_from_slice(text);
            masks_of_block(&block, lower)
        }
    }
}

#[inline]
fn masks_of_block(block: &[u8; BLOCK], lower: &mut [u8; BLOCK]) -> (u64, u64) {
    #[cfg(target_arch = "x86_64")]
    if simd::is_available() {
        // SAFETY: the features were just detected.
        return unsafe { simd::classify_block(block, lower) };
    }
    classify_block(block, lower)
}

#[cfg(test)]
mod tests {
    use super::super::word_spans;
    use super::*;
    use crate::hash;

    /// What is seen from a place on of the words of a part, if all of it is.
    fn seen(text: &str, from: usize, part: Range<usize>) -> Option<Vec<(Range<usize>, u64)>> {
        let mut found = Vec::new();
        let glance = Glance::new(text.as_bytes(), from);
        glance.words(part, |place, hash| found.push((place, hash))).then_some(found)
    }

    #[test]
    fn words_seen_at_a_glance_are_those_of_the_part_alone() {
        let text = "aZ[@`{Az09_ B".repeat(9);
        for start in 0..text.len() {
            for end in start + 1..=text.len() {
                let mut alone = word_spans(&text[start..end]);
                alone.iter_mut().for_each(|(place, _)| *place = place.start + start..place.end + start);
                for from in [start, start.saturating_sub(9)] {
                    let expected = (end - from <= BLOCK).then(|| alone.clone());
                    assert_eq!(seen(&text, from, start..end), expected, "{from} {start} {end}");
                }
            }
            assert_eq!(seen(&text, 0, start..start), Some(Vec::new()));
        }
        assert_eq!(seen("ab é", 0, 0..3), Some(vec![(0..2, hash::bytes(b"ab"))]));
        assert_eq!(seen("ab é", 0, 0..5), None);
        assert_eq!(seen("ab cd", 3, 0..5), None);
        let ends = |text: &str, from| Glance::new(text.as_bytes(), from).word_end(from + 1);
        assert_eq!(ends(" ab", 0), Some(3));
        assert_eq!(ends("x aé— b", 1), Some("x aé—".len()));
        assert_eq!(ends(&format!(" {} b", "a".repeat(62)), 0), Some(63));
        assert_eq!(ends(&format!(" {} b", "a".repeat(63)), 0), None);
        assert_eq!(Glance::new(b"ab cd", 3).word_end(0), None);
    }
}
