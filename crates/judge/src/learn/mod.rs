//! Learning from labelled pairs: training a classifier, its file, and choosing a recipe.

mod ask;
mod candidates;
mod groups;
mod pairs;
mod train;
mod tune;
mod vectors;

pub use ask::{LabelRequest, Question};
pub use groups::groups;
pub use lookalike_engine::model_file::ModelFile;
pub use lookalike_learn::metrics::Unlabelled;
pub use lookalike_learn::report::{Intervals, Quality, SingleThreshold, TrainingReport};
pub use lookalike_learn::sample::Estimate;
pub use lookalike_learn::train::learners;
pub use lookalike_learn::{Confusion, Interval};
pub use train::{BEST, Training, VOTE, WithThreshold, choices, train, train_with_threshold};
pub use tune::{
    Checked, Cost, NotDrawn, NotTried, Stopwatch, Target, Tried, Tuned, Tuning, WallTime, tune, tune_each,
};
