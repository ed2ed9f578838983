//! What is measured on pages.

use crate::kolcz::bags::Choice;
use crate::kolcz::foreign::Pair;
use lookalike_judge::Judged;

/// What was measured on one collection.
pub struct Measured {
    pub name: &'static str,
    pub what: &'static str,
    pub documents: u64,
    pub truth: String,
    /// 0 to 10 further lexicons, for each lexicon.
    pub choices: Vec<(Choice, Vec<Judged>)>,
    /// Megashingling: without and with verification.
    pub megashingles: Vec<Judged>,
}

/// Pairs of two different help pages that I-Match found, and how many pairs it found altogether.
pub struct Spurious {
    pub pairs: Vec<Pair>,
    pub found: u64,
}
