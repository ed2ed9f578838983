//! The numbers of a run, as `report.json` has them.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Report {
    /// Identifies what made the signatures.
    pub scheme: String,
    pub method: String,
    /// The recipe with every default and choice spelled out.
    pub recipe: toml::Table,
    pub version: String,
    /// Identifies inputs and settings together.
    pub run: String,
    pub documents: u64,
    /// Documents of the corpus compared against; not among `documents`.
    pub against: u64,
    /// Lines that are no documents.
    pub rejected: u64,
    /// Documents with nothing to compare: kept, never a match.
    pub empty: u64,
    pub kept: u64,
    pub removed: u64,
    /// Removed documents that are exact copies, feature by feature, of their keeper.
    pub exact_copies: u64,
    pub clusters: u64,
    pub pairs: u64,
    pub candidates: u64,
    /// The chance that a pair right at the threshold was found, if the measure allows to tell.
    pub expected_recall: Option<f64>,
    pub threshold: f64,
    pub seconds: f64,
    /// Seconds by stage.
    pub stages: BTreeMap<String, f64>,
    pub peak_memory_bytes: u64,
    pub input_bytes: u64,
    pub threads: usize,
    pub warnings: Vec<String>,
    /// Whether an earlier, interrupted run was continued.
    pub resumed: bool,
}
