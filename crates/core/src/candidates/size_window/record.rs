//! What is remembered of a document: its chunks, in the order of its streams.
//!
//! A record is a kind, the class, how many chunks of text there are, then all chunks, text first. A
//! chunk of one or two bytes takes just these, one of ten bits takes two bytes, one of three or four
//! bytes takes four, and one that the features had to hash takes eight.

use crate::features::Features;
use crate::features::chunks::code::{self, HASHED, Stream, TEN_BITS};

/// A record as it is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Record<'a> {
    /// Bytes of a chunk, [`TEN_BITS`] or [`HASHED`].
    pub width: u8,
    pub class: Option<u64>,
    pub text: &'a [u8],
    pub symbols: &'a [u8],
}

const HEADER: usize = 14;
const EMPTY: u8 = 0;
/// Marks a document whose features are not chunks at places.
const FOREIGN: u8 = 0xff;

/// Appends the record of a document's features.
pub fn pack(features: &Features, out: &mut Vec<u8>) {
    let start = out.len();
    out.push(EMPTY);
    out.push(u8::from(features.class.is_some()));
    out.extend(features.class.unwrap_or(0).to_le_bytes());
    out.extend([0; 4]);
    match pack_chunks(&features.hashes, out) {
        Some((width, text)) => {
            out[start] = width;
            out[start + 10..start + HEADER].copy_from_slice(&text.to_le_bytes());
        }
        None => {
            out.truncate(start + HEADER);
            out[start] = FOREIGN;
        }
    }
}

/// Appends all chunks; gives their width and how many are text. `None` if the features are not
/// chunks of one width, at places that rise from 0 in either stream.
fn pack_chunks(features: &[u64], out: &mut Vec<u8>) -> Option<(u8, u32)> {
    let Some(&first) = features.first() else { return Some((EMPTY, 0)) };
    let width = code::read(first)?.width;
    let bytes = element(width as u8)?;
    out.reserve(features.len() * bytes);
    let (mut text, mut symbols) = (0u64, 0u64);
    for &feature in features {
        let chunk = code::read(feature)?;
        let count = match chunk.stream {
            Stream::Text if symbols > 0 => return None,
            Stream::Text => &mut text,
            Stream::NonText => &mut symbols,
        };
        if chunk.width != width || chunk.position.is_some_and(|position| position != *count) {
            return None;
        }
        *count += 1;
        out.extend_from_slice(&chunk.value.to_le_bytes()[..bytes]);
    }
    Some((width as u8, u32::try_from(text).ok()?))
}

/// Bytes that a chunk of a width takes in a record.
fn element(width: u8) -> Option<usize> {
    match width {
        1 => Some(1),
        2 => Some(2),
        _ if usize::from(width) == TEN_BITS => Some(2),
        3 | 4 => Some(4),
        _ if usize::from(width) == HASHED => Some(8),
        _ => None,
    }
}

impl<'a> Record<'a> {
    /// `None` for a document without chunks, or bytes that are no record.
    pub fn read(bytes: &'a [u8]) -> Option<Self> {
        let (header, chunks) = bytes.split_first_chunk::<HEADER>()?;
        let [width, has_class, class @ .., a, b, c, d] = *header;
        let class = (has_class != 0).then_some(u64::from_le_bytes(class));
        let text = (u32::from_le_bytes([a, b, c, d]) as usize).checked_mul(element(width)?)?;
        let (text, symbols) = chunks.split_at_checked(text)?;
        let whole = !chunks.is_empty() && symbols.len().is_multiple_of(element(width)?);
        whole.then_some(Record { width, class, text, symbols })
    }

    /// Whether the bytes are of a document whose features are no chunks at places.
    pub fn is_foreign(bytes: &[u8]) -> bool {
        bytes.first() == Some(&FOREIGN)
    }

    pub fn element(&self) -> usize {
        element(self.width).unwrap_or(1)
    }

    /// Chunks of both streams.
    pub fn chunks(&self) -> usize {
        (self.text.len() + self.symbols.len()) / self.element()
    }

    /// Bits in which chunks may differ, or `None` where only hashes are left of them.
    pub fn bits(&self) -> Option<u32> {
        code::bits_of(usize::from(self.width))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::Document;
    use crate::features::{Align, ChunkStreams, Chunks, Shingles, Unit};

    fn packed(bits: u64, text: &str) -> Vec<u8> {
        let chunks = Chunks::new(Align::Position { bits }, ChunkStreams::Both, false, "").unwrap();
        let mut features = Features::default();
        features.fill(&chunks, &Document::from_text(text));
        let mut out = Vec::new();
        pack(&features, &mut out);
        out
    }

    #[test]
    fn a_record_holds_the_bytes_of_both_streams() {
        let read = |bits| {
            let bytes = packed(bits, "abcde, fg!");
            let record = Record::read(&bytes).unwrap();
            (record.text.to_vec(), record.symbols.to_vec(), record.chunks())
        };
        assert_eq!(read(8), (b"abcde fg".to_vec(), b",!".to_vec(), 10));
        assert_eq!(read(16), (b"abcde fg".to_vec(), b",!".to_vec(), 5));
        assert_eq!((read(10).0.len(), read(10).1.len(), read(10).2), (14, 4, 9));
        assert_eq!(read(24), (b"abc\0de \0fg\0\0".to_vec(), b",!\0\0".to_vec(), 4));
        assert_eq!(read(64).2, 2);
        assert_eq!(packed(8, "abc").len(), HEADER + 3);
    }

    /// Persisted records depend on these: a change here is a new scheme, never a fix.
    #[test]
    fn golden_vectors() {
        let mut features = Features { class: Some(0x0102), ..Features::default() };
        features.hashes = vec![code::placed(Stream::Text, 1, 0, 7), code::placed(Stream::NonText, 1, 0, 9)];
        let mut out = vec![5];
        pack(&features, &mut out);
        assert_eq!(out, [5, 1, 1, 2, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 7, 9]);
    }

    #[test]
    fn other_features_are_told() {
        let by_content = Chunks::new(Align::Content { average: 16 }, ChunkStreams::Both, false, "").unwrap();
        let shingles = Shingles::new(Unit::Word, 2).unwrap();
        let text = "some words that make a few features, whatever these are";
        let mut features = Features::default();
        for extractor in [&by_content as &dyn crate::features::FeatureExtractor, &shingles] {
            features.fill(extractor, &Document::from_text(text));
            let mut out = Vec::new();
            pack(&features, &mut out);
            assert!(Record::is_foreign(&out) && Record::read(&out).is_none());
        }
    }

    #[test]
    fn damaged_records_are_none() {
        let bytes = packed(16, "some text");
        for length in 0..bytes.len() - 1 {
            let record = Record::read(&bytes[..length]);
            assert!(length % 2 == 0 || record.is_none(), "{length}");
        }
        assert!(Record::read(&packed(8, "")).is_none());
        assert!(!Record::is_foreign(&packed(8, "")));
    }
}
