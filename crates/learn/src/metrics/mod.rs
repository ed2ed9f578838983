//! Judges the results of a method against the truth.
//!
//! Documents are numbered from 0. The truth is a list of labelled pairs, or a cluster label for each
//! document; the pairs of a true cluster are counted, never listed, so that a cluster of a million
//! documents costs no more than its documents.
//!
//! Figures have intervals from reweighting groups of documents (see [`crate::interval`]). A group is
//! everything connected by found or true pairs, or drawn together: its pairs are right or wrong together.

mod check;
mod clusters;
mod curve;
mod document_counts;
mod figures;
mod groups;
mod purity;
mod queries;
mod truth;

pub use clusters::ClusterSizes;
use clusters::adjusted_rand_index;
pub use curve::{Point, curve};
pub use queries::Queries;

use lookalike_core::Result;
use serde::Serialize;

use crate::Interval;

/// What a method found.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FoundPairs {
    /// Distinct pairs, each with the smaller number first, sorted; with all pairs of exact copies.
    pub pairs: Vec<(u32, u32)>,
    /// The similarity of each pair, for curves; otherwise empty.
    pub similarities: Vec<f64>,
    /// The cluster of each document; a single document has a number of its own.
    pub clusters: Vec<u32>,
}

/// The truth.
#[derive(Clone, Debug, PartialEq)]
pub enum Truth {
    /// Labelled pairs.
    Pairs {
        /// Each with the smaller number first, sorted; true if they are near-duplicates.
        pairs: Vec<(u32, u32, bool)>,
        /// How all other pairs are treated.
        rest: Unlabelled,
    },
    /// The true cluster of each document. A document without one is not judged, and neither are its
    /// pairs.
    Clusters(Vec<Option<u32>>),
}

/// How pairs that nobody labelled are treated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unlabelled {
    /// Unknown: they are not judged.
    LeftOut,
    /// Different: the list of true pairs is complete.
    Different,
}

/// How figures are computed.
#[derive(Clone, Debug, PartialEq)]
pub struct MetricOptions {
    /// How many found spam messages one matched legitimate message outweighs, for the utility.
    pub cost: f64,
    /// How often groups are reweighted for an interval. With 0, groups count as independent trials.
    pub resamples: u32,
    /// The seed of resampling.
    pub seed: u64,
    /// The documents that serve as queries; if absent, all with a true or a found duplicate.
    pub queries: Option<Vec<u32>>,
    /// Marks documents that must not be matched, for the utility.
    pub legitimate: Option<Vec<bool>>,
    /// If these documents are a sample drawn in groups, the group of each: it is one piece of evidence,
    /// even if no found or true pair connects it.
    pub drawn_together: Option<Vec<u32>>,
}

impl Default for MetricOptions {
    fn default() -> Self {
        MetricOptions {
            cost: 100.0,
            resamples: 1000,
            seed: 0,
            queries: None,
            legitimate: None,
            drawn_together: None,
        }
    }
}

/// Judged pairs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Counts {
    /// Found and true.
    pub true_positives: u64,
    /// Found and not true.
    pub false_positives: u64,
    /// True and not found.
    pub false_negatives: u64,
    /// Neither.
    pub true_negatives: u64,
}

/// Figures are `None` where they are not defined, such as the precision when nothing was found.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Judgement {
    /// The numbers of judged pairs.
    pub counts: Counts,
    /// The share of what is found that is true.
    pub precision: Option<Interval>,
    /// The share of what is true that is found.
    pub recall: Option<Interval>,
    /// The harmonic mean of precision and recall.
    pub f1: Option<Interval>,
    /// The share of all judged pairs that are decided rightly.
    pub accuracy: Option<Interval>,
    /// The same by document instead of by pair.
    pub queries: Queries,
    /// The share of found clusters, of two or more documents, in which all judged pairs are true
    /// (K08 §7.1). Clusters without a judged pair do not count.
    pub pure_clusters: Option<Interval>,
    /// The average gain of a query (K08 eq. 5); only if legitimate documents are marked.
    pub utility: Option<f64>,
    /// None if all groups agree: nothing then shows how far another might differ.
    pub utility_interval: Option<Interval>,
    /// Distinct legitimate documents that were found for a query that is not legitimate.
    pub legitimate_matched: Option<u64>,
    /// How well found and true clusters agree beyond chance; only if the truth is complete.
    pub ari: Option<f64>,
    /// How large the found clusters are.
    pub cluster_sizes: ClusterSizes,
    /// Groups of two or more documents that belong together, which the intervals are based on.
    pub groups: u64,
}

/// Judges what was found among this many documents.
pub fn judge(
    documents: u32,
    found: &FoundPairs,
    truth: &Truth,
    options: &MetricOptions,
) -> Result<Judgement> {
    check::found(documents, found)?;
    check::truth(documents, truth)?;
    check::options(documents, options)?;
    let tally = document_counts::DocumentCounts::new(documents, found, truth, options);
    let figures = figures::Figures::new(&tally, found, options);
    let utility = queries::utility(&tally, found, options);
    Ok(Judgement {
        counts: tally.counts,
        precision: figures.precision(),
        recall: figures.recall(),
        f1: figures.f1(),
        accuracy: figures.accuracy(documents),
        queries: queries::averages(&tally, found, options),
        pure_clusters: purity::pure_clusters(&tally, found, options),
        utility: utility.as_ref().and_then(|utility| utility.average),
        utility_interval: utility.as_ref().and_then(|utility| utility.interval),
        legitimate_matched: utility.map(|utility| utility.legitimate_matched),
        ari: tally.truth.partition(documents).and_then(|truth| adjusted_rand_index(&found.clusters, &truth)),
        cluster_sizes: ClusterSizes::of(&found.clusters),
        groups: tally.groups.together as u64,
    })
}

/// The number of pairs among this many documents.
fn pairs_among(documents: u64) -> u64 {
    (u128::from(documents) * u128::from(documents.saturating_sub(1)) / 2).try_into().unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests;
