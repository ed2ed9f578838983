//! Probabilities from scores (Platt), and how far to trust them.

use super::logistic::LogLoss;
use super::newton::minimise;
use super::pipeline::Rows;
use lookalike_core::Result;
use lookalike_core::decide::classifier::Calibration;
use lookalike_core::features::terms::maths::ln;

/// The logistic curve that fits the labels of these scores best. Platt's targets stop short of 0 and 1
/// by what so many examples cannot tell, so that classes parted perfectly do not make it infinitely sure.
pub fn platt(scores: &[f64], labels: &[bool], notes: &mut Vec<String>) -> Result<Calibration> {
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
            .flat_map(|&label| if label { [yes, 1.0 - yes] } else { [no, 1.0 - no] })
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
    let target = (positives * yes + (count - positives) * no) / count;
    Ok(Calibration { slope: 0.0, intercept: ln(target / (1.0 - target)).clamp(-steepest, steepest) })
}

/// The mean squared distance of the confidences from what is true: 0 is perfect, always saying 0.5 is 0.25.
pub fn brier(confidences: &[f64], labels: &[bool]) -> f64 {
    let errors = confidences.iter().zip(labels).map(|(&confidence, &label)| {
        let error = confidence - f64::from(u8::from(label));
        error * error
    });
    errors.sum::<f64>() / confidences.len().max(1) as f64
}

/// By how much confidences and shares of near-duplicates differ, on average over ten equal ranges of
/// confidence, each counted by its examples (the expected calibration error).
pub fn calibration_error(confidences: &[f64], labels: &[bool]) -> f64 {
    const RANGES: usize = 10;
    let mut sums = [0.0; RANGES];
    for (&confidence, &label) in confidences.iter().zip(labels) {
        let range = ((confidence * RANGES as f64) as usize).min(RANGES - 1);
        sums[range] += confidence - f64::from(u8::from(label));
    }
    sums.iter().map(|sum| sum.abs()).sum::<f64>() / confidences.len().max(1) as f64
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
        let found = platt(&scores, &labels, &mut Vec::new()).unwrap();
        assert!((found.slope - 3.0).abs() < 0.15 && (found.intercept + 1.0).abs() < 0.1, "{found:?}");
    }

    #[test]
    fn perfect_scores_are_not_infinitely_sure() {
        let mut notes = Vec::new();
        let found = platt(&[-1.0, -1.0, 1.0, 1.0], &[false, false, true, true], &mut notes).unwrap();
        // Two near-duplicates leave a target of 3/4.
        assert!((found.confidence(1.0) - 0.75).abs() < 1e-3, "{}", found.confidence(1.0));
        let constant = platt(&[0.0; 4], &[false, false, false, true], &mut notes).unwrap();
        assert!(constant.check().is_ok() && constant.confidence(0.0) < 0.5);
        assert!(notes.is_empty());
    }

    #[test]
    fn scores_the_wrong_way_round_are_worth_nothing() {
        let mut notes = Vec::new();
        let found = platt(&[1.0, 2.0, -1.0, -2.0], &[false, false, true, true], &mut notes).unwrap();
        assert_eq!((found.slope, notes.len()), (0.0, 1));
        assert!((found.confidence(0.0) - 0.5).abs() < 1e-9);
    }

    #[test]
    fn quality_by_hand() {
        let (confidences, labels) = ([0.9, 0.95, 0.1, 0.3], [true, false, false, true]);
        assert!((brier(&confidences, &labels) - (0.01 + 0.9025 + 0.01 + 0.49) / 4.0).abs() < 1e-12);
        // The range from 0.9 holds two: 1.85 claimed, 1 true.
        assert!((calibration_error(&confidences, &labels) - (0.85 + 0.1 + 0.7) / 4.0).abs() < 1e-12);
    }
}
