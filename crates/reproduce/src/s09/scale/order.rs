//! How far two orders agree.

/// Spearman's rank correlation of two series; equal values share their ranks. `None` if one of them is all the same.
pub fn rank_correlation(a: &[f64], b: &[f64]) -> Option<f64> {
    let (a, b) = (ranks(a), ranks(b));
    let mean = (a.len() as f64 + 1.0) / 2.0;
    let products = |x: &[f64], y: &[f64]| x.iter().zip(y).map(|(x, y)| (x - mean) * (y - mean)).sum::<f64>();
    let spread = (products(&a, &a) * products(&b, &b)).sqrt();
    (spread > 0.0).then(|| products(&a, &b) / spread)
}

fn ranks(values: &[f64]) -> Vec<f64> {
    let rank = |value: &f64| {
        let below = values.iter().filter(|other| *other < value).count() as f64;
        let same = values.iter().filter(|other| *other == value).count() as f64;
        below + (same + 1.0) / 2.0
    };
    values.iter().map(rank).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_agree_fully_or_not_at_all() {
        let rising = [0.1, 0.2, 0.9, 1.0];
        assert_eq!(rank_correlation(&rising, &[5.0, 6.0, 7.0, 100.0]), Some(1.0));
        assert_eq!(rank_correlation(&rising, &[4.0, 3.0, 2.0, 1.0]), Some(-1.0));
        assert_eq!(rank_correlation(&rising, &[1.0; 4]), None);
        // By hand: ranks 1 2 3 4 against 1 2.5 2.5 4.
        let tied = rank_correlation(&rising, &[1.0, 2.0, 2.0, 3.0]).unwrap();
        assert!((tied - 4.5 / (5.0_f64 * 4.5).sqrt()).abs() < 1e-12, "{tied}");
    }
}
