//! Documents to start from, far from each other (k-means++).
//!
//! Each is drawn with a chance that grows with its squared distance from those drawn before, out of a
//! sample, since that is all a start needs (Arthur, Vassilvitskii: k-means++, SODA 2007).

use super::vectors::Vectors;
use crate::hash;

/// Documents in the sample, for each cluster and altogether.
const FOR_EACH: usize = 20;
const MOST: usize = 20_000;
/// Documents this near to each other are the same, but for rounding.
const SAME: f64 = 1e-6;

/// Up to `clusters` documents that differ; fewer if there are not so many, none if no two documents share a
/// term.
pub(super) fn choose(vectors: &Vectors, clusters: usize, seed: u64) -> Vec<u32> {
    let mut sample: Vec<(u64, u32)> = (0..vectors.len() as u32)
        .filter(|&document| !vectors.row(document as usize).0.is_empty())
        .map(|document| (hash::mix(hash::combine(seed, u64::from(document))), document))
        .collect();
    sample.sort_unstable();
    sample.truncate((clusters * FOR_EACH).min(MOST).max(clusters));
    let mut chosen = Vec::new();
    let mut spread_out = vec![0.0; vectors.terms()];
    // The squared distance of each from the nearest that was chosen.
    let mut distances = vec![2.0; sample.len()];
    while chosen.len() < clusters {
        let all: f64 = distances.iter().sum();
        if all <= 0.0 {
            break;
        }
        let random = hash::mix(hash::combine(seed, u64::MAX - chosen.len() as u64)) >> 11;
        let mut left = random as f64 / (1u64 << 53) as f64 * all;
        let drawn = distances.iter().position(|&distance| {
            left -= distance;
            distance > 0.0 && left < 0.0
        });
        // Rounding may leave a remainder; then the last document with a chance is drawn.
        let Some(place) = drawn.or_else(|| distances.iter().rposition(|&distance| distance > 0.0)) else {
            break;
        };
        let document = sample[place].1;
        chosen.push(document);
        vectors.spread_out(document as usize, &mut spread_out);
        for (distance, &(_, other)) in distances.iter_mut().zip(&sample) {
            if *distance > 0.0 {
                let now = 2.0 - 2.0 * vectors.dot(other as usize, &spread_out);
                *distance = if now < SAME { 0.0 } else { distance.min(now) };
            }
        }
        vectors.wipe(document as usize, &mut spread_out);
        distances[place] = 0.0;
    }
    chosen
}
