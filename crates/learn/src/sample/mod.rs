//! Clean splits, estimates from samples, and the pairs most worth a label.

mod draw;
mod estimate;
mod select;
mod split;

pub use estimate::{Estimate, Stratum, estimate};
pub use select::{Candidate, Question, Reason, Selection, select};
pub use split::{groups, hold_out};
