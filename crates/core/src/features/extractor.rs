//! The stage `features`: what an extractor is, and what it fills.

use std::ops::Range;

use super::hash_set::FeatureHashSet;
use super::terms::buffers::Buffers;
use crate::document::Document;
use crate::hash;
use crate::part::Spec;
use crate::text::{Scratch, Stems};

/// Turns a document into features. Called once for each document and pass, on many threads.
pub trait FeatureExtractor: Send + Sync {
    /// The type and parameters that rebuild this extractor.
    fn spec(&self) -> Spec;

    /// The names of the fields this extractor reads, besides the text.
    fn fields(&self) -> Vec<String> {
        Vec::new()
    }

    /// Whether equal features mean the same words in the same order. Otherwise documents with equal
    /// features may still differ in what this extractor ignores, so they are never called exact
    /// copies.
    fn sees_every_word(&self) -> bool {
        false
    }

    /// Where each feature stands in a text, in bytes; for features that are whole passages.
    fn passages(&self, _text: &str) -> Option<Vec<(Range<usize>, u64)>> {
        None
    }

    /// Appends the document's features to the emptied buffer `out`. No features means: nothing to
    /// compare, so the document never matches.
    fn extract(&self, document: &Document<'_>, out: &mut Features);
}

/// A document's features in the order of the text, repeats included, in buffers that are reused.
#[derive(Default)]
pub struct Features {
    /// A hash for each feature.
    pub hashes: Vec<u64>,
    /// A weight for each hash, or empty when all weigh the same.
    pub weights: Vec<f32>,
    /// Buffers of the word scanner.
    pub scratch: Scratch,
    /// Hashes of the units (words or characters) that shingles are made of.
    pub units: Vec<u64>,
    /// Stems of the words that were met.
    pub stems: Stems,
    /// The features that the document has had so far.
    pub seen: FeatureHashSet,
    /// The text of a document without its markup.
    pub page: String,
    /// A class that documents must share to be compared at all, such as a hash of their type.
    pub class: Option<u64>,
    /// Buffers of the extractor `terms`.
    pub terms: Buffers,
}

impl Features {
    /// Empties the buffers and runs the extractor.
    pub fn fill(&mut self, extractor: &dyn FeatureExtractor, document: &Document<'_>) {
        self.hashes.clear();
        self.weights.clear();
        self.class = None;
        extractor.extract(document, self);
    }

    /// Tells apart documents whose features, weights or class differ; equal for exact copies.
    pub fn digest(&self) -> u128 {
        let mut digest = hash::digest(&self.hashes);
        if !self.weights.is_empty() {
            // Two weights at a time, each pair with its place.
            let bits =
                |pair: &[f32]| pair.iter().fold(0, |bits, weight| bits << 32 | u64::from(weight.to_bits()));
            let place = |(place, pair): (usize, &[f32])| hash::combine(bits(pair), place as u64);
            let sum = self.weights.chunks(2).enumerate().map(place).fold(0, u64::wrapping_add);
            digest = hash::digest(&[digest as u64, (digest >> 64) as u64, sum]);
        }
        self.class.map_or(digest, |class| hash::digest(&[digest as u64, (digest >> 64) as u64, class]))
    }

    /// Whether the document has no features.
    pub fn is_empty(&self) -> bool {
        self.hashes.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Documents with the same words in the same order but more repetitions are not exact copies.
    #[test]
    fn weights_places_and_class_tell_documents_apart() {
        let features = |weights: &[f32], class| Features {
            hashes: vec![3, 5, 8],
            weights: weights.to_vec(),
            class,
            ..Features::default()
        };
        let digests = [
            features(&[], None),
            features(&[], Some(1)),
            features(&[1.0, 1.0, 2.0], None),
            features(&[1.0, 2.0, 1.0], None),
            features(&[2.0, 1.0, 1.0], None),
        ]
        .map(|features| features.digest());
        for (place, digest) in digests.iter().enumerate() {
            assert!(!digests[..place].contains(digest), "{place}");
        }
    }
}
