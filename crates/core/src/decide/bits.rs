//! Equal bits at equal places, for chunks at their places (LSBS).
//!
//! Besides the vote of each chunk, L17 describes a bound on the total number of bits in which two documents differ. This
//! is that bound as a similarity: the share of the longer document's bits that are equal. What the shorter document
//! lacks differs in every bit, so accepted documents differ in at most (1 − threshold) of the bits of the longer.
//!
//! Features of other kinds have no bits that could be compared one by one: they agree or differ as a whole.

use super::measure::Measure;
use super::measures::Longer;
use super::overlap::Overlap;
use crate::features::FeatureSet;
use crate::features::chunks::code::{self, Stream};
use crate::part::{PartInfo, Spec};

/// The share of the longer document's bits that are equal at equal places.
pub struct Bits;

impl Bits {
    /// The description of this part in the registry.
    pub const INFO: PartInfo = PartInfo {
        name: "bits",
        summary: "Equal bits over the bits of the longer document, for chunks at their places",
        paper: "L17 §III",
        params: &[],
    };
}

impl Measure for Bits {
    fn spec(&self) -> Spec {
        Spec::new(Self::INFO.name)
    }

    fn similarity(&self, a: &FeatureSet, b: &FeatureSet, overlap: &Overlap) -> f64 {
        match (Chunked::read(a), Chunked::read(b)) {
            (Some(x), Some(y)) if x.bits == y.bits => {
                let equal = equal_bits(&x.text, &y.text, x.bits) + equal_bits(&x.symbols, &y.symbols, x.bits);
                equal as f64 / (u64::from(x.bits) * a.len().max(b.len()) as u64) as f64
            }
            _ => Longer.similarity(a, b, overlap),
        }
    }
}

fn equal_bits(a: &[u64], b: &[u64], bits: u32) -> u64 {
    a.iter().zip(b).map(|(a, b)| u64::from(bits - (a ^ b).count_ones())).sum()
}

/// The chunks of a document, by their places.
struct Chunked {
    bits: u32,
    text: Vec<u64>,
    symbols: Vec<u64>,
}

impl Chunked {
    /// `None` unless the features are chunks of one width that fill all places from the first on. Features of other kinds
    /// may look like chunks one by one, but not all together.
    fn read(set: &FeatureSet) -> Option<Chunked> {
        let width = code::read(*set.hashes.first()?)?.width;
        let mut chunked = Chunked { bits: code::bits_of(width)?, text: Vec::new(), symbols: Vec::new() };
        let mut places = Vec::with_capacity(set.len());
        for &feature in &set.hashes {
            let chunk = code::read(feature).filter(|chunk| chunk.width == width)?;
            places.push((chunk.stream == Stream::NonText, chunk.position?, chunk.value));
        }
        places.sort_unstable();
        for (is_symbol, place, value) in places {
            let stream = if is_symbol { &mut chunked.symbols } else { &mut chunked.text };
            if place != stream.len() as u64 {
                return None;
            }
            stream.push(value);
        }
        Some(chunked)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::Document;
    use crate::features::{Align, ChunkStreams, Chunks, Features};
    use crate::testing::check_measure;

    fn set(bits: u64, text: &str) -> FeatureSet {
        let chunks = Chunks::new(Align::Position { bits }, ChunkStreams::Both, false, "").unwrap();
        let mut features = Features::default();
        features.fill(&chunks, &Document::from_text(text));
        FeatureSet::from_features(&features)
    }

    fn similarity(bits: u64, a: &str, b: &str) -> f64 {
        let (a, b) = (set(bits, a), set(bits, b));
        Bits.similarity(&a, &b, &Overlap::count(&a, &b))
    }

    #[test]
    fn passes_the_conformance_suite() {
        check_measure(&Bits);
    }

    /// By hand: a is 0x61, c is 0x63, q is 0x71: one bit from a to c and one from a to q, two from c to q.
    #[test]
    fn worked_example() {
        assert_eq!(similarity(8, "aaaa", "aaca"), 31.0 / 32.0);
        assert_eq!(similarity(8, "aqaa", "caaa"), 30.0 / 32.0);
        assert_eq!(similarity(8, "aaaa", "aaa"), 24.0 / 32.0);
        assert_eq!(similarity(8, "aa,", "aa."), (24.0 - 1.0) / 24.0, "a comma is 0x2c, a stop 0x2e");
        // Thirty-two bits are four chunks of ten, the last one filled up with zeros in both.
        assert_eq!(similarity(10, "aaaa", "aaca"), 39.0 / 40.0);
        // A chunk that is only known by its hash agrees or does not.
        assert_eq!(similarity(64, "aaaaaaaaaaaaaaaa", "aaaaaaaaaaaaaaac"), 0.5);
    }

    #[test]
    fn other_features_differ_as_a_whole() {
        let set =
            |range: std::ops::Range<u64>| FeatureSet { hashes: range.collect(), ..FeatureSet::default() };
        let (a, b) = (set(0..10), set(2..12));
        assert_eq!(Bits.similarity(&a, &b, &Overlap::count(&a, &b)), 0.8);
    }
}
