//! The fast word scanner.
//!
//! Phase one classifies and lower-cases 64 bytes at a time into a bit mask of word bytes and looks up
//! the places of its edges by the byte; phase two hashes each word with two masked loads. Bytes above
//! 0x7f count as word bytes at first, so a stretch that holds one is handed to the Unicode path as a
//! whole; cutting there is sound because ASCII characters never compose with what precedes them.
//!
//! It is compiled twice, once with AVX2 enabled, and chosen at run time. Both come from the same
//! source except for the classification of a block; a test checks that its two forms agree.

use std::ops::Range;

use super::BLOCK;
use super::bits::{ROOM, next_bit, write_places};
use super::classes::is_stable;
use super::normalise::{NO_BREAK, fold_each_into, normalise_into, split_words};
#[cfg(target_arch = "x86_64")]
use super::simd;
use crate::hash;

/// Buffers reused from document to document, so that no word allocates.
#[derive(Default)]
pub struct Scratch {
    /// The text with ASCII letters in lower case, padded so that 16-byte loads stay inside.
    lower: Vec<u8>,
    /// Alternating start and end offsets of stretches of word bytes.
    edges: Vec<u32>,
    /// Where bytes above 0x7f are, a bit each.
    wide: Vec<u64>,
    normalised: String,
}

/// A normalised word as the scanner hands it out.
#[derive(Clone, Copy)]
pub struct Word<'a> {
    /// The word in UTF-8.
    pub bytes: &'a [u8],
    /// [`hash::bytes`] of `bytes`.
    pub hash: u64,
    /// The first 16 bytes, little-endian, the rest zero; the scanner has computed them anyway.
    pub head: [u64; 2],
    /// One character of a script written without spaces.
    pub single: bool,
}

/// The words as strings; for small texts, displays and tests.
pub fn words(text: &str, scratch: &mut Scratch) -> Vec<String> {
    let mut words = Vec::new();
    for_each_word(text, scratch, |word| {
        words.push(String::from_utf8_lossy(word.bytes).into_owned());
    });
    words
}

/// Calls `emit` with every word of the text in order.
///
/// `text` longer than 4 GiB is cut there: offsets are 32 bits, and readers reject such documents
/// long before.
#[inline]
pub fn for_each_word(text: &str, scratch: &mut Scratch, emit: impl FnMut(Word<'_>)) {
    #[cfg(target_arch = "x86_64")]
    if simd::is_available() {
        // SAFETY: the features were just detected.
        return unsafe { for_each_word_avx2(text, scratch, emit) };
    }
    scan(text, scratch, classify_block, emit);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn for_each_word_avx2(text: &str, scratch: &mut Scratch, emit: impl FnMut(Word<'_>)) {
    scan(text, scratch, |block, lower| simd::classify_block(block, lower), emit);
}

#[inline(always)]
fn scan(
    text: &str,
    scratch: &mut Scratch,
    classify_block: impl Fn(&[u8; BLOCK], &mut [u8; BLOCK]) -> (u64, u64),
    mut emit: impl FnMut(Word<'_>),
) {
    let count = classify(within_reach(text), scratch, classify_block);
    let Scratch { lower, edges, wide, normalised } = scratch;
    let (lower, wide) = (&lower[..], &wide[..]);
    // All bytes above 0x7f are in stretches, so the first stretch that ends after the next of them holds it.
    let mut next = next_bit(wide, 0);
    for &[start, end] in edges[..count].as_chunks::<2>().0 {
        let (start, end) = (start as usize, end as usize);
        if end > next {
            emit_unicode(text, start..end, normalised, &mut emit);
            next = next_bit(wide, end);
        } else {
            // Without a check that could fail, so that who does not look at the bytes does not pay for them.
            let bytes = lower.get(start..end).unwrap_or_default();
            let (hash, head) = hash_padded(lower, start, end);
            emit(Word { bytes, hash, head, single: false });
        }
    }
}

/// Appends the hash of every word of the text, in order: what [`for_each_word`] hands out, in half the time if nothing
/// else is asked for.
pub fn push_word_hashes(text: &str, scratch: &mut Scratch, hashes: &mut Vec<u64>) {
    #[cfg(target_arch = "x86_64")]
    if simd::is_available() {
        // SAFETY: the features were just detected.
        return unsafe { push_word_hashes_avx2(text, scratch, hashes) };
    }
    push_hashes(text, scratch, classify_block, hashes);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn push_word_hashes_avx2(text: &str, scratch: &mut Scratch, hashes: &mut Vec<u64>) {
    push_hashes(text, scratch, |block, lower| simd::classify_block(block, lower), hashes);
}

#[inline(always)]
fn push_hashes(
    text: &str,
    scratch: &mut Scratch,
    classify_block: impl Fn(&[u8; BLOCK], &mut [u8; BLOCK]) -> (u64, u64),
    hashes: &mut Vec<u64>,
) {
    let count = classify(within_reach(text), scratch, classify_block);
    let Scratch { lower, edges, wide, normalised } = scratch;
    let (lower, wide) = (&lower[..], &wide[..]);
    let mut stretches = edges[..count].as_chunks::<2>().0;
    let mut next = next_bit(wide, 0);
    loop {
        // All words up to the next byte above 0x7f at once: room is made once for them, and none is asked about.
        let is_word = |&[_, end]: &[u32; 2]| end as usize <= next;
        let words =
            if stretches.first().is_some_and(is_word) { stretches.partition_point(is_word) } else { 0 };
        let (words, rest) = stretches.split_at(words);
        let first = hashes.len();
        hashes.resize(first + words.len(), 0);
        for (hash, &[start, end]) in hashes[first..].iter_mut().zip(words) {
            *hash = hash_padded(lower, start as usize, end as usize).0;
        }
        let Some((&[start, end], after)) = rest.split_first() else { return };
        let (start, end) = (start as usize, end as usize);
        emit_unicode(text, start..end, normalised, &mut |word| hashes.push(word.hash));
        (stretches, next) = (after, next_bit(wide, end));
    }
}

/// As much of a text as offsets of 32 bits reach.
fn within_reach(text: &str) -> &[u8] {
    &text.as_bytes()[..text.floor_char_boundary(u32::MAX as usize - 2 * BLOCK)]
}

/// Calls `emit` with the stretches of word bytes of a text, in order: the place of each, and if it is of ASCII, and so a
/// word, its hash. Any other has as many words as the Unicode rules find in it.
#[inline(always)]
pub(crate) fn for_each_stretch(
    text: &[u8],
    scratch: &mut Scratch,
    mut emit: impl FnMut(Range<usize>, Option<u64>),
) {
    let text = &text[..text.len().min(u32::MAX as usize - 2 * BLOCK)];
    let count = find_edges(text, scratch);
    let Scratch { lower, edges, wide, .. } = scratch;
    let (lower, wide) = (&lower[..], &wide[..]);
    let mut next = next_bit(wide, 0);
    for &[start, end] in edges[..count].as_chunks::<2>().0 {
        let (start, end) = (start as usize, end as usize);
        let is_wide = end > next;
        if is_wide {
            next = next_bit(wide, end);
        }
        emit(start..end, if is_wide { None } else { Some(hash_padded(lower, start, end).0) });
    }
}

fn find_edges(text: &[u8], scratch: &mut Scratch) -> usize {
    #[cfg(target_arch = "x86_64")]
    if simd::is_available() {
        // SAFETY: the features were just detected.
        return unsafe { find_edges_avx2(text, scratch) };
    }
    classify(text, scratch, classify_block)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn find_edges_avx2(text: &[u8], scratch: &mut Scratch) -> usize {
    classify(text, scratch, |block, lower| simd::classify_block(block, lower))
}

impl Scratch {
    /// One giant document must not keep its memory for the rest of the run.
    fn release_after_giant(&mut self) {
        const KEEP: usize = 4 << 20;
        if self.lower.capacity() > KEEP {
            *self = Scratch::default();
        }
    }
}

/// Hands out the words of a stretch that is not ASCII, of the text as it is: what its own letters fold to is not known.
fn emit_unicode(text: &str, stretch: Range<usize>, normalised: &mut String, emit: &mut impl FnMut(Word<'_>)) {
    // The scanner only ever cuts beside ASCII bytes, so there is no character that it could cut.
    let Some(stretch) = text.get(stretch) else { return };
    let mut hand_out = |word: &str, single| {
        let bytes = word.as_bytes();
        emit(Word { bytes, hash: hash::bytes(bytes), head: head_of(bytes), single });
    };
    if stretch.chars().all(is_stable) {
        split_words(stretch, &mut hand_out);
        return;
    }
    for part in stretch.split(NO_BREAK) {
        if !fold_each_into(part, normalised) {
            normalised.clear();
            normalise_into(part, normalised);
        }
        split_words(normalised, &mut hand_out);
    }
}

fn head_of(bytes: &[u8]) -> [u64; 2] {
    let mut padded = [0; 16];
    let length = bytes.len().min(16);
    padded[..length].copy_from_slice(&bytes[..length]);
    let both = u128::from_le_bytes(padded);
    [both as u64, (both >> 64) as u64]
}

/// [`hash::bytes`] of `lower[start..end]` and its first bytes, without a branch on the length for the
/// usual short word.
#[inline(always)]
pub(super) fn hash_padded(lower: &[u8], start: usize, end: usize) -> (u64, [u64; 2]) {
    let length = end.wrapping_sub(start);
    match lower.get(start..).and_then(|rest| rest.first_chunk::<16>()) {
        Some(window) if length <= 16 => {
            let both = u128::from_le_bytes(*window);
            // Shifting left and right again would need a 128-bit shift; two table look-ups are cheaper.
            let (low_mask, high_mask) = MASKS[length];
            let head = [(both as u64) & low_mask, ((both >> 64) as u64) & high_mask];
            (hash::short(head[0], head[1], length), head)
        }
        _ => {
            let bytes = &lower[start..end];
            (hash::bytes(bytes), head_of(bytes))
        }
    }
}

const MASKS: [(u64, u64); 17] = {
    let mut masks = [(0u64, 0u64); 17];
    let mut length = 0;
    while length <= 16 {
        let both = if length == 16 { u128::MAX } else { (1u128 << (8 * length)) - 1 };
        masks[length] = (both as u64, (both >> 64) as u64);
        length += 1;
    }
    masks
};

/// Fills the buffers and returns the number of edges.
#[inline(always)]
fn classify(
    text: &[u8],
    scratch: &mut Scratch,
    classify_block: impl Fn(&[u8; BLOCK], &mut [u8; BLOCK]) -> (u64, u64),
) -> usize {
    scratch.release_after_giant();
    let Scratch { lower, edges, wide, .. } = scratch;
    let blocks = text.len().div_ceil(BLOCK);
    // Grown, never cleared: every byte is written before it is read, except the padding, whose
    // content is masked away.
    if lower.len() < (blocks + 1) * BLOCK {
        lower.resize((blocks + 1) * BLOCK, 0);
    }
    wide.clear();
    wide.reserve(blocks);
    let mut count = 0;
    let mut before = 0u64;
    let (whole, rest) = text.as_chunks::<BLOCK>();
    let mut last = [b' '; BLOCK];
    last[..rest.len()].copy_from_slice(rest);
    let tail = (!rest.is_empty()).then_some(&last);
    for (index, block) in whole.iter().chain(tail).enumerate() {
        let at = index * BLOCK;
        let Some(target) = lower[at..].first_chunk_mut::<BLOCK>() else { break };
        let (word_mask, wide_mask) = classify_block(block, target);
        wide.push(wide_mask);
        let changes = word_mask ^ (word_mask << 1 | before);
        before = word_mask >> 63;
        if edges.len() < count + ROOM {
            edges.resize((count + ROOM) * 2, 0);
        }
        let Some(places) = edges[count..].first_chunk_mut::<ROOM>() else { break };
        count += write_places(changes, at as u32, places);
    }
    if count % 2 == 1 {
        edges[count] = text.len() as u32;
        count += 1;
    }
    count
}

/// Lower-cases a block and computes which bytes belong to words and which are not ASCII.
#[inline(always)]
pub(super) fn classify_block(block: &[u8; BLOCK], lower: &mut [u8; BLOCK]) -> (u64, u64) {
    let mut in_word = [0u8; BLOCK];
    let mut not_ascii = [0u8; BLOCK];
    for i in 0..BLOCK {
        let byte = block[i];
        let upper = byte.wrapping_sub(b'A') < 26;
        let small = byte | (u8::from(upper) << 5);
        lower[i] = small;
        let letter = small.wrapping_sub(b'a') < 26;
        let digit = byte.wrapping_sub(b'0') < 10;
        not_ascii[i] = byte >> 7;
        in_word[i] = u8::from(letter | digit | (byte == b'_')) | (byte >> 7);
    }
    (gather_bits(&in_word), gather_bits(&not_ascii))
}

/// Packs 64 bytes of 0 or 1 into 64 bits: one multiplication moves eight of them into place.
#[inline(always)]
fn gather_bits(flags: &[u8; BLOCK]) -> u64 {
    let mut mask = 0u64;
    for (i, eight) in flags.as_chunks::<8>().0.iter().enumerate() {
        let bits = u64::from_le_bytes(*eight).wrapping_mul(0x0102_0408_1020_4080) >> 56;
        mask |= bits << (8 * i);
    }
    mask
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::reference_words;
    use super::*;

    fn scanned(text: &str) -> Vec<String> {
        let mut scratch = Scratch::default();
        let mut found = Vec::new();
        let mut hashes = Vec::new();
        for_each_word(text, &mut scratch, |word| {
            assert_eq!(word.hash, hash::bytes(word.bytes));
            assert_eq!(word.head, head_of(word.bytes));
            hashes.push(word.hash);
            found.push(String::from_utf8(word.bytes.to_vec()).unwrap());
        });
        for (push, kind) in [
            (push_word_hashes as fn(&str, &mut Scratch, &mut Vec<u64>), "dispatched"),
            (portable, "portable"),
        ] {
            let mut pushed = vec![7];
            push(text, &mut scratch, &mut pushed);
            assert_eq!(pushed[1..], hashes, "{kind}: {text:?}");
        }
        found
    }

    fn portable(text: &str, scratch: &mut Scratch, hashes: &mut Vec<u64>) {
        push_hashes(text, scratch, classify_block, hashes);
    }

    #[test]
    fn edges_at_block_borders() {
        for length in 0..200 {
            for cut in 0..length {
                let mut text = "X".repeat(length);
                text.replace_range(cut..=cut, ".");
                assert_eq!(scanned(&text), reference_words(&text), "{length} {cut}");
            }
        }
    }

    #[test]
    fn portable_and_dispatched_scanners_agree() {
        let text: String =
            (0..5000u32).filter_map(|i| char::from_u32(i.wrapping_mul(2_654_435_761) >> 24)).collect();
        let (mut one, mut two) = (Vec::new(), Vec::new());
        for_each_word(&text, &mut Scratch::default(), |word| one.push(word.hash));
        scan(&text, &mut Scratch::default(), classify_block, |word| two.push(word.hash));
        assert!(one.len() > 500);
        assert_eq!(one, two);
    }

    #[test]
    fn scratch_left_by_a_longer_text_does_not_leak_in() {
        let mut scratch = Scratch::default();
        words(&"longer ".repeat(50), &mut scratch);
        assert_eq!(words("ab", &mut scratch), ["ab"]);
        let mut hashes = Vec::new();
        for_each_word("ab", &mut scratch, |word| hashes.push(word.hash));
        assert_eq!(hashes, [hash::bytes(b"ab")]);
    }

    proptest! {
        #[test]
        fn fast_path_equals_the_rules_on_any_text(text in "\\PC{0,200}") {
            prop_assert_eq!(scanned(&text), reference_words(&text));
        }

        #[test]
        fn fast_path_equals_the_rules_on_awkward_text(
            text in "[a-cXYZ_0-9 .=<>\u{a0}\u{301}\u{338}\u{345}\u{ad}\u{200b}éÉßﬁǅΣςｆ東のｶﾞกั한\u{1100}\u{1161}\u{11a8}\u{fdfa}¨½]{0,120}"
        ) {
            prop_assert_eq!(scanned(&text), reference_words(&text));
        }
    }
}
