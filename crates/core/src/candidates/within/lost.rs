//! What was lost: pairs of some documents with all others, found without clusters.
//!
//! The sampled documents are indexed by term, and every document is looked up in that index. That
//! takes as long as looking up the sample in an index of all documents would, but the index is small.

use super::super::narrowing::Lost;
use super::memberships::Memberships;
use crate::hash;
use crate::partition::Vectors;
use crate::threads::spread;

/// Documents that are drawn.
const SAMPLE: usize = 500;
/// The similarities at which lost pairs are counted.
const LEVELS: [f64; 2] = [0.5, 0.8];
/// Documents that a thread takes at a time.
const TURN: usize = 1024;

/// How many documents were drawn, and what was lost at each level.
pub(super) fn measure(vectors: &Vectors, memberships: &Memberships, threads: usize) -> (u64, Vec<Lost>) {
    let sample = draw(vectors.len());
    let mut place_in_sample = vec![u32::MAX; vectors.len()];
    for (place, &document) in sample.iter().enumerate() {
        place_in_sample[document as usize] = place as u32;
    }
    let index = Index::new(vectors, &sample);
    let turns = (0..vectors.len()).step_by(TURN).map(|from| from..(from + TURN).min(vectors.len()));
    let parts = spread(threads, turns, |turn| {
        let mut counts = [(0u64, 0u64); LEVELS.len()];
        let mut cosines = vec![0.0f32; sample.len()];
        for document in turn {
            cosines.fill(0.0);
            index.add(vectors.row(document), &mut cosines);
            // A pair of two sampled documents is counted once, with the later one.
            let earlier = (place_in_sample[document] as usize).min(sample.len());
            for (&other, &cosine) in sample[..earlier].iter().zip(&cosines) {
                if f64::from(cosine) < LEVELS[0] {
                    continue;
                }
                let lost = !memberships.share_cluster(document as u32, other);
                for ((pairs, missed), _) in
                    counts.iter_mut().zip(LEVELS).filter(|(_, level)| f64::from(cosine) >= *level)
                {
                    *pairs += 1;
                    *missed += u64::from(lost);
                }
            }
        }
        counts
    });
    let lost = LEVELS.iter().enumerate().map(|(level, &cosine)| Lost {
        cosine,
        pairs: parts.iter().map(|part| part[level].0).sum(),
        lost: parts.iter().map(|part| part[level].1).sum(),
    });
    (sample.len() as u64, lost.collect())
}

/// Different documents, the same ones every time.
fn draw(documents: usize) -> Vec<u32> {
    let mut order: Vec<(u64, u32)> =
        (0..documents as u32).map(|document| (hash::mix(u64::from(document)), document)).collect();
    order.sort_unstable();
    order.truncate(SAMPLE);
    order.into_iter().map(|(_, document)| document).collect()
}

/// For each term, the sampled documents that have it.
struct Index {
    starts: Vec<u32>,
    entries: Vec<(u32, f32)>,
}

impl Index {
    fn new(vectors: &Vectors, sample: &[u32]) -> Self {
        let mut triples: Vec<(u32, u32, f32)> = Vec::new();
        for (place, &document) in sample.iter().enumerate() {
            let (terms, weights) = vectors.row(document as usize);
            triples.extend(terms.iter().zip(weights).map(|(&term, &weight)| (term, place as u32, weight)));
        }
        triples.sort_unstable_by_key(|&(term, place, _)| (term, place));
        let mut starts = vec![0; vectors.terms() + 1];
        triples.iter().for_each(|&(term, ..)| starts[term as usize + 1] += 1);
        for term in 0..vectors.terms() {
            starts[term + 1] += starts[term];
        }
        Index { starts, entries: triples.into_iter().map(|(_, place, weight)| (place, weight)).collect() }
    }

    /// Adds a document's cosines with the sampled ones.
    fn add(&self, (terms, weights): (&[u32], &[f32]), cosines: &mut [f32]) {
        for (&term, &weight) in terms.iter().zip(weights) {
            let (from, to) = (self.starts[term as usize], self.starts[term as usize + 1]);
            for &(place, other) in &self.entries[from as usize..to as usize] {
                cosines[place as usize] += weight * other;
            }
        }
    }
}
