//! Parts of the examples that share no group.

use crate::Examples;
use crate::random::Random;
use lookalike_core::{Error, Result};
use std::collections::BTreeMap;

/// Parts of the examples. Groups are never split; a row may be between two of them, and then belongs to
/// both their folds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Folds {
    /// The folds of each row's two groups.
    pub of: Vec<[usize; 2]>,
    pub count: usize,
}

impl Folds {
    /// The rows within these two folds or between them; and those outside of both, which may be used to
    /// train what is tested on the former. Passing the same fold twice selects the rows within it. Over all
    /// pairs of folds, every row is tested once.
    pub fn parted(&self, one: usize, other: usize) -> (Vec<usize>, Vec<usize>) {
        let places = 0..self.of.len();
        let is_tested = |of: [usize; 2]| of == [one, other] || of == [other, one];
        let test = places.clone().filter(|&place| is_tested(self.of[place])).collect();
        let taught = |of: [usize; 2]| !of.contains(&one) && !of.contains(&other);
        (test, places.filter(|&place| taught(self.of[place])).collect())
    }

    /// The rows with a document in a fold, and the others.
    pub fn touching(&self, fold: usize) -> (Vec<usize>, Vec<usize>) {
        (0..self.of.len()).partition(|&place| self.of[place].contains(&fold))
    }

    /// Whether every fold leaves examples of the class to learn from.
    pub fn spreads(&self, labels: &[bool], class: bool) -> bool {
        let rows = || (0..labels.len()).filter(|&row| labels[row] == class);
        (0..self.count).all(|fold| rows().any(|row| !self.of[row].contains(&fold)))
    }
}

/// Folds from 0 to `folds` - 1. Near-duplicates, and then the others, are spread as evenly as groups allow;
/// the seed decides which group goes where.
pub fn grouped_folds(examples: &Examples, folds: usize, seed: u64) -> Result<Folds> {
    let groups = tally(examples);
    if folds < 2 {
        return Err(Error::config(format!(
            "{folds} folds cannot be tested against each other; use at least 2"
        )));
    }
    if groups.len() < folds {
        return Err(Error::input(format!(
            "{folds} folds need at least as many groups of examples, and there are {}; use fewer folds or label pairs \
             of more documents",
            groups.len()
        )));
    }
    let mut random = Random::new(seed, 0x666f_6c64);
    let mut order: Vec<(u32, usize, usize, u64)> = groups
        .into_iter()
        .map(|(group, (positives, negatives))| (group, positives, negatives, random.next()))
        .collect();
    // The largest first: the small ones then even out the differences.
    order.sort_by_key(|&(_, positives, negatives, lot)| (std::cmp::Reverse((positives, negatives)), lot));
    let mut filled = vec![(0usize, 0usize); folds];
    let mut fold_of = BTreeMap::new();
    for (group, positives, negatives, _) in order {
        let emptiest = (0..folds).min_by_key(|&fold| {
            let (p, n) = filled[fold];
            if positives > 0 { (p, n) } else { (n, p) }
        });
        let fold = emptiest.unwrap_or(0);
        filled[fold].0 += positives;
        filled[fold].1 += negatives;
        fold_of.insert(group, fold);
    }
    let of = examples.groups.iter().map(|groups| groups.map(|group| fold_of[&group])).collect();
    Ok(Folds { of, count: folds })
}

/// The numbers of groups with near-duplicates and of groups with other pairs.
pub fn groups_of_each_class(examples: &Examples) -> (usize, usize) {
    let groups = tally(examples);
    let with = |has: fn(&(usize, usize)) -> bool| groups.values().filter(|group| has(group)).count();
    (with(|group| group.0 > 0), with(|group| group.1 > 0))
}

/// Near-duplicates and others in each group.
fn tally(examples: &Examples) -> BTreeMap<u32, (usize, usize)> {
    let mut groups: BTreeMap<u32, (usize, usize)> = BTreeMap::new();
    for (&[one, other], &label) in examples.groups.iter().zip(&examples.labels) {
        groups.entry(other).or_default();
        let (positives, negatives) = groups.entry(one).or_default();
        *(if label { positives } else { negatives }) += 1;
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn groups_are_never_parted(
            rows in prop::collection::vec((any::<bool>(), 0..30u32), 1..200), folds in 2..7usize, seed in any::<u64>(),
        ) {
            let mut examples = Examples::new(1);
            rows.iter().for_each(|&(label, group)| examples.push(&[0.0], label, group));
            let groups: std::collections::BTreeSet<[u32; 2]> = examples.groups.iter().copied().collect();
            let Ok(parts) = grouped_folds(&examples, folds, seed) else {
                prop_assert!(groups.len() < folds);
                return Ok(());
            };
            for a in 0..rows.len() {
                for b in 0..a {
                    prop_assert!(rows[a].1 != rows[b].1 || parts.of[a] == parts.of[b]);
                }
            }
            prop_assert!((0..rows.len()).all(|row| parts.of[row][0] == parts.of[row][1] && parts.of[row][0] < folds));
        }

        /// No group of a tested row occurs in its training data, and every row is tested once.
        #[test]
        fn what_is_tested_was_never_taught(
            rows in prop::collection::vec((any::<bool>(), 0..20u32, 0..20u32), 30..150), seed in any::<u64>(),
        ) {
            let mut examples = Examples::new(1);
            rows.iter().for_each(|&(label, one, other)| examples.push_between(&[0.0], label, [one, other]));
            let parts = grouped_folds(&examples, 4, seed).unwrap();
            let mut tested = vec![0; rows.len()];
            for one in 0..4 {
                for other in one..4 {
                    let (test, training) = parts.parted(one, other);
                    for &row in &test {
                        tested[row] += 1;
                        let groups = examples.groups[row];
                        prop_assert!(training.iter().all(|&other| examples.groups[other].iter().all(|group| !groups.contains(group))));
                    }
                }
            }
            prop_assert!(tested.iter().all(|&times| times == 1));
        }

        #[test]
        fn single_rows_are_spread_evenly(labels in prop::collection::vec(any::<bool>(), 20..100), seed in any::<u64>()) {
            let mut examples = Examples::new(1);
            labels.iter().zip(0..).for_each(|(&label, group)| examples.push(&[0.0], label, group));
            let parts = grouped_folds(&examples, 5, seed).unwrap();
            for class in [true, false] {
                let mut counts = [0usize; 5];
                let of_class = (0..labels.len()).filter(|&row| labels[row] == class);
                of_class.for_each(|row| counts[parts.of[row][0]] += 1);
                prop_assert!(counts.iter().max().unwrap() - counts.iter().min().unwrap() <= 1, "{:?}", counts);
            }
        }
    }

    #[test]
    fn the_seed_decides() {
        let mut examples = Examples::new(1);
        (0..60).for_each(|group| examples.push(&[0.0], group % 3 == 0, group));
        let folds = |seed| grouped_folds(&examples, 5, seed).unwrap();
        assert_eq!(folds(4), folds(4));
        assert_ne!(folds(4), folds(5));
    }
}
