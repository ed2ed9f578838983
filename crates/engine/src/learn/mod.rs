//! Learning from labelled pairs: training a classifier, its file, and choosing a recipe.

mod ask;
mod groups;
mod model_file;
mod pairs;
mod report;
mod train;
mod tune;
mod vectors;

pub use ask::{Asking, Question};
pub use lookalike_learn::Interval;
pub use lookalike_learn::metrics::Rest;
pub use lookalike_learn::train::learners;
pub use model_file::ModelFile;
pub use pairs::Draw;
pub use report::{Quality, TrainingReport};
pub use train::{BEST, Training, choices, train};
pub use tune::{Checked, Cost, NotDrawn, Target, Tried, Tuned, Tuning, tune, tune_each};
