//! The engine: recipe → pipeline → batch run. What users of the library need of it is in `lookalike`.

pub mod compare;
pub mod decisions;
mod ensemble;
pub mod extraction;
pub mod lexicon;
pub mod model_file;
pub mod pipeline;
pub mod profile;
mod recipe;
pub mod run;

pub use pipeline::{Branch, Pipeline, Verify};
pub use recipe::Recipe;
