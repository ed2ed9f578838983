//! A file at one moment: files of an index are replaced as a whole or only appended to, so an open one and its length are
//! all it takes to copy it later.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use lookalike_core::{Error, Result};

/// A file as it was when it was opened.
pub struct PinnedFile {
    /// Its path in the folder that is kept.
    pub name: String,
    /// Where it was.
    pub path: PathBuf,
    /// What may have grown since.
    pub file: Arc<File>,
    /// How much of it belongs to it.
    pub length: u64,
}

impl PinnedFile {
    /// Opens a file that is only ever replaced as a whole. `folder` is the one that is kept.
    pub fn open(folder: &Path, path: &Path) -> Result<PinnedFile> {
        let file = File::open(path).map_err(Error::io(path))?;
        let length = file.metadata().map_err(Error::io(path))?.len();
        let name = path.strip_prefix(folder).unwrap_or(path).to_string_lossy().into_owned();
        Ok(PinnedFile { name, path: path.to_owned(), file: Arc::new(file), length })
    }

    /// The same file in a subfolder of what is kept.
    #[must_use]
    pub fn below(self, folder: &str) -> PinnedFile {
        PinnedFile { name: format!("{folder}/{}", self.name), ..self }
    }
}
