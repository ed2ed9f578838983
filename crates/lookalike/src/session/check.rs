//! One file against an index.

use std::path::Path;

use lookalike_core::{Error, Result};
use lookalike_engine::run::{Job, Quiet};
use lookalike_files::documents::corpus;
use lookalike_index::{Answer, Index, QueryOptions, for_each_batch};

use super::Session;
use super::inputs::temporary_folder;

/// The answer of an index about a file.
pub enum CheckedFile {
    /// What it knows about the document.
    Answered(Box<Answer>),
    /// There is no answer: why the file, or enough of it, could not be read.
    Unreadable(String),
}

impl Session {
    /// Looks up one file of any format in an index. For a mail with attachments the message itself is looked up, for
    /// an archive its first document.
    pub fn check_file(&self, index: &Index, path: &Path, ask: &QueryOptions) -> Result<CheckedFile> {
        let reading = self.reading(&self.recipe_of(index)?, 1)?;
        let folder = temporary_folder()?;
        let own = path.to_string_lossy().into_owned();
        let found = corpus(std::slice::from_ref(&own), "text", &reading.gather()?, folder.path(), &Quiet)?;
        if let Some((_, reason)) = found.unreadable.first() {
            return Ok(CheckedFile::Unreadable(reason.to_string()));
        }
        if let Some((_, reason)) = found.weak.iter().find(|(id, _)| *id == own) {
            return Ok(CheckedFile::Unreadable(format!("too little could be read: {reason}")));
        }
        let mut answer = None;
        let job = Job { threads: 1, ..Job::new(found.inputs, "") };
        for_each_batch(&job, &Quiet, |lines| {
            if let (None, Some(line)) = (&answer, lines.first()) {
                let document = line.document.as_deref().map_err(|reason| Error::input(reason.clone()))?;
                answer = Some(index.reader().check(document, ask)?);
            }
            Ok(())
        })?;
        let answer = answer.ok_or_else(|| Error::input("there is no text in it"))?;
        Ok(CheckedFile::Answered(Box::new(answer)))
    }
}
