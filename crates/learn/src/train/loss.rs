//! The loss of a wrong verdict while a function is fitted.

use lookalike_core::maths::{exp, ln};

/// A convex loss of the margin, the score times the sign of the label.
pub trait Loss {
    /// Value, first and second derivative.
    fn at(&self, margin: f64) -> (f64, f64, f64);
}

/// The square of the difference between the margin and 1, if it is less.
pub struct SquaredHinge;

impl Loss for SquaredHinge {
    fn at(&self, margin: f64) -> (f64, f64, f64) {
        let short = 1.0 - margin;
        if short > 0.0 { (short * short, -2.0 * short, 2.0) } else { (0.0, 0.0, 0.0) }
    }
}

/// ln(1 + e^-margin).
pub struct LogLoss;

impl Loss for LogLoss {
    fn at(&self, margin: f64) -> (f64, f64, f64) {
        // Uses the exponential that cannot overflow.
        let small = exp(-margin.abs());
        let wrong = if margin > 0.0 { small / (1.0 + small) } else { 1.0 / (1.0 + small) };
        (ln(1.0 + small) + (-margin).max(0.0), -wrong, wrong * (1.0 - wrong))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn derivatives_are_those_of_the_loss() {
        for margin in [-40.0, -3.0, -0.5, 0.0, 0.7, 5.0, 40.0] {
            let width = 1e-4;
            let (low, here, high) =
                (LogLoss.at(margin - width), LogLoss.at(margin), LogLoss.at(margin + width));
            assert!(((high.0 - low.0) / (2.0 * width) - here.1).abs() < 1e-7, "{margin}");
            assert!(((high.1 - low.1) / (2.0 * width) - here.2).abs() < 1e-7, "{margin}");
        }
    }
}
