//! Counting terms in bounded memory.
//!
//! Each thread has a [`Counter`] of its own. A counter whose memory is full hands its sorted terms to
//! the caller, who stores them, and starts again. In the end [`Merge`](super::merge::Merge) adds up
//! all stored and all remaining counts. So the result depends on nothing but the documents.
//!
//! A slot remembers the last document that was counted, so a word that the document has again is
//! recognised by the same memory access that finds its slot.

use super::merge::TermSource;
use crate::error::Result;

/// Document frequencies of the terms of some documents.
pub struct Counter {
    slots: Vec<Slot>,
    /// Where each slot's text begins in `texts`, if texts are kept.
    places: Vec<u32>,
    /// Texts, each behind its length.
    texts: Vec<u8>,
    terms: usize,
    /// Counts from 1 since the table was last empty.
    document: u32,
    documents: u64,
    most_terms: usize,
    most_text_bytes: usize,
    keep_texts: bool,
}

/// Free if the count is 0.
#[derive(Clone, Copy, Default)]
struct Slot {
    hash: u64,
    df: u32,
    /// The last document with the term; in a sorted run the place of the term's text.
    last: u32,
}

const FIRST_SLOTS: usize = 1 << 12;
const LONGEST: usize = u8::MAX as usize;

impl Counter {
    /// Needs about `bytes` of memory, or what a single document needs if that is more.
    pub fn new(bytes: usize, keep_texts: bool) -> Self {
        // While a table grows there are two, one of half the size. Texts are shorter than slots, but
        // their buffer may be half empty.
        let slot = if keep_texts { 20 } else { 16 };
        let slots = (bytes / 4 * 3 / (slot * 3 / 2)).max(FIRST_SLOTS);
        let slots = slots.checked_ilog2().map_or(FIRST_SLOTS, |bits| 1 << bits);
        Counter {
            slots: Vec::new(),
            places: Vec::new(),
            texts: Vec::new(),
            terms: 0,
            document: 0,
            documents: 0,
            most_terms: room(slots),
            most_text_bytes: (bytes / 8).clamp(FIRST_SLOTS, 1 << 31),
            keep_texts,
        }
    }

    /// Begins a document. A full table is handed over only here, never within a document: otherwise
    /// its words would count twice.
    #[inline]
    pub fn begin_document(
        &mut self,
        spill: &mut dyn FnMut(&mut CountedTerms<'_>) -> Result<()>,
    ) -> Result<()> {
        let is_full = self.terms >= self.most_terms
            || self.texts.len() >= self.most_text_bytes
            || self.document == u32::MAX;
        if is_full {
            spill(&mut self.sorted().source())?;
        }
        self.document += 1;
        self.documents += 1;
        Ok(())
    }

    /// Counts a term of the document, once however often it occurs.
    #[inline(always)]
    pub fn add(&mut self, hash: u64, text: &[u8]) {
        if self.terms >= room(self.slots.len()) {
            self.grow();
        }
        let mask = self.slots.len() - 1;
        let mut at = hash as usize & mask;
        loop {
            let slot = &mut self.slots[at];
            if slot.df == 0 {
                return self.insert(at, hash, text);
            }
            if slot.hash == hash {
                if slot.last != self.document {
                    slot.last = self.document;
                    slot.df = slot.df.saturating_add(1);
                }
                return;
            }
            at = (at + 1) & mask;
        }
    }

    #[inline(never)]
    fn insert(&mut self, at: usize, hash: u64, text: &[u8]) {
        self.slots[at] = Slot { hash, df: 1, last: self.document };
        self.terms += 1;
        if self.keep_texts {
            self.places[at] = self.texts.len() as u32;
            let text = if text.len() <= LONGEST { text } else { &[] };
            self.texts.push(text.len() as u8);
            self.texts.extend_from_slice(text);
        }
    }

    #[cold]
    #[inline(never)]
    fn grow(&mut self) {
        let size = (self.slots.len() * 2).max(FIRST_SLOTS);
        let old = std::mem::replace(&mut self.slots, vec![Slot::default(); size]);
        let places = if self.keep_texts { vec![0; size] } else { Vec::new() };
        let old_places = std::mem::replace(&mut self.places, places);
        let mask = size - 1;
        for (from, slot) in old.iter().enumerate().filter(|(_, slot)| slot.df > 0) {
            let mut at = slot.hash as usize & mask;
            while self.slots[at].df > 0 {
                at = (at + 1) & mask;
            }
            self.slots[at] = *slot;
            if self.keep_texts {
                self.places[at] = old_places[from];
            }
        }
    }

    /// How many documents were begun.
    pub fn documents(&self) -> u64 {
        self.documents
    }

    /// What was counted since the last spill. The counter is empty afterwards.
    pub fn finish(&mut self) -> Counted {
        self.sorted()
    }

    fn sorted(&mut self) -> Counted {
        let mut slots = std::mem::take(&mut self.slots);
        for (slot, &place) in slots.iter_mut().zip(&self.places) {
            slot.last = place;
        }
        slots.retain(|slot| slot.df > 0);
        slots.sort_unstable_by_key(|slot| slot.hash);
        self.places.clear();
        self.terms = 0;
        self.document = 0;
        Counted { slots, texts: std::mem::take(&mut self.texts) }
    }
}

/// How many terms a table of this size holds before it grows.
#[inline(always)]
fn room(slots: usize) -> usize {
    slots / 8 * 5
}

/// Terms by rising hash, in memory.
pub struct Counted {
    slots: Vec<Slot>,
    texts: Vec<u8>,
}

impl Counted {
    /// How many distinct terms there are.
    pub fn len(&self) -> usize {
        self.slots.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }

    /// The terms one by one, to be merged or written.
    pub fn source(&self) -> CountedTerms<'_> {
        CountedTerms { slots: self.slots.iter(), texts: &self.texts, text: &[] }
    }
}

/// Reads counted terms in order.
pub struct CountedTerms<'a> {
    slots: std::slice::Iter<'a, Slot>,
    texts: &'a [u8],
    text: &'a [u8],
}

impl TermSource for CountedTerms<'_> {
    fn advance(&mut self) -> Result<Option<(u64, u32)>> {
        Ok(self.slots.next().map(|slot| {
            let mut rest = self.texts.get(slot.last as usize..).unwrap_or_default();
            self.text = super::format::take_text(&mut rest).unwrap_or_default();
            (slot.hash, slot.df)
        }))
    }

    fn text(&self) -> &[u8] {
        self.text
    }
}

#[cfg(test)]
mod tests;
