//! Reports the progress of long work.

use lookalike_core::Result;

/// Receives the progress of a run. Called from many threads.
pub trait Progress: Sync {
    /// A stage begins; it ends when `advance` has counted up to `total`.
    fn stage(&self, _name: &'static str, _total: u64) {}

    /// Some of the stage is done. An error stops the run.
    fn advance(&self, _units: u64, _documents: u64) -> Result<()> {
        Ok(())
    }

    /// A warning for a person.
    fn warn(&self, _message: &str) {}

    /// The next step takes about this many seconds.
    fn expect(&self, _seconds: f64) {}
}

/// Ignores all progress.
pub struct Quiet;

impl Progress for Quiet {}
