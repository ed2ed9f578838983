//! Indexes of this session's parts, and documents for them.

use std::path::Path;

use lookalike_core::{Error, Result};
use lookalike_engine::Recipe;
use lookalike_engine::run::{Job, Progress};
use lookalike_index::{
    CorpusLine, Index, IndexLimits, Refresh, Repository, Snapshot, Verified, for_each_batch,
};

use super::Session;
use super::inputs::temporary_folder;

impl Session {
    /// Creates an index in a folder that has none.
    pub fn create_index(&self, folder: &Path, recipe: &Recipe) -> Result<Index> {
        Index::create(folder, recipe, self.registry().clone())
    }

    /// Creates an index whose lexicon, which the recipe names `native`, is counted from its own documents as they come.
    pub fn create_refreshed_index(&self, folder: &Path, recipe: &Recipe, refresh: Refresh) -> Result<Index> {
        Index::create_refreshed(folder, recipe, self.registry().clone(), IndexLimits::default(), refresh)
    }

    /// Opens an index whose recipe names parts of this session.
    pub fn open_index(&self, folder: &Path) -> Result<Index> {
        Index::open(folder, self.registry().clone())
    }

    /// Reads all of an index, which nobody may have open, and tells what is damaged.
    pub fn verify_index(&self, folder: &Path) -> Result<Verified> {
        Index::verify(folder, self.registry())
    }

    /// Brings a snapshot back to a folder that is empty or does not exist, and reads all of it. `read` is told how many
    /// bytes came, and may stop it.
    pub fn restore_snapshot(
        &self,
        from: &Repository,
        snapshot: &Snapshot,
        folder: &Path,
        read: impl FnMut(u64) -> Result<()>,
    ) -> Result<Verified> {
        from.restore(snapshot, folder, self.registry(), read)
    }

    /// The recipe that an index compares documents by.
    pub fn recipe_of(&self, index: &Index) -> Result<Recipe> {
        self.recipe(&index.recipe())
    }

    /// Hands over the documents of a job's inputs in the form that an index reads, some at a time, and returns the
    /// files that could not be read, each with the reason.
    pub fn for_each_document(
        &self,
        recipe: &Recipe,
        mut job: Job,
        progress: &dyn Progress,
        visit: impl FnMut(&[CorpusLine]) -> Result<()>,
    ) -> Result<Vec<(String, String)>> {
        let folder = temporary_folder()?;
        let reading = self.reading(recipe, job.threads)?;
        let read = reading.replace(&mut job.inputs, &job.text_field, folder.path(), job.strict, progress)?;
        for_each_batch(&job, progress, visit)?;
        Ok(read.unreadable)
    }

    /// Writes the documents of an index to compare against out as a corpus.
    pub(super) fn export_indexes(&self, against: &mut [String], folder: &Path, resume: bool) -> Result<()> {
        for (number, argument) in against.iter_mut().enumerate() {
            if !Index::is_in(Path::new(argument)) {
                continue;
            }
            let path = folder.join(format!("index-{number}.jsonl"));
            // A resumed run continues with the documents that it began with.
            if !(resume && path.exists()) {
                let index = self.open_index(Path::new(argument))?;
                std::fs::create_dir_all(folder).map_err(Error::io(folder))?;
                index.reader().export(&path)?;
            }
            *argument = path.to_string_lossy().into_owned();
        }
        Ok(())
    }
}
