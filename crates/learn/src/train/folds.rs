//! Parts of the examples that share no group.

use crate::Examples;
use crate::random::Random;
use lookalike_core::{Error, Result};
use std::collections::BTreeMap;

/// Parts of the examples. Groups are never parted: a row between two groups is tested where both are, and
/// taught wherever neither is tested.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Folds {
    /// The folds of each row's two groups.
    of: Vec<[usize; 2]>,
    pub count: usize,
}

impl Folds {
    /// The fold that tests the row, if any does.
    pub fn tested_in(&self, row: usize) -> Option<usize> {
        let [one, other] = self.of[row];
        (one == other).then_some(one)
    }

    /// The places tested in a fold, and those that teach what is tested there.
    pub fn parted(&self, fold: usize) -> (Vec<usize>, Vec<usize>) {
        let places = 0..self.of.len();
        let test = places.clone().filter(|&place| self.tested_in(place) == Some(fold)).collect();
        (test, places.filter(|&place| !self.of[place].contains(&fold)).collect())
    }

    /// Whether every fold leaves examples of the class to learn from, and some fold tests one.
    pub fn spreads(&self, labels: &[bool], class: bool) -> bool {
        let rows = || (0..labels.len()).filter(|&row| labels[row] == class);
        let taught = |fold: usize| rows().any(|row| !self.of[row].contains(&fold));
        (0..self.count).all(taught) && rows().any(|row| self.tested_in(row).is_some())
    }
}

/// Folds from 0 to `folds` - 1. Near-duplicates, and then the others, are spread as evenly as groups allow;
/// which group goes where is drawn by the seed.
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
    // The largest first: the small ones then level out what the large ones left uneven.
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
                    prop_assert!(rows[a].1 != rows[b].1 || parts.tested_in(a) == parts.tested_in(b));
                }
            }
            prop_assert!((0..rows.len()).all(|row| parts.tested_in(row).is_some_and(|fold| fold < folds)));
        }

        /// No group of a tested row occurs in what teaches it, and no row is tested twice.
        #[test]
        fn what_is_tested_was_never_taught(
            rows in prop::collection::vec((any::<bool>(), 0..20u32, 0..20u32), 30..150), seed in any::<u64>(),
        ) {
            let mut examples = Examples::new(1);
            rows.iter().for_each(|&(label, one, other)| examples.push_between(&[0.0], label, [one, other]));
            let parts = grouped_folds(&examples, 3, seed).unwrap();
            let mut tested = 0;
            for fold in 0..3 {
                let (test, training) = parts.parted(fold);
                tested += test.len();
                for &row in &test {
                    let groups = examples.groups[row];
                    prop_assert!(training.iter().all(|&other| examples.groups[other].iter().all(|group| !groups.contains(group))));
                }
            }
            prop_assert_eq!(tested, (0..rows.len()).filter(|&row| parts.tested_in(row).is_some()).count());
        }

        #[test]
        fn single_rows_are_spread_evenly(labels in prop::collection::vec(any::<bool>(), 20..100), seed in any::<u64>()) {
            let mut examples = Examples::new(1);
            labels.iter().zip(0..).for_each(|(&label, group)| examples.push(&[0.0], label, group));
            let parts = grouped_folds(&examples, 5, seed).unwrap();
            for class in [true, false] {
                let mut counts = [0usize; 5];
                let of_class = (0..labels.len()).filter(|&row| labels[row] == class);
                of_class.filter_map(|row| parts.tested_in(row)).for_each(|fold| counts[fold] += 1);
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
