//! Figures with confidence intervals.
//!
//! Independent trials have the interval of Wilson or the exact one of Clopper and Pearson. Pairs of
//! documents are not independent: those of one cluster are right or wrong together. The intervals of
//! their figures come from reweighting whole groups, see `grouped`.

mod beta;
mod bootstrap;
mod grouped;
mod share;

pub(crate) use bootstrap::bootstrap;
pub use grouped::grouped;
pub(crate) use grouped::{difference, difference_and_error};
pub use share::Share;

use serde::{Deserialize, Serialize};

/// The half-width of the middle 95 % of a normal distribution, in standard deviations.
pub(crate) const REACH: f64 = 1.959_963_984_540_054;
/// The share that is left out at each end.
const TAIL: f64 = 0.025;

/// An estimate with the interval that holds the true figure with 95 % confidence.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Interval {
    /// The figure itself.
    pub value: f64,
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

impl Interval {
    /// Whether a figure lies within.
    pub fn holds(&self, figure: f64) -> bool {
        (self.low..=self.high).contains(&figure)
    }

    /// Wilson's score interval for a share of independent trials: right on average, and short. None
    /// without trials. Successes need not be whole.
    pub fn wilson(successes: f64, trials: f64) -> Option<Interval> {
        let value = share(successes, trials)?;
        let square = REACH * REACH / trials;
        let middle = (value + square / 2.0) / (1.0 + square);
        let spread =
            (value * (1.0 - value) / trials + square / (4.0 * trials)).sqrt() * REACH / (1.0 + square);
        // Rounding must not leave the values 0 or 1 outside.
        let (low, high) = ((middle - spread).clamp(0.0, value), (middle + spread).clamp(value, 1.0));
        Some(Interval { value, low, high })
    }

    /// The exact interval of Clopper and Pearson for a share of independent trials: never too
    /// short. None without trials. Successes need not be whole.
    pub fn clopper_pearson(successes: f64, trials: f64) -> Option<Interval> {
        let value = share(successes, trials)?;
        let failures = trials - successes;
        let low = if successes <= 0.0 { 0.0 } else { beta::quantile(TAIL, successes, failures + 1.0) };
        let high = if failures <= 0.0 { 1.0 } else { beta::quantile(1.0 - TAIL, successes + 1.0, failures) };
        Some(Interval { value, low: low.min(value), high: high.max(value) })
    }
}

fn share(successes: f64, trials: f64) -> Option<f64> {
    let is_share = trials.is_finite() && trials > 0.0 && (0.0..=trials).contains(&successes);
    is_share.then(|| successes / trials)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ends_belong_to_it() {
        let interval = Interval { value: 0.5, low: 0.4, high: 0.6 };
        assert!(interval.holds(0.4) && interval.holds(0.6) && !interval.holds(0.61));
    }

    fn check(interval: Option<Interval>, low: f64, high: f64) {
        let interval = interval.expect("an interval");
        assert!((interval.low - low).abs() < 5e-5 && (interval.high - high).abs() < 5e-5, "{interval:?}");
    }

    /// Figures of the literature: Newcombe (1998), table I, for 81 of 263, 15 of 148 and 0 of 20.
    #[test]
    fn published_intervals() {
        check(Interval::wilson(81.0, 263.0), 0.2553, 0.3662);
        check(Interval::wilson(15.0, 148.0), 0.0624, 0.1605);
        check(Interval::wilson(0.0, 20.0), 0.0, 0.1611);
        check(Interval::clopper_pearson(81.0, 263.0), 0.2527, 0.3676);
        check(Interval::clopper_pearson(15.0, 148.0), 0.0578, 0.1617);
        check(Interval::clopper_pearson(0.0, 20.0), 0.0, 0.1684);
    }

    #[test]
    fn a_share_of_one_has_a_closed_form() {
        // If all n are right, the lower end is the n-th root of 0.025.
        check(Interval::clopper_pearson(40.0, 40.0), 0.025f64.powf(1.0 / 40.0), 1.0);
        check(Interval::clopper_pearson(1.0, 1.0), 0.025, 1.0);
    }

    #[test]
    fn no_trials_no_interval() {
        for (successes, trials) in [(0.0, 0.0), (2.0, 1.0), (-1.0, 4.0), (f64::NAN, 4.0), (1.0, f64::NAN)] {
            assert_eq!(Interval::wilson(successes, trials), None);
            assert_eq!(Interval::clopper_pearson(successes, trials), None);
        }
    }
}
