//! Learning and judging, as pure computation: classifiers from labelled similarity vectors, metrics
//! of what a method found against what is true, intervals, and samples worth a person's label.

#![deny(missing_docs)]

mod examples;
pub mod forecast;
pub mod interval;
pub mod metrics;
mod random;
pub mod report;
pub mod sample;
pub mod train;

pub use examples::Examples;
pub use interval::Interval;
