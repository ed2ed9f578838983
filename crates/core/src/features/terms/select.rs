//! Which of a document's distinct features count, by their weight relative to its heaviest (S09 §5.1,
//! §7.1.2).
//!
//! The order is: `cap_top` lowers outlying weights; `low_threshold`, `high_threshold` and `band`
//! compare with the largest weight that is left; `top` picks from what they keep.

/// Settings; the default keeps everything.
#[derive(Clone, Debug, PartialEq)]
pub struct Selection {
    /// Features below this share of the largest weight are dropped.
    pub low_threshold: f64,
    /// Only features of at least this share of the largest weight are kept.
    pub high_threshold: f64,
    /// Only features from the first to the second share of the largest weight are kept.
    pub band: (f64, f64),
    /// Only so many of the heaviest are kept, of equal ones those of smaller hash; 0 keeps all.
    pub top: usize,
    /// No weight is more than so many times the median of the ten heaviest (of all, if they are fewer;
    /// the mean of the middle two, if there are two); 0 leaves weights alone.
    pub cap_top: f64,
}

impl Default for Selection {
    fn default() -> Self {
        Selection { low_threshold: 0.0, high_threshold: 0.0, band: (0.0, 1.0), top: 0, cap_top: 0.0 }
    }
}

impl Selection {
    pub fn keeps_all(&self) -> bool {
        *self == Selection::default()
    }

    /// Selects among distinct features, which stay in their order. `heaviest` is a buffer.
    pub fn apply(&self, hashes: &mut Vec<u64>, weights: &mut Vec<f32>, heaviest: &mut Vec<(f32, u64)>) {
        if self.cap_top > 0.0 {
            self.cap(weights, heaviest);
        }
        let largest = f64::from(largest(weights));
        let least = self.low_threshold.max(self.high_threshold).max(self.band.0) * largest;
        let most = self.band.1 * largest;
        retain(hashes, weights, |_, weight| (least..=most).contains(&f64::from(weight)));
        if self.top > 0 && self.top < hashes.len() {
            heaviest.clear();
            heaviest.extend(weights.iter().copied().zip(hashes.iter().copied()));
            let (_, &mut last, _) = heaviest.select_nth_unstable_by(self.top - 1, heavier_first);
            retain(hashes, weights, |hash, weight| heavier_first(&(weight, hash), &last).is_le());
        }
    }

    fn cap(&self, weights: &mut [f32], heaviest: &mut Vec<(f32, u64)>) {
        const TEN: usize = 10;
        heaviest.clear();
        heaviest.extend(weights.iter().map(|&weight| (weight, 0)));
        if heaviest.len() > TEN {
            heaviest.select_nth_unstable_by(TEN, heavier_first);
            heaviest.truncate(TEN);
        }
        heaviest.sort_unstable_by(heavier_first);
        let middle = |place: usize| heaviest.get(place).map_or(0.0, |&(weight, _)| f64::from(weight));
        let median = (middle(heaviest.len().saturating_sub(1) / 2) + middle(heaviest.len() / 2)) / 2.0;
        let limit = (self.cap_top * median) as f32;
        for weight in weights {
            *weight = weight.min(limit);
        }
    }
}

/// Drops features without weight, which could not vote anyway.
pub fn drop_weightless(hashes: &mut Vec<u64>, weights: &mut Vec<f32>) {
    // Usually there are none; then nothing is moved.
    if weights.iter().fold(true, |all, &weight| all & (weight > 0.0)) {
        return;
    }
    retain(hashes, weights, |_, weight| weight > 0.0);
}

pub fn largest(weights: &[f32]) -> f32 {
    weights.iter().copied().fold(0.0, f32::max)
}

fn heavier_first(a: &(f32, u64), b: &(f32, u64)) -> std::cmp::Ordering {
    b.0.total_cmp(&a.0).then(a.1.cmp(&b.1))
}

#[inline(always)]
fn retain(hashes: &mut Vec<u64>, weights: &mut Vec<f32>, keep: impl Fn(u64, f32) -> bool) {
    let mut kept = 0;
    for i in 0..hashes.len().min(weights.len()) {
        let (hash, weight) = (hashes[i], weights[i]);
        hashes[kept] = hash;
        weights[kept] = weight;
        kept += usize::from(keep(hash, weight));
    }
    hashes.truncate(kept);
    weights.truncate(kept);
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn select(selection: &Selection, weights: &[f32]) -> (Vec<u64>, Vec<f32>) {
        let (mut hashes, mut weights) = ((0..weights.len() as u64).collect(), weights.to_vec());
        selection.apply(&mut hashes, &mut weights, &mut Vec::new());
        (hashes, weights)
    }

    #[test]
    fn each_setting_does_what_it_says() {
        let weights = [1.0, 10.0, 5.0, 2.0, 5.0];
        let kept = |selection: Selection| select(&selection, &weights).0;
        let all = Selection::default();
        assert!(all.keeps_all());
        assert_eq!(kept(all.clone()), [0, 1, 2, 3, 4]);
        assert_eq!(kept(Selection { low_threshold: 0.2, ..all.clone() }), [1, 2, 3, 4]);
        assert_eq!(kept(Selection { high_threshold: 0.5, ..all.clone() }), [1, 2, 4]);
        assert_eq!(kept(Selection { band: (0.2, 0.5), ..all.clone() }), [2, 3, 4]);
        assert_eq!(kept(Selection { top: 2, ..all.clone() }), [1, 2], "of equal ones the smaller hash");
        assert_eq!(kept(Selection { top: 9, ..all.clone() }).len(), 5);
        assert_eq!(kept(Selection { top: 1, band: (0.0, 0.4), ..all.clone() }), [3], "one after the other");
        assert!(!Selection { top: 2, ..all }.keeps_all());
    }

    #[test]
    fn the_cap_is_measured_by_the_median_of_the_ten_heaviest() {
        let cap =
            |cap_top, weights: &[f32]| select(&Selection { cap_top, ..Selection::default() }, weights).1;
        // Ten heaviest: 100, 9, 9, 8, 7, 5, 4, 3, 2, 2; their median is 6.
        let weights = [1.0, 2.0, 2.0, 3.0, 4.0, 100.0, 5.0, 7.0, 8.0, 9.0, 9.0];
        assert_eq!(cap(1.5, &weights), [1.0, 2.0, 2.0, 3.0, 4.0, 9.0, 5.0, 7.0, 8.0, 9.0, 9.0]);
        assert_eq!(cap(1.0, &[1.0, 3.0, 90.0]), [1.0, 3.0, 3.0], "the median of three");
        assert_eq!(cap(2.0, &[5.0]), [5.0]);
        assert!(cap(2.0, &[]).is_empty());
        let capped = Selection { cap_top: 1.0, high_threshold: 1.0, ..Selection::default() };
        assert_eq!(select(&capped, &[1.0, 3.0, 90.0]).0, [1, 2], "thresholds see the capped weights");
    }

    #[test]
    fn nothing_stays_nothing() {
        let (mut hashes, mut weights) = (vec![1, 2, 3], vec![0.0, 2.0, 0.0]);
        drop_weightless(&mut hashes, &mut weights);
        assert_eq!((hashes, weights), (vec![2], vec![2.0]));
        let all = Selection { low_threshold: 0.5, top: 3, cap_top: 1.0, ..Selection::default() };
        assert!(select(&all, &[]).0.is_empty());
    }

    proptest! {
        #[test]
        fn the_top_are_the_first_of_all_sorted(
            weights in proptest::collection::vec(prop_oneof![0.0f32..4.0, Just(2.0f32)], 0..60), top in 1usize..70
        ) {
            let mut sorted: Vec<(f32, u64)> = weights.iter().copied().zip(0..).collect();
            sorted.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
            let mut expected: Vec<u64> = sorted.iter().take(top).map(|&(_, hash)| hash).collect();
            expected.sort_unstable();
            prop_assert_eq!(select(&Selection { top, ..Selection::default() }, &weights).0, expected);
        }
    }
}
