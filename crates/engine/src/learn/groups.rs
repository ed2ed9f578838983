//! Which documents belong together, so that training and test share no near-duplicate and no text.
//!
//! Near-duplicates and documents with the same text are one group. A document that has neither, but
//! is compared with one that has, joins its group: otherwise an answer that copied nothing would be
//! parted from the source it was held against. A pair between two groups is tested only where both
//! are, and taught only where neither is.

use lookalike_core::hash::{combine, mix};
use lookalike_core::union_find::UnionFind;

use super::pairs::Labelled;

/// The groups of each pair's two documents.
pub fn groups(pairs: &[Labelled], texts: &[u128], seed: u64) -> Vec<[u32; 2]> {
    let mut sets = UnionFind::new(texts.len());
    let mut has_company = vec![false; texts.len()];
    let mut same: Vec<(u128, u32)> = texts.iter().copied().zip(0..).collect();
    same.sort_unstable();
    let copies = same.windows(2).filter(|two| two[0].0 == two[1].0).map(|two| (two[0].1, two[1].1));
    let near_duplicates = pairs.iter().filter(|pair| pair.2).map(|&(a, b, _)| (a, b));
    for (a, b) in copies.chain(near_duplicates) {
        sets.union(a, b);
        (has_company[a as usize], has_company[b as usize]) = (true, true);
    }
    let mut others: Vec<&Labelled> = pairs.iter().filter(|pair| !pair.2).collect();
    others.sort_by_cached_key(|&&(a, b, _)| mix(combine(mix(seed), u64::from(a) << 32 | u64::from(b))));
    let mut has_joined = vec![false; texts.len()];
    for &&(a, b, _) in &others {
        for (alone, other) in [(a, b), (b, a)] {
            if !has_company[alone as usize] && has_company[other as usize] && !has_joined[alone as usize] {
                sets.union(alone, other);
                has_joined[alone as usize] = true;
            }
        }
    }
    pairs.iter().map(|&(a, b, _)| [sets.find(a), sets.find(b)]).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// A document has one group, and so has a text; near-duplicates are never between groups.
        #[test]
        fn groups_share_no_document_and_no_text(
            pairs in proptest::collection::btree_map((0u32..30, 30u32..60), any::<bool>(), 1..80),
            texts in proptest::collection::vec(0u128..50, 60),
        ) {
            let pairs: Vec<Labelled> = pairs.into_iter().map(|((a, b), label)| (a, b, label)).collect();
            let found = groups(&pairs, &texts, 7);
            let mut of_text: BTreeMap<u128, BTreeSet<u32>> = BTreeMap::new();
            for (&(a, b, label), &[x, y]) in pairs.iter().zip(&found) {
                of_text.entry(texts[a as usize]).or_default().insert(x);
                of_text.entry(texts[b as usize]).or_default().insert(y);
                prop_assert!(!label || x == y);
            }
            prop_assert!(of_text.values().all(|groups| groups.len() == 1));
        }
    }

    /// One source with its copies and non-copies, five times over: five groups, nothing between them.
    #[test]
    fn what_is_held_against_a_source_stays_with_it() {
        let mut pairs = Vec::new();
        for source in 0..5 {
            pairs.extend((1..20).map(|copy| (source * 20, source * 20 + copy, copy < 12)));
        }
        let texts: Vec<u128> = (0..100).collect();
        let found = groups(&pairs, &texts, 1);
        assert!(found.iter().all(|[x, y]| x == y));
        assert_eq!(found.iter().collect::<BTreeSet<_>>().len(), 5);
    }
}
