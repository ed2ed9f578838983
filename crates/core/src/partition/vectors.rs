//! Documents as sparse vectors of unit length.
//!
//! A term that only one document has links no documents, so it can be left out. But it counts in the
//! length, so that the dot product of two rows is the cosine of the whole documents. See [`Terms`] for
//! how terms are numbered.
//!
//! Memory: 8 bytes for each term of each document, 12 for each term, 8 for each document; while it is
//! built, some 40 bytes for each different feature.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use crate::error::{Error, Result};
use crate::hash;
use crate::threads::spread;

/// Documents as sparse vectors of length 1.
#[derive(Clone, Debug, Default)]
pub struct Vectors {
    /// Where each row ends.
    ends: Vec<usize>,
    /// Rising within a row.
    terms: Vec<u32>,
    weights: Vec<f32>,
    /// How many documents have each term.
    frequencies: Vec<u32>,
    /// The feature that each term is.
    hashes: Vec<u64>,
}

/// Which features become terms, and their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Terms {
    /// Those of two documents or more, the most frequent first: the most used numbers lie together, and
    /// code with room for some terms only takes the first ones, which stand at the beginning of every row.
    Shared,
    /// All of them, in the order of their hashes: a row depends on its own document alone, but for the numbers.
    All,
}

/// Appends the features of a document, each once, with its weight.
pub type ReadFeatures<'a> = dyn Fn(usize, &mut Vec<(u64, f32)>) + Sync + 'a;

/// Documents that a thread takes at a time.
const TURN: usize = 1024;

impl Vectors {
    /// Calls `read` for the features of each document. Weights that are not finite count as 0.
    pub fn build(documents: usize, threads: usize, terms: Terms, read: &ReadFeatures<'_>) -> Result<Self> {
        if documents >= u32::MAX as usize {
            return Err(Error::config("clusters are for fewer than 2³² documents"));
        }
        let (numbers, frequencies, hashes) = number_terms(documents, terms, read);
        let turns = (0..documents).step_by(TURN).map(|from| from..(from + TURN).min(documents));
        let parts = spread(threads, turns, |turn| {
            let mut part = Vectors::default();
            let (mut features, mut row) = (Vec::new(), Vec::new());
            for document in turn {
                features.clear();
                read(document, &mut features);
                part.push(&mut features, &numbers, &mut row);
            }
            part
        });
        drop(numbers);
        let mut all = Vectors { frequencies, hashes, ..Vectors::default() };
        all.terms.reserve_exact(parts.iter().map(|part| part.terms.len()).sum());
        all.weights.reserve_exact(parts.iter().map(|part| part.weights.len()).sum());
        for part in parts {
            let start = all.terms.len();
            all.ends.extend(part.ends.iter().map(|end| start + end));
            all.terms.extend_from_slice(&part.terms);
            all.weights.extend_from_slice(&part.weights);
        }
        Ok(all)
    }

    /// How many documents there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are no documents.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// How many terms there are.
    pub fn terms(&self) -> usize {
        self.frequencies.len()
    }

    /// How many documents have each term.
    pub fn frequencies(&self) -> &[u32] {
        &self.frequencies
    }

    /// The feature that each term is.
    pub fn hashes(&self) -> &[u64] {
        &self.hashes
    }

    /// The terms of a document and their weights.
    pub fn row(&self, document: usize) -> (&[u32], &[f32]) {
        let start = if document == 0 { 0 } else { self.ends[document - 1] };
        let range = start..self.ends[document];
        (&self.terms[range.clone()], &self.weights[range])
    }

    /// The cosine of a document with one that is spread out, with a place for each term.
    #[inline]
    pub fn dot(&self, document: usize, spread_out: &[f32]) -> f64 {
        let (terms, weights) = self.row(document);
        terms.iter().zip(weights).map(|(&term, &weight)| f64::from(weight * spread_out[term as usize])).sum()
    }

    /// Writes a document's weights to their places.
    pub fn spread_out(&self, document: usize, out: &mut [f32]) {
        let (terms, weights) = self.row(document);
        terms.iter().zip(weights).for_each(|(&term, &weight)| out[term as usize] = weight);
    }

    /// Undoes [`Vectors::spread_out`].
    pub fn wipe(&self, document: usize, out: &mut [f32]) {
        self.row(document).0.iter().for_each(|&term| out[term as usize] = 0.0);
    }

    fn push(&mut self, features: &mut Vec<(u64, f32)>, numbers: &Numbers, row: &mut Vec<(u32, f32)>) {
        scale_to_unit(features);
        row.clear();
        row.extend(features.iter().filter_map(|&(hash, weight)| Some((*numbers.get(&hash)?, weight))));
        row.sort_unstable_by_key(|&(term, _)| term);
        self.terms.extend(row.iter().map(|&(term, _)| term));
        self.weights.extend(row.iter().map(|&(_, weight)| weight));
        self.ends.push(self.terms.len());
    }
}

/// Scales the weights of a document's features to a length of 1, without those that are no numbers.
pub(crate) fn scale_to_unit(features: &mut Vec<(u64, f32)>) {
    features.retain(counts);
    let squares: f64 = features.iter().map(|&(_, weight)| f64::from(weight) * f64::from(weight)).sum();
    let length = squares.sqrt();
    features.iter_mut().for_each(|(_, weight)| *weight = (f64::from(*weight) / length) as f32);
}

/// Whether a weight is a number that changes anything.
fn counts(feature: &(u64, f32)) -> bool {
    feature.1.is_finite() && feature.1 != 0.0
}

pub(super) type Numbers = HashMap<u64, u32, BuildHasherDefault<Mixed>>;

/// Features are usually hashes already, but a user's own extractor may count from 0.
#[derive(Clone, Default)]
pub(super) struct Mixed(u64);

impl Hasher for Mixed {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        self.0 = hash::combine(self.0, hash::bytes(bytes));
    }

    fn write_u64(&mut self, value: u64) {
        self.0 = hash::mix(value);
    }
}

/// The numbers of the features, the frequency of each, and the features by number.
fn number_terms(documents: usize, terms: Terms, read: &ReadFeatures<'_>) -> (Numbers, Vec<u32>, Vec<u64>) {
    let (mut numbers, mut features) = (Numbers::default(), Vec::new());
    for document in 0..documents {
        features.clear();
        read(document, &mut features);
        for &(hash, _) in features.iter().filter(|feature| counts(feature)) {
            *numbers.entry(hash).or_default() += 1;
        }
    }
    if terms == Terms::Shared {
        numbers.retain(|_, frequency| *frequency > 1);
    }
    let mut ranked: Vec<(u32, u64)> = numbers.iter().map(|(&hash, &frequency)| (frequency, hash)).collect();
    match terms {
        Terms::Shared => ranked.sort_unstable_by_key(|&(frequency, hash)| (Reverse(frequency), hash)),
        Terms::All => ranked.sort_unstable_by_key(|&(_, hash)| hash),
    }
    for (number, (_, hash)) in ranked.iter().enumerate() {
        numbers.insert(*hash, number as u32);
    }
    let (frequencies, hashes) = ranked.into_iter().unzip();
    (numbers, frequencies, hashes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn build(documents: &[&[(u64, f32)]]) -> Vectors {
        Vectors::build(documents.len(), 2, Terms::Shared, &|place, out| {
            out.extend_from_slice(documents[place])
        })
        .unwrap()
    }

    #[test]
    fn terms_of_one_document_count_in_the_length_only() {
        let vectors = build(&[&[(7, 3.0), (8, 4.0)], &[(7, 2.0)], &[(9, 1.0)]]);
        assert_eq!(vectors.terms(), 1);
        assert_eq!(vectors.row(0), (&[0][..], &[0.6][..]));
        assert_eq!(vectors.row(1), (&[0][..], &[1.0][..]));
        assert_eq!(vectors.row(2), (&[][..], &[][..]));
        let mut spread_out = vec![0.0];
        vectors.spread_out(0, &mut spread_out);
        assert!((vectors.dot(1, &spread_out) - 0.6).abs() < 1e-7);
        vectors.wipe(0, &mut spread_out);
        assert_eq!(spread_out, [0.0]);
    }

    #[test]
    fn frequent_terms_come_first() {
        let vectors = build(&[&[(5, 1.0), (6, 1.0)], &[(6, 1.0)], &[(5, 1.0), (6, 1.0)]]);
        assert_eq!(vectors.frequencies(), [3, 2]);
        assert_eq!(vectors.row(1).0, [0]);
    }

    #[test]
    fn all_terms_are_in_the_order_of_their_hashes() {
        let documents: [&[(u64, f32)]; 3] = [&[(9, 3.0), (8, 4.0)], &[(9, 2.0)], &[(7, 1.0), (9, 0.0)]];
        let read: &ReadFeatures<'_> = &|place, out| out.extend_from_slice(documents[place]);
        let vectors = Vectors::build(3, 2, Terms::All, read).unwrap();
        assert_eq!((vectors.hashes(), vectors.frequencies()), (&[7, 8, 9][..], &[1, 1, 2][..]));
        assert_eq!(vectors.row(0), (&[1, 2][..], &[0.8, 0.6][..]));
        assert_eq!(vectors.row(2), (&[0][..], &[1.0][..]));
    }

    #[test]
    fn weights_that_are_no_numbers_count_as_nothing() {
        let odd = [(1, f32::NAN), (2, f32::INFINITY), (3, 0.0), (4, f32::MAX)];
        let vectors = build(&[&odd, &odd, &[(1, f32::NAN)], &[]]);
        assert_eq!(vectors.row(0), (&[0][..], &[1.0][..]));
        assert_eq!((vectors.row(2).0.len(), vectors.row(3).0.len(), vectors.terms()), (0, 0, 1));
    }
}
