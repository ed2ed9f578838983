//! Files and folders of documents where a corpus is expected.

use std::path::{Path, PathBuf};

use lookalike_core::{Error, Result};
use lookalike_engine::Recipe;
use lookalike_engine::extraction::Extraction;
use lookalike_engine::run::Job;
use lookalike_engine::run::Progress;
use lookalike_extract::worker::Program;
use lookalike_files::documents::{Gather, corpus};
use lookalike_index::{Line, for_each_batch};

use super::{Session, reads_corpora_only};

/// Reads files for work that is done on corpora.
pub struct ReadFiles {
    pub(super) extraction: Extraction,
    program: Option<Program>,
    threads: usize,
}

/// What became of inputs that are files, not corpora.
#[derive(Default)]
pub struct Documents {
    /// Files that gave no document, and why.
    pub unreadable: Vec<(String, String)>,
    /// Documents of which too little could be read to compare them, and why.
    pub weak: Vec<(String, String)>,
    /// Where the documents are until the work is done; absent if all inputs were corpora.
    folder: Option<PathBuf>,
}

impl Session {
    /// Reads files as a recipe says.
    pub fn reading(&self, recipe: &Recipe, threads: usize) -> Result<ReadFiles> {
        Ok(ReadFiles { extraction: recipe.extraction()?, program: self.file_reader.clone(), threads })
    }

    /// Hands over the documents of a job's inputs as an index reads them, some at a time, and gives the files that could
    /// not be read.
    pub fn for_each_document(
        &self,
        recipe: &Recipe,
        mut job: Job,
        progress: &dyn Progress,
        visit: impl FnMut(&[Line]) -> Result<()>,
    ) -> Result<Vec<(String, String)>> {
        let folder = tempfile::tempdir().map_err(Error::io(std::env::temp_dir()))?;
        let reading = self.reading(recipe, job.threads)?;
        let read = reading.replace(&mut job.inputs, &job.text_field, folder.path(), job.strict, progress)?;
        for_each_batch(&job, progress, visit)?;
        Ok(read.unreadable)
    }
}

impl ReadFiles {
    /// Keeps nothing beyond the work.
    pub fn gather(&self) -> Result<Gather<'_>> {
        let program = self.program.as_ref().ok_or_else(reads_corpora_only)?;
        Ok(Gather { extraction: &self.extraction, program, threads: self.threads, memory: 0, cache: None })
    }

    /// Replaces inputs that are documents by a corpus of them in `folder`.
    pub fn replace(
        &self,
        inputs: &mut Vec<String>,
        text_field: &str,
        folder: &Path,
        strict: bool,
        progress: &dyn Progress,
    ) -> Result<Documents> {
        // Without a program to read files, inputs are taken for corpora, and what is none is an error further on.
        let Ok(gather) = self.gather() else { return Ok(Documents::default()) };
        let found = corpus(inputs, text_field, &gather, folder, progress)?;
        *inputs = found.inputs;
        let unreadable: Vec<(String, String)> =
            found.unreadable.into_iter().map(|(path, reason)| (path, reason.to_string())).collect();
        if let Some((path, reason)) = unreadable.first() {
            if strict {
                return Err(Error::Input(format!("{path}: {reason}")));
            }
            let files = counted(unreadable.len(), "file");
            progress.warn(&format!("{files} could not be read; the first: {path}: {reason}"));
        }
        if let Some((id, reason)) = found.weak.first() {
            let documents = counted(found.weak.len(), "document");
            progress.warn(&format!(
                "the text of {documents} is too weak to be compared; the first: {id}: {reason}"
            ));
        }
        Ok(Documents { unreadable, weak: found.weak, folder: found.from_files.then(|| folder.to_owned()) })
    }
}

impl Documents {
    /// Whether some documents came from files that are no corpora.
    pub fn is_from_files(&self) -> bool {
        self.folder.is_some()
    }

    /// The work is done: the documents are not needed any more.
    pub fn finish(&self) {
        if let Some(folder) = &self.folder {
            let _ = std::fs::remove_dir_all(folder);
        }
    }
}

fn counted(number: usize, what: &str) -> String {
    if number == 1 { format!("1 {what}") } else { format!("{number} {what}s") }
}
