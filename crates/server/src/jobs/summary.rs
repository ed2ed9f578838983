//! The result of a job, in short.

use lookalike::Id;
use lookalike::Report;
use lookalike::judge::Evaluated;
use lookalike::judge::{Estimate, TrainingReport};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

/// Which of it is there depends on the kind of the job.
#[derive(Default, Serialize, JsonSchema)]
pub struct JobSummary {
    /// Of a classifier that was trained.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub training: Option<TrainingReport>,
    /// Of `dedup`, as `report.json` has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Report>")]
    pub report: Option<Value>,
    /// Of `evaluate`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub evaluation: Option<Evaluated>,
    /// Of `apply` and `undo`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decisions: Option<AppliedDecisions>,
    /// Of `ask`.
    #[serde(flatten)]
    pub questions: Option<Questions>,
}

/// What became of the pairs of a job.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct AppliedDecisions {
    /// Decisions that were made, or withdrawn.
    pub changed: u64,
    /// Pairs that somebody had decided on already; that stays.
    pub decided_before: u64,
    /// Pairs about which there is nothing to decide: one of the two has been changed or removed since, is not in the
    /// index, or is an exact copy of the other.
    pub left: u64,
}

/// Pairs that are most worth a person's label, as `questions.json` has them.
#[derive(Serialize, JsonSchema)]
pub struct Questions {
    /// How good the confidences are, judged by the labelled pairs; null while there are too few.
    pub estimate: Option<Estimate>,
    /// How many pairs have a label.
    pub labelled: usize,
    pub questions: Vec<PairQuestion>,
    /// Whether confidences come from a classifier that was trained on the labels.
    pub trained: bool,
}

/// A pair to be labelled.
#[derive(Serialize, JsonSchema)]
pub struct PairQuestion {
    #[schemars(with = "Id")]
    pub a: Value,
    #[schemars(with = "Id")]
    pub b: Value,
    pub confidence: f64,
    /// Why this pair.
    pub reason: String,
}
