//! The sampled documents, and which others may be their partners.

use std::collections::BTreeMap;
use std::ops::Range;

use lookalike_core::decide::Decider;
use lookalike_core::features::FeatureSet;

use super::outlines::{Outline, OutlineSize, append_outline, place};
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
        let outlines = if self.squares.is_empty() { OUTLINES } else { OUTLINES * CLASSES };
        8 * (self.hashes.len() * outlines + self.squares.len())
    }

    /// Whether another document lacks more features than `most`.
    fn lacks_more(&self, other: &Outline<'_>, most: usize) -> bool {
        self.hashes.iter().filter(|&&hash| !other.has(hash)).nth(most).is_some()
    }

    /// Of the squared weights, how much a partner may lack.
    fn may_lack(&self, cosine: f64) -> f64 {
        const SLACK: f64 = 1e-9;
        self.square * (1.0 - cosine * cosine + SLACK)
    }

    /// Appends an outline for each class of weights, and the least weight of a bit in each class. The features behind
    /// one bit are lacked together.
    fn append_classes(&self, words: usize, outlines: &mut Vec<u64>, least: &mut Vec<[f64; CLASSES]>) {
        let mut bits: Vec<(usize, f64)> =
            self.hashes.iter().map(|&hash| place(hash, words)).zip(self.squares.iter().copied()).collect();
        bits.sort_unstable_by_key(|bit| bit.0);
        bits.dedup_by(|next, bit| {
            let is_same = next.0 == bit.0;
            if is_same {
                bit.1 += next.1;
            }
            is_same
        });
        let heaviest = bits.iter().fold(0.0, |heaviest: f64, bit| heaviest.max(bit.1));
        let start = outlines.len();
        outlines.resize(start + CLASSES * words, 0);
        let mut least_of = [f64::INFINITY; CLASSES];
        for (bit, weight) in bits {
            // Each class is for half the weight of the one before it; the last is for all that is lighter.
            let class =
                (1..CLASSES).find(|&class| weight > heaviest / f64::from(1 << class)).unwrap_or(CLASSES) - 1;
            outlines[start + class * words + bit / 64] |= 1 << (bit % 64);
            least_of[class] = least_of[class].min(weight);
        }
        least.push(least_of);
    }

    /// Whether the features that another document may have are long enough as a vector: the cosine with any vector that
    /// has no others is at most their part of the whole length.
    fn is_covered(&self, other: &Outline<'_>, cosine: f64) -> bool {
        let mut allowed = self.may_lack(cosine);
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
    /// One outline of each document, or one for each class of weights.
    outlines: Vec<u64>,
    /// The least weight of each class, if weights decide.
    least: Vec<[f64; CLASSES]>,
}

impl Ready {
    /// The words of one of the documents, which has so many.
    fn of(&self, place: usize, words: usize) -> &[u64] {
        let start = (place - self.documents.start) * words;
        &self.outlines[start..start + words]
    }
}

/// Into how many classes features are put by their weights.
const CLASSES: usize = 8;

/// The largest outlines that are kept ready have this many times the words of a document's own.
const READY: usize = 2;

impl<'a> Sample<'a> {
    pub fn new(mut documents: Vec<Sampled>, decider: &'a dyn Decider, size: &OutlineSize) -> Self {
        documents.sort_by_key(|sampled| (sampled.features(), sampled.digest));
        let mut ready: BTreeMap<usize, Ready> = BTreeMap::new();
        let weighs = decider.least_cosine().is_some();
        for (place, sampled) in documents.iter().enumerate() {
            let own = size.words(sampled.features());
            let mut words = own;
            while words > 0 && words <= own * READY {
                let none = || Ready { documents: place..place, outlines: Vec::new(), least: Vec::new() };
                let ready = ready.entry(words).or_insert_with(none);
                ready.documents.end = place + 1;
                match weighs {
                    true => sampled.append_classes(words, &mut ready.outlines, &mut ready.least),
                    false => append_outline(&sampled.hashes, words, &mut ready.outlines),
                }
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
            let ready = ready.filter(|ready| ready.documents.contains(&place));
            let may_pair = match (cosine, ready) {
                (Some(cosine), Some(ready)) => {
                    let least = &ready.least[place - ready.documents.start];
                    !other.lacks_weight(ready.of(place, CLASSES * words), least, sampled.may_lack(cosine))
                        && sampled.is_covered(other, cosine)
                }
                (Some(cosine), None) => sampled.is_covered(other, cosine),
                (None, Some(ready)) => !other.lacks_more(ready.of(place, words), most),
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
