//! What is measured for the figures: methods, thresholds and sizes, and the results.

use super::cases::{CONTENT, IMATCH, POSITION, SIMHASH, SPOTS};
use super::plant::Edit;
use lookalike_judge::Judged;

/// Sizes of the corpora that methods are timed on; the paper ends at the last.
pub const SIZES: [usize; 5] = [10, 50, 100, 500, 1000];

/// Seconds that the paper gives for a document against a thousand.
pub const PAPER_SECONDS: f64 = 0.8;

/// A method's figures at each threshold; at one for methods that have none.
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
