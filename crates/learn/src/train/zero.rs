//! Where held-out scores part near-duplicates from other pairs.
//!
//! Where exactly F1 is best is up to few rows, those around that place, and most of them may be of one large group: on
//! other groups it is best elsewhere. So a row counts only in part as its label says, and for the rest as the calibrated
//! curve through all rows expects. By the curve alone, F1 would be best where the confidence is half of it (Lipton, Elkan,
//! Narayanaswamy: Optimal Thresholding of Classifiers to Maximize F1 Measure, 2014).

use super::calibrate::platt;
use super::cut::best_cut;
use super::folds::Folds;
use super::goal::Goal;
use super::settings::Settings;
use lookalike_core::Result;

/// How much of a row counts as the curve says.
const BY_CURVE: f64 = 0.75;

/// A pair, scored by a function that has not seen it.
#[derive(Clone, Copy, Debug)]
pub struct Scored {
    pub score: f64,
    pub is_near: bool,
    /// For how many pairs it stands.
    pub weight: f64,
}

/// The score from which pairs are near-duplicates.
pub fn zero(rows: &[Scored], settings: &Settings) -> Result<f64> {
    let goal = settings.goal();
    let scores: Vec<f64> = rows.iter().map(|row| row.score).collect();
    // A precision is that of the examples as they are, however much they count in training.
    let counts = match goal {
        Goal::F1 => expected(&scores, rows, settings.positive_weight)?,
        Goal::Precision(_) => labelled(rows),
    };
    Ok(best_cut(&scores, &counts, Some(0.0), goal).0)
}

/// For each row the zero that is best on rows of other folds; for a row between two folds the mean of both. A
/// zero that has seen the row would make a learner look better than it is.
pub fn zeros_without(parts: &Folds, rows: &[Scored], settings: &Settings) -> Result<Vec<f64>> {
    let zero_of_others = |fold: usize| {
        let (_, others) = parts.touching(fold);
        zero(&others.into_iter().map(|row| rows[row]).collect::<Vec<Scored>>(), settings)
    };
    let zeros = (0..parts.count).map(zero_of_others).collect::<Result<Vec<f64>>>()?;
    Ok(parts.of.iter().map(|&[one, other]| (zeros[one] + zeros[other]) / 2.0).collect())
}

/// For how many near-duplicates and other pairs each row stands.
fn labelled(rows: &[Scored]) -> Vec<[f64; 2]> {
    rows.iter().map(|row| if row.is_near { [row.weight, 0.0] } else { [0.0, row.weight] }).collect()
}

/// The same, as far as labels and the curve tell.
fn expected(scores: &[f64], rows: &[Scored], positive_weight: f64) -> Result<Vec<[f64; 2]>> {
    let labels: Vec<bool> = rows.iter().map(|row| row.is_near).collect();
    let weights: Vec<f64> = rows.iter().map(|row| row.weight).collect();
    // Scores that tell nothing have a flat curve; whoever trains is told of them with the calibration.
    let curve = platt(scores, &labels, &weights, &mut Vec::new())?;
    let by_curve = if curve.slope > 0.0 { BY_CURVE } else { 0.0 };
    let count = |row: &Scored| {
        let near = f64::from(u8::from(row.is_near));
        let near = near + by_curve * (curve.confidence(row.score) - near);
        [row.weight * near * positive_weight, row.weight * (1.0 - near)]
    };
    Ok(rows.iter().map(count).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;
    use lookalike_core::registry::Params;

    fn settings(text: &str) -> Settings {
        Settings::from_params(&mut Params::new("learner", text.parse().unwrap())).unwrap()
    }

    fn uniform(random: &mut Random) -> f64 {
        random.next() as f64 / u64::MAX as f64
    }

    /// Rows whose labels follow a curve of confidence.
    fn drawn(random: &mut Random, count: usize) -> Vec<Scored> {
        let row = |random: &mut Random| {
            let score = 8.0 * uniform(random) - 6.0;
            Scored { score, is_near: uniform(random) < 1.0 / (1.0 + (-2.0 * score).exp()), weight: 1.0 }
        };
        (0..count).map(|_| row(random)).collect()
    }

    fn f1(rows: &[Scored], zero: f64) -> f64 {
        let count = |found: bool, near: bool| {
            rows.iter().filter(|row| (row.score >= zero) == found && row.is_near == near).count() as f64
        };
        2.0 * count(true, true) / (2.0 * count(true, true) + count(true, false) + count(false, true))
    }

    /// What the labels of few rows say of the best place is mostly chance.
    #[test]
    fn on_other_rows_it_is_better_than_what_labels_alone_say() {
        let mut random = Random::new(7, 7);
        let all = drawn(&mut random, 20_000);
        let usual = settings("");
        let (mut by_labels, mut by_both) = (0.0, 0.0);
        for _ in 0..50 {
            let few = drawn(&mut random, 100);
            let scores: Vec<f64> = few.iter().map(|row| row.score).collect();
            by_labels += f1(&all, best_cut(&scores, &labelled(&few), Some(0.0), Goal::F1).0) / 50.0;
            by_both += f1(&all, zero(&few, &usual).unwrap()) / 50.0;
        }
        let best = (-40..40).map(|place| f1(&all, f64::from(place) / 20.0)).fold(0.0, f64::max);
        let (lost, before) = (best - by_both, best - by_labels);
        assert!(0.0 < lost && lost < 0.75 * before, "{by_labels} {by_both} {best}");
    }

    #[test]
    fn it_is_where_the_confidence_is_half_of_the_best_f1() {
        let all = drawn(&mut Random::new(3, 3), 50_000);
        let zero = zero(&all, &settings("")).unwrap();
        let confidence = 1.0 / (1.0 + (-2.0 * zero).exp());
        assert!((confidence - f1(&all, zero) / 2.0).abs() < 0.02, "{zero}, {confidence}, {}", f1(&all, zero));
    }

    /// A least precision is held to what was seen.
    #[test]
    fn a_precision_is_that_of_the_labels() {
        let row = |place: i32| Scored {
            score: f64::from(place) / 10.0,
            is_near: place >= 0 || place % 10 == 0,
            weight: 1.0,
        };
        let rows: Vec<Scored> = (-50..50).map(row).collect();
        let cut = zero(&rows, &settings("precision = 0.95")).unwrap();
        let found: Vec<&Scored> = rows.iter().filter(|row| row.score >= cut).collect();
        let right = found.iter().filter(|row| row.is_near).count();
        assert!(right as f64 / found.len() as f64 >= 0.95 && right == 50, "{cut}");
    }

    #[test]
    fn missed_near_duplicates_can_weigh_more() {
        let rows = drawn(&mut Random::new(5, 5), 2000);
        let of = |text: &str| zero(&rows, &settings(text)).unwrap();
        assert!(of("positive_weight = 5") < of("") && of("") < of("positive_weight = 0.2"));
    }

    /// Scores that say the opposite of the labels have no curve.
    #[test]
    fn without_a_curve_labels_count() {
        let row = |place: usize| Scored { score: place as f64, is_near: place < 3, weight: 1.0 };
        let rows: Vec<Scored> = (0..6).map(row).collect();
        assert_eq!(zero(&rows, &settings("")).unwrap(), 0.0, "all are found");
    }
}
