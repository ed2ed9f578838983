//! What a sample says about the pairs that a run did not find.

use lookalike_learn::Interval;
use serde::{Deserialize, Serialize};

/// The share of near-duplicate pairs that a run found, estimated from a sample of documents. Pairs are those of
/// different contents: exact copies are found by definition and are counted as one document.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MeasuredRecall {
    /// The share that was found; absent if the sample has no pair.
    pub recall: Option<f64>,
    /// The lower end of the interval that holds the true share with 95 % confidence.
    pub low: Option<f64>,
    /// Its upper end.
    pub high: Option<f64>,
    /// The share of pairs whose documents are in one cluster, whether or not the pair itself was found, with its
    /// interval.
    pub in_one_cluster: Option<Interval>,
    /// Documents in the sample.
    pub sampled: u64,
    /// Documents that it was drawn from, copies counted once.
    pub documents: u64,
    /// Near-duplicate pairs of the sampled documents that were seen.
    pub pairs: u64,
    /// How many of them the run found.
    pub found: u64,
    /// An estimate of all near-duplicate pairs of the corpus.
    pub estimated_pairs: f64,
}

impl MeasuredRecall {
    /// In a sentence, for a person.
    pub fn summary(&self) -> String {
        let sample = if self.sampled == self.documents {
            format!("all {} documents", self.documents)
        } else {
            format!("a sample of {} of {} documents", self.sampled, self.documents)
        };
        let (Some(recall), Some(low), Some(high)) = (self.recall, self.low, self.high) else {
            return format!(
                "Measured on {sample}: no pairs in the sample, so nothing is known of the share found"
            );
        };
        let percent = |share: f64| format!("{:.1}", 100.0 * share);
        let clusters = self.in_one_cluster.map_or(String::new(), |share| {
            format!("; of {} % both documents are in one cluster", percent(share.value))
        });
        format!(
            "Measured on {sample}: {} % of the pairs were found, with 95 % confidence {} to {} %{clusters}",
            percent(recall),
            percent(low),
            percent(high)
        )
    }
}
