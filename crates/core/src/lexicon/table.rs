//! Look-ups in the bytes of a lexicon: terms by hash, and their texts.

use super::format::{LexiconLayout, MARKED, RECORD, bucket_of, take_text};

/// The terms of a lexicon, borrowed once for many look-ups, which avoids a dynamic call for each.
#[derive(Clone, Copy)]
pub struct Table<'a> {
    records: &'a [[u8; RECORD]],
    /// Where each bucket of hashes begins, and where the last one ends.
    buckets: &'a [[u8; 4]],
    bits: u32,
}

impl<'a> Table<'a> {
    pub(super) fn new(bytes: &'a [u8], layout: &LexiconLayout) -> Self {
        let section = |range: &std::ops::Range<usize>| bytes.get(range.clone()).unwrap_or_default();
        Table {
            records: section(&layout.records).as_chunks().0,
            buckets: section(&layout.buckets).as_chunks().0,
            bits: layout.bucket_bits,
        }
    }

    /// In how many documents a term occurs; 0 if it is unknown.
    ///
    /// Reads two places in memory: the bucket's borders, and the bucket itself, a handful of records
    /// side by side.
    #[inline]
    pub fn df(&self, term: u64) -> u32 {
        self.place(term).map_or(0, |place| df_of(&self.records[place]))
    }

    /// The place of a term among all terms.
    #[inline]
    pub fn place(&self, term: u64) -> Option<usize> {
        let bucket = bucket_of(term, self.bits);
        let border =
            |index: usize| self.buckets.get(index).map(|border| u32::from_le_bytes(*border) as usize);
        let (start, end) = (border(bucket)?, border(bucket + 1)?);
        let found = self.records.get(start..end)?.binary_search_by_key(&term, hash_of).ok()?;
        Some(start + found)
    }

    pub(super) fn border(&self, index: usize) -> Option<u32> {
        self.buckets.get(index).map(|border| u32::from_le_bytes(*border))
    }

    pub(super) fn terms(self) -> impl Iterator<Item = (u64, u32)> + 'a {
        self.records.iter().map(|record| (hash_of(record), df_of(record)))
    }
}

fn hash_of(record: &[u8; RECORD]) -> u64 {
    record.first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes))
}

fn df_of(record: &[u8; RECORD]) -> u32 {
    record.last_chunk().map_or(0, |bytes| u32::from_le_bytes(*bytes))
}

/// Terms, counts and texts in the order of the hashes. A term whose text is not kept has an empty one.
pub struct Entries<'a> {
    records: std::slice::Iter<'a, [u8; RECORD]>,
    texts: &'a [u8],
}

impl<'a> Entries<'a> {
    pub(super) fn new(bytes: &'a [u8], layout: &LexiconLayout) -> Self {
        let records = Table::new(bytes, layout).records.iter();
        Entries { records, texts: bytes.get(layout.texts.clone()).unwrap_or_default() }
    }
}

impl<'a> Iterator for Entries<'a> {
    type Item = (u64, u32, &'a [u8]);

    fn next(&mut self) -> Option<Self::Item> {
        let record = self.records.next()?;
        let text = take_text(&mut self.texts).unwrap_or_default();
        Some((hash_of(record), df_of(record), text))
    }
}

pub(super) fn text<'a>(bytes: &'a [u8], layout: &LexiconLayout, place: usize) -> Option<&'a str> {
    if place >= layout.terms {
        return None;
    }
    let marks = bytes.get(layout.marks.clone())?.as_chunks().0;
    let mark = usize::try_from(u64::from_le_bytes(*marks.get(place / MARKED)?)).ok()?;
    let mut texts = bytes.get(layout.texts.clone())?.get(mark..)?;
    for _ in 0..place % MARKED {
        take_text(&mut texts)?;
    }
    let text = take_text(&mut texts)?;
    std::str::from_utf8(text).ok().filter(|text| !text.is_empty())
}
