//! Where to split a list of scores in two.

use super::check::check_examples;
use super::goal::Goal;
use super::rows::Rows;
use crate::{Confusion, Examples};
use lookalike_core::{Error, Result};
use serde::{Deserialize, Serialize};

/// One component with a threshold, and how good that alone is.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Cut {
    /// The index of the similarity in a row.
    pub component: usize,
    /// The value from which it says near-duplicate.
    pub threshold: f64,
    /// How good that is.
    pub f1: f64,
}

/// The threshold of a component with the best F1 on these examples.
pub fn best_threshold(examples: &Examples, component: usize) -> Result<Cut> {
    check_examples(examples)?;
    if component >= examples.width {
        return Err(Error::config(format!(
            "there is no component {component}; the examples have {} components, counted from 0",
            examples.width
        )));
    }
    let column: Vec<f64> = examples.values.iter().skip(component).step_by(examples.width).copied().collect();
    let (threshold, f1) = best_cut(&column, &counts(&examples.labels, &examples.weights), None, Goal::F1);
    Ok(Cut { component, threshold, f1 })
}

/// The component, and its threshold, that serve the goal best in these rows; the first of several.
pub fn best_single(rows: &Rows, goal: Goal) -> (usize, f64) {
    let mut best = (0, 0.0);
    let mut most = f64::NEG_INFINITY;
    let counts = counts(&rows.labels, &rows.weights);
    for component in 0..rows.width {
        let column: Vec<f64> = rows.values.iter().skip(component).step_by(rows.width).copied().collect();
        let (threshold, worth) = best_cut(&column, &counts, None, goal);
        if worth > most {
            (best, most) = ((component, threshold), worth);
        }
    }
    best
}

/// For how many near-duplicates and other pairs each row stands.
fn counts(labels: &[bool], weights: &[f64]) -> Vec<[f64; 2]> {
    let rows = labels.iter().zip(weights);
    rows.map(|(&label, &weight)| if label { [weight, 0.0] } else { [0.0, weight] }).collect()
}

/// The threshold that scores must reach to serve the goal best, and how well that is, if each row stands for so many
/// near-duplicates and other pairs. It is midway between two scores, unless `home` is as good. Of equally good places
/// the one nearest to `home` is taken, or the highest.
pub fn best_cut(scores: &[f64], counts: &[[f64; 2]], home: Option<f64>, goal: Goal) -> (f64, f64) {
    let mut order: Vec<(f64, [f64; 2])> =
        scores.iter().zip(counts).map(|(&score, &counts)| (score, counts)).collect();
    // The order of equal scores must not depend on that of the rows, or the sums would.
    order.sort_by(|(x, [a, b]), (y, [c, d])| y.total_cmp(x).then(a.total_cmp(c)).then(b.total_cmp(d)));
    let total = |class: usize| order.iter().map(|row| row.1[class]).sum::<f64>();
    let (positives, negatives) = (total(0), total(1));
    let pair = (positives + negatives) / order.len().max(1) as f64;
    let (mut best, mut found, mut wrong) = (None::<(f64, f64)>, 0.0, 0.0);
    for (place, &(score, [near, other])) in order.iter().enumerate() {
        found += near;
        wrong += other;
        let next = order.get(place + 1).map(|next| next.0);
        if next == Some(score) {
            continue;
        }
        let counts = Confusion {
            true_positives: found,
            false_positives: wrong,
            false_negatives: positives - found,
            true_negatives: negatives - wrong,
        };
        let worth = goal.worth(&counts, pair);
        let threshold = match (home, next) {
            (Some(home), next) if home <= score && next.is_none_or(|next| home > next) => home,
            (_, Some(next)) => between(next, score),
            (_, None) => score,
        };
        let away = |place: f64| home.map_or(0.0, |home| (place - home).abs());
        if best.is_none_or(|(at, most)| worth > most || (worth == most && away(threshold) < away(at))) {
            best = Some((threshold, worth));
        }
    }
    best.unwrap_or((home.unwrap_or(0.0), 0.0))
}

/// A number above `low` and at most `high`, midway if there is one.
pub fn between(low: f64, high: f64) -> f64 {
    let middle = low / 2.0 + high / 2.0;
    if middle > low && middle <= high { middle } else { high }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn f1(scores: &[f64], labels: &[bool], threshold: f64) -> f64 {
        let count = |reaches: bool, label: bool| {
            scores.iter().zip(labels).filter(|&(&s, &l)| (s >= threshold) == reaches && l == label).count()
                as f64
        };
        let twice = 2.0 * count(true, true);
        let all = twice + count(true, false) + count(false, true);
        if all == 0.0 { 0.0 } else { twice / all }
    }

    proptest! {
        #[test]
        fn no_other_threshold_does_better(rows in prop::collection::vec((0..12u8, any::<bool>()), 1..40), home in 0.0..12.0f64) {
            let scores: Vec<f64> = rows.iter().map(|row| f64::from(row.0)).collect();
            let labels: Vec<bool> = rows.iter().map(|row| row.1).collect();
            let best = (0..13).map(|at| f1(&scores, &labels, f64::from(at))).fold(0.0, f64::max);
            for home in [None, Some(home)] {
                let (threshold, claimed) = best_cut(&scores, &counts(&labels, &vec![1.0; rows.len()]), home, Goal::F1);
                prop_assert!((claimed - best).abs() < 1e-12);
                prop_assert!((f1(&scores, &labels, threshold) - best).abs() < 1e-12);
                if let Some(home) = home.filter(|&home| best > 0.0 && f1(&scores, &labels, home) == best) {
                    prop_assert_eq!(threshold, home);
                }
            }
        }

        #[test]
        fn what_is_between_parts(a in any::<f64>().prop_filter("finite", |x| x.is_finite()), b in any::<f64>().prop_filter("finite", |x| x.is_finite())) {
            let (low, high) = (a.min(b), a.max(b));
            prop_assume!(low < high);
            let middle = between(low, high);
            prop_assert!(low < middle && middle <= high);
        }
    }

    #[test]
    fn a_least_precision_moves_the_cut() {
        let scores: Vec<f64> = (0..40).map(f64::from).collect();
        let labels: Vec<bool> = (0..40).map(|place| place >= 30 || place % 3 == 0).collect();
        let cut = |goal: Goal| best_cut(&scores, &counts(&labels, &[1.0; 40]), None, goal).0;
        // From 30 on all are near-duplicates; at 27 two of thirteen are none.
        assert_eq!(cut(Goal::Precision(0.9)), 29.5);
        assert!(cut(Goal::Precision(0.75)) < 27.5);
        assert!(cut(Goal::Precision(0.99)) >= 29.5, "not reached: the most precise");
    }

    #[test]
    fn the_weight_moves_the_cut() {
        let scores = [5.0, 4.0, 3.0, 2.0, 1.0];
        let labels = [true, false, false, false, true];
        let cut = |weight: f64| {
            let weights = labels.map(|label| if label { weight } else { 1.0 });
            best_cut(&scores, &counts(&labels, &weights), None, Goal::F1).0
        };
        assert_eq!((cut(0.5), cut(9.0)), (4.5, 1.0));
    }
}
