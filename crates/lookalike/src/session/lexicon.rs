//! Lexicons counted from corpora and files.

use lookalike_core::Result;
use lookalike_core::features::FeatureExtractor;
use lookalike_engine::lexicon::{Built, CountJob, build};
use lookalike_engine::run::Progress;

use super::Session;
use super::inputs::temporary_folder;

impl Session {
    /// Counts the words of a corpus, or the features that an extractor finds in it, and writes the lexicon. Files that gave
    /// no document count as rejected.
    pub fn build_lexicon(
        &self,
        mut job: CountJob,
        extractor: Option<&dyn FeatureExtractor>,
        progress: &dyn Progress,
    ) -> Result<Built> {
        let folder = temporary_folder()?;
        let reading = self.reading(&self.standard()?, job.threads)?;
        let first = job.inputs.first().cloned();
        let read = reading.replace(&mut job.inputs, &job.text_field, folder.path(), job.strict, progress)?;
        if read.is_from_files() && job.source.is_none() {
            job.source = first;
        }
        let mut built = build(&job, extractor, progress)?;
        built.rejected += read.unreadable.len() as u64;
        Ok(built)
    }
}
