//! Files that are written in the background, and what becomes of them if the manifest never names them.

use std::path::PathBuf;

use lookalike_core::Result;

use super::remove;
use super::write::StoreWriter;
use crate::storage::manifest::Manifest;

/// A file that is removed again unless the manifest names it.
pub struct NewFile {
    pub name: String,
    pub path: PathBuf,
    stays: bool,
}

impl NewFile {
    /// A file that nobody else will write.
    pub fn begin(writer: &mut StoreWriter<'_>, kind: &str) -> NewFile {
        let name = writer.writing.manifest.name(kind);
        NewFile { path: writer.store.folder.join(&name), name, stays: false }
    }

    /// Writes a manifest that names these files.
    pub fn name<const FILES: usize>(
        files: [&mut NewFile; FILES],
        writer: &mut StoreWriter<'_>,
        manifest: Manifest,
    ) -> Result<()> {
        let named = writer.name_files(manifest);
        // If it is unknown which files the manifest on disk names, all stay.
        let stays = named.is_ok() || writer.store.is_failed();
        files.into_iter().for_each(|file| file.stays = stays);
        named
    }
}

impl Drop for NewFile {
    fn drop(&mut self) {
        if !self.stays {
            // If that fails, the next opening does it.
            let _ = remove(&self.path);
        }
    }
}
