//! The files of a store: opened to be copied, or read to find damage.

use std::path::Path;

use lookalike_core::{Error, Result};
use lookalike_plumbing::log::Frames;

use super::JOURNAL_MARK;
use super::write::StoreWriter;
use crate::storage::keys::Run;
use crate::storage::manifest::{self, Manifest};
use crate::storage::pinned_file::PinnedFile;
use crate::storage::snapshot;

impl StoreWriter<'_> {
    /// Opens the files of this store and of its texts, as opening after a crash at this moment would find them.
    pub fn pin_files(&self, index: &Path) -> Result<Vec<PinnedFile>> {
        let (store, manifest) = (self.store, &self.writing.manifest);
        let mut files = vec![PinnedFile::open(index, &store.folder.join(manifest::NAME))?];
        for name in manifest.runs.iter().chain(&manifest.snapshot) {
            files.push(PinnedFile::open(index, &store.folder.join(name))?);
        }
        let journal = PinnedFile::open(index, &store.folder.join(&manifest.journal))?;
        files.push(PinnedFile { length: self.writing.journal.bytes(), ..journal });
        for (path, file, length) in store.texts.pin_segments(self.writing.end)? {
            let name = path.strip_prefix(index).unwrap_or(&path).to_string_lossy().into_owned();
            files.push(PinnedFile { name, path, file, length });
        }
        Ok(files)
    }
}

/// What is damaged in the files of a store, texts aside. All are read, and none is changed.
pub fn damaged_files(folder: &Path, manifest: &Manifest) -> Vec<Error> {
    let runs = manifest.runs.iter().flat_map(|name| match Run::open(&folder.join(name)) {
        Ok(run) => run.iter().filter_map(Result::err).collect(),
        Err(error) => vec![error],
    });
    let state =
        manifest.snapshot.iter().filter_map(|name| snapshot::read(&folder.join(name), manifest.layout).err());
    let journal = Frames::read(&folder.join(&manifest.journal), JOURNAL_MARK).err();
    runs.chain(state).chain(journal).collect()
}
