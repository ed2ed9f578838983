//! How a model was trained, and the expected quality of a run with it.

use crate::forecast::Forecast;
use crate::{Confusion, Interval};
use serde::{Deserialize, Serialize};

/// Reports of older versions lack some of it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct TrainingReport {
    /// What was taken as the truth.
    pub truth: String,
    /// Documents of the corpus.
    pub documents: u64,
    /// The recipe on whose candidates the model was trained and tested, as a file would have it.
    pub recipe: String,
    /// Pairs used for training.
    pub pairs: u64,
    /// How many of them are near-duplicates.
    pub near_duplicates: u64,
    /// Candidates of the recipe that are no near-duplicates.
    pub hard_negatives: u64,
    /// Near-duplicates that the recipe does not propose: no model finds them.
    pub missed: u64,
    /// Groups of documents that share no near-duplicate and no text with each other.
    pub groups: u64,
    /// Into how many parts the groups are divided; each is tested by a model trained on the others.
    pub folds: usize,
    /// The seed of everything random.
    pub seed: u64,
    /// The expected quality of a run on as many documents of other groups: learner and zero are chosen
    /// without the test data.
    pub tested: Quality,
    /// The best single threshold, chosen and tested in the same way.
    pub best_threshold: Quality,
    /// By how much the F1 of the model exceeds that of the threshold.
    pub gain: Option<Interval>,
    /// Whether the model is worth its cost: whether it does better than a single threshold.
    pub recommended: bool,
    /// The single threshold chosen on all pairs.
    pub instead: Option<SingleThreshold>,
    /// How far calibrated confidences are from the truth, on held-out candidates.
    pub brier: f64,
    /// By how much confidence and share of near-duplicates differ on average.
    pub calibration_error: f64,
    /// Every learner that was tried, each on its own.
    pub tried: Vec<(String, Quality)>,
    /// How often each was chosen in the test of the choice.
    pub chosen: Vec<(String, usize)>,
    /// How much each component moves F on average, the most important first.
    pub importance: Vec<(String, f64)>,
    /// Warnings for readers of the figures.
    pub notes: Vec<String>,
}

/// Figures of verdicts compared with labels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Quality {
    /// The share of what is found that is true.
    pub precision: f64,
    /// The share of what is true that is found.
    pub recall: f64,
    /// Their harmonic mean.
    pub f1: f64,
    /// The share of pairs that are decided rightly.
    pub accuracy: f64,
    /// The numbers behind these figures.
    pub counts: Confusion,
    /// Their intervals; reports of older versions have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub intervals: Option<Intervals>,
}

/// Intervals of the figures of [`Quality`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Intervals {
    /// Of the precision.
    pub precision: Option<Interval>,
    /// Of the recall.
    pub recall: Option<Interval>,
    /// Of F1.
    pub f1: Option<Interval>,
}

impl From<Forecast> for Quality {
    fn from(forecast: Forecast) -> Self {
        let Forecast { counts, precision, recall, f1 } = forecast;
        Quality {
            precision: counts.precision(),
            recall: counts.recall(),
            f1: counts.f1(),
            accuracy: counts.accuracy(),
            counts,
            intervals: Some(Intervals { precision, recall, f1 }),
        }
    }
}

/// A threshold on one component.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Instead"))]
pub struct SingleThreshold {
    /// The similarity that decides alone.
    pub component: String,
    /// The value from which it says near-duplicate.
    pub threshold: f64,
    /// The recipe that decides by it over the same candidates, if there is one.
    pub recipe: Option<String>,
}
