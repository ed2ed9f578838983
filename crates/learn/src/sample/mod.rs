//! Estimates from samples, and the pairs most worth a label.

mod draw;
mod estimate;
mod select;

pub use estimate::{Estimate, Stratum, estimate};
pub use select::{Candidate, SelectedPair, SelectionReason, SelectionSettings, select};
