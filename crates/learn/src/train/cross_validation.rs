//! How well a learner does on pairs it has not seen: every part of the examples is judged by a model of
//! the others, and what no single threshold could do is told from what one could.

use super::Learner;
use super::calibrate::{brier, calibration_error};
use super::cut::{Cut, best_single};
use super::folds::{Folds, grouped_folds};
use super::pipeline::check_examples;
use crate::Examples;
use lookalike_core::{Error, Result};
use serde::{Deserialize, Serialize};

/// Verdicts against what is true. Where there is nothing to find, or nothing was found, no error was made
/// of that kind: the figure is 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tally {
    pub true_positives: usize,
    pub false_positives: usize,
    pub false_negatives: usize,
    pub true_negatives: usize,
}

impl Tally {
    pub fn add(&mut self, verdict: bool, truth: bool) {
        *match (verdict, truth) {
            (true, true) => &mut self.true_positives,
            (true, false) => &mut self.false_positives,
            (false, true) => &mut self.false_negatives,
            (false, false) => &mut self.true_negatives,
        } += 1;
    }

    pub fn precision(&self) -> f64 {
        share(self.true_positives, self.true_positives + self.false_positives)
    }

    pub fn recall(&self) -> f64 {
        share(self.true_positives, self.true_positives + self.false_negatives)
    }

    pub fn f1(&self) -> f64 {
        let twice = 2 * self.true_positives;
        share(twice, twice + self.false_positives + self.false_negatives)
    }

    pub fn accuracy(&self) -> f64 {
        let right = self.true_positives + self.true_negatives;
        share(right, right + self.false_positives + self.false_negatives)
    }

    fn of(folds: &[Tally]) -> Tally {
        folds.iter().fold(Tally::default(), |sum, fold| Tally {
            true_positives: sum.true_positives + fold.true_positives,
            false_positives: sum.false_positives + fold.false_positives,
            false_negatives: sum.false_negatives + fold.false_negatives,
            true_negatives: sum.true_negatives + fold.true_negatives,
        })
    }
}

fn share(part: usize, whole: usize) -> f64 {
    if whole == 0 { 1.0 } else { part as f64 / whole as f64 }
}

/// The judgement of every row by a model that has seen nothing of its group.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CrossValidated {
    /// The rows that were tested; those between folds are only taught.
    pub rows: Vec<usize>,
    /// Of each, near-duplicate when at least 0.
    pub scores: Vec<f64>,
    pub confidences: Vec<f64>,
    pub folds: Vec<Tally>,
    pub total: Totals,
    /// What the learner had to say, each once.
    pub notes: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Totals {
    pub tally: Tally,
    /// Mean squared error of the confidences.
    pub brier: f64,
    /// See [`calibration_error`].
    pub calibration_error: f64,
}

/// Trains and tests on `folds` parts of the examples that share no group.
pub fn cross_validate(
    learner: &dyn Learner,
    examples: &Examples,
    folds: usize,
    seed: u64,
) -> Result<CrossValidated> {
    let parts = clean_folds(examples, folds, seed)?;
    let (mut rows, mut scores, mut confidences) = (Vec::new(), Vec::new(), Vec::new());
    let mut tallies = vec![Tally::default(); folds];
    let mut notes: Vec<String> = Vec::new();
    for (fold, tally) in tallies.iter_mut().enumerate() {
        let (test, training) = parts.parted(fold);
        let fit = learner.train(&examples.select(&training))?;
        for place in test {
            let score = fit.model.score(examples.row(place));
            rows.push(place);
            scores.push(score);
            confidences.push(fit.model.confidence(score));
            tally.add(score >= 0.0, examples.labels[place]);
        }
        fit.notes.into_iter().for_each(|note| {
            if !notes.contains(&note) {
                notes.push(note);
            }
        });
    }
    let labels: Vec<bool> = rows.iter().map(|&place| examples.labels[place]).collect();
    let total = Totals {
        tally: Tally::of(&tallies),
        brier: brier(&confidences, &labels),
        calibration_error: calibration_error(&confidences, &labels),
    };
    Ok(CrossValidated { rows, scores, confidences, folds: tallies, total, notes })
}

/// What the best single threshold does on the same folds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Baseline {
    /// For each fold what the others chose, with its F1 on them.
    pub cuts: Vec<Cut>,
    pub folds: Vec<Tally>,
    pub total: Tally,
}

/// The component and threshold that are best on all other folds, applied to each fold: with the folds and seed
/// of [`cross_validate`], the figure that a classifier has to beat.
pub fn baseline(examples: &Examples, folds: usize, seed: u64) -> Result<Baseline> {
    let parts = clean_folds(examples, folds, seed)?;
    let (mut cuts, mut tallies) = (Vec::with_capacity(folds), vec![Tally::default(); folds]);
    for (fold, tally) in tallies.iter_mut().enumerate() {
        let (test, training) = parts.parted(fold);
        let training = examples.select(&training);
        let cut = best_single(training.width, &training.values, &training.labels, 1.0);
        for place in test {
            tally.add(examples.row(place)[cut.component] >= cut.threshold, examples.labels[place]);
        }
        cuts.push(cut);
    }
    Ok(Baseline { cuts, total: Tally::of(&tallies), folds: tallies })
}

/// Folds of which each leaves examples of both classes for training.
fn clean_folds(examples: &Examples, folds: usize, seed: u64) -> Result<Folds> {
    check_examples(examples)?;
    let parts = grouped_folds(examples, folds, seed)?;
    for (class, name) in [(true, "near-duplicates"), (false, "pairs that are none")] {
        if !parts.spreads(&examples.labels, class) {
            return Err(Error::input(format!(
                "all {name} fall into one of the {folds} folds, or between them, for they share documents or texts: \
                 nothing would be left to train or to test on; label {name} of other documents"
            )));
        }
    }
    Ok(parts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_by_hand() {
        let tally = Tally { true_positives: 6, false_positives: 2, false_negatives: 4, true_negatives: 8 };
        assert_eq!((tally.precision(), tally.recall(), tally.accuracy()), (0.75, 0.6, 0.7));
        assert!((tally.f1() - 12.0 / 18.0).abs() < 1e-12);
        let nothing = Tally::default();
        assert_eq!(
            (nothing.precision(), nothing.recall(), nothing.f1(), nothing.accuracy()),
            (1.0, 1.0, 1.0, 1.0)
        );
    }
}
