//! Sizes of clusters, and how well two clusterings agree.

use serde::Serialize;

use super::pairs_among;

/// How large the found clusters are.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ClusterSizes {
    /// Sizes from small to large, each with the number of clusters that have it. Single documents are the
    /// clusters of size 1.
    pub histogram: Vec<(u64, u64)>,
    /// Clusters of two documents or more.
    pub clusters: u64,
    /// Their average size.
    pub average: Option<f64>,
    /// The average, over all documents, of the size of the cluster that a document is in.
    pub average_of_documents: Option<f64>,
    /// Documents in the largest.
    pub largest: u64,
}

impl ClusterSizes {
    /// Sizes of the clusters that documents are in.
    pub fn of(clusters: &[u32]) -> Self {
        let members = members(clusters);
        let mut sizes: Vec<u64> =
            members.chunk_by(|a, b| a.0 == b.0).map(|cluster| cluster.len() as u64).collect();
        sizes.sort_unstable();
        let histogram: Vec<(u64, u64)> =
            sizes.chunk_by(|a, b| a == b).map(|same| (same[0], same.len() as u64)).collect();
        let together = sizes.partition_point(|&size| size < 2);
        let ratio = |part: u128, whole: usize| (whole > 0).then(|| part as f64 / whole as f64);
        ClusterSizes {
            clusters: (sizes.len() - together) as u64,
            average: ratio(
                sizes[together..].iter().map(|&size| u128::from(size)).sum(),
                sizes.len() - together,
            ),
            average_of_documents: ratio(
                sizes.iter().map(|&size| u128::from(size) * u128::from(size)).sum(),
                clusters.len(),
            ),
            largest: sizes.last().copied().unwrap_or(0),
            histogram,
        }
    }
}

/// The adjusted Rand index of two clusterings of the same documents: 1 if they are equal, about 0 if they
/// agree by chance, less if they agree worse than that. None for fewer than two documents.
pub fn adjusted_rand_index(one: &[u32], other: &[u32]) -> Option<f64> {
    if one.len() != other.len() || one.len() < 2 {
        return None;
    }
    let pairs_of = |clusters: &mut Vec<(u32, u32)>| -> u64 {
        clusters.sort_unstable();
        clusters.chunk_by(|a, b| a == b).map(|same| pairs_among(same.len() as u64)).sum()
    };
    let alone = |clusters: &[u32]| pairs_of(&mut clusters.iter().map(|&cluster| (cluster, 0)).collect());
    let both = pairs_of(&mut one.iter().copied().zip(other.iter().copied()).collect()) as f64;
    let (one_pairs, other_pairs) = (alone(one) as f64, alone(other) as f64);
    let by_chance = one_pairs * other_pairs / pairs_among(one.len() as u64) as f64;
    let most = (one_pairs + other_pairs) / 2.0;
    // Both have only single documents, or one cluster each: equal.
    Some(if most == by_chance { 1.0 } else { (both - by_chance) / (most - by_chance) })
}

/// Each document with its cluster, sorted, so that the documents of a cluster are consecutive.
pub fn members(clusters: &[u32]) -> Vec<(u32, u32)> {
    let mut members: Vec<(u32, u32)> =
        clusters.iter().enumerate().map(|(document, &cluster)| (cluster, document as u32)).collect();
    members.sort_unstable();
    members
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The example of Yeung and Ruzzo (2001): ten objects with the contingencies 1 1 0 / 1 2 1 / 0 0 4.
    #[test]
    fn a_worked_example() {
        let one = [0, 0, 1, 1, 1, 1, 2, 2, 2, 2];
        let other = [0, 1, 0, 1, 1, 2, 2, 2, 2, 2];
        let expected = (7.0 - 13.0 * 14.0 / 45.0) / (13.5 - 13.0 * 14.0 / 45.0);
        assert!((adjusted_rand_index(&one, &other).unwrap() - expected).abs() < 1e-12);
        assert!((expected - 0.313).abs() < 5e-4);
    }

    #[test]
    fn about_nothing_by_chance() {
        let mut random = crate::random::Random::new(1, 0);
        let mut draw = || (0..20_000).map(|_| random.below(30) as u32).collect::<Vec<_>>();
        let index = adjusted_rand_index(&draw(), &draw()).unwrap();
        assert!(index.abs() < 0.002, "{index}");
    }

    #[test]
    fn equal_whatever_the_numbers() {
        assert_eq!(adjusted_rand_index(&[0, 1, 2], &[9, 8, 7]), Some(1.0));
        assert_eq!(adjusted_rand_index(&[4, 4, 4], &[1, 1, 1]), Some(1.0));
        assert_eq!(adjusted_rand_index(&[4, 4, 4], &[1, 2, 3]), Some(0.0));
        assert_eq!(adjusted_rand_index(&[4], &[1]), None);
    }

    proptest! {
        #[test]
        fn symmetric_and_one_for_itself(pairs in prop::collection::vec((0u32..5, 0u32..5), 2..40)) {
            let (one, other): (Vec<u32>, Vec<u32>) = pairs.into_iter().unzip();
            prop_assert_eq!(adjusted_rand_index(&one, &other), adjusted_rand_index(&other, &one));
            prop_assert_eq!(adjusted_rand_index(&one, &one), Some(1.0));
            prop_assert!(adjusted_rand_index(&one, &other).unwrap() <= 1.0);
        }
    }

    #[test]
    fn sizes() {
        let sizes = ClusterSizes::of(&[5, 5, 2, 7, 7, 7, 9]);
        assert_eq!(sizes.histogram, [(1, 2), (2, 1), (3, 1)]);
        assert_eq!((sizes.clusters, sizes.largest, sizes.average), (2, 3, Some(2.5)));
        assert_eq!(sizes.average_of_documents, Some((1.0 + 1.0 + 4.0 + 9.0) / 7.0));
        assert_eq!(ClusterSizes::of(&[]), ClusterSizes::default());
    }
}
