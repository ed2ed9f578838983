//! What is known of how a model was trained.

use lookalike_learn::train::Tally;
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TrainingReport {
    /// What was taken as true.
    pub truth: String,
    pub documents: u64,
    pub pairs: u64,
    pub near_duplicates: u64,
    /// Of the others, those that a method took for candidates.
    pub hard_negatives: u64,
    /// Groups of documents that share no near-duplicate and no text with each other.
    pub groups: u64,
    /// Pairs of different documents that lie between folds: they teach, but are in no test.
    pub only_taught: u64,
    pub folds: usize,
    pub seed: u64,
    /// The learner on pairs it was not trained on.
    pub tested: Quality,
    pub by_fold: Vec<Quality>,
    /// The best single threshold, chosen and tested on the same folds.
    pub best_threshold: Quality,
    /// Component and threshold that each fold's training chose.
    pub thresholds: Vec<(String, f64)>,
    /// How far calibrated confidences are from the truth.
    pub brier: f64,
    pub calibration_error: f64,
    /// Every learner that was tried, on the same folds.
    pub tried: Vec<(String, Quality)>,
    /// How much each component moves F on average, the most important first.
    pub importance: Vec<(String, f64)>,
    pub notes: Vec<String>,
}

/// Verdicts against labels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Quality {
    pub precision: f64,
    pub recall: f64,
    pub f1: f64,
    pub accuracy: f64,
    pub counts: Tally,
}

impl From<Tally> for Quality {
    fn from(counts: Tally) -> Self {
        let (precision, recall) = (counts.precision(), counts.recall());
        Quality { precision, recall, f1: counts.f1(), accuracy: counts.accuracy(), counts }
    }
}
