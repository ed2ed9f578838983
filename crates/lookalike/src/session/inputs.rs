//! Inputs of any kind for work on corpora: files and folders of documents become corpora first.

use std::io::Write;
use std::path::{Path, PathBuf};

use lookalike_core::{Error, Result};
use lookalike_engine::Recipe;
use lookalike_engine::extraction::Extraction;
use lookalike_engine::run::{Job, Progress, warn_passed_over};
#[cfg(feature = "files")]
use lookalike_extract::worker::Program;
#[cfg(feature = "files")]
use lookalike_files::documents::{Gather, corpus};
use lookalike_io::inputs::{Input, expand, holds_corpus, is_corpus, passed_over};
use lookalike_io::read::has_column;
use tempfile::TempDir;

use super::Session;

/// A job whose inputs are corpora that can be read any number of times: documents of files and piped input are kept
/// in a folder that exists as long as this value.
pub struct ReadyJob {
    job: Job,
    _folder: TempDir,
}

impl ReadyJob {
    /// The job, with inputs that can be read again.
    pub fn job(&self) -> &Job {
        &self.job
    }
}

/// Reads files for work on corpora.
pub(super) struct ReadFiles {
    pub extraction: Extraction,
    #[cfg(feature = "files")]
    program: Option<Program>,
    #[cfg(feature = "files")]
    threads: usize,
}

/// The documents of inputs that are files, not corpora.
#[derive(Default)]
pub(super) struct Documents {
    /// Files that gave no document, with the reasons.
    pub unreadable: Vec<(String, String)>,
    /// Documents of which too little could be read to compare them, with the reasons.
    pub weak: Vec<(String, String)>,
    /// Where the documents are until the work is done; absent if all inputs were corpora.
    folder: Option<PathBuf>,
}

impl Session {
    /// Prepares a job for work that reads its inputs more than once, such as judging and training. Files are read as the
    /// recipe says.
    pub fn ready(&self, recipe: &Recipe, mut job: Job, progress: &dyn Progress) -> Result<ReadyJob> {
        let folder = temporary_folder()?;
        if let Some(place) = job.inputs.iter().position(|input| input == "-") {
            let path = folder.path().join("stdin.jsonl");
            let mut file = std::fs::File::create(&path).map_err(Error::io(&path))?;
            let copied = std::io::copy(&mut std::io::stdin().lock(), &mut file).and_then(|_| file.flush());
            copied.map_err(Error::io("<stdin>"))?;
            job.inputs[place] = path.to_string_lossy().into_owned();
        }
        let reading = self.reading(recipe, job.threads)?;
        let documents = folder.path().join("documents");
        reading.replace(&mut job.inputs, &job.text_field, &documents, job.strict, progress)?;
        warn_passed_over(&job.inputs, None, progress)?;
        Ok(ReadyJob { job, _folder: folder })
    }

    /// Reads files as a recipe says.
    #[cfg_attr(
        not(feature = "files"),
        expect(unused_variables, reason = "who reads no files needs no threads")
    )]
    pub(super) fn reading(&self, recipe: &Recipe, threads: usize) -> Result<ReadFiles> {
        Ok(ReadFiles {
            extraction: recipe.extraction()?,
            #[cfg(feature = "files")]
            program: self.file_reader.clone(),
            #[cfg(feature = "files")]
            threads,
        })
    }
}

impl ReadFiles {
    /// Keeps nothing beyond the work.
    #[cfg(feature = "files")]
    pub fn gather(&self) -> Result<Gather<'_>> {
        let program = self.program.as_ref().ok_or_else(super::reads_corpora_only)?;
        Ok(Gather { extraction: &self.extraction, program, threads: self.threads, memory: 0, cache: None })
    }

    /// Replaces inputs that are documents by a corpus of them in `folder`.
    #[cfg(feature = "files")]
    pub fn replace(
        &self,
        inputs: &mut Vec<String>,
        text_field: &str,
        folder: &Path,
        strict: bool,
        progress: &dyn Progress,
    ) -> Result<Documents> {
        let Ok(gather) = self.gather() else { return only_corpora(inputs, text_field) };
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

    /// A build without file readers replaces nothing.
    #[cfg(not(feature = "files"))]
    pub fn replace(
        &self,
        inputs: &mut [String],
        text_field: &str,
        _: &Path,
        _: bool,
        _: &dyn Progress,
    ) -> Result<Documents> {
        only_corpora(inputs, text_field)
    }
}

impl Documents {
    /// Whether some documents came from files that are no corpora.
    pub fn is_from_files(&self) -> bool {
        self.folder.is_some()
    }

    /// Removes the documents when the work is done.
    pub fn finish(&self) {
        if let Some(folder) = &self.folder {
            let _ = std::fs::remove_dir_all(folder);
        }
    }
}

pub(super) fn temporary_folder() -> Result<TempDir> {
    TempDir::with_prefix("lookalike-").map_err(Error::io(std::env::temp_dir()))
}

/// Without a program to read files, inputs must be corpora.
fn only_corpora(inputs: &[String], text_field: &str) -> Result<Documents> {
    for argument in inputs {
        if !stands_for_corpora(argument, text_field)? {
            return Err(Error::config(format!("{argument} is no corpus; {}", super::READS_CORPORA_ONLY)));
        }
    }
    Ok(Documents::default())
}

/// Whether an argument names only corpora, or something that the reader of corpora reports as an error.
fn stands_for_corpora(argument: &str, text_field: &str) -> Result<bool> {
    let path = Path::new(argument);
    if path.is_dir() {
        let has_text = |table: &Input| has_column(table, text_field).unwrap_or(false);
        return Ok(holds_corpus(path, has_text)? || passed_over(&[argument.to_owned()], None)?.is_empty());
    }
    if path.is_file() {
        return is_corpus(path);
    }
    if argument == "-" || path.exists() {
        return Ok(true);
    }
    let Ok(found) = expand(argument) else { return Ok(true) };
    for path in found {
        if !is_corpus(&path)? {
            return Ok(false);
        }
    }
    Ok(true)
}

#[cfg(feature = "files")]
fn counted(number: usize, what: &str) -> String {
    if number == 1 { format!("1 {what}") } else { format!("{number} {what}s") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lookalike_engine::run::Quiet;

    #[test]
    fn a_session_that_reads_no_files_says_so() {
        let dir = tempfile::tempdir().unwrap();
        let path = |name: &str| dir.path().join(name).to_string_lossy().into_owned();
        std::fs::create_dir(path("letters")).unwrap();
        std::fs::write(path("letters/one.pdf"), "%PDF-1.4 …").unwrap();
        std::fs::write(path("notes.txt"), "no line of JSON").unwrap();
        std::fs::write(path("corpus"), "{\"text\":\"one\"}\n{\"text\":\"two\"}\n").unwrap();
        let session = Session::default();
        let ready = |input: String| {
            let job = Job::new([input], path("out"));
            session.ready(&session.standard().unwrap(), job, &Quiet).map(|ready| ready.job().inputs.clone())
        };
        for name in ["letters/one.pdf", "letters", "letters/*.pdf", "notes.txt"] {
            let error = ready(path(name)).unwrap_err().to_string();
            assert!(error.starts_with(&format!("{} is no corpus", path(name))), "{error}");
            assert!(error.contains("reads corpora only"), "{error}");
        }
        assert_eq!(ready(path("corpus")).unwrap(), [path("corpus")]);
        // A missing file is reported when it is opened.
        assert_eq!(ready(path("nowhere.pdf")).unwrap(), [path("nowhere.pdf")]);
        let job = Job::new([path("letters")], path("out"));
        let error = session.dedup(&session.standard().unwrap(), job, &Quiet).err().unwrap().to_string();
        assert!(error.contains("is no corpus"), "{error}");
    }
}
