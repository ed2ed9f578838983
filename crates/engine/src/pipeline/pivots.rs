//! The documents with which all others of a large bucket are compared.

use lookalike_core::candidates::Buckets;

/// The pivots of a bucket that is too large to compare all pairs: its first document in keep order, and those with
/// the smallest digests. Both depend on the documents alone, not on their order, and the same documents under another
/// key have mostly the same pivots. `digests` holds every document of the bucket with its digest.
pub fn pivots<D: Copy + Ord>(limits: Buckets, best: D, digests: &mut [(u128, D)]) -> Vec<D> {
    // The first in keep order may be among the smallest, so one more of these is taken. Such buckets are
    // large, pivots are few.
    let few = limits.pivots.min(digests.len());
    if few < digests.len() {
        digests.select_nth_unstable(few);
    }
    let smallest = &mut digests[..few];
    smallest.sort_unstable();
    let others = smallest.iter().map(|&(_, document)| document).filter(|&document| document != best);
    std::iter::once(best).chain(others.take(limits.pivots.saturating_sub(1))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_comes_first_and_then_the_smallest_digests() {
        let limits = Buckets { full: 4, pivots: 3 };
        let digests = [50, 20, 90, 10, 70, 30].into_iter().zip(0u32..).collect::<Vec<(u128, u32)>>();
        assert_eq!(pivots(limits, 2, &mut digests.clone()), [2, 3, 1], "the best has a large digest");
        assert_eq!(pivots(limits, 3, &mut digests.clone()), [3, 1, 5], "the best has the smallest digest");
        let mut turned = digests.clone();
        turned.reverse();
        assert_eq!(pivots(limits, 2, &mut turned), [2, 3, 1], "whatever the order");
        assert_eq!(pivots(limits, 0, &mut digests[..2].to_vec()), [0, 1], "of few, all");
    }
}
