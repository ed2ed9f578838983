//! Which documents of a bucket are paired.
//!
//! A bucket of n documents holds n(n−1)/2 pairs. In a bucket of up to [`Buckets::full`] documents
//! all pairs are candidates. In a larger one every document is paired with a few pivots only, so the
//! work stays proportional to the number of documents. The caller chooses the pivots: the document
//! that the keep rules rank first, and the first ones in an order that is the same for all keys. So
//! a large group of documents that share many keys is compared with the same pivots under each of
//! them.
//!
//! What this can miss: two documents in a large bucket that resemble each other but none of the
//! pivots are not paired by this key. They are still found if another key puts them into a bucket
//! of ordinary size. That happens as soon as one key comes from content that the two share and the
//! others do not have.

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
        Buckets { full: 256, pivots: 4 }
    }
}

impl Buckets {
    /// Whether a bucket of this size needs pivots.
    pub fn needs_pivots(&self, documents: usize) -> bool {
        documents > self.full
    }
}

/// Calls `emit` with the candidate pairs of a bucket, the smaller number first.
pub fn pairs_in_bucket<N: Copy + Ord>(
    limits: Buckets,
    documents: &[N],
    pivots: &[N],
    mut emit: impl FnMut(N, N),
) {
    if !limits.needs_pivots(documents.len()) {
        for (i, &a) in documents.iter().enumerate() {
            for &b in &documents[i + 1..] {
                emit(a.min(b), a.max(b));
            }
        }
        return;
    }
    documents.iter().for_each(|&document| pairs_with_pivots(document, pivots, &mut emit));
}

/// The candidate pairs of one document of a bucket that needs pivots.
pub fn pairs_with_pivots<N: Copy + Ord>(document: N, pivots: &[N], mut emit: impl FnMut(N, N)) {
    // A pair of two pivots is emitted once, not twice.
    let is_pivot = pivots.contains(&document);
    for &pivot in pivots {
        if pivot != document && !(is_pivot && pivot < document) {
            emit(document.min(pivot), document.max(pivot));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(limits: Buckets, documents: &[u32], pivots: &[u32]) -> Vec<(u32, u32)> {
        let mut pairs = Vec::new();
        pairs_in_bucket(limits, documents, pivots, |a, b| pairs.push((a, b)));
        pairs
    }

    #[test]
    fn small_buckets_are_complete() {
        let limits = Buckets { full: 4, pivots: 2 };
        assert_eq!(pairs(limits, &[7, 3, 5], &[]), [(3, 7), (5, 7), (3, 5)]);
    }

    #[test]
    fn large_buckets_are_linear_and_every_document_meets_every_pivot() {
        let documents: Vec<u32> = (0..100_000).collect();
        let found = pairs(Buckets::default(), &documents, &[500, 7, 99_999, 0]);
        assert_eq!(found.len(), 4 * documents.len() - 4 - 6, "none with itself, pivots once");
        let best = found.iter().filter(|&&(a, b)| a == 500 || b == 500).count();
        assert_eq!(best, documents.len() - 1);
    }

    #[test]
    fn no_pair_twice_and_none_with_itself() {
        let documents: Vec<u32> = (0..200).rev().collect();
        let mut found = pairs(Buckets { full: 10, pivots: 4 }, &documents, &[199, 50, 3, 100]);
        assert!(found.iter().all(|(a, b)| a < b));
        let count = found.len();
        found.sort_unstable();
        found.dedup();
        assert_eq!(found.len(), count);
    }

    /// The miss that the module describes: two documents that resemble no pivot and share only a
    /// large bucket.
    #[test]
    fn a_large_bucket_pairs_only_with_pivots() {
        let documents: Vec<u32> = (0..100).collect();
        let found = pairs(Buckets { full: 10, pivots: 1 }, &documents, &[0]);
        assert!(!found.contains(&(5, 6)));
        assert!(found.contains(&(0, 5)) && found.contains(&(0, 6)));
    }
}
