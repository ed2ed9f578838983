//! The sampled documents, and which others may be their partners.

use std::collections::BTreeMap;
use std::ops::Range;

use lookalike_core::decide::Decider;
use lookalike_core::features::FeatureSet;

use super::outlines::{Outline, OutlineSize, append_outline};
use crate::corpus::CorpusNumber;

pub struct Sampled {
    pub document: CorpusNumber,
    pub digest: u128,
    /// How many distinct features its outline tells. By this it is the smaller one of a pair, or not.
    pub least_features: usize,
    /// Its features' hashes, the heaviest first if weights decide.
    hashes: Vec<u64>,
    /// The squared weight of each, if weights decide.
    squares: Vec<f64>,
    /// Their sum.
    square: f64,
}

impl Sampled {
    pub fn new(
        document: CorpusNumber,
        digest: u128,
        least_features: usize,
        set: &FeatureSet,
        weighs: bool,
    ) -> Self {
        if !weighs {
            let (hashes, squares) = (set.hashes.clone(), Vec::new());
            return Sampled { document, digest, least_features, hashes, squares, square: 0.0 };
        }
        let weight = |place: usize| set.weights.get(place).copied().map_or(1.0, f64::from);
        let mut order: Vec<usize> = (0..set.len()).collect();
        order.sort_by(|&a, &b| weight(b).abs().total_cmp(&weight(a).abs()));
        let hashes = order.iter().map(|&place| set.hashes[place]).collect();
        let squares: Vec<f64> = order.iter().map(|&place| weight(place) * weight(place)).collect();
        let square = squares.iter().sum();
        Sampled { document, digest, least_features, hashes, squares, square }
    }

    /// How many distinct features it has.
    pub fn features(&self) -> usize {
        self.hashes.len()
    }

    /// Bytes that it needs, outlines included.
    pub fn bytes(&self) -> usize {
        const OUTLINES: usize = 2;
        8 * (self.hashes.len() * OUTLINES + self.squares.len())
    }

    /// Whether another document lacks more features than `most`.
    fn lacks_more(&self, other: &Outline<'_>, most: usize) -> bool {
        self.hashes.iter().filter(|&&hash| !other.has(hash)).nth(most).is_some()
    }

    /// Whether the features that another document may have are long enough as a vector: the cosine with any vector that
    /// has no others is at most their part of the whole length.
    fn is_covered(&self, other: &Outline<'_>, cosine: f64) -> bool {
        const SLACK: f64 = 1e-9;
        let mut allowed = self.square * (1.0 - cosine * cosine + SLACK);
        for (&hash, square) in self.hashes.iter().zip(&self.squares) {
            if !other.has(hash) {
                allowed -= square;
                if allowed < 0.0 {
                    return false;
                }
            }
        }
        true
    }
}

/// Sampled documents by rising number of features.
pub struct Sample<'a> {
    pub documents: Vec<Sampled>,
    decider: &'a dyn Decider,
    /// For each document, the fewest features that its outline or one after it tells.
    fewest: Vec<usize>,
    /// Outlines of the documents at the sizes that most partners have, by number of words.
    ready: BTreeMap<usize, Ready>,
}

/// Outlines with the same number of words, of documents one after the other.
struct Ready {
    documents: Range<usize>,
    outlines: Vec<u64>,
}

/// The largest outlines that are kept ready have this many times the words of a document's own.
const READY: usize = 2;

impl<'a> Sample<'a> {
    pub fn new(mut documents: Vec<Sampled>, decider: &'a dyn Decider, size: &OutlineSize) -> Self {
        documents.sort_by_key(|sampled| (sampled.features(), sampled.digest));
        let mut ready: BTreeMap<usize, Ready> = BTreeMap::new();
        // Weights say more than how many bits are missing.
        let outlined = if decider.least_cosine().is_some() { 0 } else { documents.len() };
        for (place, sampled) in documents[..outlined].iter().enumerate() {
            let own = size.words(sampled.features());
            let mut words = own;
            while words > 0 && words <= own * READY {
                let none = || Ready { documents: place..place, outlines: Vec::new() };
                let ready = ready.entry(words).or_insert_with(none);
                ready.documents.end = place + 1;
                append_outline(&sampled.hashes, words, &mut ready.outlines);
                words = OutlineSize::larger(words);
            }
        }
        let mut fewest: Vec<usize> = documents.iter().map(|sampled| sampled.least_features).collect();
        for place in (1..fewest.len()).rev() {
            fewest[place - 1] = fewest[place - 1].min(fewest[place]);
        }
        Sample { documents, decider, fewest, ready }
    }

    /// Calls `found` with those of some documents that the decision may accept together with another one. No partner is
    /// left out.
    pub fn for_each_partner(&self, range: Range<usize>, other: &Outline<'_>, mut found: impl FnMut(usize)) {
        let cosine = self.decider.least_cosine();
        let words = other.words.len();
        let ready = self.ready.get(&words);
        for place in range {
            let sampled = &self.documents[place];
            let least = self.decider.least_shared(sampled.features(), other.features).max(1);
            let Some(most) = sampled.features().checked_sub(least) else { continue };
            let outline = ready.filter(|ready| ready.documents.contains(&place)).map(|ready| {
                let start = (place - ready.documents.start) * words;
                &ready.outlines[start..start + words]
            });
            let may_pair = match (cosine, outline) {
                (Some(cosine), _) => sampled.is_covered(other, cosine),
                (None, Some(outline)) => !other.lacks_more(outline, most),
                (None, None) => !sampled.lacks_more(other, most),
            };
            if may_pair {
                found(place);
            }
        }
    }

    /// The documents whose sizes allow a pair with one that has at least so many features: those that may be the smaller
    /// one, or all.
    pub fn like_sizes(&self, features: usize, larger: bool) -> Range<usize> {
        let may_pair =
            |sampled: &Sampled| self.decider.least_shared(sampled.features(), features) <= sampled.features();
        let from = self.documents.partition_point(|sampled| !may_pair(sampled));
        let to = match larger {
            true => self.documents.len(),
            false => self.fewest.partition_point(|&fewest| fewest <= features),
        };
        from.min(to)..to
    }
}
