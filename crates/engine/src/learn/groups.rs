//! Which pairs belong together, so that training and test share no document and no text.
//!
//! Near-duplicates and documents with the same text must stay together. Pairs of different documents
//! should, too, since each of their documents may occur in other pairs; but in a collection where
//! everything resembles something they would tie all into one group. So they tie groups only up to a
//! size, and those that would go beyond are left out of the test and said to be.

use lookalike_core::hash::{combine, mix};
use lookalike_core::union_find::UnionFind;

use super::pairs::Labelled;

/// The largest group that pairs of different documents may tie, as a share of all pairs.
const LARGEST: f64 = 0.05;

/// Pairs that a cluster's group may have for each of its near-duplicates.
const NEGATIVES: usize = 4;

pub struct Groups {
    /// The pairs that stay.
    pub pairs: Vec<Labelled>,
    /// The group of each.
    pub groups: Vec<u32>,
    /// Pairs of different documents that lie between groups.
    pub between: usize,
}

pub fn group(pairs: &[Labelled], texts: &[u128], seed: u64) -> Groups {
    let mut sets = UnionFind::new(texts.len());
    let mut same: Vec<(u128, u32)> = texts.iter().copied().zip(0..).collect();
    same.sort_unstable();
    for two in same.windows(2).filter(|two| two[0].0 == two[1].0) {
        sets.union(two[0].1, two[1].1);
    }
    for &(a, b, _) in pairs.iter().filter(|pair| pair.2) {
        sets.union(a, b);
    }
    let mut sizes = vec![0usize; texts.len()];
    for &(a, _, _) in pairs.iter().filter(|pair| pair.2) {
        sizes[sets.find(a) as usize] += 1;
    }
    // A large cluster needs its own negatives, whatever the limit.
    let mut near_duplicates = sizes.clone();
    let limit = (pairs.len() as f64 * LARGEST).ceil() as usize;
    let mut negatives: Vec<&Labelled> = pairs.iter().filter(|pair| !pair.2).collect();
    negatives.sort_by_cached_key(|&&(a, b, _)| mix(combine(mix(seed), u64::from(a) << 32 | u64::from(b))));
    for &&(a, b, _) in &negatives {
        let (x, y) = (sets.find(a) as usize, sets.find(b) as usize);
        let size = sizes[x] + 1 + if x == y { 0 } else { sizes[y] };
        let alone = sizes[x].min(sizes[y]) == 0;
        let most = if alone { limit.max(NEGATIVES * near_duplicates[x].max(near_duplicates[y])) } else { limit };
        if x == y || size <= most {
            let duplicates = near_duplicates[x].max(near_duplicates[y]);
            sets.union(a, b);
            let root = sets.find(a) as usize;
            (sizes[root], near_duplicates[root]) = (size, duplicates);
        }
    }
    let mut kept = Groups { pairs: Vec::new(), groups: Vec::new(), between: 0 };
    for &(a, b, duplicate) in pairs {
        let group = sets.find(a);
        if group == sets.find(b) {
            kept.pairs.push((a, b, duplicate));
            kept.groups.push(group);
        } else {
            kept.between += 1;
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// No document and no text is in two groups, whatever the pairs are.
        #[test]
        fn groups_share_no_document_and_no_text(
            pairs in proptest::collection::btree_map((0u32..30, 30u32..60), any::<bool>(), 1..80),
            texts in proptest::collection::vec(0u128..50, 60),
        ) {
            let pairs: Vec<Labelled> = pairs.into_iter().map(|((a, b), label)| (a, b, label)).collect();
            let grouped = group(&pairs, &texts, 7);
            let mut seen: BTreeMap<u128, BTreeSet<u32>> = BTreeMap::new();
            let mut documents: BTreeMap<u32, BTreeSet<u32>> = BTreeMap::new();
            for (&(a, b, _), &group) in grouped.pairs.iter().zip(&grouped.groups) {
                for document in [a, b] {
                    seen.entry(texts[document as usize]).or_default().insert(group);
                    documents.entry(document).or_default().insert(group);
                }
            }
            prop_assert!(seen.values().chain(documents.values()).all(|groups| groups.len() == 1));
            let positives = |pairs: &[Labelled]| pairs.iter().filter(|pair| pair.2).count();
            prop_assert_eq!(positives(&grouped.pairs), positives(&pairs), "no near-duplicate is left out");
            prop_assert_eq!(grouped.pairs.len() + grouped.between, pairs.len());
        }
    }

    /// One source and its copies and non-copies, five times over: nothing may be lost.
    #[test]
    fn a_cluster_keeps_its_own_negatives() {
        let mut pairs = Vec::new();
        for source in 0..5 {
            pairs.extend((1..20).map(|copy| (source * 20, source * 20 + copy, copy < 12)));
        }
        let texts: Vec<u128> = (0..100).collect();
        let grouped = group(&pairs, &texts, 1);
        let groups: BTreeSet<u32> = grouped.groups.iter().copied().collect();
        assert_eq!((groups.len(), grouped.between), (5, 0));
    }

    #[test]
    fn negatives_tie_groups_only_up_to_a_size() {
        // A ring of 100 documents, each different from the next.
        let pairs: Vec<Labelled> = (0..100).map(|a| (a, (a + 1) % 100)).map(|(a, b)| (a.min(b), a.max(b), false)).collect();
        let texts: Vec<u128> = (0..100).collect();
        let grouped = group(&pairs, &texts, 1);
        let groups: BTreeSet<u32> = grouped.groups.iter().copied().collect();
        assert!(groups.len() >= 15, "{} groups", groups.len());
        assert!(grouped.between > 0 && grouped.between < 60, "{}", grouped.between);
    }
}
