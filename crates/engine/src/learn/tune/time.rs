//! How long it will take, and stopping when time is up.
//!
//! Every recipe runs on two small parts of the documents first. The larger one tells what it costs, both
//! together how that grows: a search that compares everything grows faster than its corpus.

use std::time::Instant;

use lookalike_core::{Error, Result};
use serde::Serialize;

use crate::run::Progress;

/// Tells the time that has passed, in seconds.
pub trait Stopwatch: Sync {
    fn seconds(&self) -> f64;
}

/// The time on the wall.
pub struct WallTime(Instant);

impl WallTime {
    pub fn start() -> Self {
        WallTime(Instant::now())
    }
}

impl Stopwatch for WallTime {
    fn seconds(&self) -> f64 {
        self.0.elapsed().as_secs_f64()
    }
}

/// A recipe that was not tried, or not to its end.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct NotTried {
    pub name: String,
    pub expected_seconds: f64,
}

/// What a step took on so many documents.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Measured {
    pub documents: usize,
    pub seconds: f64,
}

/// Expected on so many documents, by what a smaller and a larger part took.
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
    // What does not grow with the documents would make it look too small, noise too large.
    let ratio = documents as f64 / large.documents as f64;
    large.seconds * ratio.powf(growth.clamp(1.0, 2.0))
}

/// Ends a run when its time is up; tells everything else to whoever watches.
pub struct Deadline<'a> {
    pub progress: &'a dyn Progress,
    pub watch: &'a dyn Stopwatch,
    /// None if there is no limit.
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

    #[test]
    fn what_grows_as_the_square_is_expected_to_go_on_so() {
        let took = |documents: usize, seconds: f64| Measured { documents, seconds };
        let close = |x: f64, y: f64| (x - y).abs() < 1e-9 * y;
        assert!(close(expected(took(100, 1.0), took(400, 4.0), 1600), 16.0));
        assert!(close(expected(took(100, 1.0), took(400, 16.0), 1600), 256.0));
        // Mostly start-up: in proportion, at least.
        assert!(close(expected(took(100, 1.0), took(400, 1.0), 1600), 4.0));
        // Noise: never more than the square.
        assert!(close(expected(took(100, 0.001), took(400, 4.0), 1600), 64.0));
        assert_eq!(expected(took(0, 0.0), took(0, 0.0), 1600), 0.0);
        assert!(close(expected(took(400, 2.0), took(400, 2.0), 800), 4.0), "one part only");
    }
}
