//! The words of the lexicons with their memberships, for one look-up per word.
//!
//! The lexicon's words lie in buckets of four that fill half a cache line: a look-up compares all
//! four at once and takes no branch that depends on the word. The secondary lexicon is needed for
//! few documents, so a plain table is enough.

use std::collections::HashMap;

use super::Settings;
use crate::lexicon::Lexicon;
use crate::sign::randomise::Randomisation;

/// A word of the secondary lexicon.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SecondaryWord {
    /// Its place by rising idf.
    pub rank: u32,
    /// Which copies have it.
    pub mask: u32,
}

#[derive(Clone, Copy, Default)]
#[repr(align(32))]
struct Bucket {
    /// The upper halves of the words' hashes; a word without a mask is an empty place.
    tags: [u32; 4],
    masks: [u32; 4],
}

pub struct Table {
    /// As many as a power of two.
    buckets: Vec<Bucket>,
    /// Words whose bucket was full.
    overflow: HashMap<u64, u32>,
    /// Whether a bucket was ever full, a bit each.
    full: Vec<u64>,
    rarer: HashMap<u64, SecondaryWord>,
}

impl Table {
    pub fn new(lexicon: &Lexicon, settings: &Settings, randomisation: &Randomisation) -> Self {
        let in_window = |df: u32| settings.window.contains(lexicon.nidf(df));
        let primary: Vec<u64> =
            lexicon.terms().filter(|&(_, df)| in_window(df)).map(|(word, _)| word).collect();
        let is_above = |df: u32| !in_window(df) && lexicon.nidf(df) > settings.window.highest;
        let above = lexicon.terms().filter(|&(_, df)| is_above(df));
        let mut secondary: Vec<(u64, u32)> = above.collect();
        // Rising idf is falling frequency; words of equal frequency by their hash.
        secondary.sort_unstable_by_key(|&(word, df)| (std::cmp::Reverse(df), word));
        secondary.truncate(settings.secondary.min(u32::MAX as usize));
        let secondary: Vec<u64> = secondary.into_iter().map(|(word, _)| word).collect();
        // Less than half full, so that few buckets overflow.
        let buckets = (primary.len() / 2).next_power_of_two().max(1);
        let mut table = Table {
            buckets: vec![Bucket::default(); buckets],
            overflow: HashMap::new(),
            full: vec![0; buckets.div_ceil(64)],
            rarer: HashMap::new(),
        };
        let membership = randomisation.draw_from(&primary);
        for &word in &primary {
            table.insert(word, membership.mask(word));
        }
        let membership = randomisation.draw_from(&secondary);
        let ranked = secondary.iter().zip(0..);
        table.rarer =
            ranked.map(|(&word, rank)| (word, SecondaryWord { rank, mask: membership.mask(word) })).collect();
        table
    }

    /// Which copies of the lexicon have the word, a bit each; 0 if it is not in the lexicon.
    #[inline(always)]
    pub fn mask(&self, word: u64) -> u32 {
        let place = word as usize & (self.buckets.len() - 1);
        let (bucket, tag) = (&self.buckets[place], tag(word));
        let mut mask = 0;
        for (&other, &found) in bucket.tags.iter().zip(&bucket.masks) {
            mask |= if other == tag { found } else { 0 };
        }
        if mask == 0 && self.full[place / 64] >> (place % 64) & 1 == 1 {
            return self.overflow.get(&word).copied().unwrap_or(0);
        }
        mask
    }

    pub fn rarer(&self, word: u64) -> Option<SecondaryWord> {
        self.rarer.get(&word).copied()
    }

    fn insert(&mut self, word: u64, mask: u32) {
        let place = word as usize & (self.buckets.len() - 1);
        let bucket = &mut self.buckets[place];
        // Two words with the same tag in one bucket could not be distinguished.
        let free = bucket.masks.iter().position(|&mask| mask == 0);
        match free.filter(|_| !bucket.tags.contains(&tag(word)) && tag(word) != 0) {
            Some(free) => {
                bucket.tags[free] = tag(word);
                bucket.masks[free] = mask;
            }
            None => {
                self.full[place / 64] |= 1 << (place % 64);
                self.overflow.insert(word, mask);
            }
        }
    }
}

fn tag(word: u64) -> u32 {
    (word >> 32) as u32
}
