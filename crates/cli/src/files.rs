//! Files and folders of documents where a corpus is expected.

use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use lookalike::Recipe;
use lookalike::documents::{Extraction, Gather, corpus};
use lookalike::extract::worker::Program;

use crate::out::tell;
use crate::progress::Bars;

/// Reads files for a verb that works on corpora.
pub struct Files {
    pub extraction: Extraction,
    program: Program,
    threads: usize,
}

/// What became of a verb's inputs.
#[derive(Default)]
pub struct Read {
    /// Files that gave no document, and why.
    pub unreadable: Vec<(String, String)>,
    /// Documents of which too little could be read to compare them, and why.
    pub weak: Vec<(String, String)>,
    /// Where the documents are until the verb is done; absent if all inputs were corpora.
    folder: Option<PathBuf>,
}

impl Files {
    pub fn new(recipe: &Recipe, threads: usize) -> anyhow::Result<Files> {
        Ok(Files { extraction: recipe.extraction()?, program: reader()?, threads })
    }

    /// Keeps nothing beyond the verb.
    pub fn gather(&self) -> Gather<'_> {
        let (extraction, program) = (&self.extraction, &self.program);
        Gather { extraction, program, threads: self.threads, cache: None }
    }

    /// Replaces inputs that are documents by a corpus of them in `folder`.
    pub fn replace(
        &self,
        inputs: &mut Vec<String>,
        text_field: &str,
        folder: &Path,
        strict: bool,
        bars: &Bars,
    ) -> anyhow::Result<Read> {
        let outcome = corpus(inputs, text_field, &self.gather(), folder, bars);
        bars.finish();
        let found = outcome?;
        *inputs = found.inputs;
        let unreadable: Vec<(String, String)> =
            found.unreadable.into_iter().map(|(path, reason)| (path, reason.to_string())).collect();
        if let Some((path, reason)) = unreadable.first() {
            if strict {
                bail!("{path}: {reason}");
            }
            tell(&format!(
                "warning: {} could not be read; the first: {path}: {reason}",
                count_files(unreadable.len())
            ));
        }
        if let Some((id, reason)) = found.weak.first() {
            tell(&format!(
                "warning: the text of {} is too weak to be compared; the first: {id}: {reason}",
                count_documents(found.weak.len())
            ));
        }
        Ok(Read { unreadable, weak: found.weak, folder: found.from_files.then(|| folder.to_owned()) })
    }
}

impl Read {
    pub fn is_from_files(&self) -> bool {
        self.folder.is_some()
    }

    /// The verb is done: the documents are not needed any more.
    pub fn finish(&self) {
        if let Some(folder) = &self.folder {
            let _ = std::fs::remove_dir_all(folder);
        }
    }
}

fn count_files(number: usize) -> String {
    if number == 1 { "1 file".to_owned() } else { format!("{number} files") }
}

fn count_documents(number: usize) -> String {
    if number == 1 { "1 document".to_owned() } else { format!("{number} documents") }
}

/// This very program, as it reads files in a child process.
pub fn reader() -> anyhow::Result<Program> {
    let path = std::env::current_exe().context("cannot find this program to start it again")?;
    Ok(Program { path, arguments: vec!["extract-worker".to_owned()] })
}
