//! Which documents belong together, so that training and test share no near-duplicate and no text:
//! near-duplicates and documents with the same text are one group.

use lookalike_core::union_find::UnionFind;
use lookalike_learn::metrics::Truth;

/// The group of each document, by its first member.
pub fn groups(truth: &Truth, texts: &[u128]) -> Vec<u32> {
    let mut sets = UnionFind::new(texts.len());
    let mut same: Vec<(u128, u32)> = texts.iter().copied().zip(0..).collect();
    same.sort_unstable();
    for two in same.windows(2).filter(|two| two[0].0 == two[1].0) {
        sets.union(two[0].1, two[1].1);
    }
    match truth {
        Truth::Pairs { pairs, .. } => {
            pairs.iter().filter(|pair| pair.2).for_each(|&(a, b, _)| sets.union(a, b));
        }
        Truth::Clusters(clusters) => {
            let labelled = |(document, cluster): (u32, &Option<u32>)| Some(((*cluster)?, document));
            let mut members: Vec<(u32, u32)> = (0..).zip(clusters).filter_map(labelled).collect();
            members.sort_unstable();
            for two in members.windows(2).filter(|two| two[0].0 == two[1].0) {
                sets.union(two[0].1, two[1].1);
            }
        }
    }
    (0..texts.len() as u32).map(|document| sets.find(document)).collect()
}

#[cfg(test)]
mod tests {
    use lookalike_learn::metrics::Unlabelled;
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// A text has one group, near-duplicates are never in different groups, and nothing else is
        /// linked.
        #[test]
        fn groups_share_no_near_duplicate_and_no_text(
            pairs in proptest::collection::btree_map((0u32..30, 30u32..60), any::<bool>(), 1..40),
            texts in proptest::collection::vec(0u128..90, 60),
        ) {
            let pairs: Vec<(u32, u32, bool)> = pairs.into_iter().map(|((a, b), label)| (a, b, label)).collect();
            let truth = Truth::Pairs { pairs: pairs.clone(), rest: Unlabelled::LeftOut };
            let found = groups(&truth, &texts);
            // By brute force: everything reachable by steps of either kind.
            let tied = |a: usize, b: usize| {
                texts[a] == texts[b] || pairs.contains(&(a as u32, b as u32, true)) || pairs.contains(&(b as u32, a as u32, true))
            };
            for start in 0..60 {
                let (mut reached, mut todo) = (vec![false; 60], vec![start]);
                while let Some(at) = todo.pop() {
                    if !std::mem::replace(&mut reached[at], true) {
                        todo.extend((0..60).filter(|&next| tied(at, next)));
                    }
                }
                prop_assert!((0..60).all(|other| reached[other] == (found[start] == found[other])));
            }
        }
    }

    #[test]
    fn a_cluster_is_a_group_and_what_has_none_is_alone() {
        let truth = Truth::Clusters(vec![Some(4), None, Some(4), Some(7), None]);
        assert_eq!(groups(&truth, &[0, 1, 2, 3, 4]), [0, 1, 0, 3, 4]);
        assert_eq!(groups(&truth, &[0, 1, 2, 1, 4]), [0, 1, 0, 1, 4]);
    }
}
