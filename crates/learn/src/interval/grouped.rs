//! Intervals of shares whose parts come in groups.
//!
//! Such a share is a sum over groups divided by another sum over groups: for example right pairs by
//! found pairs. Mistakes are rare and come in clusters: most samples have fewer large wrong groups than
//! expected, some have none. The spread within such a sample is then too small, and an interval from
//! resampling its groups alone claims too much, especially for figures near 1, which matter most.
//!
//! So an unseen group is added: all wrong for the lower end, all right for the upper one, and as large as
//! the group to which an average pair of the sample belongs. Then every group, including that one,
//! repeatedly gets a random weight (exponential: the Bayesian bootstrap), and 2.5 % of the figures lie
//! beyond each end. For groups of one trial each this is exactly the interval of Clopper and Pearson; for
//! groups of one size it is the bound of Gaffke (2005), to which no exception is known.

use std::sync::OnceLock;

use lookalike_core::maths::ln;

use crate::random::Random;

use super::share::{Share, agree, bundled, counting, total};
use super::{Interval, REACH, TAIL};

/// The interval of a share from 0 to 1.
///
/// When all groups agree, or without resamples, it is that of Clopper and Pearson for as many trials as
/// there are groups; fewer if their sizes differ, since large ones then dominate. None when no group
/// has a whole.
pub fn grouped(groups: &[Share], resamples: u32, seed: u64) -> Option<Interval> {
    let value = total(groups)?;
    let (mut whole, mut squares) = (0.0, 0.0);
    for group in counting(groups) {
        whole += group.whole;
        squares += group.whole * group.whole;
    }
    if resamples == 0 || agree(groups, value) {
        let trials = whole * whole / squares;
        return Interval::clopper_pearson((value * trials).clamp(0.0, trials), trials);
    }
    let unseen = squares / whole;
    let drawn = bundled(groups, seed);
    let (mut lows, mut highs): (Vec<f64>, Vec<f64>) =
        (0..u64::from(resamples)).map(|turn| weigh(&drawn, unseen, seed, turn)).unzip();
    lows.sort_unstable_by(f64::total_cmp);
    highs.sort_unstable_by(f64::total_cmp);
    let outside = ((lows.len() as f64 * TAIL) as usize).min((lows.len() - 1) / 2);
    let (low, high) = (lows[outside], highs[highs.len() - 1 - outside]);
    Some(Interval { value, low: low.min(value), high: high.max(value) })
}

/// By how much one share exceeds another of the same groups, with the interval of the middle 95 % when all
/// groups are reweighted: what both get right or wrong together does not widen it. None if either has no
/// whole.
///
/// Here, too, an unseen group is added: one that speaks for the other, as loudly as those in which the two
/// differ. Without it a single group would be certain, since all weights are above 0. If every group
/// differs by as much and to the same side, the difference is certain from six groups on, as in the sign
/// test.
pub fn difference(groups: &[[Share; 2]], resamples: u32, seed: u64) -> Option<Interval> {
    let value = total_difference(groups)?;
    let [against, in_favour] = [0, 1].map(|favoured| unseen_against(groups, favoured));
    let (low, _) = middle(&reweighed(groups, Some(against?), resamples, seed)).unwrap_or((value, value));
    let (_, high) = middle(&reweighed(groups, Some(in_favour?), resamples, seed)).unwrap_or((value, value));
    Some(Interval { value, low: low.min(value), high: high.max(value) })
}

/// By how much one share exceeds another of the same groups, and the standard error of that, from reweighting the groups
/// that were seen: what to go by in a choice, where the interval above says what is certain.
pub fn difference_and_error(groups: &[[Share; 2]], resamples: u32, seed: u64) -> Option<(f64, f64)> {
    let value = total_difference(groups)?;
    let (low, high) = middle(&reweighed(groups, None, resamples, seed)).unwrap_or((value, value));
    Some((value, (high.max(value) - low.min(value)) / (2.0 * REACH)))
}

fn total_difference(groups: &[[Share; 2]]) -> Option<f64> {
    let [one, other] = [0, 1].map(|which| groups.iter().map(|group| group[which]).collect::<Vec<Share>>());
    Some(total(&one)? - total(&other)?)
}

/// The difference of two shares under random weights, many times, rising.
fn reweighed(groups: &[[Share; 2]], unseen: Option<[Share; 2]>, resamples: u32, seed: u64) -> Vec<f64> {
    let share = |sum: Share| if sum.whole > 0.0 { sum.part / sum.whole } else { 0.0 };
    let mut all: Vec<f64> = (0..u64::from(resamples))
        .map(|turn| {
            let mut weights = Weights::new(Random::new(seed, turn));
            let mut sums = [Share::default(); 2];
            for group in groups.iter().chain(&unseen) {
                let weight = weights.next();
                for (sum, share) in sums.iter_mut().zip(group) {
                    sum.part += weight * share.part;
                    sum.whole += weight * share.whole;
                }
            }
            share(sums[0]) - share(sums[1])
        })
        .collect();
    all.sort_unstable_by(f64::total_cmp);
    all
}

/// The ends of the middle 95 % of rising figures.
fn middle(rising: &[f64]) -> Option<(f64, f64)> {
    let outside = (rising.len() as f64 * TAIL) as usize;
    Some((*rising.get(outside)?, rising[rising.len().checked_sub(outside + 1)?]))
}

/// A group that speaks against one of two shares: the mean of the groups in which they differ, each counted by how much it
/// adds to the difference, with the shares exchanged where it speaks for this one. Nothing if no group differs.
fn unseen_against(groups: &[[Share; 2]], favoured: usize) -> Option<[Share; 2]> {
    let totals = [0, 1].map(|which| {
        let shares = groups.iter().map(|group| group[which]);
        shares.fold(Share::default(), |a, b| Share { part: a.part + b.part, whole: a.whole + b.whole })
    });
    if totals.iter().any(|total| total.whole <= 0.0) {
        return None;
    }
    // What a group adds to a share beyond a common one. Over all groups these sum up to the difference.
    let common = totals.iter().map(|total| total.part / total.whole).sum::<f64>() / 2.0;
    let adds = |group: &[Share; 2], which: usize| {
        (group[which].part - common * group[which].whole) / totals[which].whole
    };
    let (mut sum, mut counted) = ([Share::default(); 2], 0.0);
    for group in groups.iter().filter(|group| group[0] != group[1]) {
        let added = adds(group, favoured) - adds(group, 1 - favoured);
        let against = if added > 0.0 { [group[1], group[0]] } else { *group };
        for (sum, share) in sum.iter_mut().zip(against) {
            sum.part += added.abs() * share.part;
            sum.whole += added.abs() * share.whole;
        }
        counted += added.abs();
    }
    let mean = |sum: Share| Share { part: sum.part / counted, whole: sum.whole / counted };
    Some(if counted > 0.0 { sum.map(mean) } else { [Share::default(); 2] })
}

/// The share under random weights, with the unseen group all wrong and all right.
fn weigh(groups: &[Share], unseen: f64, seed: u64, turn: u64) -> (f64, f64) {
    let mut weights = Weights::new(Random::new(seed, turn));
    let unseen = unseen * weights.next();
    let (mut part, mut whole) = (0.0, unseen);
    for group in groups {
        let weight = weights.next();
        part += weight * group.part;
        whole += weight * group.whole;
    }
    (part / whole, (part + unseen) / whole)
}

const BITS: u32 = 12;

/// Exponential random numbers of mean 1, from a table: a logarithm for each would be most of the work.
struct Weights {
    random: Random,
    bits: u64,
    left: u32,
    table: &'static [f64],
}

impl Weights {
    fn new(random: Random) -> Self {
        Weights { random, bits: 0, left: 0, table: table() }
    }

    fn next(&mut self) -> f64 {
        if self.left < BITS {
            (self.bits, self.left) = (self.random.next(), u64::BITS);
        }
        let place = self.bits & ((1 << BITS) - 1);
        self.bits >>= BITS;
        self.left -= BITS;
        self.table[place as usize]
    }
}

/// The mean of the distribution within each of its intervals of equal probability.
fn table() -> &'static [f64] {
    static TABLE: OnceLock<Vec<f64>> = OnceLock::new();
    TABLE.get_or_init(|| {
        let strips = 1u32 << BITS;
        // A number that is exceeded with the chance x is −ln x; this is its integral.
        let integral = |x: f64| if x > 0.0 { x - x * ln(x) } else { 0.0 };
        let at = |place: u32| integral(f64::from(place) / f64::from(strips));
        (0..strips).map(|place| (at(place + 1) - at(place)) * f64::from(strips)).collect()
    })
}

#[cfg(test)]
mod tests;
