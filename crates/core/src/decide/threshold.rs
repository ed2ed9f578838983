//! A pair is a near-duplicate when one measure reaches a threshold.

use super::decider::{Decider, NO_REASON, STREAMS, UNLESS, Verdict};
use super::measure::Measure;
use super::overlap::Overlap;
use crate::error::{Error, Result};
use crate::features::FeatureSet;
use crate::part::{Param, Params, PartInfo, Spec};
use crate::registry::Registry;

/// Near-duplicates reach a threshold by a measure.
pub struct Threshold {
    measure: Box<dyn Measure>,
    threshold: f64,
}

impl Threshold {
    /// The description of this part in the registry.
    pub const INFO: PartInfo = PartInfo {
        name: "threshold",
        summary: "Near-duplicate when the measure reaches the threshold",
        paper: "",
        params: &[
            Param { name: "measure", default: "\"jaccard\"", help: "any registered measure" },
            Param { name: "threshold", default: "0.8", help: "least similarity, above 0 and at most 1" },
            Param {
                name: "distance",
                default: "3",
                help: "Hamming distance, in bits, up to which simhashes are candidates",
            },
            Param {
                name: "verify",
                default: "\"exact\"",
                help: "exact: on full feature sets; estimate: by signatures alone; signature: whatever the \
                       signatures pair counts, as in the papers",
            },
            UNLESS,
            STREAMS,
        ],
    };

    /// Near-duplicates reach this threshold by this measure.
    pub fn new(measure: Box<dyn Measure>, threshold: f64) -> Self {
        Threshold { measure, threshold }
    }

    /// Reads its parameters from a section of a recipe.
    pub fn from_params(params: &mut Params, registry: &Registry) -> Result<Self> {
        let name = params.text("measure", "jaccard")?;
        let measure = registry.measures.build_named(&name, registry)?;
        if !measure.decides() {
            return Err(Error::config(format!(
                "decide.measure is `{name}`, which says nothing about content and cannot decide alone: \
                 unrelated documents would match; use another measure, or a decide.type that asks for more"
            )));
        }
        Ok(Threshold::new(measure, params.fraction("threshold", 0.8)?))
    }
}

impl Threshold {
    fn judge(&self, a: &FeatureSet, b: &FeatureSet, overlap: Overlap) -> Verdict {
        // A document without features is like no other.
        let empty = a.is_empty() || b.is_empty();
        self.verdict(overlap, if empty { 0.0 } else { self.measure.similarity(a, b, &overlap) })
    }

    fn verdict(&self, overlap: Overlap, similarity: f64) -> Verdict {
        Verdict {
            duplicate: similarity >= self.threshold,
            similarity,
            overlap: Some(overlap),
            because: NO_REASON,
        }
    }
}

impl Decider for Threshold {
    fn spec(&self) -> Spec {
        Spec::new(Self::INFO.name).with("measure", self.measure.spec().kind).with("threshold", self.threshold)
    }

    fn threshold(&self) -> f64 {
        self.threshold
    }

    fn least_jaccard(&self, similarity: f64) -> Option<f64> {
        self.measure.least_jaccard(similarity)
    }

    fn least_shared(&self, a: usize, b: usize) -> usize {
        self.measure.least_shared(a, b, self.threshold)
    }

    fn least_cosine(&self) -> Option<f64> {
        self.measure.least_cosine(self.threshold)
    }

    fn decide(&self, a: &FeatureSet, b: &FeatureSet) -> Verdict {
        match Overlap::count_at_least(a, b, self.least_shared(a.len(), b.len())) {
            Some(overlap) => self.judge(a, b, overlap),
            None => Verdict { duplicate: false, similarity: 0.0, overlap: None, because: NO_REASON },
        }
    }

    fn decide_overlap(&self, overlap: Overlap) -> Option<Verdict> {
        let empty = overlap.a == 0 || overlap.b == 0;
        let similarity = self.measure.by_overlap(&overlap)?;
        Some(self.verdict(overlap, if empty { 0.0 } else { similarity }))
    }

    fn measure(&self, a: &FeatureSet, b: &FeatureSet) -> Verdict {
        self.judge(a, b, Overlap::count(a, b))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decide::Jaccard;

    fn set(range: std::ops::Range<u64>) -> FeatureSet {
        FeatureSet { hashes: range.collect(), ..FeatureSet::default() }
    }

    #[test]
    fn the_threshold_itself_is_enough() {
        let decider = Threshold::new(Box::new(Jaccard), 0.8);
        assert!(decider.decide(&set(0..5), &set(0..4)).duplicate);
        assert!(!decider.decide(&set(0..10), &set(0..7)).duplicate);
    }

    #[test]
    fn the_overlap_alone_decides_as_the_sets_do() {
        let decider = Threshold::new(Box::new(Jaccard), 0.5);
        for end in 0..12 {
            for start in 0..=end {
                let (a, b) = (set(0..6), set(start..end));
                let (whole, alone) = (decider.decide(&a, &b), decider.decide_overlap(Overlap::count(&a, &b)));
                let alone = alone.expect("the overlap is all that counts");
                assert_eq!(alone.duplicate, whole.duplicate, "{start} to {end}");
                assert!(!whole.duplicate || alone == whole, "{start} to {end}");
            }
        }
        let weighted = Threshold::new(Box::new(crate::decide::WeightedJaccard), 0.5);
        assert_eq!(weighted.decide_overlap(Overlap::default()), None);
    }

    #[test]
    fn a_measure_that_says_nothing_about_content_is_refused() {
        let registry = Registry::with_built_ins();
        let build = |name: &str| {
            let table = format!("measure = '{name}'").parse().unwrap();
            Threshold::from_params(&mut Params::new("decide", table), &registry)
        };
        let error = build("length-ratio").err().unwrap().to_string();
        assert!(error.contains("decide.measure is `length-ratio`"), "{error}");
        assert!(build("weighted-cosine").is_ok());
    }

    #[test]
    fn empty_never_matches() {
        let decider = Threshold::new(Box::new(Jaccard), 0.1);
        assert!(!decider.decide(&set(0..0), &set(0..0)).duplicate);
    }
}
