//! The lexicon file, version 1.
//!
//! ```text
//! magic, version, zero                       8 + 4 + 4 bytes
//! records: hash, df, by rising hash          n × (8 + 4)
//! texts: length, UTF-8, in the same order    any number of bytes, or none at all
//! marks: where each 64th text begins         ⌈n / 64⌉ × 8, or none
//! buckets: the first record of each          (2^bits + 1) × 4
//! source, rules, counted: UTF-8              lengths in the footer
//! footer                                     80 bytes
//! ```
//!
//! All numbers are little-endian. Hash and count stand side by side, and the top bits of a hash
//! select a bucket of four to eight records, so that a look-up reads two places of a file that may
//! be far larger than the memory. The buckets and the numbers of terms come last because a writer
//! knows them last: a lexicon is written in one pass, without going back. A term longer than
//! [`LONGEST_TEXT`] bytes has no text.

use std::ops::Range;

use super::{About, Lexicon};
use crate::error::{Error, Result};
use crate::hash::{self, Digester};

/// Up to this size a file is verified whenever it is opened; that takes a few milliseconds.
pub const SMALL: usize = 16 << 20;
/// Longer terms keep their hash and count, but not their text: they are not words.
pub const LONGEST_TEXT: usize = 64;

/// The odd bytes at the end expose a file that passed through a program that converts line ends.
pub(super) const MAGIC: [u8; 8] = *b"LKLEX\r\n\x1a";
pub(super) const VERSION: u32 = 1;
pub(super) const OPENING: usize = 16;
pub(super) const RECORD: usize = 12;
const FOOTER: usize = 80;
/// The checksum is of everything before it.
const CHECKSUM_AT: usize = FOOTER - 16;
const MOST_BUCKET_BITS: u32 = 24;
const HAS_TEXTS: u32 = 1;

/// The contents of the footer.
pub(super) struct Footer {
    pub documents: u64,
    pub terms: u32,
    pub text_bytes: u64,
    pub has_texts: bool,
    pub least_df: u32,
    pub names: [u32; 3],
    pub digest: u128,
}

/// Where each section of the file is.
#[derive(Clone, Debug)]
pub struct LexiconLayout {
    pub(super) terms: usize,
    pub(super) has_texts: bool,
    pub(super) bucket_bits: u32,
    pub(super) records: Range<usize>,
    pub(super) texts: Range<usize>,
    pub(super) marks: Range<usize>,
    pub(super) buckets: Range<usize>,
    names: [Range<usize>; 3],
    footer: usize,
    pub(super) digest: u128,
}

/// Buckets of four to eight terms.
pub(super) fn bucket_bits(terms: u64) -> u32 {
    (terms / 4).checked_ilog2().unwrap_or(0).min(MOST_BUCKET_BITS)
}

#[inline]
pub(super) fn bucket_of(hash: u64, bits: u32) -> usize {
    ((hash >> 1) >> (63 - bits)) as usize
}

/// The text at the beginning of `texts`, which is moved behind it.
pub(super) fn take_text<'a>(texts: &mut &'a [u8]) -> Option<&'a [u8]> {
    let (&length, rest) = texts.split_first()?;
    let (text, rest) = rest.split_at_checked(usize::from(length))?;
    *texts = rest;
    Some(text)
}

/// How many texts follow one mark before the next one.
pub(super) const MARKED: usize = 64;

impl Footer {
    /// The footer, without the checksum and the magic bytes after it.
    pub fn to_bytes(&self) -> [u8; CHECKSUM_AT] {
        let mut bytes = [0; CHECKSUM_AT];
        let mut at = 0;
        let mut put = |number: &[u8]| {
            bytes[at..at + number.len()].copy_from_slice(number);
            at += number.len();
        };
        put(&self.documents.to_le_bytes());
        put(&u64::from(self.terms).to_le_bytes());
        put(&self.text_bytes.to_le_bytes());
        put(&if self.has_texts { HAS_TEXTS } else { 0 }.to_le_bytes());
        put(&self.least_df.to_le_bytes());
        put(&bucket_bits(self.terms.into()).to_le_bytes());
        self.names.iter().for_each(|length| put(&length.to_le_bytes()));
        put(&self.digest.to_le_bytes());
        bytes
    }

    fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let four =
            |at: usize| bytes.get(at..).and_then(|b| b.first_chunk()).map_or(0, |b| u32::from_le_bytes(*b));
        let eight =
            |at: usize| bytes.get(at..).and_then(|b| b.first_chunk()).map_or(0, |b| u64::from_le_bytes(*b));
        let flags = four(24);
        let terms = u32::try_from(eight(8)).map_err(|_| damaged("it has too many terms"))?;
        if flags & !HAS_TEXTS != 0 || four(32) != bucket_bits(terms.into()) {
            return Err(damaged("its footer makes no sense"));
        }
        Ok(Footer {
            documents: eight(0),
            terms,
            text_bytes: eight(16),
            has_texts: flags == HAS_TEXTS,
            least_df: four(28),
            names: [four(36), four(40), four(44)],
            digest: u128::from(eight(48)) | u128::from(eight(56)) << 64,
        })
    }

    /// Where the sections are, if the footer is right. Lengths that exceed any memory saturate; the
    /// caller notices because the end is then not that of the file.
    pub fn layout(&self) -> LexiconLayout {
        let terms = self.terms as usize;
        let bucket_bits = bucket_bits(self.terms.into());
        let mut end = OPENING;
        let mut next = |length: usize| {
            let start = end;
            end = end.saturating_add(length);
            start..end
        };
        let records = next(terms.saturating_mul(RECORD));
        let texts = next(usize::try_from(self.text_bytes).unwrap_or(usize::MAX));
        let marks = next(if self.has_texts { terms.div_ceil(MARKED).saturating_mul(8) } else { 0 });
        let buckets = next(((1 << bucket_bits) + 1) * 4);
        let names = self.names.map(|length| next(length as usize));
        LexiconLayout {
            terms,
            has_texts: self.has_texts,
            bucket_bits,
            records,
            texts,
            marks,
            buckets,
            names,
            footer: end,
            digest: self.digest,
        }
    }
}

/// Locates the sections of a file, reading only its beginning and its end.
pub(super) fn parse(bytes: &[u8]) -> Result<(LexiconLayout, About)> {
    let is_lexicon = bytes.len() >= OPENING && bytes.starts_with(&MAGIC);
    if !is_lexicon {
        return Err(Error::Incompatible("this is no lexicon".to_owned()));
    }
    let version = bytes[8..12].first_chunk().map_or(0, |version| u32::from_le_bytes(*version));
    if version != VERSION {
        return Err(Error::Incompatible(format!(
            "the lexicon has format {version}, this program reads format {VERSION}: build it again"
        )));
    }
    let is_whole = bytes.len() >= OPENING + FOOTER && bytes.ends_with(&MAGIC);
    if !is_whole {
        return Err(damaged("its end is missing"));
    }
    let footer = Footer::from_bytes(&bytes[bytes.len() - FOOTER..])?;
    let layout = footer.layout();
    if layout.footer.checked_add(FOOTER) != Some(bytes.len()) {
        return Err(damaged("its length is not what it says"));
    }
    let name = |range: &Range<usize>| {
        let name = std::str::from_utf8(&bytes[range.clone()]);
        name.map(str::to_owned).map_err(|_| damaged("a name in it is not UTF-8"))
    };
    let about = About {
        documents: footer.documents,
        source: name(&layout.names[0])?,
        rules: name(&layout.names[1])?,
        counted: name(&layout.names[2])?,
        least_df: footer.least_df,
    };
    Ok((layout, about))
}

/// Checks every byte against the checksum, and every value against its valid range.
pub(super) fn verify(lexicon: &Lexicon) -> Result<()> {
    let (bytes, layout) = (lexicon.as_bytes(), &lexicon.layout);
    let covered = layout.footer + CHECKSUM_AT;
    let mut checksum = Checksum::default();
    checksum.update(&bytes[..covered]);
    if bytes[covered..covered + 8] != checksum.finish().to_le_bytes() {
        return Err(damaged("its checksum is wrong"));
    }
    // The checksum detects accidents. The checks below detect a file that was made to deceive.
    let table = lexicon.table();
    let mut digest = Digester::default();
    digest.push(lexicon.documents());
    let mut last = None;
    let mut bucket = 0;
    for (place, (term, df)) in table.terms().enumerate() {
        digest.push(term);
        digest.push(df.into());
        if last >= Some(term) {
            return Err(damaged("its terms are not in order"));
        }
        last = Some(term);
        while bucket <= bucket_of(term, layout.bucket_bits) {
            check_border(table.border(bucket), place)?;
            bucket += 1;
        }
    }
    for rest in bucket..=1 << layout.bucket_bits {
        check_border(table.border(rest), layout.terms)?;
    }
    if digest.finish() != layout.digest {
        return Err(damaged("its digest is not that of its terms"));
    }
    if layout.has_texts { verify_texts(bytes, layout) } else { Ok(()) }
}

fn check_border(border: Option<u32>, place: usize) -> Result<()> {
    if border.map(|border| border as usize) == Some(place) {
        Ok(())
    } else {
        Err(damaged("its index is wrong"))
    }
}

fn verify_texts(bytes: &[u8], layout: &LexiconLayout) -> Result<()> {
    let all = &bytes[layout.texts.clone()];
    let mut texts = all;
    let marks = bytes[layout.marks.clone()].as_chunks().0;
    for place in 0..layout.terms {
        let at = (all.len() - texts.len()) as u64;
        if place % MARKED == 0 && marks.get(place / MARKED) != Some(&at.to_le_bytes()) {
            return Err(damaged("its texts are not where it says"));
        }
        let text = take_text(&mut texts).ok_or_else(|| damaged("some of its texts are missing"))?;
        if text.len() > LONGEST_TEXT || std::str::from_utf8(text).is_err() {
            return Err(damaged("one of its texts is none"));
        }
    }
    if texts.is_empty() { Ok(()) } else { Err(damaged("it has more texts than terms")) }
}

fn damaged(why: &str) -> Error {
    Error::Incompatible(format!("the lexicon is damaged: {why}"))
}

/// A checksum of bytes that come in pieces of any length.
#[derive(Default)]
pub(super) struct Checksum {
    state: u64,
    /// What does not fill eight bytes yet.
    rest: [u8; 8],
    length: u64,
}

impl Checksum {
    pub fn update(&mut self, mut bytes: &[u8]) {
        let filled = (self.length % 8) as usize;
        self.length += bytes.len() as u64;
        if filled > 0 {
            let taken = bytes.len().min(8 - filled);
            let (head, tail) = bytes.split_at(taken);
            self.rest[filled..filled + taken].copy_from_slice(head);
            bytes = tail;
            if filled + taken < 8 {
                return;
            }
            self.state = hash::combine(self.state, u64::from_le_bytes(self.rest));
        }
        let (words, rest) = bytes.as_chunks::<8>();
        for word in words {
            self.state = hash::combine(self.state, u64::from_le_bytes(*word));
        }
        self.rest[..rest.len()].copy_from_slice(rest);
    }

    pub fn finish(&self) -> u64 {
        let filled = (self.length % 8) as usize;
        let mut last = [0; 8];
        last[..filled].copy_from_slice(&self.rest[..filled]);
        hash::combine(hash::combine(self.state, u64::from_le_bytes(last)), self.length)
    }
}

#[cfg(test)]
mod tests;
