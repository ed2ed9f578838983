//! What is known of how a model was trained, and what a run with it can be expected to give.

use crate::Interval;
use crate::forecast::Forecast;
use crate::train::Confusion;
use serde::{Deserialize, Serialize};

/// Reports of older versions lack some of it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct TrainingReport {
    /// What was taken as true.
    pub truth: String,
    /// Documents of the corpus.
    pub documents: u64,
    /// The recipe whose candidates the model was taught and tested on, as a file would have it.
    pub recipe: String,
    /// Pairs that taught.
    pub pairs: u64,
    /// Those of them that are near-duplicates.
    pub near_duplicates: u64,
    /// Candidates of the recipe that are no near-duplicates.
    pub hard_negatives: u64,
    /// Near-duplicates that the recipe does not propose: no model finds them.
    pub missed: u64,
    /// Groups of documents that share no near-duplicate and no text with each other.
    pub groups: u64,
    /// Parts of the groups, each tested by a model that was taught by the others.
    pub folds: usize,
    /// Decides what is drawn.
    pub seed: u64,
    /// Expected of a run on as many documents of other groups: learner and zero are chosen without those that
    /// are tested.
    pub tested: Quality,
    /// The best single threshold, chosen and tested in the same way.
    pub best_threshold: Quality,
    /// By how much the F1 of the model exceeds that of the threshold.
    pub gain: Option<Interval>,
    /// Whether the model is worth its cost: whether it does better than a single threshold.
    pub recommended: bool,
    /// The single threshold that all pairs give.
    pub instead: Option<Instead>,
    /// How far calibrated confidences are from the truth, on candidates that were held out.
    pub brier: f64,
    /// By how much confidence and share of near-duplicates differ on average.
    pub calibration_error: f64,
    /// Every learner that was tried, each by itself.
    pub tried: Vec<(String, Quality)>,
    /// How often each was chosen while the choice was tested.
    pub chosen: Vec<(String, usize)>,
    /// How much each component moves F on average, the most important first.
    pub importance: Vec<(String, f64)>,
    /// What a reader of the figures has to know.
    pub notes: Vec<String>,
}

/// Verdicts against labels.
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
    /// How sure they are; reports of older versions have none.
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
pub struct Instead {
    /// The similarity that decides alone.
    pub component: String,
    /// From which on it says near-duplicate.
    pub threshold: f64,
    /// The recipe that decides by it over the same candidates, where it can be written as one.
    pub recipe: Option<String>,
}
