//! How far a long piece of work is, told to whoever watches.

use lookalike_core::Result;

/// Learns how far a run is. Called from many threads.
pub trait Progress: Sync {
    /// A stage begins; it ends when `advance` has counted up to `total`.
    fn stage(&self, _name: &'static str, _total: u64) {}

    /// Some of the stage is done. An error stops the run.
    fn advance(&self, _units: u64, _documents: u64) -> Result<()> {
        Ok(())
    }

    /// Something that a person has to know.
    fn warn(&self, _message: &str) {}

    /// What is about to begin takes about so many seconds.
    fn expect(&self, _seconds: f64) {}
}

/// Tells nobody.
pub struct Quiet;

impl Progress for Quiet {}
