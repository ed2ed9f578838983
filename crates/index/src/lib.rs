pub mod bytes;
pub mod clusters;
mod ids;
pub mod journal;
pub mod keys;
pub mod manifest;
mod names;
pub mod operation;
pub mod population;
mod snapshot;
pub mod state;
pub mod store;
pub mod texts;

use std::fs::File;
use std::path::Path;

use lookalike_core::{Error, Result};

/// Makes names that were given or taken in a folder last.
pub(crate) fn sync_folder(folder: &Path) -> Result<()> {
    File::open(folder).and_then(|folder| folder.sync_all()).map_err(Error::io(folder))
}
