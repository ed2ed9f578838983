//! Removals that were carried out, each with the documents it took away, so that it can be undone.
//!
//! `DATA/removals/N` holds `documents.jsonl`, what was removed; `removed.jsonl`, why; and `about.json`. The documents are
//! on disk before the first of them goes.

use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use lookalike::core::document::Id;
use lookalike::index::survey::Survey;
use lookalike::index::{Ask, Evidence, Index, Policy, View};
use lookalike::{Error, Result};
use serde::{Deserialize, Serialize};

const ABOUT: &str = "about.json";
const DOCUMENTS: &str = "documents.jsonl";
const EVIDENCE: &str = "removed.jsonl";
const BATCH: usize = 1000;

pub struct Removals {
    folder: PathBuf,
    /// One at a time.
    busy: Mutex<()>,
}

/// A removal that was carried out, or begun.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct About {
    pub removal: u64,
    /// Seconds since 1970.
    pub time: u64,
    pub by: String,
    pub keep: Option<String>,
    pub filter: String,
    pub documents: u64,
    /// False if the service ended before all were removed; `undo` puts back those that were.
    pub complete: bool,
    pub undone: bool,
}

/// What is to be removed.
pub struct Wish<'a> {
    pub by: &'a str,
    pub keep: Option<String>,
    pub filter: String,
    /// The clusters, as places in the survey.
    pub places: Vec<u32>,
}

impl Removals {
    pub fn new(data: &Path) -> Removals {
        Removals { folder: data.join("removals"), busy: Mutex::new(()) }
    }

    fn alone(&self) -> MutexGuard<'_, ()> {
        self.busy.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The newest first.
    pub fn list(&self) -> Result<Vec<About>> {
        let entries = match std::fs::read_dir(&self.folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(Error::io(&self.folder)(error)),
        };
        let numbers = entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok());
        let mut all: Vec<About> = numbers.filter_map(|number| self.about(number).ok().flatten()).collect();
        all.sort_by_key(|about| std::cmp::Reverse(about.removal));
        Ok(all)
    }

    fn about(&self, number: u64) -> Result<Option<About>> {
        let path = self.folder.join(number.to_string()).join(ABOUT);
        match std::fs::read(&path) {
            Ok(bytes) => Ok(serde_json::from_slice(&bytes).ok()),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(Error::io(&path)(error)),
        }
    }

    /// Removes documents of the clusters from the index.
    pub fn apply(&self, index: &Index, survey: &Survey, wish: Wish<'_>) -> Result<About> {
        let _alone = self.alone();
        std::fs::create_dir_all(&self.folder).map_err(Error::io(&self.folder))?;
        let number = self.list()?.first().map_or(1, |last| last.removal + 1);
        let folder = self.folder.join(number.to_string());
        // Left by one that ended before it had begun.
        if folder.exists() {
            std::fs::remove_dir_all(&folder).map_err(Error::io(&folder))?;
        }
        std::fs::create_dir(&folder).map_err(Error::io(&folder))?;
        let path = folder.join(DOCUMENTS);
        let mut documents = BufWriter::new(File::create(&path).map_err(Error::io(&path))?);
        let evidence = folder.join(EVIDENCE);
        let evidence = BufWriter::new(File::create(&evidence).map_err(Error::io(&evidence))?);
        let mut evidence = index.evidence(Evidence::Jsonl, evidence)?;
        let mut ids: Vec<Id> = Vec::new();
        index.plan_removals(survey, &wish.places, wish.keep.as_deref(), &mut |mut plan| {
            let mut removed = Vec::with_capacity(plan.removals.len());
            for removal in std::mem::take(&mut plan.removals) {
                let Some(mut line) = index.line(removal.number, &View::All)? else { continue };
                line.iter_mut().filter(|byte| **byte == b'\n').for_each(|byte| *byte = b' ');
                line.push(b'\n');
                documents.write_all(&line).map_err(Error::io(&path))?;
                ids.push(removal.id.clone());
                removed.push(removal);
            }
            plan.removals = removed;
            evidence.add(&plan)
        })?;
        evidence.finish()?;
        let file = documents.into_inner().map_err(|error| Error::io(&path)(error.into_error()))?;
        file.sync_all().map_err(Error::io(&path))?;
        let mut about = About {
            removal: number,
            time: Ask::default().now,
            by: wish.by.to_owned(),
            keep: wish.keep,
            filter: wish.filter,
            documents: ids.len() as u64,
            complete: false,
            undone: false,
        };
        if index.generation_number() != survey.generation {
            return Err(Error::input("the index has another recipe by now: look again"));
        }
        write_about(&folder, &about)?;
        for batch in ids.chunks(BATCH) {
            index.remove_many(batch, &View::All)?;
        }
        about.complete = true;
        write_about(&folder, &about)?;
        Ok(about)
    }

    /// Puts back what a removal took; `None` if there is none of this number.
    pub fn undo(&self, index: &Index, number: u64) -> Result<Option<About>> {
        let _alone = self.alone();
        let Some(mut about) = self.about(number)? else { return Ok(None) };
        if about.undone {
            return Ok(Some(about));
        }
        let folder = self.folder.join(number.to_string());
        let path = folder.join(DOCUMENTS);
        let mut lines = BufReader::new(File::open(&path).map_err(Error::io(&path))?).split(b'\n').peekable();
        while lines.peek().is_some() {
            let batch =
                lines.by_ref().take(BATCH).collect::<std::io::Result<Vec<_>>>().map_err(Error::io(&path))?;
            // Whoever came under the same id meanwhile stays.
            let is_gone =
                |line: &&Vec<u8>| id_in(line).is_some_and(|id| index.number_of(&id, &View::All).is_none());
            let gone: Vec<&[u8]> = batch.iter().filter(is_gone).map(Vec::as_slice).collect();
            for answer in index.add_many(&gone, Policy::Report, &Ask::default())? {
                answer?;
            }
        }
        about.undone = true;
        write_about(&folder, &about)?;
        Ok(Some(about))
    }
}

fn id_in(line: &[u8]) -> Option<Id> {
    #[derive(Deserialize)]
    struct Line<'a> {
        #[serde(borrow)]
        id: &'a serde_json::value::RawValue,
    }
    serde_json::from_slice::<Line<'_>>(line).ok().map(|line| Id::from_json(line.id.get()))
}

fn write_about(folder: &Path, about: &About) -> Result<()> {
    let json = serde_json::to_vec(about).map_err(|error| Error::Internal(error.to_string()))?;
    let path = folder.join(ABOUT);
    let mut file = tempfile::NamedTempFile::new_in(folder).map_err(Error::io(folder))?;
    file.write_all(&json).and_then(|()| file.as_file().sync_all()).map_err(Error::io(&path))?;
    file.persist(&path).map_err(|error| Error::io(&path)(error.error))?;
    Ok(())
}
