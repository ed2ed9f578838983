//! Counts of verdicts compared with the truth.

use serde::{Deserialize, Serialize};

/// Pairs by verdict and truth; not whole numbers if a row stands for several. If there is nothing to find,
/// or nothing was found, no error of that kind was made: the figure is 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Confusion {
    /// Found and true.
    pub true_positives: f64,
    /// Found and not true.
    pub false_positives: f64,
    /// True and not found.
    pub false_negatives: f64,
    /// Neither.
    pub true_negatives: f64,
}

impl Confusion {
    /// Counts a pair.
    pub fn add(&mut self, verdict: bool, truth: bool, weight: f64) {
        *match (verdict, truth) {
            (true, true) => &mut self.true_positives,
            (true, false) => &mut self.false_positives,
            (false, true) => &mut self.false_negatives,
            (false, false) => &mut self.true_negatives,
        } += weight;
    }

    /// The share of what is found that is true.
    pub fn precision(&self) -> f64 {
        share(self.true_positives, self.true_positives + self.false_positives)
    }

    /// The share of what is true that is found.
    pub fn recall(&self) -> f64 {
        share(self.true_positives, self.true_positives + self.false_negatives)
    }

    /// Cohen's kappa of two people, the one's word taken as the verdict and the other's as the truth: by how much they agree
    /// more often than two who say the same things as often as these, but
    /// by chance. `None` if chance alone agrees always, as where both only ever said one thing.
    pub fn kappa(&self) -> Option<f64> {
        let total = self.total();
        let (one, other) =
            (self.true_positives + self.false_positives, self.true_positives + self.false_negatives);
        let by_chance = (one * other + (total - one) * (total - other)) / (total * total);
        (by_chance < 1.0).then(|| (self.accuracy() - by_chance) / (1.0 - by_chance))
    }

    fn total(&self) -> f64 {
        self.true_positives + self.false_positives + self.false_negatives + self.true_negatives
    }

    /// The harmonic mean of precision and recall.
    pub fn f1(&self) -> f64 {
        let twice = 2.0 * self.true_positives;
        share(twice, twice + self.false_positives + self.false_negatives)
    }

    /// The share of pairs that are decided rightly.
    pub fn accuracy(&self) -> f64 {
        let right = self.true_positives + self.true_negatives;
        share(right, right + self.false_positives + self.false_negatives)
    }
}

fn share(part: f64, whole: f64) -> f64 {
    if whole == 0.0 { 1.0 } else { part / whole }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_by_hand() {
        let tally = Confusion {
            true_positives: 6.0,
            false_positives: 2.0,
            false_negatives: 4.0,
            true_negatives: 8.0,
        };
        assert_eq!((tally.precision(), tally.recall(), tally.accuracy()), (0.75, 0.6, 0.7));
        assert!((tally.f1() - 12.0 / 18.0).abs() < 1e-12);
        // Chance agrees on 8 · 10 + 12 · 10 of 400.
        assert!((tally.kappa().unwrap() - 0.4).abs() < 1e-12);
        let never = Confusion { true_positives: 0.0, true_negatives: 0.0, ..tally };
        assert!(never.kappa().unwrap() < 0.0);
        assert_eq!(Confusion { true_positives: 3.0, ..Confusion::default() }.kappa(), None);
        let nothing = Confusion::default();
        assert_eq!(nothing.kappa(), None);
        assert_eq!(
            (nothing.precision(), nothing.recall(), nothing.f1(), nothing.accuracy()),
            (1.0, 1.0, 1.0, 1.0)
        );
    }
}
