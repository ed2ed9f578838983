//! From a score to a probability.
//!
//! A score says on which side of the boundary a pair lies and how far from it, in units of the
//! learner's own. People want to know how often such a pair is a near-duplicate. That is a logistic
//! curve of the score, fitted to the scores of pairs that the function was not trained on (Platt).

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::maths::exp;

/// The probability of a score: 1 / (1 + e^-(slope · score + intercept)).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Calibration {
    /// At least 0: a higher score never means a lower probability.
    pub slope: f64,
    /// At most [`Calibration::STEEPEST`] on either side of 0.
    pub intercept: f64,
}

impl Calibration {
    /// The largest intercept: beyond it the probability at the boundary would round to 0 or 1 and
    /// could no longer separate the scores below it from those above.
    pub const STEEPEST: f64 = 30.0;

    /// Refuses numbers that give no probability.
    pub fn check(&self) -> Result<()> {
        let sound = self.slope.is_finite() && self.slope >= 0.0 && self.intercept.abs() <= Self::STEEPEST;
        if sound {
            return Ok(());
        }
        Err(Error::Incompatible(format!(
            "the model's calibration has slope {} and intercept {}; the slope must be at least 0, the intercept \
             from -{steepest} to {steepest}",
            self.slope,
            self.intercept,
            steepest = Self::STEEPEST,
        )))
    }

    /// Rises with the score. A score that is not a number counts as certainly no near-duplicate.
    pub fn confidence(&self, score: f64) -> f64 {
        if score.is_nan() {
            return 0.0;
        }
        let boundary = logistic(self.intercept);
        let confidence = logistic(self.slope * score + self.intercept);
        // Rounding must not carry a score over the boundary: score and probability must give the same
        // verdict.
        if score >= 0.0 { confidence.max(boundary) } else { confidence.min(boundary.next_down()) }
    }
}

fn logistic(x: f64) -> f64 {
    1.0 / (1.0 + exp(-x))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn either_figure_gives_the_verdict(
            slope in 0.0..50.0f64, intercept in -30.0..=30.0f64, score in prop_oneof![-5.0..5.0f64, -1e-18..1e-18f64],
        ) {
            let calibration = Calibration { slope, intercept };
            let reaches = calibration.confidence(score) >= calibration.confidence(0.0);
            prop_assert_eq!(score >= 0.0, reaches);
        }

        #[test]
        fn a_higher_score_is_never_less_sure(
            slope in 0.0..50.0f64, intercept in -30.0..=30.0f64, a in -9.0..9.0f64, b in -9.0..9.0f64,
        ) {
            let calibration = Calibration { slope, intercept };
            let (low, high) = (calibration.confidence(a.min(b)), calibration.confidence(a.max(b)));
            prop_assert!(low <= high + 1e-15, "{} {}", low, high);
            prop_assert!((0.0..=1.0).contains(&low) && (0.0..=1.0).contains(&high));
        }
    }

    #[test]
    fn by_hand() {
        let calibration = Calibration { slope: 2.0, intercept: -1.0 };
        assert_eq!(calibration.confidence(0.5), 0.5);
        assert!((calibration.confidence(1.0) - 1.0 / (1.0 + (-1.0f64).exp())).abs() < 1e-15);
        assert_eq!(calibration.confidence(f64::NAN), 0.0);
        assert_eq!(
            (calibration.confidence(f64::NEG_INFINITY), calibration.confidence(f64::INFINITY)),
            (0.0, 1.0)
        );
        // Without a slope, an infinite score says no more than any other.
        let flat = Calibration { slope: 0.0, intercept: 0.0 };
        assert_eq!(flat.confidence(7.0), 0.5);
    }

    #[test]
    fn falling_curves_are_refused() {
        for (slope, intercept) in
            [(-0.1, 0.0), (f64::NAN, 0.0), (f64::INFINITY, 0.0), (1.0, f64::NAN), (1.0, 31.0)]
        {
            assert!(Calibration { slope, intercept }.check().is_err(), "{slope} {intercept}");
        }
    }
}
