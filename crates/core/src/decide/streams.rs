//! One measure of the text and the resemblances of streams, each with a weight.
//!
//! ```toml
//! [decide]
//! type = "weighted-streams"
//! threshold = 0.8
//! weights = { text = 0.7, images = 0.2, links = 0.1 }
//! ```
//!
//! The similarity is the mean by these weights. A stream that one of the documents lacks says nothing and does not
//! count, so documents without streams are judged by their texts as ever.

use toml::Value;

use super::decider::{Decider, NO_REASON, STREAMS, UNLESS, Verdict};
use super::measure::Measure;
use super::overlap::Overlap;
use crate::error::{Error, Result};
use crate::features::{FeatureExtractor, FeatureSet, Items};
use crate::part::{Param, Params, PartInfo, Spec};
use crate::registry::BuildContext;
use crate::streams::{StreamKind, resemblance};

/// Near-duplicates reach a threshold by a mean of text and streams.
pub struct WeightedStreams {
    measure: Box<dyn Measure>,
    threshold: f64,
    /// The weight of the text; with those of the streams it sums up to 1.
    text: f64,
    streams: Vec<(StreamKind, f64)>,
    /// What makes the items of each stream.
    views: Vec<Box<dyn FeatureExtractor>>,
    image_distance: u32,
}

impl WeightedStreams {
    /// The description of this part in the registry.
    pub const INFO: PartInfo = PartInfo {
        name: "weighted-streams",
        summary: "Near-duplicate when a weighted mean of text, images, links, … reaches the threshold",
        paper: "",
        params: &[
            Param { name: "measure", default: "\"jaccard\"", help: "any registered measure, for the text" },
            Param { name: "threshold", default: "0.8", help: "least similarity, above 0 and at most 1" },
            Param {
                name: "weights",
                default: "{ text = 0.8, images = 0.1, links = 0.1 }",
                help: "what text, images, links, metadata and structure weigh",
            },
            Param { name: "verify", default: "\"exact\"", help: "only exact: signatures know no streams" },
            UNLESS,
            STREAMS,
        ],
    };

    /// Reads its parameters from a section of a recipe.
    pub fn from_params(params: &mut Params, context: &BuildContext<'_>) -> Result<Self> {
        let name = params.text("measure", "jaccard")?;
        let measure = context.registry.measures.build_named(&name, context.registry)?;
        if !measure.decides() {
            return Err(Error::config(format!(
                "decide.measure is `{name}`, which says nothing about content: use another measure"
            )));
        }
        let threshold = params.fraction("threshold", 0.8)?;
        let mut weights = params.table("weights")?;
        if weights.is_empty() {
            weights.extend(
                [("text", 0.8), ("images", 0.1), ("links", 0.1)]
                    .map(|(name, weight)| (name.to_owned(), Value::Float(weight))),
            );
        }
        let mut text = 0.0;
        let mut streams = Vec::new();
        for (name, weight) in &weights {
            let weight = weight.as_float().or_else(|| weight.as_integer().map(|weight| weight as f64));
            let weight = weight
                .filter(|weight| weight.is_finite() && *weight > 0.0)
                .ok_or_else(|| Error::config(format!("decide.weights.{name} must be a number above 0")))?;
            match name.as_str() {
                "text" => text = weight,
                name => streams.push((StreamKind::parse(name, "decide.weights")?, weight)),
            }
        }
        let sum = text + streams.iter().map(|(_, weight)| weight).sum::<f64>();
        streams.iter_mut().for_each(|(_, weight)| *weight /= sum);
        let items = |&(kind, _): &(StreamKind, f64)| -> Box<dyn FeatureExtractor> {
            Box::new(Items::new(kind, context.streams.of(kind).to_vec()))
        };
        let views = streams.iter().map(items).collect();
        let image_distance = context.image_distance;
        let decider =
            WeightedStreams { measure, threshold, text: text / sum, streams, views, image_distance };
        // Candidates are found by their texts.
        if text == 0.0 || decider.least_text(threshold) <= 0.0 {
            return Err(Error::config(
                "decide.weights: the text must weigh so much that streams alone do not reach decide.threshold; \
                 to compare by a stream alone use features.type = \"items\"",
            ));
        }
        Ok(decider)
    }

    /// The least similarity of the texts of a pair with this similarity: all streams may be the same.
    fn least_text(&self, similarity: f64) -> f64 {
        // Rounding must not lose a pair right at the limit.
        (similarity - (1.0 - self.text)) / self.text - 1e-9
    }

    fn judge(&self, a: &FeatureSet, b: &FeatureSet, overlap: Overlap) -> Verdict {
        // A document without features is like no other.
        if a.is_empty() || b.is_empty() {
            return Verdict { duplicate: false, similarity: 0.0, overlap: Some(overlap), because: NO_REASON };
        }
        let (mut sum, mut weights) = (self.text * self.measure.similarity(a, b, &overlap), self.text);
        for (&(kind, weight), (x, y)) in self.streams.iter().zip(a.views.iter().zip(&b.views)) {
            if let Some(share) = resemblance(kind, &x.hashes, &y.hashes, self.image_distance) {
                sum += weight * share;
                weights += weight;
            }
        }
        let similarity = (sum / weights).min(1.0);
        let duplicate = similarity >= self.threshold;
        Verdict { duplicate, similarity, overlap: Some(overlap), because: NO_REASON }
    }
}

impl Decider for WeightedStreams {
    fn spec(&self) -> Spec {
        let streams = self.streams.iter().map(|(kind, weight)| (kind.name(), *weight));
        let weights = std::iter::once(("text", self.text)).chain(streams);
        let weights: toml::Table =
            weights.map(|(name, weight)| (name.to_owned(), Value::Float(weight))).collect();
        Spec::new(Self::INFO.name)
            .with("measure", self.measure.spec().kind)
            .with("threshold", self.threshold)
            .with("weights", weights)
    }

    fn threshold(&self) -> f64 {
        self.threshold
    }

    fn least_by_features(&self) -> f64 {
        self.least_text(self.threshold)
    }

    fn least_jaccard(&self, similarity: f64) -> Option<f64> {
        self.measure.least_jaccard(self.least_text(similarity).max(0.0))
    }

    fn least_shared(&self, a: usize, b: usize) -> usize {
        self.measure.least_shared(a, b, self.least_text(self.threshold))
    }

    fn least_cosine(&self) -> Option<f64> {
        self.measure.least_cosine(self.least_text(self.threshold))
    }

    fn views(&self) -> &[Box<dyn FeatureExtractor>] {
        &self.views
    }

    fn decide(&self, a: &FeatureSet, b: &FeatureSet) -> Verdict {
        match Overlap::count_at_least(a, b, self.least_shared(a.len(), b.len())) {
            Some(overlap) => self.judge(a, b, overlap),
            None => Verdict { duplicate: false, similarity: 0.0, overlap: None, because: NO_REASON },
        }
    }

    fn measure(&self, a: &FeatureSet, b: &FeatureSet) -> Verdict {
        self.judge(a, b, Overlap::count(a, b))
    }
}

#[cfg(test)]
mod tests {
    use std::ops::Range;

    use proptest::prelude::*;

    use super::*;
    use crate::registry::{NoAssets, Registry};

    fn build(toml: &str) -> Result<WeightedStreams> {
        let registry = Registry::with_built_ins();
        let context = BuildContext::new(&registry, &NoAssets);
        WeightedStreams::from_params(&mut Params::new("decide", toml.parse().unwrap()), &context)
    }

    /// Features, and the items of the one stream that is weighed.
    fn set(hashes: Range<u64>, links: Range<u64>) -> FeatureSet {
        let view = FeatureSet { hashes: links.collect(), ..FeatureSet::default() };
        FeatureSet { hashes: hashes.collect(), views: vec![view], ..FeatureSet::default() }
    }

    #[test]
    fn streams_move_the_similarity_by_their_weight() {
        let decider = build("threshold = 0.8\nweights = { links = 1, text = 4 }").unwrap();
        let far = |from: u64| set(0..10, from << 32..(from << 32) + 4);
        let verdict = decider.decide(&far(1), &far(1));
        assert_eq!((verdict.duplicate, verdict.similarity), (true, 1.0));
        let verdict = decider.decide(&far(1), &far(2));
        assert_eq!((verdict.duplicate, verdict.similarity), (true, 0.8), "the links are others");
        let verdict = decider.decide(&set(0..10, 0..0), &far(2));
        assert_eq!(verdict.similarity, 1.0, "one of them has no links");
        // 9 of 12 words and all links: 0.8 × 0.75 + 0.2.
        let verdict = decider.decide(&set(0..12, 0..4), &set(0..9, 0..4));
        assert!(verdict.duplicate && (verdict.similarity - 0.8).abs() < 1e-12, "{verdict:?}");
        assert!(!decider.decide(&set(0..12, 0..4), &set(0..9, 0..3)).duplicate);
    }

    #[test]
    fn weights_that_cannot_be_are_refused() {
        for (toml, expected) in [
            ("weights = { text = 1, pictures = 1 }", "images, links, metadata, structure"),
            ("weights = { text = 0 }", "above 0"),
            ("weights = { text = nan }", "above 0"),
            ("weights = { text = 1, links = 'much' }", "above 0"),
            ("weights = { links = 1 }", "the text must weigh"),
            ("weights = { text = 1, links = 4 }", "the text must weigh"),
            ("measure = 'length-ratio'", "says nothing about content"),
        ] {
            let error = build(toml).err().unwrap().to_string();
            assert!(error.contains(expected), "{toml}: {error}");
        }
    }

    proptest! {
        /// Counting may stop early, but never loses a pair that reaches the threshold.
        #[test]
        fn stopping_early_loses_nothing(
            a in 1u64..40, b in 1u64..40, shift in 0u64..20, links in 0u64..5, threshold in 0.3f64..1.0,
        ) {
            let decider = build(&format!("threshold = {threshold:?}\nweights = {{ links = 1, text = 4 }}"));
            let decider = decider.unwrap();
            let (x, y) = (set(0..a, 0..4), set(shift..shift + b, links..links + 4));
            prop_assert_eq!(decider.decide(&x, &y).duplicate, decider.measure(&x, &y).duplicate);
        }
    }
}
