//! What narrowing a search saved, and what it cost.

use serde::{Deserialize, Serialize};

/// How many comparisons a join made instead of comparing all pairs, and how many pairs that may
/// have lost.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Narrowing {
    /// What narrowed the search, such as `fuzzy-c-means`.
    pub clustering: String,
    /// Documents that were clustered.
    pub documents: u64,
    /// Clusters that were found.
    pub clusters: u64,
    /// Documents in the largest cluster.
    pub largest: u64,
    /// In how many clusters a document is on average.
    pub clusters_each: f64,
    /// Rounds of moving the centres.
    pub iterations: u64,
    /// Pairs of documents that were compared.
    pub comparisons: u64,
    /// Pairs of documents there are.
    pub all_pairs: u64,
    /// The share of all pairs that was not compared.
    pub saved: f64,
    /// Documents drawn to measure what was lost.
    pub sampled: u64,
    /// What was lost of the pairs that the drawn documents form with all others, by similarity.
    pub lost: Vec<Lost>,
    /// What a person should know before trusting the clusters.
    pub warnings: Vec<String>,
}

/// Pairs of some similarity, and how many of them were not compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Lost {
    /// The least cosine of the pairs.
    pub cosine: f64,
    /// Pairs with at least this similarity.
    pub pairs: u64,
    /// How many of these were not compared.
    pub lost: u64,
}

impl Narrowing {
    /// The share of comparisons not made, and what that lost, in a few words.
    pub fn summary(&self) -> String {
        let lost = self.lost.iter().map(|level| {
            format!("{} of {} sampled pairs of cosine {} or more", level.lost, level.pairs, level.cosine)
        });
        format!(
            "{:.1} % of all comparisons saved by {} clusters of {}; lost: {}",
            100.0 * self.saved,
            self.clusters,
            self.clustering,
            lost.collect::<Vec<_>>().join(", ")
        )
    }
}
