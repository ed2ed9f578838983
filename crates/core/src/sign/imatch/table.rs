//! The words of both lexicons with their memberships, for one look-up per word.

use super::Settings;
use crate::lexicon::Lexicon;
use crate::sign::randomise::Randomisation;

/// What is known of a word.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Entry {
    pub word: u64,
    /// Which copies of its lexicon have it.
    pub mask: u32,
    /// 0 in the lexicon itself; in the secondary lexicon its place by rising idf, from 1.
    pub rank: u32,
}

/// Open addressing; an entry without a mask is an empty place.
pub struct Table {
    slots: Vec<Entry>,
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
        secondary.truncate(settings.secondary.min(u32::MAX as usize - 1));
        let secondary: Vec<u64> = secondary.into_iter().map(|(word, _)| word).collect();
        let words = primary.len() + secondary.len();
        let mut table = Table { slots: vec![Entry::default(); (words * 2).next_power_of_two().max(16)] };
        let membership = randomisation.draw_from(&primary);
        for &word in &primary {
            table.insert(Entry { word, mask: membership.mask(word), rank: 0 });
        }
        let membership = randomisation.draw_from(&secondary);
        for (&word, rank) in secondary.iter().zip(1..) {
            table.insert(Entry { word, mask: membership.mask(word), rank });
        }
        table
    }

    #[inline(always)]
    pub fn get(&self, word: u64) -> Option<Entry> {
        let mask = self.slots.len() - 1;
        let mut place = word as usize & mask;
        loop {
            let entry = self.slots[place];
            if entry.word == word && entry.mask != 0 {
                return Some(entry);
            }
            if entry.mask == 0 {
                return None;
            }
            place = (place + 1) & mask;
        }
    }

    fn insert(&mut self, entry: Entry) {
        let mask = self.slots.len() - 1;
        let mut place = entry.word as usize & mask;
        while self.slots[place].mask != 0 {
            place = (place + 1) & mask;
        }
        self.slots[place] = entry;
    }
}
