//! A figure and how sure it is.

use serde::{Deserialize, Serialize};

/// An estimate with the interval that holds the true figure with 95 % confidence.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Interval {
    pub value: f64,
    pub low: f64,
    pub high: f64,
}

impl Interval {
    pub fn holds(&self, figure: f64) -> bool {
        (self.low..=self.high).contains(&figure)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ends_belong_to_it() {
        let interval = Interval { value: 0.5, low: 0.4, high: 0.6 };
        assert!(interval.holds(0.4) && interval.holds(0.6) && !interval.holds(0.61));
    }
}
