//! Intervals of figures whose parts belong together in groups.
//!
//! Such a figure is a sum over groups divided by another sum over groups: right pairs by found pairs,
//! for example. Groups are drawn again with replacement, as many as there are, and the interval is what
//! the middle 95 % of the drawn figures span.

use crate::random::Random;

use super::{Interval, TAIL};

/// More groups than these are bundled: the interval is as good, and drawing stays quick.
const MOST_DRAWN: usize = 1 << 14;

/// What a group adds to the figure's numerator and denominator.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Share {
    pub part: f64,
    pub whole: f64,
}

/// The interval of a share from 0 to 1.
///
/// When all groups agree, as in a precision of 1.0, every draw gives the same figure, and the interval
/// would claim certainty. It is then that of Clopper and Pearson for as many trials as there are groups.
/// None when no group has a whole.
pub fn grouped(groups: &[Share], resamples: u32, seed: u64) -> Option<Interval> {
    bootstrap(groups, resamples, seed).or_else(|| {
        let (value, trials) = total(groups)?;
        Interval::clopper_pearson((value * trials).clamp(0.0, trials), trials)
    })
}

/// The interval of any ratio. None when all groups agree, as then nothing shows how far others may differ,
/// or when nothing is to be drawn.
pub fn bootstrap(groups: &[Share], resamples: u32, seed: u64) -> Option<Interval> {
    let (value, _) = total(groups)?;
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

/// The figure of all groups, and how many count for it.
fn total(groups: &[Share]) -> Option<(f64, f64)> {
    let (mut part, mut whole, mut count) = (0.0, 0.0, 0u64);
    for group in counting(groups) {
        part += group.part;
        whole += group.whole;
        count += 1;
    }
    (count > 0).then(|| (part / whole, count as f64))
}

fn counting(groups: &[Share]) -> impl Iterator<Item = &Share> {
    groups.iter().filter(|group| group.whole > 0.0)
}

/// Whether all groups have the figure of the whole, but for rounding.
fn agree(groups: &[Share], value: f64) -> bool {
    counting(groups).all(|group| (group.part / group.whole - value).abs() <= 1e-12 * value.abs().max(1.0))
}

/// Bundles are filled by lot: any order in the groups would make bundles more alike than groups are.
fn bundled(groups: &[Share], seed: u64) -> Vec<Share> {
    let mut bundles: Vec<Share> = counting(groups).copied().collect();
    if bundles.len() > MOST_DRAWN {
        let mut random = Random::new(seed, u64::MAX);
        bundles = vec![Share::default(); MOST_DRAWN];
        for group in counting(groups) {
            let bundle = &mut bundles[random.below(MOST_DRAWN)];
            bundle.part += group.part;
            bundle.whole += group.whole;
        }
        bundles.retain(|bundle| bundle.whole > 0.0);
    }
    bundles
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

    fn shares(list: &[(f64, f64)]) -> Vec<Share> {
        list.iter().map(|&(part, whole)| Share { part, whole }).collect()
    }

    #[test]
    fn certainty_is_never_claimed() {
        let right = vec![Share { part: 3.0, whole: 3.0 }; 40];
        let interval = grouped(&right, 1000, 1);
        assert_eq!(interval, Interval::clopper_pearson(40.0, 40.0));
        let one = grouped(&shares(&[(1e6, 1e6)]), 1000, 1).expect("an interval");
        assert!(one.low < 0.03, "a single group says nearly nothing: {one:?}");
        let halves = grouped(&[Share { part: 1.0, whole: 2.0 }; 10], 1000, 1).expect("an interval");
        assert!(halves.low < 0.25 && halves.high > 0.75, "{halves:?}");
        assert_eq!(bootstrap(&right, 1000, 1), None);
    }

    #[test]
    fn groups_without_a_whole_do_not_count() {
        assert_eq!(grouped(&[], 1000, 1), None);
        assert_eq!(grouped(&shares(&[(0.0, 0.0)]), 1000, 1), None);
        let some = shares(&[(0.0, 0.0), (1.0, 1.0), (0.0, 0.0), (1.0, 1.0)]);
        assert_eq!(grouped(&some, 1000, 1), Interval::clopper_pearson(2.0, 2.0));
    }

    #[test]
    fn it_follows_from_the_seed_and_survives_few_draws() {
        let groups = shares(&[(1.0, 2.0), (5.0, 5.0), (0.0, 3.0), (2.0, 2.0)]);
        assert_eq!(grouped(&groups, 500, 7), grouped(&groups, 500, 7));
        for resamples in 0..5 {
            let interval = grouped(&groups, resamples, 7).expect("an interval");
            assert!(interval.holds(8.0 / 12.0), "{interval:?}");
        }
    }

    /// Groups of one trial each are a plain sample, of which Wilson's interval is known to be right.
    #[test]
    fn single_trials_have_about_the_interval_of_wilson() {
        let groups: Vec<Share> =
            (0..400).map(|n| Share { part: f64::from(u8::from(n % 4 == 0)), whole: 1.0 }).collect();
        let (got, expected) = (grouped(&groups, 2000, 3).unwrap(), Interval::wilson(100.0, 400.0).unwrap());
        assert!((got.low - expected.low).abs() < 0.01 && (got.high - expected.high).abs() < 0.01, "{got:?}");
    }

    /// The reason for drawing groups: ten pairs of a group that are right together tell as much as one.
    #[test]
    fn pairs_of_a_group_do_not_count_as_evidence_ten_times() {
        let single: Vec<Share> =
            (0..100).map(|n| Share { part: f64::from(u8::from(n % 2 == 0)), whole: 1.0 }).collect();
        let tenfold: Vec<Share> =
            single.iter().map(|one| Share { part: one.part * 10.0, whole: one.whole * 10.0 }).collect();
        assert_eq!(grouped(&single, 1000, 5), grouped(&tenfold, 1000, 5));
    }

    #[test]
    fn bundling_keeps_the_width() {
        let groups: Vec<Share> =
            (0..40_000).map(|n| Share { part: f64::from(u8::from(n % 3 == 0)), whole: 1.0 }).collect();
        let got = grouped(&groups, 1000, 3).unwrap();
        let expected = Interval::wilson(13_334.0, 40_000.0).unwrap();
        assert!(((got.high - got.low) / (expected.high - expected.low) - 1.0).abs() < 0.15, "{got:?}");
    }
}
