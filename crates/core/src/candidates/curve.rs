//! The S-curve of banded signatures, and the choice of bands and rows that reaches a given recall.

/// `bands` keys of `rows` values each.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Curve {
    /// How many bands there are.
    pub bands: usize,
    /// How many values a band has.
    pub rows: usize,
}

impl Curve {
    /// The chance that a pair of this similarity agrees on all rows of at least one band.
    pub fn recall_at(self, similarity: f64) -> f64 {
        let whole_band = similarity.clamp(0.0, 1.0).powi(self.rows as i32);
        1.0 - (1.0 - whole_band).powi(self.bands as i32)
    }

    /// The chance that a pair of this similarity agrees on at least `agree` bands.
    pub fn recall_of(self, similarity: f64, agree: usize) -> f64 {
        if agree == 1 {
            return self.recall_at(similarity);
        }
        let whole_band = similarity.clamp(0.0, 1.0).powi(self.rows as i32);
        // Summed from the highest count down; the rest up to 1 is the chance of fewer.
        let mut ways = 1.0;
        let mut sum = 0.0;
        for agreeing in (agree..=self.bands).rev() {
            let differing = self.bands - agreeing;
            if differing > 0 {
                ways *= (agreeing + 1) as f64 / differing as f64;
            }
            sum += ways * whole_band.powi(agreeing as i32) * (1.0 - whole_band).powi(differing as i32);
        }
        sum.min(1.0)
    }

    /// The area under the curve left of the threshold: work spent on pairs that verification will
    /// refuse, if all similarities were equally frequent. Simpson's rule.
    pub fn waste_below(self, threshold: f64) -> f64 {
        const STEPS: usize = 256;
        let width = threshold / STEPS as f64;
        let inner: f64 =
            (1..STEPS).map(|i| if i % 2 == 1 { 4.0 } else { 2.0 } * self.recall_at(i as f64 * width)).sum();
        (self.recall_at(0.0) + inner + self.recall_at(threshold)) * width / 3.0
    }

    /// Of all ways to cut at most `hashes` values into bands, the one with the least waste whose
    /// recall right at the threshold is at least `recall`; pairs above it do better still. `None`
    /// if there are too few values.
    pub fn choose(threshold: f64, recall: f64, hashes: usize) -> Option<Curve> {
        (1..=hashes)
            .filter_map(|rows| {
                (1..=hashes / rows)
                    .map(|bands| Curve { bands, rows })
                    .find(|curve| curve.recall_at(threshold) >= recall)
            })
            .min_by(|a, b| a.waste_below(threshold).total_cmp(&b.waste_below(threshold)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_points() {
        let curve = Curve { bands: 16, rows: 8 };
        assert!((curve.recall_at(0.8) - 0.947).abs() < 5e-4);
        assert_eq!(curve.recall_at(0.0), 0.0);
        assert_eq!(curve.recall_at(1.0), 1.0);
    }

    /// S09 §2.4.1: 84 hashes as 6 supershingles of 14, of which two must agree.
    #[test]
    fn several_bands_follow_the_binomial() {
        let curve = Curve { bands: 6, rows: 14 };
        for similarity in [0.5f64, 0.8, 0.95, 0.99] {
            let p = similarity.powi(14);
            let none_or_one = (1.0 - p).powi(6) + 6.0 * p * (1.0 - p).powi(5);
            assert!((curve.recall_of(similarity, 2) - (1.0 - none_or_one)).abs() < 1e-12);
            assert!((curve.recall_of(similarity, 6) - p.powi(6)).abs() < 1e-12);
        }
        assert_eq!(curve.recall_of(1.0, 2), 1.0);
    }

    #[test]
    fn chosen_bands_keep_the_promise_and_no_other_choice_wastes_less() {
        for (threshold, recall) in [(0.5, 0.9), (0.7, 0.99), (0.8, 0.99), (0.9, 0.999), (1.0, 0.99)] {
            let best = Curve::choose(threshold, recall, 128).unwrap();
            assert!(best.recall_at(threshold) >= recall);
            assert!(best.bands * best.rows <= 128);
            for rows in 1..=128 {
                for bands in 1..=128 / rows {
                    let other = Curve { bands, rows };
                    if other.recall_at(threshold) >= recall {
                        assert!(other.waste_below(threshold) >= best.waste_below(threshold) - 1e-12);
                    }
                }
            }
        }
        assert_eq!(Curve::choose(0.8, 0.99, 128), Some(Curve { bands: 16, rows: 6 }));
    }

    #[test]
    fn too_few_hashes_are_refused() {
        assert_eq!(Curve::choose(0.5, 0.99, 4), None);
    }

    #[test]
    fn waste_is_the_integral() {
        // One band of one row: the curve is s itself, its integral t²/2.
        let line = Curve { bands: 1, rows: 1 };
        assert!((line.waste_below(0.6) - 0.18).abs() < 1e-9);
    }
}
