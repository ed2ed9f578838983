//! Intervals of any ratio whose parts come in groups, such as a utility.
//!
//! Groups are drawn again with replacement, as many as there are, and the interval is the range of the
//! middle 95 % of the resulting figures. A share, which is always between 0 and 1, has a better one:
//! [`super::grouped`].

use crate::random::Random;

use super::share::{Share, agree, bundled, total};
use super::{Interval, TAIL};

/// The interval of any ratio. None when all groups agree, since nothing then shows how far others may
/// differ, or without resamples.
pub fn bootstrap(groups: &[Share], resamples: u32, seed: u64) -> Option<Interval> {
    let value = total(groups)?;
    if resamples == 0 || agree(groups, value) {
        return None;
    }
    let drawn = bundled(groups, seed);
    let mut figures: Vec<f64> = (0..u64::from(resamples)).map(|turn| draw(&drawn, seed, turn)).collect();
    figures.sort_unstable_by(f64::total_cmp);
    let outside = ((figures.len() as f64 * TAIL) as usize).min((figures.len() - 1) / 2);
    let (low, high) = (figures[outside], figures[figures.len() - 1 - outside]);
    Some(Interval { value, low: low.min(value), high: high.max(value) })
}

fn draw(groups: &[Share], seed: u64, turn: u64) -> f64 {
    let mut random = Random::new(seed, turn);
    let (mut part, mut whole) = (0.0, 0.0);
    for _ in groups {
        let group = groups[random.below(groups.len())];
        part += group.part;
        whole += group.whole;
    }
    part / whole
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_that_agree_have_none() {
        assert_eq!(bootstrap(&[Share { part: 3.0, whole: 3.0 }; 40], 1000, 1), None);
        assert_eq!(bootstrap(&[], 1000, 1), None);
    }

    /// For example a utility of queries, in which each query is a group.
    #[test]
    fn a_mean_has_about_the_interval_of_the_normal_distribution() {
        let groups: Vec<Share> =
            (0..400).map(|n| Share { part: f64::from(n % 5) - 4.0, whole: 1.0 }).collect();
        let got = bootstrap(&groups, 2000, 3).unwrap();
        let reach = crate::interval::REACH * (2.0f64 / 400.0).sqrt();
        assert!((got.low + 2.0 + reach).abs() < 0.02 && (got.high + 2.0 - reach).abs() < 0.02, "{got:?}");
    }
}
