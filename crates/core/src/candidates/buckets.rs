//! Which documents of a bucket are paired.
//!
//! A bucket of n documents holds n(n−1)/2 pairs. Up to [`Buckets::full`] documents all are
//! candidates. A larger bucket becomes a few stars: every document is paired with the pivots only,
//! which stand at even steps in the order of the keep rule, the first being the document that the
//! rule likes best. So the work stays proportional to the documents.
//!
//! What this can miss: in a large bucket, two documents that resemble each other but none of the
//! pivots are not paired by this key. They are still found when any other key puts them together in
//! a bucket of ordinary size, which happens as soon as one of its values comes from what the two
//! share and the crowd does not.

/// The limits of pairing within a bucket.
#[derive(Clone, Copy, Debug)]
pub struct Buckets {
    /// The largest bucket in which every pair is a candidate.
    pub full: usize,
    /// How many documents of a larger bucket are paired with all others.
    pub pivots: usize,
}

impl Default for Buckets {
    fn default() -> Self {
        Buckets { full: 64, pivots: 4 }
    }
}

impl Buckets {
    /// Whether [`pairs_in_bucket`] needs the documents in the order of the keep rule.
    pub fn wants_order(&self, documents: usize) -> bool {
        documents > self.full
    }
}

/// Calls `emit` with the candidate pairs of a bucket. A large bucket must come in the order of the
/// keep rule, best first.
pub fn pairs_in_bucket(limits: Buckets, documents: &[u32], mut emit: impl FnMut(u32, u32)) {
    if !limits.wants_order(documents.len()) {
        for (i, &a) in documents.iter().enumerate() {
            for &b in &documents[i + 1..] {
                emit(a.min(b), a.max(b));
            }
        }
        return;
    }
    let pivot_places: Vec<usize> = (0..limits.pivots).map(|i| i * documents.len() / limits.pivots).collect();
    for (place, &document) in documents.iter().enumerate() {
        for &pivot in &pivot_places {
            // Two pivots meet once, not twice.
            let paired_from_the_other_side = place < pivot && pivot_places.contains(&place);
            if pivot != place && !paired_from_the_other_side {
                let other = documents[pivot];
                emit(document.min(other), document.max(other));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(limits: Buckets, documents: &[u32]) -> Vec<(u32, u32)> {
        let mut pairs = Vec::new();
        pairs_in_bucket(limits, documents, |a, b| pairs.push((a, b)));
        pairs
    }

    #[test]
    fn small_buckets_are_complete() {
        let limits = Buckets { full: 4, pivots: 2 };
        assert_eq!(pairs(limits, &[7, 3, 5]), [(3, 7), (5, 7), (3, 5)]);
    }

    #[test]
    fn large_buckets_are_linear_and_reach_every_document() {
        let documents: Vec<u32> = (0..100_000).collect();
        let found = pairs(Buckets::default(), &documents);
        assert!(found.len() <= 4 * documents.len());
        let best = found.iter().filter(|&&(a, _)| a == 0).count();
        assert_eq!(best, documents.len() - 1, "the best document meets every other");
    }

    #[test]
    fn no_pair_twice_and_none_with_itself() {
        let documents: Vec<u32> = (0..200).rev().collect();
        let mut found = pairs(Buckets { full: 10, pivots: 4 }, &documents);
        assert!(found.iter().all(|(a, b)| a < b));
        let count = found.len();
        found.sort_unstable();
        found.dedup();
        assert_eq!(found.len(), count);
    }

    /// The stated miss: two documents that meet no pivot in their only common, large bucket.
    #[test]
    fn a_large_bucket_pairs_only_with_pivots() {
        let documents: Vec<u32> = (0..100).collect();
        let found = pairs(Buckets { full: 10, pivots: 1 }, &documents);
        assert!(!found.contains(&(5, 6)));
        assert!(found.contains(&(0, 5)) && found.contains(&(0, 6)));
    }
}
