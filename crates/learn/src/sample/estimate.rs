//! Estimates precision and recall of all pairs from the labels of some.
//!
//! Pairs are sorted into strata by their score, and a random sample of each stratum is labelled. A
//! stratum's share of near-duplicates times its size estimates how many it has; the sums over strata give
//! precision and recall. So a few labels among the many unlikely pairs show what a method misses, which
//! labels of found pairs alone cannot.
//!
//! The interval is the range of the middle 95 % of simulations. Each simulation draws every stratum's share
//! from the beta distribution that follows from its labels (with Jeffreys' prior, so that a stratum without
//! a near-duplicate among its labels is not assumed to have none), and the labels of its other pairs from
//! that share.

use lookalike_core::{Error, Result};
use serde::Serialize;

use crate::Interval;
use crate::random::Random;

use super::draw::{beta, normal};

const DRAWS: usize = 1000;

/// Pairs with a score from `low` up to, but not including, `high`; the last stratum includes its
/// upper end.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stratum {
    /// The least confidence of the stratum.
    pub low: f64,
    /// The upper end of the stratum.
    pub high: f64,
    /// Pairs in it.
    pub population: u64,
    /// How many of them are labelled.
    pub labelled: u64,
    /// Near-duplicates among the labelled.
    pub positives: u64,
}

/// What the labels of a sample say about all candidates.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Estimate {
    /// The confidence from which on a pair counts as found.
    pub threshold: f64,
    /// None if no pair reaches the threshold.
    pub precision: Option<Interval>,
    /// None if no label is a near-duplicate.
    pub recall: Option<Interval>,
}

/// Precision and recall if pairs from the threshold up are found. The threshold must be a border
/// between strata, since it is not known how many pairs of a stratum lie on either side of it.
pub fn estimate(strata: &[Stratum], threshold: f64, seed: u64) -> Result<Estimate> {
    strata.iter().try_for_each(|stratum| check(stratum, threshold))?;
    let strata: Vec<&Stratum> = strata.iter().filter(|stratum| stratum.population > 0).collect();
    let (precision, recall) = figures(&strata, threshold, expected);
    let mut random = Random::new(seed, 0);
    let (mut precisions, mut recalls) = (Vec::with_capacity(DRAWS), Vec::with_capacity(DRAWS));
    for _ in 0..DRAWS {
        let (precision, recall) = figures(&strata, threshold, |stratum| drawn(stratum, &mut random));
        precisions.push(precision);
        recalls.push(recall);
    }
    Ok(Estimate { threshold, precision: interval(precision, precisions), recall: interval(recall, recalls) })
}

fn check(stratum: &Stratum, threshold: f64) -> Result<()> {
    let Stratum { low, high, population, labelled, positives } = *stratum;
    if positives > labelled || labelled > population {
        return Err(Error::input(format!(
            "the stratum from {low} has {population} pairs, {labelled} labels and {positives} near-duplicates; \
             each must be at most the one before"
        )));
    }
    if population > 0 && labelled == 0 {
        return Err(Error::input(format!(
            "no pair with a score from {low} to {high} is labelled; label some, or estimate with fewer strata"
        )));
    }
    if threshold.is_nan() || (low < threshold && threshold < high) {
        return Err(Error::config(format!(
            "the threshold {threshold} is inside the stratum from {low} to {high}; choose one where strata meet"
        )));
    }
    Ok(())
}

/// Precision and recall for these numbers of near-duplicates in the strata; NaN where undefined.
fn figures(strata: &[&Stratum], threshold: f64, mut truly: impl FnMut(&Stratum) -> f64) -> (f64, f64) {
    let (mut right, mut found, mut all) = (0.0, 0.0, 0.0);
    for stratum in strata {
        let positives = truly(stratum);
        all += positives;
        if stratum.low >= threshold {
            right += positives;
            found += stratum.population as f64;
        }
    }
    (right / found, right / all)
}

fn expected(stratum: &Stratum) -> f64 {
    stratum.positives as f64 / stratum.labelled as f64 * stratum.population as f64
}

/// The labelled pairs are known; the others follow a share drawn from the distribution that the
/// labels allow.
fn drawn(stratum: &Stratum, random: &mut Random) -> f64 {
    let (positives, labelled) = (stratum.positives as f64, stratum.labelled as f64);
    let others = (stratum.population - stratum.labelled) as f64;
    let share = beta(random, positives + 0.5, labelled - positives + 0.5);
    let spread = (others * share * (1.0 - share)).sqrt();
    positives + (others * share + spread * normal(random)).clamp(0.0, others)
}

fn interval(value: f64, mut draws: Vec<f64>) -> Option<Interval> {
    if !value.is_finite() {
        return None;
    }
    draws.retain(|draw| draw.is_finite());
    draws.sort_unstable_by(f64::total_cmp);
    let outside = draws.len() / 40;
    let low = draws.get(outside).copied().unwrap_or(value);
    let high = draws.len().checked_sub(outside + 1).map_or(value, |place| draws[place]);
    Some(Interval { value, low: low.min(value), high: high.max(value) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stratum(low: f64, population: u64, labelled: u64, positives: u64) -> Stratum {
        Stratum { low, high: low + 0.25, population, labelled, positives }
    }

    #[test]
    fn by_hand() {
        let strata = [
            stratum(0.0, 10_000, 100, 1),
            stratum(0.25, 0, 0, 0),
            stratum(0.5, 500, 50, 20),
            stratum(0.75, 300, 30, 27),
        ];
        let got = estimate(&strata, 0.5, 1).unwrap();
        // 100, 200 and 270 near-duplicates.
        let (precision, recall) = (got.precision.unwrap(), got.recall.unwrap());
        assert!(
            (precision.value - 470.0 / 800.0).abs() < 1e-12 && (recall.value - 470.0 / 570.0).abs() < 1e-12
        );
        assert!(
            precision.low > 0.4 && precision.high < 0.75 && recall.low < 0.7 && recall.high > 0.9,
            "{got:?}"
        );
    }

    #[test]
    fn what_is_known_for_sure_has_no_spread() {
        let strata = [stratum(0.0, 40, 40, 10), stratum(0.5, 60, 60, 50)];
        let got = estimate(&strata, 0.5, 1).unwrap();
        assert_eq!(got.recall, Some(Interval { value: 50.0 / 60.0, low: 50.0 / 60.0, high: 50.0 / 60.0 }));
    }

    #[test]
    fn undefined_figures_and_wrong_input() {
        let none = estimate(&[stratum(0.0, 40, 10, 0)], 0.9, 1).unwrap();
        assert_eq!((none.precision, none.recall), (None, None));
        assert_eq!(estimate(&[], 0.5, 1).unwrap().recall, None);
        let message = |strata: &[Stratum], threshold| estimate(strata, threshold, 1).unwrap_err().to_string();
        assert!(message(&[stratum(0.0, 40, 0, 0)], 0.5).contains("no pair with a score from 0 to 0.25"));
        assert!(message(&[stratum(0.0, 40, 10, 11)], 0.5).contains("at most"));
        assert!(message(&[stratum(0.0, 40, 10, 1)], 0.1).contains("where strata meet"));
        assert!(message(&[stratum(0.0, 40, 10, 1)], f64::NAN).contains("where strata meet"));
    }

    /// Simulated collections whose truth is known: intervals contain it as often as they claim.
    #[test]
    fn intervals_hold_the_truth_nineteen_times_in_twenty() {
        const SETS: u64 = 400;
        // Population, share of near-duplicates and labels of each stratum.
        let design =
            [(20_000, 0.01, 300), (3_000, 0.08, 100), (800, 0.35, 80), (500, 0.7, 60), (900, 0.95, 60)];
        let mut held = [0u64; 2];
        for set in 0..SETS {
            let mut random = Random::new(1000 + set, 0);
            let mut strata = Vec::new();
            let mut truth = Vec::new();
            for (place, (population, share, labelled)) in design.into_iter().enumerate() {
                let mut labels: Vec<bool> = (0..population).map(|_| random.unit() < share).collect();
                for at in 0..labelled {
                    let other = at + random.below(population - at);
                    labels.swap(at, other);
                }
                let positives = |labels: &[bool]| labels.iter().filter(|&&label| label).count() as u64;
                let low = place as f64 * 0.25;
                strata.push(stratum(low, population as u64, labelled as u64, positives(&labels[..labelled])));
                truth.push(positives(&labels) as f64);
            }
            let got = estimate(&strata, 0.5, set).unwrap();
            let right: f64 = truth[2..].iter().sum();
            let found: f64 = strata[2..].iter().map(|stratum| stratum.population as f64).sum();
            held[0] += u64::from(got.precision.unwrap().holds(right / found));
            held[1] += u64::from(got.recall.unwrap().holds(right / truth.iter().sum::<f64>()));
        }
        let coverage = held.map(|held| held as f64 / SETS as f64);
        println!("coverage of precision and recall: {coverage:?}");
        assert!(coverage.iter().all(|share| (0.92..=0.99).contains(share)), "{coverage:?}");
    }
}
