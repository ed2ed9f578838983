//! The files of an index at one moment.
//!
//! Files of an index are replaced as a whole or only appended to. So an open file and the length it had at that moment
//! are all it takes to copy it later, even if it was deleted meanwhile: writers wait for the files to be opened, not for
//! their bytes.

use lookalike_core::Result;
use lookalike_engine::lexicon::NATIVE_FILE;

use crate::index::{HEAD, Index, generation_folder};
use crate::lexicons;
use crate::storage::pinned_file::PinnedFile;

/// An index at one moment.
pub struct PinnedIndex {
    /// All that it consists of.
    pub files: Vec<PinnedFile>,
    /// Living documents.
    pub documents: u64,
}

impl Index {
    /// Opens the files that this index consists of now. Changes wait meanwhile, which is short.
    pub fn pin(&self) -> Result<PinnedIndex> {
        self.write(|generation, writer| {
            let own = generation_folder(&self.folder, generation.number);
            let mut files = vec![PinnedFile::open(&self.folder, &self.folder.join(HEAD))?];
            for name in
                [NATIVE_FILE, lexicons::FILE].map(|name| own.join(name)).iter().filter(|path| path.exists())
            {
                files.push(PinnedFile::open(&self.folder, name)?);
            }
            files.extend(writer.pin_files(&self.folder)?);
            let documents = u64::from(generation.store.state().population.living);
            Ok(PinnedIndex { files, documents })
        })
    }
}
