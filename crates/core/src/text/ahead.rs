//! What comes next in two texts that are compared byte by byte: where they are the same, and where words begin.

use super::BLOCK;
use super::glance::Glance;

/// How many words are looked at, and in how many bytes.
pub const WORDS: usize = 6;
const BYTES: usize = 2 * BLOCK;

/// Where the next words of a text begin, read block by block as far as they are asked for. Bytes that are not ASCII count as those of
/// words.
pub struct NextWords<'t> {
    pub text: &'t [u8],
    /// To where the text is read.
    pub last: usize,
    /// The first bytes.
    pub glance: Glance,
    /// Of each word its place and its first bytes.
    words: [(usize, u64); WORDS],
    count: usize,
    /// The block that is being read, and where words begin in it that were not asked for yet.
    block: usize,
    starts: u64,
    /// Whether the block ends within a word.
    is_in_word: bool,
}

impl<'t> NextWords<'t> {
    /// The words from a place on; what is there is not taken for the rest of a word.
    pub fn new(text: &'t [u8], from: usize) -> Self {
        let last = text.len().min(from.saturating_add(BYTES));
        let glance = Glance::new(text, from);
        let in_word = glance.in_word;
        let words = [(0, 0); WORDS];
        let mut words =
            NextWords { text, last, glance, words, count: 0, block: from, starts: 0, is_in_word: false };
        words.begin_block(in_word);
        // Nearly always as many are asked for as there are, and the first block has them.
        while words.starts != 0 && words.count < WORDS {
            let at = from + words.starts.trailing_zeros() as usize;
            words.words[words.count] = (at, first_eight(&text[at..]));
            words.count += 1;
            words.starts &= words.starts - 1;
        }
        words
    }

    /// A word by its number, of which all before were asked for. The end of the text is one, too: there both can go
    /// on together.
    #[inline(always)]
    pub fn get(&mut self, number: usize) -> Option<(usize, u64)> {
        if number == self.count {
            self.read();
        }
        self.words[..self.count].get(number).copied()
    }

    fn read(&mut self) {
        while self.starts == 0 && self.block + BLOCK < self.last {
            self.block += BLOCK;
            self.begin_block(Glance::new(self.text, self.block).in_word);
        }
        let at = match self.starts {
            0 => self.last,
            starts => self.block + starts.trailing_zeros() as usize,
        };
        // Beyond what is read nothing is known, and after the end of the text is nothing.
        let is_known = at < self.last
            || at == self.text.len() && self.words[..self.count].last().is_none_or(|last| last.0 < at);
        if let Some(word) = self.words.get_mut(self.count).filter(|_| is_known) {
            *word = (at, first_eight(&self.text[at..]));
            self.count += 1;
            self.starts &= self.starts.wrapping_sub(1);
        }
    }

    fn begin_block(&mut self, mut mask: u64) {
        let left = self.last - self.block;
        if left < BLOCK {
            mask &= (1 << left) - 1;
        }
        self.starts = mask & !(mask << 1 | u64::from(self.is_in_word));
        self.is_in_word = mask >> (BLOCK - 1) != 0;
    }
}

/// The nearest words for which `is_same` holds, after `skipped` words of both, given the words' places. It is only
/// asked for words with the same first bytes.
#[inline(always)]
pub fn nearest(
    words_a: &mut NextWords<'_>,
    words_b: &mut NextWords<'_>,
    skipped: usize,
    is_same: impl Fn(usize, usize) -> bool,
) -> Option<(usize, usize)> {
    let most = WORDS - skipped;
    for sum in 0..2 * most - 1 {
        for x in (sum + 1).saturating_sub(most)..most.min(sum + 1) {
            // Words are read in order.
            let (next_a, next_b) = (words_a.get(skipped + x), words_b.get(skipped + sum - x));
            let (Some((at_a, first_a)), Some((at_b, first_b))) = (next_a, next_b) else { continue };
            if first_a == first_b && is_same(at_a, at_b) {
                return Some((at_a, at_b));
            }
        }
    }
    None
}

/// Whether a byte is part neither of a word nor of a character that may be.
#[inline]
pub fn is_separator(byte: u8) -> bool {
    const TABLE: [bool; 256] = {
        let mut table = [false; 256];
        let mut byte = 0;
        while byte < 128 {
            table[byte] = !(byte as u8).is_ascii_alphanumeric() && byte != b'_' as usize;
            byte += 1;
        }
        table
    };
    TABLE[usize::from(byte)]
}

/// The first eight bytes, or 0 if there are fewer.
fn first_eight(text: &[u8]) -> u64 {
    text.first_chunk().map_or(0, |&eight| u64::from_le_bytes(eight))
}

/// How many bytes two texts have in common at their beginnings.
pub fn common_prefix(a: &[u8], b: &[u8]) -> usize {
    // So few bytes are compared without a call.
    const STEP: usize = 32;
    let (steps_a, steps_b) = (a.as_chunks::<STEP>().0, b.as_chunks::<STEP>().0);
    let mut same = steps_a.iter().zip(steps_b).take_while(|(x, y)| x == y).count() * STEP;
    let (words_a, words_b) = (a[same..].as_chunks::<8>().0, b[same..].as_chunks::<8>().0);
    for (&x, &y) in words_a.iter().zip(words_b) {
        let different = u64::from_le_bytes(x) ^ u64::from_le_bytes(y);
        if different != 0 {
            return same + different.trailing_zeros() as usize / 8;
        }
        same += 8;
    }
    same + a[same..].iter().zip(&b[same..]).take_while(|(x, y)| x == y).count()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The words that begin in the next bytes, and the end of the text, found byte by byte.
    fn plain_words(text: &[u8], from: usize) -> Vec<(usize, u64)> {
        let is_in_word = |at: usize| !is_separator(text[at]);
        let last = text.len().min(from + BYTES);
        let begins = |&at: &usize| is_in_word(at) && (at == from || !is_in_word(at - 1));
        let end = (last == text.len()).then_some(last);
        let places = (from..last).filter(begins).chain(end).take(WORDS);
        places.map(|at| (at, first_eight(&text[at..]))).collect()
    }

    proptest! {
        #[test]
        fn words_are_those_found_byte_by_byte(
            text in "[a-c ,é“]{0,40}|[a-cX9_ .\\n東-]{0,300}", from in 0usize..200,
        ) {
            let text = text.as_bytes();
            let from = from.min(text.len());
            let mut words = NextWords::new(text, from);
            let found: Vec<_> = (0..WORDS + 1).map_while(|number| words.get(number)).collect();
            prop_assert_eq!(found, plain_words(text, from));
        }

        #[test]
        fn the_common_prefix_ends_where_bytes_differ(text in "[ab]{0,200}", other in "[ab]{0,20}", cut in 0usize..200) {
            let (a, b) = (text.as_bytes(), format!("{}{other}", &text[..cut.min(text.len())]));
            let expected = a.iter().zip(b.as_bytes()).take_while(|(x, y)| x == y).count();
            prop_assert_eq!(common_prefix(a, b.as_bytes()), expected);
        }
    }
}
