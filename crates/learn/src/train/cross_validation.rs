//! Measures learners on pairs of unseen documents, in the proportions of a run.
//!
//! Groups of documents are divided into folds. A pair within a fold is judged by a model that saw nothing of
//! that fold, a pair between two folds by one that saw nothing of either: of the pairs of different documents
//! in a run, nearly all are between folds, and a test without them would find hardly any mistakes.
//!
//! If several learners compete, the choice is part of the test: it is made again each time, by the learners'
//! results on parts held out inside their own training. The best of several figures would be too good; the
//! figure of a choice that has not seen the test data is not.
//!
//! The first learner is the simplest. Another is chosen only if its F1 on what was held out is higher by more
//! than one standard error: with few groups the best of several is often best by chance, and on other groups
//! worse than what is simple.

use super::check::check_examples;
use super::folds::{Folds, grouped_folds};
use super::learner::{Fit, Learner};
use crate::Examples;
use crate::forecast::{JudgedPair, JudgedPairs};
use lookalike_core::{Error, Result};

/// Scores by models that have seen nothing of a row's documents, by row.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HeldOut {
    /// Near-duplicate when at least 0.
    pub scores: Vec<f64>,
    /// By row, the confidence of a model that has not seen the row's group.
    pub confidences: Vec<f64>,
}

impl HeldOut {
    fn new(rows: usize) -> Self {
        HeldOut { scores: vec![0.0; rows], confidences: vec![0.0; rows] }
    }

    /// The verdict on a row.
    pub fn verdict(&self, row: usize) -> bool {
        self.scores[row] >= 0.0
    }
}

/// The results of learners on groups they were not trained on.
#[derive(Clone, Debug, PartialEq)]
pub struct CrossValidated {
    /// Each learner on its own.
    pub learners: Vec<HeldOut>,
    /// The learner chosen without the row.
    pub chosen: HeldOut,
    /// How often each was chosen.
    pub choices: Vec<usize>,
    /// Notes of the learners, each once.
    pub notes: Vec<String>,
}

/// Trains and tests on `folds` parts of the examples that share no group.
pub fn cross_validate(
    learners: &[&dyn Learner],
    examples: &Examples,
    folds: usize,
    seed: u64,
) -> Result<CrossValidated> {
    let parts = clean_folds(examples, folds, seed)?;
    let mut validated = CrossValidated {
        learners: vec![HeldOut::new(examples.len()); learners.len()],
        chosen: HeldOut::new(examples.len()),
        choices: vec![0; learners.len()],
        notes: Vec::new(),
    };
    let left = |held_out: usize| (folds - held_out) as f64 / folds as f64;
    let mut within = Vec::with_capacity(folds);
    for fold in 0..folds {
        let (test, training) = parts.parted(fold, fold);
        let round = Round::train(learners, &examples.part(&training, left(1)))?;
        validated.count(&round);
        test.into_iter().for_each(|row| validated.judge(row, examples.row(row), &[&round]));
        within.push(round);
    }
    for one in 0..folds {
        for other in one + 1..folds {
            let (test, training) = parts.parted(one, other);
            if test.is_empty() {
                continue;
            }
            let training = examples.part(&training, left(2));
            if check_examples(&training).is_ok() {
                let round = Round::train(learners, &training)?;
                validated.count(&round);
                test.into_iter().for_each(|row| validated.judge(row, examples.row(row), &[&round]));
                continue;
            }
            // Two models, each of which has seen one of the documents, but never the pair.
            let rounds = [&within[one], &within[other]];
            test.into_iter().for_each(|row| validated.judge(row, examples.row(row), &rounds));
            validated.note(
                "too few groups to hold out both documents of every pair: some were judged by models that had seen \
                 one of the two, so expect a little less; use more folds or label pairs of more documents",
            );
        }
    }
    Ok(validated)
}

/// The learner that is chosen by what its own training held out, by its index, and its model.
pub fn best_fit(learners: &[&dyn Learner], examples: &Examples) -> Result<(usize, Fit)> {
    let mut round = Round::train(learners, examples)?;
    Ok((round.chosen, round.fits.swap_remove(round.chosen)))
}

/// All learners on one part of the examples.
struct Round {
    fits: Vec<Fit>,
    chosen: usize,
}

impl Round {
    fn train(learners: &[&dyn Learner], training: &Examples) -> Result<Round> {
        let fits = learners.iter().map(|learner| learner.train(training)).collect::<Result<Vec<Fit>>>()?;
        if fits.is_empty() {
            return Err(Error::Internal("no learner".to_owned()));
        }
        let chosen = choose(&fits, training);
        Ok(Round { fits, chosen })
    }
}

/// The best on what was held out, if it is better than the first by more than chance; the first of equals.
fn choose(fits: &[Fit], training: &Examples) -> usize {
    const RESAMPLES: u32 = 200;
    let rows = training.groups.iter().zip(&training.labels).zip(&training.weights);
    let pairs = rows.map(|((&groups, &is_true), &weight)| JudgedPair { groups, is_true, weight }).collect();
    let groups = training.groups.iter().flatten().max().map_or(0, |&group| group as usize + 1);
    let judged = JudgedPairs { pairs, missed: vec![0.0; groups] };
    let pair = training.weights.iter().sum::<f64>() / training.len() as f64;
    let worth = |fit: &Fit| fit.goal.worth(&judged.counts(&fit.held_out), pair);
    let worths: Vec<f64> = fits.iter().map(worth).collect();
    let is_better = |place: usize| {
        let gain = judged.gain_and_error(&fits[place].held_out, &fits[0].held_out, RESAMPLES, 1);
        let beyond_chance = gain.is_some_and(|(gain, error)| gain > error);
        // What is asked for comes first: a least precision that only one of them has.
        beyond_chance || fits[0].goal.is_missed(worths[0]) && !fits[place].goal.is_missed(worths[place])
    };
    let better = (1..fits.len()).filter(|&place| worths[place] > worths[0] && is_better(place));
    better.fold(0, |best, place| if worths[place] > worths[best] { place } else { best })
}

impl CrossValidated {
    fn count(&mut self, round: &Round) {
        self.choices[round.chosen] += 1;
        round.fits.iter().flat_map(|fit| &fit.notes).for_each(|note| self.note(note));
    }

    /// Stores the average result of these rounds' models for a row.
    fn judge(&mut self, row: usize, values: &[f64], rounds: &[&Round]) {
        let share = 1.0 / rounds.len() as f64;
        let say = |held_out: &mut HeldOut, fit: &Fit| {
            let score = fit.model.score(values);
            held_out.scores[row] += share * score;
            held_out.confidences[row] += share * fit.model.confidence(score);
        };
        for round in rounds {
            self.learners.iter_mut().zip(&round.fits).for_each(|(held_out, fit)| say(held_out, fit));
            say(&mut self.chosen, &round.fits[round.chosen]);
        }
    }

    fn note(&mut self, note: &str) {
        if !self.notes.iter().any(|known| known == note) {
            self.notes.push(note.to_owned());
        }
    }
}

/// Folds such that each leaves examples of both classes for training.
fn clean_folds(examples: &Examples, folds: usize, seed: u64) -> Result<Folds> {
    check_examples(examples)?;
    let parts = grouped_folds(examples, folds, seed)?;
    for (class, name) in [(true, "near-duplicates"), (false, "pairs that are none")] {
        if !parts.spreads(&examples.labels, class) {
            return Err(Error::input(format!(
                "all {name} fall into one of the {folds} folds, or touch it, for they share documents or texts: \
                 nothing would be left to train on; label {name} of other documents"
            )));
        }
    }
    Ok(parts)
}
