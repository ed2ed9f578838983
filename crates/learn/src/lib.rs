//! Learning and judging, as pure computation: classifiers from labelled similarity vectors, metrics
//! that compare results with the truth, intervals, and samples worth labelling.

#![deny(missing_docs)]

mod confusion;
mod examples;
pub mod forecast;
pub mod interval;
pub mod metrics;
mod random;
pub mod report;
pub mod sample;
pub mod train;

pub use confusion::Confusion;
pub use examples::Examples;
pub use interval::Interval;
