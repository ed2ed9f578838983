//! How good methods are on a corpus with a known truth, classifiers trained on it, and the recipe that suits it best.
//!
//! [`Session::evaluate`](crate::Session::evaluate) judges recipes, [`Session::train`](crate::Session::train) makes a
//! classifier, [`Session::tune`](crate::Session::tune) chooses a recipe; [`LabelRequest`] finds the pairs that are most worth a
//! person's label.

pub use lookalike_judge::learn::{
    BEST, Checked, Confusion, Cost, Estimate, Interval, Intervals, LabelRequest, ModelFile, NotDrawn,
    NotTried, Quality, Question, SingleThreshold, Target, Training, TrainingReport, Tried, Tuned, Tuning,
    Unlabelled, VOTE, choices,
};
pub use lookalike_judge::{
    Contestant, Evaluated, Evaluation, FieldFilter, Judged, LabelledPair, Labels, Sweep, TruthSource,
    WeightProfile, csv, page, read_clusters, read_pairs, table,
};
