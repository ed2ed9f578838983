//! The engine: recipe → pipeline → batch run. Users of the library find what they need in
//! `lookalike`.

#![deny(missing_docs)]

pub mod compare;
pub mod corpus;
pub mod decisions;
mod ensemble;
pub mod extraction;
pub mod lexicon;
pub mod memory;
pub mod model_file;
pub mod partition_file;
pub mod pipeline;
pub mod profile;
mod progress;
mod recipe;
pub mod run;

pub use pipeline::{Branch, Pipeline, Verify};
pub use progress::{Progress, Quiet};
pub use recipe::Recipe;
