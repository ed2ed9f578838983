//! The format of an index, and how it gets the newest one.

use std::path::Path;

use lookalike_core::{Error, Result};

use crate::index::{HEAD, Head, Index, generation_folder};
use crate::storage::manifest::{FORMAT, Manifest};
use lookalike_plumbing::json::read_json;

/// The format of an index on disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Formats {
    /// That of its files.
    pub has: u32,
    /// The one that this program writes.
    pub newest: u32,
    /// Bytes of the files that are written again by an upgrade.
    pub rewritten: u64,
}

impl Formats {
    /// Whether there is something to upgrade.
    pub fn is_old(&self) -> bool {
        self.has < self.newest
    }
}

impl Index {
    /// The format of an index in a folder. Nothing is opened or changed.
    pub fn formats(folder: &Path) -> Result<Formats> {
        let head: Head = read_json(&folder.join(HEAD))?;
        let own = generation_folder(folder, head.generation);
        let manifest = Manifest::read(&own)?;
        let mut rewritten = 0;
        for name in manifest.snapshot.iter().chain([&manifest.journal]) {
            let path = own.join(name);
            rewritten += std::fs::metadata(&path).map_err(Error::io(path))?.len();
        }
        Ok(Formats { has: manifest.format, newest: FORMAT, rewritten })
    }
}
