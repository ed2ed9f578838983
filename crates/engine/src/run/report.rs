//! The numbers of a run, as `report.json` has them.

use std::collections::BTreeMap;

use lookalike_core::Result;
use lookalike_core::candidates::{Finder, Narrowing};
use serde::{Deserialize, Serialize};

use super::Job;
use super::external::Sorted;
use super::recall::MeasuredRecall;
use super::verify::Verified;
use crate::corpus::PassedOver;
use crate::pipeline::Pipeline;

/// What a run did and found: `report.json`.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Report {
    /// Identifies what made the signatures.
    pub scheme: String,
    /// The method that the recipe began as.
    pub method: String,
    /// The recipe with every default and choice spelled out.
    #[cfg_attr(feature = "schema", schemars(with = "serde_json::Map<String, serde_json::Value>"))]
    pub recipe: toml::Table,
    /// The recipe as it was given, with which the run can be repeated; [`crate::Recipe::of_report`] reads it.
    #[serde(default)]
    #[cfg_attr(
        feature = "schema",
        schemars(description = "The recipe as it was given, by which the run can be made again")
    )]
    #[cfg_attr(feature = "schema", schemars(with = "serde_json::Map<String, serde_json::Value>"))]
    pub given: toml::Table,
    /// The version of the program.
    pub version: String,
    /// Identifies inputs and settings together.
    pub run: String,
    /// Files, folders and patterns that were read, and the fields that ids and texts were in.
    #[serde(default)]
    pub inputs: Vec<String>,
    /// The field that had the ids.
    #[serde(default)]
    pub id_field: String,
    /// The field that had the texts.
    #[serde(default)]
    pub text_field: String,
    /// Documents that were read.
    pub documents: u64,
    /// Documents of the corpus compared against; not counted in `documents`.
    pub against: u64,
    /// Lines that are no documents.
    pub rejected: u64,
    /// Files in the input folders that are no corpora and were not read.
    #[serde(default)]
    pub passed_over: PassedOver,
    /// Records of web archives that are no texts and were passed over, by their type.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub other_records: BTreeMap<String, u64>,
    /// Documents with nothing to compare: they are kept and never match.
    pub empty: u64,
    /// How many of these come from files of which too little could be read to compare them.
    #[serde(default)]
    pub weak: Vec<WeakText>,
    /// Documents with features but without a signature, of which only exact copies are found.
    #[serde(default)]
    pub unsigned: u64,
    /// Documents that stay.
    pub kept: u64,
    /// Documents that go.
    pub removed: u64,
    /// Removed documents that are exact copies, feature by feature, of their keeper.
    pub exact_copies: u64,
    /// How many removed documents differ from their keepers in each way; a document may differ in several.
    #[serde(default)]
    pub differences: BTreeMap<String, u64>,
    /// For how many removed documents each stream contradicts: the text is alike, but not the images or the links.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub contradictions: BTreeMap<String, u64>,
    /// Clusters of two documents or more.
    pub clusters: u64,
    /// Verified pairs.
    pub pairs: u64,
    /// Pairs that were compared.
    pub candidates: u64,
    /// How many decisions of people were applied, if any were given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decisions: Option<DecisionCounts>,
    /// The chance that a pair right at the threshold was found, if it is known.
    pub expected_recall: Option<f64>,
    /// The share of pairs that was found, measured on a sample, if that was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub measured_recall: Option<MeasuredRecall>,
    /// The least similarity of near-duplicates.
    pub threshold: f64,
    /// For an ensemble: which method found what.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub found_by: Vec<FoundBy>,
    /// What clusters saved and cost, for each method that compared within clusters only.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub narrowing: Vec<Narrowed>,
    /// How long it took.
    pub seconds: f64,
    /// Seconds by stage.
    pub stages: BTreeMap<String, f64>,
    /// The most memory it used.
    pub peak_memory_bytes: u64,
    /// How much it read.
    pub input_bytes: u64,
    /// Worker threads.
    pub threads: usize,
    /// Warnings for readers of the figures.
    pub warnings: Vec<String>,
    /// Whether an earlier, interrupted run was continued.
    pub resumed: bool,
}

impl Report {
    /// What is known before anything is read.
    pub fn of(pipeline: &Pipeline, job: &Job) -> Report {
        Report {
            scheme: pipeline.scheme.id.clone(),
            method: pipeline.method.clone(),
            recipe: pipeline.resolved(),
            given: pipeline.given.clone(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            id_field: job.id_field.clone(),
            text_field: job.text_field.clone(),
            expected_recall: pipeline.expected_recall(pipeline.decider.threshold()),
            threshold: pipeline.decider.threshold(),
            threads: job.threads,
            ..Report::default()
        }
    }
}

/// A document whose text is weak.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct WeakText {
    /// The document.
    pub id: String,
    /// Why its text is weak.
    pub reason: String,
}

impl WeakText {
    /// The weak text of this document.
    pub fn new(id: &str, reason: &str) -> WeakText {
        WeakText { id: id.to_owned(), reason: reason.to_owned() }
    }
}

/// How many decisions of people were applied.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DecisionCounts {
    /// Decisions that applied to documents of this run.
    pub used: u64,
    /// Decisions about a text that has changed since.
    pub stale: u64,
    /// Decisions about documents that the run does not have.
    pub unknown: u64,
    /// Decisions about exact copies of each other, documents with nothing to compare, or two documents of the
    /// corpus compared against: there is nothing to decide.
    pub undecidable: u64,
}

/// A method that did not compare every pair, and what that saved and cost.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Narrowed {
    /// The method that compared within clusters only.
    pub method: String,
    /// What that saved and cost.
    #[serde(flatten)]
    pub narrowing: Narrowing,
}

/// What the joins report about their last search.
pub fn narrowing(pipeline: &Pipeline) -> Vec<Narrowed> {
    let told = |finder: &Finder| match finder {
        Finder::Join(join) => join.narrowing(),
        Finder::Keys(_) => None,
    };
    let narrowed = pipeline.branches.iter().filter_map(|branch| Some((branch, told(&branch.finder)?)));
    narrowed.map(|(branch, narrowing)| Narrowed { method: branch.name.clone(), narrowing }).collect()
}

/// What one method of an ensemble contributed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FoundBy {
    /// The method.
    pub method: String,
    /// Pairs it proposed.
    pub candidates: u64,
    /// How many verified pairs it proposed.
    pub pairs: u64,
    /// How many of these no other method proposed.
    pub only: u64,
    /// Verified pairs that it would have missed without the other methods.
    pub missed: u64,
}

/// Which method found what; empty unless there are several.
pub fn found_by(pipeline: &Pipeline, proposed: &[u64], verified: &Sorted<Verified>) -> Result<Vec<FoundBy>> {
    if pipeline.branches.len() < 2 {
        return Ok(Vec::new());
    }
    let branches = pipeline.branches.iter().zip(proposed);
    let mut found: Vec<FoundBy> = branches
        .map(|(branch, &candidates)| FoundBy {
            method: branch.name.clone(),
            candidates,
            ..FoundBy::default()
        })
        .collect();
    for pair in verified.iter()? {
        let found_by = pair?.found_by;
        for (number, found) in found.iter_mut().enumerate() {
            let bit = 1 << number;
            found.pairs += u64::from(found_by & bit != 0);
            found.only += u64::from(found_by == bit);
            found.missed += u64::from(found_by & bit == 0);
        }
    }
    Ok(found)
}
