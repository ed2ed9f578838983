//! Checks whether the expectations for a recipe come true.
//!
//! The expectation is about the whole corpus, as a run over it will find it, so that is what the interval
//! must contain. The documents that were not drawn are reported separately: they are a stricter test of
//! whether the sample is like the rest, but they are another sample, for which no interval was computed.

use lookalike_core::Result;
use lookalike_core::registry::Registry;
use lookalike_learn::Interval;
use lookalike_learn::metrics::{FoundPairs, MetricOptions, Truth, judge};
use serde::Serialize;

use crate::{FULL_BUCKET, JudgedCorpus};
use lookalike_engine::Recipe;
use lookalike_engine::run::{Job, Progress, find};

/// Figures of a recipe on all documents.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Checked {
    /// All documents of the corpus.
    pub documents: u64,
    /// The actual precision.
    pub precision: Option<f64>,
    /// The actual recall.
    pub recall: Option<f64>,
    /// Whether the precision is within its interval.
    pub precision_in_interval: bool,
    /// Whether the recall is within its interval.
    pub recall_in_interval: bool,
    /// The same on those that were not drawn.
    pub not_drawn: NotDrawn,
}

/// The same on documents that were not used for the choice.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct NotDrawn {
    /// How many these are.
    pub documents: u64,
    /// The precision among them.
    pub precision: Option<f64>,
    /// The recall among them.
    pub recall: Option<f64>,
}

/// What was expected: precision and recall.
pub type Expected = (Option<Interval>, Option<Interval>);

/// Runs the recipe on all documents.
pub fn check(
    recipe: &Recipe,
    expected: Expected,
    (job, corpus, truth): (&Job, &JudgedCorpus, &Truth),
    is_drawn: &[bool],
    registry: &Registry,
    progress: &dyn Progress,
) -> Result<Checked> {
    let job = Job { full_bucket: FULL_BUCKET, ..job.clone() };
    let outcome = find(&recipe.build(registry)?, &job, progress)?;
    let mut pairs: Vec<(u32, u32)> = outcome.all_pairs()?.into_iter().map(|(a, b, _)| (a, b)).collect();
    pairs.retain(|&(a, b)| !corpus.left_out[a as usize] && !corpus.left_out[b as usize]);
    let mut found = FoundPairs { pairs, similarities: Vec::new(), clusters: outcome.masters };
    let (precision, recall) = figures(&found, truth)?;
    let is_rest = |a: u32, b: u32| !is_drawn[a as usize] && !is_drawn[b as usize];
    found.pairs.retain(|&(a, b)| is_rest(a, b));
    let on_rest = figures(&found, &among(truth, is_rest))?;
    let within = |expected: Option<Interval>, found: Option<f64>| match (expected, found) {
        (Some(expected), Some(found)) => expected.holds(found),
        _ => false,
    };
    Ok(Checked {
        documents: u64::from(corpus.len()),
        precision,
        recall,
        precision_in_interval: within(expected.0, precision),
        recall_in_interval: within(expected.1, recall),
        not_drawn: NotDrawn {
            documents: is_drawn.iter().filter(|is_drawn| !**is_drawn).count() as u64,
            precision: on_rest.0,
            recall: on_rest.1,
        },
    })
}

/// Precision and recall.
fn figures(found: &FoundPairs, truth: &Truth) -> Result<(Option<f64>, Option<f64>)> {
    let options = MetricOptions { resamples: 0, ..MetricOptions::default() };
    let judgement = judge(found.clusters.len() as u32, found, truth, &options)?;
    let value = |figure: Option<Interval>| figure.map(|figure| figure.value);
    Ok((value(judgement.precision), value(judgement.recall)))
}

/// The truth about the pairs that are judged.
fn among(truth: &Truth, is_judged: impl Fn(u32, u32) -> bool) -> Truth {
    match truth {
        Truth::Pairs { pairs, rest } => Truth::Pairs {
            pairs: pairs.iter().copied().filter(|&(a, b, _)| is_judged(a, b)).collect(),
            rest: *rest,
        },
        Truth::Clusters(labels) => {
            let label = |(document, label): (usize, &Option<u32>)| {
                label.filter(|_| is_judged(document as u32, document as u32))
            };
            Truth::Clusters(labels.iter().enumerate().map(label).collect())
        }
    }
}

#[cfg(test)]
mod tests {
    use lookalike_learn::metrics::Unlabelled;

    use super::*;

    #[test]
    fn what_was_drawn_is_not_judged() {
        let is_judged = |a: u32, b: u32| a != 1 && b != 1;
        let clusters = Truth::Clusters(vec![Some(0), Some(0), Some(0), None]);
        assert_eq!(among(&clusters, is_judged), Truth::Clusters(vec![Some(0), None, Some(0), None]));
        let pairs = Truth::Pairs {
            pairs: vec![(0, 1, true), (0, 2, false), (1, 3, true)],
            rest: Unlabelled::LeftOut,
        };
        let left = Truth::Pairs { pairs: vec![(0, 2, false)], rest: Unlabelled::LeftOut };
        assert_eq!(among(&pairs, is_judged), left);
        let found = FoundPairs { pairs: vec![(0, 2)], similarities: Vec::new(), clusters: vec![0, 1, 0, 3] };
        assert_eq!(figures(&found, &among(&clusters, is_judged)).unwrap(), (Some(1.0), Some(1.0)));
        assert_eq!(figures(&found, &clusters).unwrap(), (Some(1.0), Some(1.0 / 3.0)));
    }
}
