//! Checks the stability formulas by making and comparing signatures, without any formula.
//!
//! A document has some of the lexicon's terms. A fraction of the terms is dropped from each copy of
//! the lexicon, some terms of the document are added or removed, and its signatures before and after
//! are compared. How often do they agree?

use super::stability::dropped_terms;
use crate::error::{Error, Result};

/// What is simulated.
#[derive(Clone, Copy, Debug)]
pub struct Simulation {
    /// L, terms of the lexicon.
    pub terms: usize,
    /// p, the fraction of them that each copy lacks.
    pub dropped: f64,
    /// n, terms added to or removed from the document.
    pub changes: usize,
    /// K, copies of the lexicon.
    pub lexicons: usize,
    /// How often the experiment is made.
    pub trials: u32,
    /// Another seed draws other documents and lexicons.
    pub seed: u64,
}

/// How often at least one signature was unaffected.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Simulated {
    /// Trials in which a signature stayed the same.
    pub unaffected: u32,
    /// All trials.
    pub trials: u32,
}

impl Simulated {
    /// The share of trials in which a signature stayed the same.
    pub fn share(&self) -> f64 {
        f64::from(self.unaffected) / f64::from(self.trials.max(1))
    }

    /// By how many standard errors of a supposed probability the share is off.
    pub fn standard_errors_from(&self, probability: f64) -> f64 {
        let error = (probability * (1.0 - probability) / f64::from(self.trials.max(1))).sqrt();
        (self.share() - probability).abs() / error.max(f64::MIN_POSITIVE)
    }
}

impl Simulation {
    /// Runs the experiment. The same settings have the same outcome on every machine.
    pub fn run(&self) -> Result<Simulated> {
        self.run_while(|| Ok(()))
    }

    /// The same, as long as there is no error of `check`, which is called every few milliseconds.
    pub fn run_while(&self, mut check: impl FnMut() -> Result<()>) -> Result<Simulated> {
        const BETWEEN_CHECKS: u32 = 256;
        if self.terms == 0 || self.changes > self.terms || !(0.0..=1.0).contains(&self.dropped) {
            return Err(Error::config(format!(
                "{} changes and a dropped fraction of {} do not fit a lexicon of {} terms",
                self.changes, self.dropped, self.terms
            )));
        }
        let missing = dropped_terms(self.terms as u64, self.dropped) as usize;
        let mut random = Random(self.seed);
        let mut order: Vec<usize> = (0..self.terms).collect();
        let mut is_dropped = vec![false; self.terms];
        let mut unaffected = 0;
        for trial in 0..self.trials {
            if trial % BETWEEN_CHECKS == 0 {
                check()?;
            }
            // Every term is in the document with probability one half, so that a change removes as
            // often as it adds.
            let mut document: Vec<bool> = (0..self.terms).map(|_| random.below(2) == 0).collect();
            let before = document.clone();
            draw(&mut order, self.changes, &mut random);
            for &term in &order[..self.changes] {
                document[term] = !document[term];
            }
            let survives = (0..self.lexicons).any(|_| {
                draw(&mut order, missing, &mut random);
                is_dropped.fill(false);
                order[..missing].iter().for_each(|&term| is_dropped[term] = true);
                signature(&before, &is_dropped).eq(signature(&document, &is_dropped))
            });
            unaffected += u32::from(survives);
        }
        Ok(Simulated { unaffected, trials: self.trials })
    }
}

/// The set of terms that document and copy share stands for its hash, so nothing can collide.
fn signature<'a>(document: &'a [bool], is_dropped: &'a [bool]) -> impl Iterator<Item = usize> + 'a {
    let both = document.iter().zip(is_dropped).enumerate();
    both.filter(|(_, (has, dropped))| **has && !**dropped).map(|(term, _)| term)
}

/// Puts `count` terms drawn without replacement first.
fn draw(order: &mut [usize], count: usize, random: &mut Random) {
    for place in 0..count.min(order.len()) {
        let other = place + random.below((order.len() - place) as u64) as usize;
        order.swap(place, other);
    }
}

/// SplitMix64.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut value = self.0;
        value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        value ^ (value >> 31)
    }

    /// A number below `end`; the bias of the multiplication is far below what can be noticed.
    fn below(&mut self, end: u64) -> u64 {
        ((u128::from(self.next()) * u128::from(end)) >> 64) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::super::stability::{expected_as_printed, survival};
    use super::*;

    fn experiment(changes: usize, lexicons: usize) -> Simulation {
        Simulation { terms: 500, dropped: 0.33, changes, lexicons, trials: 4_000, seed: 1 }
    }

    #[test]
    fn finds_for_equation_1_and_against_equation_6() {
        for (changes, lexicons) in [(1, 1), (2, 1), (3, 1), (1, 5), (2, 5), (3, 5)] {
            let outcome = experiment(changes, lexicons).run().unwrap();
            let off = |probability| outcome.standard_errors_from(probability);
            let by_one = survival(0.33, changes as u32, lexicons as u32);
            assert!(off(by_one) < 4.0, "{changes} {lexicons}: {outcome:?}, eq. 1 says {by_one}");
            let q = expected_as_printed(500, 165, changes as u64).recip();
            let by_six = 1.0 - (1.0 - q).powi(lexicons as i32);
            assert!(off(by_six) > 8.0, "{changes} {lexicons}: {outcome:?}, eq. 6 says {by_six}");
        }
    }

    #[test]
    fn is_repeatable_and_depends_on_the_seed() {
        let outcome = experiment(1, 1).run().unwrap();
        assert_eq!(outcome, experiment(1, 1).run().unwrap());
        assert_ne!(outcome, Simulation { seed: 2, ..experiment(1, 1) }.run().unwrap());
    }

    #[test]
    fn a_failing_check_ends_it() {
        let mut checks = 0;
        let outcome = experiment(1, 1).run_while(|| {
            checks += 1;
            if checks == 3 { Err(Error::Cancelled) } else { Ok(()) }
        });
        assert!(matches!(outcome, Err(Error::Cancelled)) && checks == 3, "{outcome:?} {checks}");
    }

    #[test]
    fn nothing_changed_and_everything_dropped_survive() {
        let share = |experiment: Simulation| experiment.run().unwrap().share();
        assert_eq!(share(experiment(0, 1)), 1.0);
        assert_eq!(share(Simulation { dropped: 1.0, ..experiment(5, 1) }), 1.0);
        assert_eq!(share(Simulation { dropped: 0.0, ..experiment(5, 3) }), 0.0);
    }

    #[test]
    fn impossible_experiments_are_refused() {
        for wrong in [
            Simulation { terms: 0, ..experiment(0, 1) },
            experiment(501, 1),
            Simulation { dropped: f64::NAN, ..experiment(1, 1) },
        ] {
            assert!(wrong.run().is_err(), "{wrong:?}");
        }
    }
}
