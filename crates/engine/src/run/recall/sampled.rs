//! A sampled document, and which others may be its partners.

use lookalike_core::decide::Decider;
use lookalike_core::features::FeatureSet;
use lookalike_core::hash;

use super::outlines::{Outline, OutlineSize};
use crate::corpus::CorpusNumber;

pub struct Sampled {
    pub document: CorpusNumber,
    pub digest: u128,
    /// How many distinct features it has.
    pub features: usize,
    /// Its mixed feature hashes, the heaviest first.
    mixed: Vec<u64>,
    /// The squared weight of each, if weights decide.
    squares: Vec<f64>,
    /// Their sum.
    square: f64,
    /// Its outlines at the sizes that most partners have, by rising number of words.
    outlines: Vec<Vec<u64>>,
}

/// The largest outlines that are kept ready have this many times the words of a document's own.
const READY: usize = 2;

impl Sampled {
    pub fn new(
        document: CorpusNumber,
        digest: u128,
        set: &FeatureSet,
        weighs: bool,
        size: &OutlineSize,
    ) -> Self {
        let weight = |place: usize| set.weights.get(place).copied().map_or(1.0, f64::from);
        let mut order: Vec<usize> = (0..set.len()).collect();
        if weighs {
            order.sort_by(|&a, &b| weight(b).abs().total_cmp(&weight(a).abs()));
        }
        let mixed = order.iter().map(|&place| hash::mix(set.hashes[place])).collect();
        let mut squares = Vec::new();
        if weighs {
            squares.extend(order.iter().map(|&place| weight(place) * weight(place)));
        }
        let square = squares.iter().sum();
        let (own, mut outlines) = (size.words(set.len()), Vec::new());
        let mut words = own;
        // Weights say more than how many bits are missing.
        while !weighs && words <= own * READY && own > 0 {
            outlines.push(OutlineSize::outline(&set.hashes, words));
            words = OutlineSize::larger(words);
        }
        Sampled { document, digest, features: set.len(), mixed, squares, square, outlines }
    }

    /// Bytes that it needs.
    pub fn bytes(&self) -> usize {
        let outlines: usize = self.outlines.iter().map(Vec::len).sum();
        8 * (self.mixed.len() + self.squares.len() + outlines)
    }

    /// Whether the decision may accept this and another document. Never false for partners.
    pub fn may_pair(&self, other: &Outline<'_>, decider: &dyn Decider) -> bool {
        let least = decider.least_shared(self.features, other.features).max(1);
        let Some(most_lacking) = self.features.checked_sub(least) else { return false };
        if let Some(cosine) = decider.least_cosine() {
            return self.covered(other, cosine);
        }
        let ready =
            self.outlines.binary_search_by_key(&other.words.len(), Vec::len).map(|at| &self.outlines[at]);
        match ready {
            Ok(outline) => other.lacks(outline) <= most_lacking,
            Err(_) => self.lacking(other, most_lacking) <= most_lacking,
        }
    }

    /// Features that another document lacks; counting stops above `enough`.
    fn lacking(&self, other: &Outline<'_>, enough: usize) -> usize {
        self.mixed.iter().filter(|&&mixed| !other.has(mixed)).take(enough + 1).count()
    }

    /// Whether the features that another document may have are long enough as a vector: the cosine with any vector that
    /// has no others is at most their part of the whole length.
    fn covered(&self, other: &Outline<'_>, cosine: f64) -> bool {
        const SLACK: f64 = 1e-9;
        let mut allowed = self.square * (1.0 - cosine * cosine + SLACK);
        for (&mixed, square) in self.mixed.iter().zip(&self.squares) {
            if !other.has(mixed) {
                allowed -= square;
                if allowed < 0.0 {
                    return false;
                }
            }
        }
        true
    }
}
