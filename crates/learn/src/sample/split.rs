//! Training and test that share nothing.
//!
//! A classifier that has seen a text, or a pair that shares a document with a test pair, is tested on what it
//! knows. So what belongs together stays together: documents with the same text, and documents that a
//! labelled pair connects.

use lookalike_core::union_find::UnionFind;
use lookalike_core::{Error, Result};

use crate::random::Random;

/// The group of each document, named by its smallest member. `same_text` has a digest of each document's text.
pub fn groups(documents: u32, pairs: &[(u32, u32)], same_text: &[u128]) -> Result<Vec<u32>> {
    if same_text.len() != documents as usize {
        return Err(Error::input(format!(
            "digests are given for {} documents, but there are {documents}",
            same_text.len()
        )));
    }
    let mut sets = UnionFind::new(documents as usize);
    for &(a, b) in pairs {
        if a >= documents || b >= documents {
            return Err(Error::input(format!("the pair {a}, {b} is not one of {documents} documents")));
        }
        sets.union(a, b);
    }
    let mut by_text: Vec<u32> = (0..documents).collect();
    by_text.sort_unstable_by_key(|&document| (same_text[document as usize], document));
    for two in by_text.windows(2).filter(|two| same_text[two[0] as usize] == same_text[two[1] as usize]) {
        sets.union(two[0], two[1]);
    }
    Ok((0..documents).map(|document| sets.find(document)).collect())
}

/// Places of the rows for training and for test, both in order. Whole groups are held out, in an order drawn by
/// lot, while they bring the test nearer to its share of both labels; so both sides have about the same share
/// of near-duplicates, as far as the groups allow.
pub fn hold_out(groups: &[u32], labels: &[bool], share: f64, seed: u64) -> Result<(Vec<usize>, Vec<usize>)> {
    if groups.len() != labels.len() {
        return Err(Error::Internal(format!("{} groups for {} labels", groups.len(), labels.len())));
    }
    if !(share > 0.0 && share < 1.0) {
        return Err(Error::config(format!("the share to hold out is {share}; give one above 0 and below 1")));
    }
    let mut rows: Vec<(u32, usize)> = groups.iter().copied().zip(0..).collect();
    rows.sort_unstable();
    let mut blocks: Vec<&[(u32, usize)]> = rows.chunk_by(|a, b| a.0 == b.0).collect();
    if blocks.len() < 2 {
        return Err(Error::input(
            "all labelled pairs hang together, so none can be held out; label pairs of other documents",
        ));
    }
    let mut random = Random::new(seed);
    for place in (1..blocks.len()).rev() {
        blocks.swap(place, random.below(place + 1));
    }
    let positives = labels.iter().filter(|&&label| label).count() as f64;
    let wanted = [positives * share, (labels.len() as f64 - positives) * share];
    let mut held = [0.0; 2];
    let mut test = Vec::new();
    let (mut left, last) = (blocks.len(), blocks.len() - 1);
    for (turn, block) in blocks.into_iter().enumerate() {
        let positive = block.iter().filter(|row| labels[row.1]).count() as f64;
        let after = [held[0] + positive, held[1] + block.len() as f64 - positive];
        let is_nearer = distance(after, wanted) < distance(held, wanted);
        // Neither side may stay empty.
        let is_needed = test.is_empty() && turn == last;
        if (is_nearer && left > 1) || is_needed {
            test.extend(block.iter().map(|row| row.1));
            held = after;
            left -= 1;
        }
    }
    test.sort_unstable();
    let mut is_test = vec![false; labels.len()];
    test.iter().for_each(|&place| is_test[place] = true);
    Ok(((0..labels.len()).filter(|&place| !is_test[place]).collect(), test))
}

/// How far counts of both labels are from what is wanted, each relative to it.
fn distance(held: [f64; 2], wanted: [f64; 2]) -> f64 {
    held.iter()
        .zip(wanted)
        .map(|(held, wanted)| (held - wanted).abs() / wanted.max(1e-9))
        .filter(|far| far.is_finite())
        .sum()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn texts_and_pairs_connect() {
        // 0-1 by a pair, 1 and 4 by their text, 2 and 3 by their text, 5 alone.
        let got = groups(6, &[(0, 1)], &[1, 2, 3, 3, 2, 4]).unwrap();
        assert_eq!(got, [0, 0, 2, 2, 0, 5]);
        assert!(groups(2, &[(0, 2)], &[1, 2]).is_err() && groups(2, &[], &[1]).is_err());
    }

    proptest! {
        #[test]
        fn no_group_is_on_both_sides(rows in prop::collection::vec((0u32..12, any::<bool>()), 2..80), seed in 0u64..50) {
            let (groups, labels): (Vec<u32>, Vec<bool>) = rows.into_iter().unzip();
            let result = hold_out(&groups, &labels, 0.3, seed);
            let Ok((train, test)) = result else {
                prop_assert!(groups.iter().all(|group| *group == groups[0]));
                return Ok(());
            };
            prop_assert!(!train.is_empty() && !test.is_empty());
            prop_assert!(test.iter().all(|&one| train.iter().all(|&other| groups[one] != groups[other])));
            let mut all: Vec<usize> = train.into_iter().chain(test).collect();
            all.sort_unstable();
            prop_assert_eq!(all, (0..labels.len()).collect::<Vec<_>>());
        }
    }

    #[test]
    fn both_labels_have_their_share() {
        let groups: Vec<u32> = (0..1000).map(|row| row / 4).collect();
        let labels: Vec<bool> = (0..1000).map(|row| row % 40 < 4).collect();
        let (train, test) = hold_out(&groups, &labels, 0.25, 9).unwrap();
        let positives = test.iter().filter(|&&row| labels[row]).count();
        assert!(
            (240..=260).contains(&test.len()) && (22..=28).contains(&positives),
            "{} {positives}",
            test.len()
        );
        assert_eq!(hold_out(&groups, &labels, 0.25, 9).unwrap(), (train, test));
        assert_ne!(
            hold_out(&groups, &labels, 0.25, 9).unwrap(),
            hold_out(&groups, &labels, 0.25, 10).unwrap()
        );
        for share in [0.0, 1.0, f64::NAN] {
            assert!(hold_out(&groups, &labels, share, 9).is_err());
        }
    }
}
