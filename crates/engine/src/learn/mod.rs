//! Learning from labelled pairs: training a classifier, its file, and choosing a recipe.

mod model_file;
mod report;

pub use model_file::ModelFile;
pub use report::TrainingReport;
pub use lookalike_learn::metrics::Rest;
