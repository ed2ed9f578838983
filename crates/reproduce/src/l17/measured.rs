//! What is measured for the figures: methods, thresholds and sizes, and the results.

use super::cases::{CONTENT, IMATCH, POSITION, SIMHASH, SPOTS};
use super::plant::Edit;
use lookalike_judge::Judged;

/// Sizes of the corpora on which methods are timed; the last is the paper's largest.
pub const SIZES: [usize; 5] = [10, 50, 100, 500, 1000];

/// The paper's seconds for comparing a document with a thousand others.
pub const PAPER_SECONDS: f64 = 0.8;

/// A method's figures at each threshold; only one for methods without a threshold.
pub type ByThreshold = Vec<(&'static str, Vec<Judged>)>;

/// The recall of each method for each edit, of all types together.
pub struct Edits {
    pub rows: Vec<(Edit, Vec<f64>)>,
}

/// Columns of the table by edit: method and threshold.
pub const BY_EDIT: [(&str, &str); 7] = [
    (POSITION, "0.8"),
    (CONTENT, "0.8"),
    (POSITION, "0.5"),
    (CONTENT, "0.5"),
    (SPOTS, "0.5"),
    (SIMHASH, ""),
    (IMATCH, ""),
];
