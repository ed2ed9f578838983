//! Estimates how long tuning will take, and stops it when the time is up.
//!
//! Every recipe first runs on two small parts of the documents. The larger one shows what it costs, both
//! together how the cost grows. Candidates within groups of near-duplicates grow with the documents, those
//! between groups with their square: work that hardly shows in a small part may be most of the work in a large
//! one.

use std::time::Instant;

use lookalike_core::{Error, Result};
use serde::Serialize;

use lookalike_engine::run::Progress;

/// Measures the time that has passed, in seconds.
pub trait Stopwatch: Sync {
    /// Since it was started.
    fn seconds(&self) -> f64;
}

/// Real time.
pub struct WallTime(Instant);

impl WallTime {
    /// Begins now.
    pub fn start() -> Self {
        WallTime(Instant::now())
    }
}

impl Stopwatch for WallTime {
    fn seconds(&self) -> f64 {
        self.0.elapsed().as_secs_f64()
    }
}

/// A recipe that was not tried, or not to the end.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct NotTried {
    /// The name of the recipe.
    pub name: String,
    /// How long it would have taken.
    pub expected_seconds: f64,
}

/// The time of a step on this many documents.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Measured {
    pub documents: usize,
    /// Pairs that were compared, if the step is a recipe.
    pub candidates: u64,
    pub seconds: f64,
}

/// The expected time on this many documents, from the times of a smaller and a larger part: at least
/// proportional to the documents, to the work if that grows faster, or as the time itself grew.
pub fn expected(small: Measured, large: Measured, documents: usize) -> f64 {
    if large.documents == 0 {
        return 0.0;
    }
    let grown = large.documents as f64 / small.documents.max(1) as f64;
    let growth = if grown > 1.0 && small.seconds > 0.0 && large.seconds > 0.0 {
        (large.seconds / small.seconds).ln() / grown.ln()
    } else {
        1.0
    };
    // Constant costs would make the growth look too small, noise too large.
    let ratio = documents as f64 / large.documents as f64;
    let by_time = ratio.powf(growth.clamp(1.0, 2.0));
    // Signing a document and comparing a pair are about equal work.
    let work = |of: usize, candidates: f64| of as f64 + candidates;
    let by_work =
        work(documents, candidates(small, large, documents)) / work(large.documents, large.candidates as f64);
    large.seconds * by_time.max(by_work)
}

/// The candidates of this many documents: a part that grows with them, and one that grows with their
/// square.
fn candidates(small: Measured, large: Measured, documents: usize) -> f64 {
    let each = |part: Measured| part.candidates as f64 / part.documents.max(1) as f64;
    let more = large.documents.saturating_sub(small.documents) as f64;
    let square = if more > 0.0 { ((each(large) - each(small)) / more).max(0.0) } else { 0.0 };
    let plain = (each(large) - square * large.documents as f64).max(0.0);
    let documents = documents as f64;
    plain * documents + square * documents * documents
}

/// Stops a run when its time is up; passes all other progress on.
pub struct Deadline<'a> {
    pub progress: &'a dyn Progress,
    pub watch: &'a dyn Stopwatch,
    /// `None` if there is no limit.
    pub at: Option<f64>,
}

impl Deadline<'_> {
    pub fn is_over(&self) -> bool {
        self.at.is_some_and(|at| self.watch.seconds() >= at)
    }
}

impl Progress for Deadline<'_> {
    fn stage(&self, name: &'static str, total: u64) {
        self.progress.stage(name, total);
    }

    fn advance(&self, units: u64, documents: u64) -> Result<()> {
        self.progress.advance(units, documents)?;
        if self.is_over() { Err(Error::input("the time is up")) } else { Ok(()) }
    }

    fn warn(&self, message: &str) {
        self.progress.warn(message);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn took(documents: usize, candidates: u64, seconds: f64) -> Measured {
        Measured { documents, candidates, seconds }
    }

    fn close(x: f64, y: f64) -> bool {
        (x - y).abs() < 1e-9 * y
    }

    #[test]
    fn what_grows_as_the_square_is_expected_to_go_on_so() {
        assert!(close(expected(took(100, 0, 1.0), took(400, 0, 4.0), 1600), 16.0));
        assert!(close(expected(took(100, 0, 1.0), took(400, 0, 16.0), 1600), 256.0));
        // Mostly start-up, but at least proportional.
        assert!(close(expected(took(100, 0, 1.0), took(400, 0, 1.0), 1600), 4.0));
        // With noise, never more than the square.
        assert!(close(expected(took(100, 0, 0.001), took(400, 0, 4.0), 1600), 64.0));
        assert_eq!(expected(took(0, 0, 0.0), took(0, 0, 0.0), 1600), 0.0);
        assert!(close(expected(took(400, 9, 2.0), took(400, 9, 2.0), 800), 4.0), "one part only");
    }

    /// Two pairs per document, and one in fifty of all others: a part of 80 shows little of what is most of the
    /// work for 8,000.
    #[test]
    fn candidates_between_groups_are_foreseen() {
        let pairs = |n: usize| 2 * n as u64 + (n * n / 50) as u64;
        let seconds = |n: usize| (n as f64 + pairs(n) as f64) / 1000.0;
        let of = |n: usize| took(n, pairs(n), seconds(n));
        let (expected, truly) = (expected(of(20), of(80), 8000), seconds(8000));
        assert!((expected / truly - 1.0).abs() < 0.05, "{expected} {truly}");
    }
}
