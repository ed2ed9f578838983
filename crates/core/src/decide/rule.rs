//! Two conditions at once: enough of the content is shared, and the lengths are close.
//!
//! This is how experts on a collection of law news defined nearly identical: at least 80 % of the
//! content overlaps, and the lengths differ by no more than 20 %. Here the overlap is the share of
//! the smaller document's features that the larger one has. As a share of the larger document it
//! would itself bound the lengths, and the second condition would add nothing. The difference of the
//! lengths, also counted in features, is a share of the larger.

use super::decider::{Decider, NO_REASON, STREAMS, UNLESS, Verdict};
use super::measure::Measure;
use super::measures::Containment;
use super::overlap::Overlap;
use crate::error::Result;
use crate::features::FeatureSet;
use crate::part::{Param, Params, PartInfo, Spec};

/// Near-duplicates share enough and have about the same length.
pub struct OverlapAndLength {
    overlap: f64,
    length: f64,
}

impl OverlapAndLength {
    /// The description of this part in the registry.
    pub const INFO: PartInfo = PartInfo {
        name: "overlap-and-length",
        summary: "Near-duplicate when enough of the smaller document is in the larger, and lengths are close",
        paper: "S09 §2.5.1",
        params: &[
            Param {
                name: "overlap",
                default: "0.8",
                help: "least share of the smaller document, above 0 and at most 1",
            },
            Param {
                name: "length",
                default: "0.2",
                help: "largest difference of the lengths as a share of the larger, 0 to 1",
            },
            Param {
                name: "verify",
                default: "\"exact\"",
                help: "only exact: signatures estimate neither overlap nor length",
            },
            UNLESS,
            STREAMS,
        ],
    };

    /// `overlap` is above 0 and at most 1, `length` from 0 to 1.
    pub fn new(overlap: f64, length: f64) -> Self {
        OverlapAndLength { overlap, length }
    }

    /// Reads its parameters from a section of a recipe.
    pub fn from_params(params: &mut Params) -> Result<Self> {
        let overlap = params.fraction("overlap", 0.8)?;
        Ok(OverlapAndLength::new(overlap, params.number("length", 0.2, 0.0..=1.0)?))
    }

    fn lengths_are_close(&self, a: usize, b: usize) -> bool {
        let (larger, difference) = (a.max(b) as f64, a.abs_diff(b) as f64);
        // A difference right at the limit is allowed; rounding of the limit must not forbid it.
        difference <= larger * (self.length + 1e-12)
    }
}

impl Decider for OverlapAndLength {
    fn spec(&self) -> Spec {
        Spec::new(Self::INFO.name).with("overlap", self.overlap).with("length", self.length)
    }

    fn threshold(&self) -> f64 {
        self.overlap
    }

    /// Of documents with *m* ≤ *M* features, *s·m* of them shared, s·m / (m + M − s·m) is least when
    /// M is as large as the lengths allow, m / (1 − length): s / (1 + 1 / (1 − length) − s).
    fn least_jaccard(&self, similarity: f64) -> Option<f64> {
        let least_ratio = 1.0 - self.length;
        (least_ratio > 0.0).then(|| similarity / (1.0 + 1.0 / least_ratio - similarity))
    }

    /// The smaller document alone decides how much must be shared, so this never falls; lengths are for
    /// [`Decider::decide`].
    fn least_shared(&self, a: usize, b: usize) -> usize {
        Containment.least_shared(a, b, self.overlap)
    }

    fn decide(&self, a: &FeatureSet, b: &FeatureSet) -> Verdict {
        let least = self.least_shared(a.len(), b.len());
        let close = self.lengths_are_close(a.len(), b.len());
        match close.then(|| Overlap::count_at_least(a, b, least)).flatten() {
            Some(overlap) => self.judge(a, b, overlap),
            None => Verdict { duplicate: false, similarity: 0.0, overlap: None, because: NO_REASON },
        }
    }

    fn measure(&self, a: &FeatureSet, b: &FeatureSet) -> Verdict {
        self.judge(a, b, Overlap::count(a, b))
    }
}

impl OverlapAndLength {
    fn judge(&self, a: &FeatureSet, b: &FeatureSet, overlap: Overlap) -> Verdict {
        // Nothing shared is 0, also between empty documents, and 0 is below every allowed overlap.
        let similarity = Containment.similarity(a, b, &overlap);
        let duplicate = similarity >= self.overlap && self.lengths_are_close(a.len(), b.len());
        Verdict { duplicate, similarity, overlap: Some(overlap), because: NO_REASON }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registry::{BuildContext, NoAssets, Registry};

    fn sets(shared: u64, a: u64, b: u64) -> (FeatureSet, FeatureSet) {
        let set =
            |range: std::ops::Range<u64>| FeatureSet { hashes: range.collect(), ..FeatureSet::default() };
        (set(0..a), set(a - shared..a - shared + b))
    }

    fn build(toml: &str) -> Result<Box<dyn Decider>> {
        let registry = Registry::with_built_ins();
        let params = Params::new("decide", toml.parse().unwrap());
        registry.decide.build(params, "overlap-and-length", &BuildContext::new(&registry, &NoAssets))
    }

    /// By hand, for 80 % and 20 %: a pair right at both limits is accepted, a pair that misses one is
    /// not.
    #[test]
    fn worked_example() {
        let decider = build("").unwrap();
        for (shared, a, b, expected) in [
            (8, 10, 10, true),
            (7, 10, 10, false),
            (64, 80, 100, true),
            (79, 79, 100, false),
            (0, 5, 5, false),
        ] {
            let (a, b) = sets(shared, a, b);
            for verdict in [decider.decide(&a, &b), decider.measure(&a, &b), decider.decide(&b, &a)] {
                assert_eq!(verdict.duplicate, expected, "{shared} of {} and {}", a.len(), b.len());
            }
        }
        let (a, b) = sets(64, 80, 100);
        assert_eq!(decider.decide(&a, &b).similarity, 0.8);
        assert_eq!(decider.threshold(), 0.8);
        assert!(!decider.measure(&FeatureSet::default(), &FeatureSet::default()).duplicate);
    }

    /// Over all small cases: the verdict follows the rule, stopping early changes no verdict, and
    /// no accepted pair is below the stated resemblance; some pair comes close to it.
    #[test]
    fn bounds_are_sound_and_tight() {
        for (percent, length_percent) in [(80u64, 20u64), (50, 50), (100, 0), (10, 90), (30, 100), (70, 30)] {
            let decider = OverlapAndLength::new(percent as f64 / 100.0, length_percent as f64 / 100.0);
            let mut closest = f64::INFINITY;
            for (a, b) in (1..=20).flat_map(|a| (1..=20).map(move |b| (a, b))) {
                for shared in 0..=a.min(b) {
                    let (x, y) = sets(shared, a, b);
                    let whole = decider.measure(&x, &y);
                    let by_rule = shared * 100 >= percent * a.min(b)
                        && a.abs_diff(b) * 100 <= length_percent * a.max(b);
                    assert_eq!(
                        whole.duplicate, by_rule,
                        "{shared} of {a} and {b}, {percent} {length_percent}"
                    );
                    let verdict = decider.decide(&x, &y);
                    assert_eq!(verdict.duplicate, by_rule);
                    if let Some(overlap) = verdict.overlap.filter(|_| by_rule) {
                        assert_eq!(verdict, whole);
                        for s in [decider.threshold(), whole.similarity] {
                            let above = overlap.jaccard() - decider.least_jaccard(s).unwrap_or(0.0);
                            assert!(above >= -1e-9, "{overlap:?} {s}");
                            closest = closest.min(above);
                        }
                    }
                }
            }
            assert!(closest < 0.06, "{percent} {length_percent}: {closest}");
        }
    }

    #[test]
    fn no_resemblance_is_promised_when_any_length_will_do() {
        assert_eq!(OverlapAndLength::new(0.8, 1.0).least_jaccard(0.8), None);
        // 0.8 / (1 + 1.25 − 0.8).
        let least = OverlapAndLength::new(0.8, 0.2).least_jaccard(0.8).unwrap();
        assert!((least - 0.8 / 1.45).abs() < 1e-12);
    }

    #[test]
    fn is_rebuilt_by_its_spec_and_refuses_wrong_parameters() {
        let decider = build("overlap = 0.7\nlength = 0").unwrap();
        let again = build(&decider.spec().to_table().to_string()).unwrap();
        assert_eq!(again.spec(), decider.spec());
        for (wrong, expected) in [
            ("overlap = nan", "decide.overlap is nan"),
            ("overlap = 0", "above 0"),
            ("length = nan", "decide.length is nan"),
            ("length = -0.1", "from 0 to 1"),
            ("length = 1.5", "from 0 to 1"),
            ("threshold = 0.8", "known: type, overlap, length"),
        ] {
            let error = build(wrong).err().map(|error| error.to_string()).unwrap_or_default();
            assert!(error.contains(expected), "{wrong}: {error}");
        }
    }
}
