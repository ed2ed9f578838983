//! The public data that experiments read: a folder with the files they name.

use std::path::{Path, PathBuf};

use lookalike_core::{Error, Result};
use tempfile::TempDir;

use super::Experiment;
use lookalike_engine::run::{Job, Progress};
use lookalike_extract::worker::Program;
use lookalike_files::documents::{Extraction, Gather, corpus};

pub struct Data {
    folder: PathBuf,
    /// The program that reads files of other formats.
    program: Program,
    threads: usize,
    /// Corpora made from archives of documents; they are removed with this value.
    made: TempDir,
}

impl Data {
    pub fn open(folder: &Path, program: Program, threads: usize) -> Result<Data> {
        if !folder.is_dir() {
            return Err(Error::config(format!("{} is no folder with data", folder.display())));
        }
        let made = TempDir::with_prefix("lookalike-").map_err(Error::io(std::env::temp_dir()))?;
        Ok(Data { folder: folder.to_owned(), program, threads, made })
    }

    /// Whether all files that the experiment needs exist.
    pub fn check(&self, experiment: &Experiment) -> Result<()> {
        let missing: Vec<&str> =
            experiment.data.iter().copied().filter(|name| !self.folder.join(name).exists()).collect();
        if missing.is_empty() {
            return Ok(());
        }
        Err(Error::config(format!(
            "{} needs {} in {}, see docs/reproduction.md",
            experiment.name,
            missing.join(", "),
            self.folder.display()
        )))
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    pub fn threads(&self) -> usize {
        self.threads
    }

    /// A folder for files that an experiment prepares.
    pub fn scratch(&self) -> &Path {
        self.made.path()
    }

    /// A job over some of the files: corpora as they are, archives of documents converted to
    /// corpora.
    pub fn job(&self, names: &[&str], progress: &dyn Progress) -> Result<Job> {
        let arguments: Vec<String> =
            names.iter().map(|name| self.path(name).to_string_lossy().into_owned()).collect();
        self.job_over(arguments, &names.join("+"), progress)
    }

    /// Like [`Data::job`], but as for recipes that weigh markup: titles, headings and emphasis are kept as HTML.
    pub fn marked_job(&self, names: &[&str], progress: &dyn Progress) -> Result<Job> {
        let extraction = Extraction { marked: true, ..Extraction::default() };
        let arguments = names.iter().map(|name| self.path(name).to_string_lossy().into_owned()).collect();
        self.extracted(arguments, &format!("{}-marked", names.join("+")), &extraction, progress)
    }

    /// A job over any inputs; `key` names the folder for what is made for it.
    pub fn job_over(&self, arguments: Vec<String>, key: &str, progress: &dyn Progress) -> Result<Job> {
        self.extracted(arguments, key, &Extraction::default(), progress)
    }

    fn extracted(
        &self,
        arguments: Vec<String>,
        key: &str,
        extraction: &Extraction,
        progress: &dyn Progress,
    ) -> Result<Job> {
        let gather =
            Gather { extraction, program: &self.program, threads: self.threads, memory: 0, cache: None };
        let folder = self.made.path().join(key.replace(['/', '.'], "-"));
        std::fs::create_dir_all(&folder).map_err(Error::io(&folder))?;
        let found = corpus(&arguments, "text", &gather, &folder, progress)?;
        let mut job = Job::new(found.inputs, folder.join("none"));
        job.threads = self.threads;
        Ok(job)
    }
}
