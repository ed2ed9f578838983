//! The papers' experiments.

use std::path::Path;

use lookalike_core::Result;
use lookalike_engine::run::Progress;
use lookalike_reproduce::{Data, Reproduced, reproduce};

use super::Session;

impl Session {
    /// Runs an experiment by name, on the public data in a folder.
    pub fn reproduce(
        &self,
        name: &str,
        data: &Path,
        threads: usize,
        progress: &dyn Progress,
    ) -> Result<Reproduced> {
        reproduce(name, &Data::open(data, self.file_reader()?.clone(), threads)?, progress)
    }
}
