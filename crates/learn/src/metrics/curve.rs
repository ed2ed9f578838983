//! Precision and recall as the threshold falls.

use lookalike_core::Result;
use serde::Serialize;

use super::truth::Known;
use super::{FoundPairs, Truth, check};

/// More points than these cannot be distinguished in a plot.
const MOST_POINTS: usize = 200;

/// The figures of the pairs with at least this similarity.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "CurvePoint"))]
pub struct Point {
    /// Pairs from this similarity on count as found.
    pub threshold: f64,
    /// The share of these that is true.
    pub precision: f64,
    /// The share of what is true that is among them.
    pub recall: f64,
    /// The harmonic mean of both.
    pub f1: f64,
}

/// The points of the curve from the highest similarity down: at most 200, each exact, including the one
/// with the best F1. Empty when nothing is true or no found pair is judged.
pub fn curve(found: &FoundPairs, truth: &Truth) -> Result<Vec<Point>> {
    check::similarities(found)?;
    let documents = match truth {
        Truth::Pairs { .. } => u32::MAX,
        Truth::Clusters(labels) => u32::try_from(labels.len()).unwrap_or(u32::MAX),
    };
    check::pairs(documents, "found", found.pairs.iter().copied())?;
    check::truth(documents, truth)?;
    let truth = Known::new(truth);
    let all_true = truth.true_count();
    if all_true == 0 {
        return Ok(Vec::new());
    }
    let labels = truth.labels(found);
    let mut judged: Vec<(f64, bool)> = found
        .similarities
        .iter()
        .zip(labels)
        .filter_map(|(&similarity, label)| Some((similarity, label?)))
        .collect();
    judged.sort_unstable_by(|a, b| b.0.total_cmp(&a.0));
    let mut points = Vec::new();
    let (mut right, mut all) = (0u64, 0u64);
    for same in judged.chunk_by(|a, b| a.0 == b.0) {
        right += same.iter().filter(|pair| pair.1).count() as u64;
        all += same.len() as u64;
        points.push(Point {
            threshold: same[0].0,
            precision: right as f64 / all as f64,
            recall: right as f64 / all_true as f64,
            f1: 2.0 * right as f64 / (all + all_true) as f64,
        });
    }
    Ok(thinned(points))
}

/// Keeps both ends, the best, and points that are about equally far apart along the curve.
fn thinned(points: Vec<Point>) -> Vec<Point> {
    if points.len() <= MOST_POINTS {
        return points;
    }
    let step_to = |place: usize| {
        let (from, to) = (points[place - 1], points[place]);
        (to.precision - from.precision).abs() + (to.recall - from.recall).abs()
    };
    let length: f64 = (1..points.len()).map(step_to).sum();
    let mut best = 0;
    for place in 1..points.len() {
        if points[place].f1 > points[best].f1 {
            best = place;
        }
    }
    let last = points.len() - 1;
    // Both ends and the best are kept besides.
    let stride = length / (MOST_POINTS - 3) as f64;
    let (mut gone, mut next) = (0.0, stride);
    let mut kept = Vec::with_capacity(MOST_POINTS);
    for (place, &point) in points.iter().enumerate() {
        gone += if place > 0 { step_to(place) } else { 0.0 };
        let is_due = place > 0 && place < last && gone >= next;
        if is_due {
            next = (gone / stride).floor() * stride + stride;
        }
        if is_due || place == 0 || place == last || place == best {
            kept.push(point);
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::metrics::Unlabelled;

    #[test]
    fn by_hand() {
        let found = FoundPairs {
            pairs: vec![(0, 1), (0, 2), (1, 2), (3, 4)],
            similarities: vec![0.9, 0.8, 0.8, 0.7],
            clusters: Vec::new(),
        };
        let truth = Truth::Clusters(vec![Some(1), Some(1), Some(2), None, Some(2)]);
        let points = curve(&found, &truth).unwrap();
        // True are 0-1 and 2-4; the pair 3-4 is not judged.
        let expected = [(0.9, 1.0, 0.5, 2.0 / 3.0), (0.8, 1.0 / 3.0, 0.5, 0.4)];
        let got: Vec<_> =
            points.iter().map(|point| (point.threshold, point.precision, point.recall, point.f1)).collect();
        assert_eq!(got, expected);
    }

    #[test]
    fn what_cannot_be_drawn() {
        let truth = Truth::Pairs { pairs: vec![(0, 1, false)], rest: Unlabelled::Different };
        let mut found = FoundPairs { pairs: vec![(0, 1)], similarities: vec![0.5], clusters: Vec::new() };
        assert_eq!(curve(&found, &truth).unwrap(), []);
        found.similarities[0] = f64::NAN;
        assert!(curve(&found, &truth).unwrap_err().to_string().contains("pair 0, 1 is not a number"));
        found.similarities.clear();
        assert!(curve(&found, &truth).is_err());
    }

    proptest! {
        #[test]
        fn kept_points_are_exact(seed in 0u64..1000, pairs in 300usize..700) {
            let mut random = crate::random::Random::new(seed, 0);
            let list: Vec<(u32, u32)> = (0..pairs as u32).map(|n| (2 * n, 2 * n + 1)).collect();
            let similarities: Vec<f64> = list.iter().map(|_| random.unit()).collect();
            let labelled: Vec<(u32, u32, bool)> = list
                .iter()
                .zip(&similarities)
                .map(|(&(a, b), similarity)| (a, b, random.unit() < *similarity))
                .collect();
            let found = FoundPairs { pairs: list, similarities: similarities.clone(), clusters: Vec::new() };
            let truth = Truth::Pairs { pairs: labelled.clone(), rest: Unlabelled::LeftOut };
            let points = curve(&found, &truth).unwrap();
            prop_assert!(points.len() <= MOST_POINTS && points.len() > MOST_POINTS / 4, "{}", points.len());
            let all_true = labelled.iter().filter(|pair| pair.2).count() as f64;
            let figures = |threshold: f64| {
                let above: Vec<bool> = similarities
                    .iter()
                    .zip(&labelled)
                    .filter(|(similarity, _)| **similarity >= threshold)
                    .map(|(_, pair)| pair.2)
                    .collect();
                let right = above.iter().filter(|label| **label).count() as f64;
                (right / above.len() as f64, right / all_true, 2.0 * right / (above.len() as f64 + all_true))
            };
            for point in &points {
                prop_assert_eq!((point.precision, point.recall, point.f1), figures(point.threshold));
            }
            prop_assert!(points.windows(2).all(|two| two[0].threshold > two[1].threshold && two[0].recall <= two[1].recall));
            let best = similarities.iter().map(|&threshold| figures(threshold).2).fold(0.0, f64::max);
            prop_assert_eq!(points.iter().map(|point| point.f1).fold(0.0, f64::max), best);
        }
    }
}
