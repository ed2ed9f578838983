//! What to expect of a run, by verdicts on pairs of unseen documents: precision, recall and F1 with intervals.
//!
//! The pairs are those that a run sees, or some of them that stand for all; true pairs that no
//! candidate search proposes count as missed. The evidence is groups of documents, as everywhere (see
//! [`crate::interval`]): groups that a wrong verdict links count as one.

use lookalike_core::union_find::UnionFind;

use crate::interval::{Share, difference, difference_and_error, grouped};
use crate::{Confusion, Interval};

/// A pair that is judged.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JudgedPair {
    /// The groups of its two documents.
    pub groups: [u32; 2],
    /// Whether it is a near-duplicate.
    pub is_true: bool,
    /// For how many pairs it stands.
    pub weight: f64,
}

/// The judged pairs, and the true pairs that a run never sees.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct JudgedPairs {
    /// The pairs that a run sees.
    pub pairs: Vec<JudgedPair>,
    /// By group, the true pairs that no candidate search proposes.
    pub missed: Vec<f64>,
}

/// What to expect of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Forecast {
    /// Expected numbers of pairs.
    pub counts: Confusion,
    /// The share of what is found that is true.
    pub precision: Option<Interval>,
    /// The share of what is true that is found.
    pub recall: Option<Interval>,
    /// Their harmonic mean.
    pub f1: Option<Interval>,
}

/// Judged pairs of linked groups.
#[derive(Clone, Copy, Default)]
struct Unit {
    right: f64,
    found: f64,
    truly: f64,
}

impl Unit {
    fn f1(&self) -> Share {
        Share { part: 2.0 * self.right, whole: self.found + self.truly }
    }
}

impl JudgedPairs {
    /// The figures for a verdict on each pair.
    pub fn forecast(&self, found: &[bool], resamples: u32, seed: u64) -> Forecast {
        let units = self.units(&self.linked(&[found]), found);
        let interval = |share: fn(&Unit) -> Share| {
            let shares: Vec<Share> = units.iter().map(share).collect();
            grouped(&shares, resamples, seed)
        };
        Forecast {
            counts: self.counts(found),
            precision: interval(|unit| Share { part: unit.right, whole: unit.found }),
            recall: interval(|unit| Share { part: unit.right, whole: unit.truly }),
            f1: interval(Unit::f1),
        }
    }

    /// By how much the F1 of one verdict on each pair exceeds that of another.
    pub fn gain(&self, ours: &[bool], theirs: &[bool], resamples: u32, seed: u64) -> Option<Interval> {
        difference(&self.both_f1(ours, theirs), resamples, seed)
    }

    /// The same with its standard error, for a choice.
    pub(crate) fn gain_and_error(
        &self,
        ours: &[bool],
        theirs: &[bool],
        resamples: u32,
        seed: u64,
    ) -> Option<(f64, f64)> {
        difference_and_error(&self.both_f1(ours, theirs), resamples, seed)
    }

    /// What each unit adds to the F1 of two verdicts.
    fn both_f1(&self, ours: &[bool], theirs: &[bool]) -> Vec<[Share; 2]> {
        let unit_of = self.linked(&[ours, theirs]);
        let [ours, theirs] = [ours, theirs].map(|found| self.units(&unit_of, found));
        ours.iter().zip(&theirs).map(|(x, y)| [x.f1(), y.f1()]).collect()
    }

    /// The expected numbers of pairs for a verdict on each pair.
    pub(crate) fn counts(&self, found: &[bool]) -> Confusion {
        let mut tally = Confusion { false_negatives: self.missed.iter().sum(), ..Confusion::default() };
        self.pairs.iter().zip(found).for_each(|(pair, &found)| tally.add(found, pair.is_true, pair.weight));
        tally
    }

    /// For each group the first of the groups to which any of the verdicts links it.
    fn linked(&self, verdicts: &[&[bool]]) -> Vec<u32> {
        let mut sets = UnionFind::new(self.missed.len());
        for found in verdicts {
            let linking = self.pairs.iter().zip(*found).filter(|(pair, found)| **found || pair.is_true);
            linking.for_each(|(pair, _)| sets.union(pair.groups[0], pair.groups[1]));
        }
        (0..self.missed.len() as u32).map(|group| sets.find(group)).collect()
    }

    fn units(&self, unit_of: &[u32], found: &[bool]) -> Vec<Unit> {
        let mut units = vec![Unit::default(); unit_of.len()];
        for (&missed, &unit) in self.missed.iter().zip(unit_of) {
            units[unit as usize].truly += missed;
        }
        for (pair, &found) in self.pairs.iter().zip(found) {
            if !found && !pair.is_true {
                continue;
            }
            let unit = &mut units[unit_of[pair.groups[0] as usize] as usize];
            unit.right += if found && pair.is_true { pair.weight } else { 0.0 };
            unit.found += if found { pair.weight } else { 0.0 };
            unit.truly += if pair.is_true { pair.weight } else { 0.0 };
        }
        units
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::metrics::{FoundPairs, MetricOptions, Truth, judge};
    use crate::random::Random;

    /// Clusters of up to four documents, random candidates, random verdicts: what a run sees, what it
    /// finds, and the same as `evaluate` would see it.
    fn collection(seed: u64) -> (JudgedPairs, Vec<bool>, FoundPairs, Truth) {
        let mut random = Random::new(seed, 0);
        let cluster_of: Vec<u32> =
            (0..60u32).map(|document| document - document % (1 + document % 4)).collect();
        let mut first = std::collections::BTreeMap::new();
        let groups: Vec<u32> = (0..60u32)
            .map(|document| *first.entry(cluster_of[document as usize]).or_insert(document))
            .collect();
        let mut met = JudgedPairs { pairs: Vec::new(), missed: vec![0.0; 60] };
        let (mut verdicts, mut found) = (Vec::new(), Vec::new());
        for a in 0..60u32 {
            for b in a + 1..60 {
                let is_true = cluster_of[a as usize] == cluster_of[b as usize];
                if random.unit() > if is_true { 0.8 } else { 0.03 } {
                    met.missed[groups[a as usize] as usize] += f64::from(u8::from(is_true));
                    continue;
                }
                let accepted = random.unit() < if is_true { 0.8 } else { 0.2 };
                met.pairs.push(JudgedPair {
                    groups: [groups[a as usize], groups[b as usize]],
                    is_true,
                    weight: 1.0,
                });
                verdicts.push(accepted);
                if accepted {
                    found.push((a, b));
                }
            }
        }
        let found = FoundPairs { pairs: found, similarities: Vec::new(), clusters: (0..60).collect() };
        (met, verdicts, found, Truth::Clusters(cluster_of.into_iter().map(Some).collect()))
    }

    proptest! {
        /// The forecast equals what `evaluate` reports for a run with these verdicts, to the last bit.
        #[test]
        fn a_promise_is_what_evaluate_says(seed in 0u64..500) {
            let (met, verdicts, found, truth) = collection(seed);
            let forecast = met.forecast(&verdicts, 200, 3);
            let options = MetricOptions { resamples: 200, seed: 3, ..MetricOptions::default() };
            let judged = judge(60, &found, &truth, &options).unwrap();
            prop_assert_eq!(forecast.precision, judged.precision);
            prop_assert_eq!(forecast.recall, judged.recall);
            prop_assert_eq!(forecast.f1, judged.f1);
            prop_assert_eq!(forecast.counts.false_negatives as u64, judged.counts.false_negatives);
        }
    }

    /// A fifth of the different pairs is drawn and stands for all: on average the forecast is the
    /// same.
    #[test]
    fn pairs_that_were_drawn_stand_for_all() {
        let (met, verdicts, ..) = collection(1);
        let all = met.forecast(&verdicts, 0, 1).f1.unwrap().value;
        let mut sum = 0.0;
        for seed in 0..400 {
            let mut random = Random::new(seed, 1);
            let (mut drawn, mut found) =
                (JudgedPairs { pairs: Vec::new(), missed: met.missed.clone() }, Vec::new());
            for (pair, &verdict) in met.pairs.iter().zip(&verdicts) {
                let weight = if pair.is_true { 1.0 } else { 5.0 };
                if random.unit() * weight < 1.0 {
                    drawn.pairs.push(JudgedPair { weight, ..*pair });
                    found.push(verdict);
                }
            }
            sum += drawn.forecast(&found, 0, 1).f1.unwrap().value;
        }
        assert!((sum / 400.0 - all).abs() < 0.01, "{} {all}", sum / 400.0);
    }

    /// Collections side by side.
    fn collections(seeds: std::ops::Range<u64>) -> (JudgedPairs, Vec<bool>) {
        let (mut all, mut verdicts) = (JudgedPairs { pairs: Vec::new(), missed: Vec::new() }, Vec::new());
        for seed in seeds {
            let (met, found, ..) = collection(seed);
            let before = all.missed.len() as u32;
            all.pairs.extend(met.pairs.into_iter().map(|pair| {
                let groups = pair.groups.map(|group| before + group);
                JudgedPair { groups, ..pair }
            }));
            all.missed.extend(met.missed);
            verdicts.extend(found);
        }
        (all, verdicts)
    }

    /// One collection has only a few groups that differ, which is too few to be certain; ten have enough.
    #[test]
    fn the_better_verdict_gains() {
        let (met, verdicts) = collections(2..12);
        let better: Vec<bool> = verdicts
            .iter()
            .zip(&met.pairs)
            .map(|(found, pair)| if pair.is_true { true } else { *found })
            .collect();
        let gain = met.gain(&better, &verdicts, 300, 1).unwrap();
        let value = |found: &[bool]| met.forecast(found, 0, 1).f1.unwrap().value;
        assert!(
            (gain.value - (value(&better) - value(&verdicts))).abs() < 1e-12 && gain.low > 0.0,
            "{gain:?}"
        );
        assert_eq!(met.gain(&verdicts, &verdicts, 300, 1).unwrap().high, 0.0);
    }
}
