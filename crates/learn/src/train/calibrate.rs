//! Probabilities from scores (Platt), and how far to trust them.

use super::loss::LogLoss;
use super::newton::minimise;
use super::rows::Rows;
use lookalike_core::Result;
use lookalike_core::decide::classifier::Calibration;
use lookalike_core::maths::ln;

/// The logistic curve that fits the labels of these scores best. Platt's targets stay away from 0 and 1 by
/// as much as so few examples leave open, so that perfectly separated classes do not give infinite
/// certainty. A row that stands for several weighs as much as these, so that the curve is that of all
/// pairs it was drawn from.
pub fn platt(
    scores: &[f64],
    labels: &[bool],
    row_weights: &[f64],
    notes: &mut Vec<String>,
) -> Result<Calibration> {
    const RIDGE: f64 = 1e-6;
    let count = scores.len() as f64;
    let positives = labels.iter().filter(|&&label| label).count() as f64;
    let (yes, no) = ((positives + 1.0) / (positives + 2.0), 1.0 / (count - positives + 2.0));
    let deviation = {
        let mean = scores.iter().sum::<f64>() / count;
        (scores.iter().map(|score| (score - mean) * (score - mean)).sum::<f64>() / count).sqrt()
    };
    let unit = if deviation.is_normal() { deviation } else { 1.0 };
    // A target between 0 and 1 is two examples, one of each class, that share its weight.
    let rows = Rows {
        width: 1,
        values: scores.iter().flat_map(|score| [score / unit; 2]).collect(),
        labels: labels.iter().flat_map(|_| [true, false]).collect(),
        weights: labels
            .iter()
            .zip(row_weights)
            .flat_map(|(&label, &weight)| {
                let target = if label { yes } else { no };
                [weight * target, weight * (1.0 - target)]
            })
            .collect(),
    };
    let solution = minimise(&rows, RIDGE, &LogLoss)?;
    let slope = solution.weights[0] / unit;
    let steepest = Calibration::STEEPEST;
    if slope >= 0.0 {
        return Ok(Calibration { slope, intercept: solution.bias.clamp(-steepest, steepest) });
    }
    notes.push(
        "held-out near-duplicates score no higher than other pairs: the examples do not tell them apart this way"
            .to_owned(),
    );
    let targets =
        labels.iter().zip(row_weights).map(|(&label, weight)| weight * if label { yes } else { no });
    let target = targets.sum::<f64>() / row_weights.iter().sum::<f64>();
    Ok(Calibration { slope: 0.0, intercept: ln(target / (1.0 - target)).clamp(-steepest, steepest) })
}

/// The mean squared distance of the confidences from the truth, every row counted by its weight (the
/// Brier score): 0 is perfect, always saying 0.5 gives 0.25.
pub fn brier(confidences: &[f64], labels: &[bool], weights: &[f64]) -> f64 {
    let errors = confidences.iter().zip(labels).zip(weights).map(|((&confidence, &label), &weight)| {
        let error = confidence - f64::from(u8::from(label));
        weight * error * error
    });
    errors.sum::<f64>() / weights.iter().sum::<f64>().max(f64::MIN_POSITIVE)
}

/// By how much confidences and shares of near-duplicates differ, on average over ten equal ranges of
/// confidence, each counted by its weighted rows (the expected calibration error).
pub fn calibration_error(confidences: &[f64], labels: &[bool], weights: &[f64]) -> f64 {
    const RANGES: usize = 10;
    let mut sums = [0.0; RANGES];
    for ((&confidence, &label), &weight) in confidences.iter().zip(labels).zip(weights) {
        let range = ((confidence * RANGES as f64) as usize).min(RANGES - 1);
        sums[range] += weight * (confidence - f64::from(u8::from(label)));
    }
    let all = weights.iter().sum::<f64>().max(f64::MIN_POSITIVE);
    sums.iter().map(|sum| sum.abs()).sum::<f64>() / all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    #[test]
    fn finds_the_curve_that_made_the_labels() {
        let mut random = Random::new(9, 9);
        let mut uniform = || random.next() as f64 / u64::MAX as f64;
        let truth = Calibration { slope: 3.0, intercept: -1.0 };
        let scores: Vec<f64> = (0..20_000).map(|_| uniform() * 4.0 - 2.0).collect();
        let labels: Vec<bool> = scores.iter().map(|&score| uniform() < truth.confidence(score)).collect();
        let found = platt(&scores, &labels, &vec![1.0; labels.len()], &mut Vec::new()).unwrap();
        assert!((found.slope - 3.0).abs() < 0.15 && (found.intercept + 1.0).abs() < 0.1, "{found:?}");
    }

    #[test]
    fn perfect_scores_are_not_infinitely_sure() {
        let mut notes = Vec::new();
        let found =
            platt(&[-1.0, -1.0, 1.0, 1.0], &[false, false, true, true], &[1.0; 4], &mut notes).unwrap();
        // Two near-duplicates give a target of 3/4.
        assert!((found.confidence(1.0) - 0.75).abs() < 1e-3, "{}", found.confidence(1.0));
        let constant = platt(&[0.0; 4], &[false, false, false, true], &[1.0; 4], &mut notes).unwrap();
        assert!(constant.check().is_ok() && constant.confidence(0.0) < 0.5);
        assert!(notes.is_empty());
    }

    #[test]
    fn scores_the_wrong_way_round_are_worth_nothing() {
        let mut notes = Vec::new();
        let found =
            platt(&[1.0, 2.0, -1.0, -2.0], &[false, false, true, true], &[1.0; 4], &mut notes).unwrap();
        assert_eq!((found.slope, notes.len()), (0.0, 1));
        assert!((found.confidence(0.0) - 0.5).abs() < 1e-9);
    }

    #[test]
    fn quality_by_hand() {
        let (confidences, labels) = ([0.9, 0.95, 0.1, 0.3], [true, false, false, true]);
        assert!(
            (brier(&confidences, &labels, &[1.0; 4]) - (0.01 + 0.9025 + 0.01 + 0.49) / 4.0).abs() < 1e-12
        );
        // The range from 0.9 holds two: 1.85 claimed, 1 true.
        assert!(
            (calibration_error(&confidences, &labels, &[1.0; 4]) - (0.85 + 0.1 + 0.7) / 4.0).abs() < 1e-12
        );
    }

    /// A row of weight three equals three rows in every computation.
    #[test]
    fn a_weight_is_a_number_of_rows() {
        let (scores, labels) = ([0.2, 0.9, -0.4, 0.1], [false, true, false, true]);
        let (weights, mut each) = ([3.0, 1.0, 2.0, 1.0], (Vec::new(), Vec::new()));
        for ((&score, &label), &weight) in scores.iter().zip(&labels).zip(&weights) {
            (0..weight as usize).for_each(|_| {
                each.0.push(score);
                each.1.push(label);
            });
        }
        let ones = vec![1.0; each.0.len()];
        let confidences = |scores: &[f64]| scores.iter().map(|score| 0.5 + score / 2.0).collect::<Vec<f64>>();
        for figure in [brier, calibration_error] {
            let (weighted, plain) = (
                figure(&confidences(&scores), &labels, &weights),
                figure(&confidences(&each.0), &each.1, &ones),
            );
            assert!((weighted - plain).abs() < 1e-12, "{weighted} {plain}");
        }
        let tilted =
            |weights: &[f64]| platt(&scores, &labels, weights, &mut Vec::new()).unwrap().confidence(0.2);
        assert!(tilted(&weights) < tilted(&[1.0; 4]), "different pairs weigh more, so confidence is lower");
    }
}
