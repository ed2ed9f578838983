//! The folder of a search index: opened as its last commit left it, or created again.
//!
//! Everything in it can be rebuilt from the documents. So a folder that is damaged, of another generation or built
//! with other settings is emptied, and the reason is reported; that is never an error. Errors are only those that a
//! new folder would not avoid: no permission, no space.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use lookalike_core::text::TEXT_RULES;
use lookalike_core::{Error, Result};
use serde::{Deserialize, Serialize};
use tantivy::directory::MmapDirectory;
use tantivy::directory::error::{LockError, OpenDirectoryError, OpenReadError, OpenWriteError};
use tantivy::store::Compressor;
use tantivy::{Index, IndexReader, IndexSettings, ReloadPolicy, TantivyError};

use crate::schema::{Fields, SearchSettings, TOKENIZER};
use crate::words::WordTokenizer;

/// Written with every commit: the settings of the index, and how far it got.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct State {
    format: u32,
    rules: String,
    generation: u64,
    text_field: String,
    facets: Vec<String>,
    /// The next number to index.
    pub next: u32,
}

/// The version of how we use the search library: what is indexed, and how.
const FORMAT: u32 = 1;

impl State {
    pub fn new(settings: &SearchSettings, next: u32) -> State {
        State {
            format: FORMAT,
            rules: TEXT_RULES.to_owned(),
            generation: settings.generation,
            text_field: settings.text_field.clone(),
            facets: settings.facets.clone(),
            next,
        }
    }

    pub fn json(&self) -> Result<String> {
        serde_json::to_string(self).map_err(|error| Error::Internal(error.to_string()))
    }
}

pub(crate) struct Opened {
    pub index: Index,
    pub directory: MmapDirectory,
    pub reader: IndexReader,
    pub next: u32,
    /// Why an existing index had to be rebuilt.
    pub rebuilt: Option<String>,
}

/// The files have a folder of their own below the given one, so that emptying it deletes nothing else.
pub(crate) fn place(dir: &Path) -> PathBuf {
    dir.join("words")
}

pub(crate) fn open(folder: &Path, settings: &SearchSettings, fields: &Fields) -> Result<Opened> {
    std::fs::create_dir_all(folder).map_err(Error::io(folder))?;
    let is_new = std::fs::read_dir(folder).map_err(Error::io(folder))?.next().is_none();
    if is_new {
        return create(folder, fields, None);
    }
    // The library trusts the files it reads: damaged ones may make it panic.
    let tried = catch_unwind(AssertUnwindSafe(|| open_whole(folder, settings, fields)));
    match tried {
        Ok(Ok(opened)) => Ok(opened),
        Ok(Err(OpenError::Failed(error))) => Err(error),
        Ok(Err(OpenError::Unfit(reason))) => recreate(folder, fields, reason),
        Err(_) => recreate(folder, fields, "it is damaged".to_owned()),
    }
}

/// Empties the folder and starts again.
pub(crate) fn recreate(folder: &Path, fields: &Fields, reason: String) -> Result<Opened> {
    std::fs::remove_dir_all(folder).map_err(Error::io(folder))?;
    create(folder, fields, Some(reason))
}

/// An error of the search library, with the folder it happened in.
pub(crate) fn failed(folder: &Path, error: TantivyError) -> Error {
    match io_error(&error) {
        Some(source) => Error::Io { path: folder.to_owned(), source },
        None => Error::Internal(format!("search index {}: {error}", folder.display())),
    }
}

enum OpenError {
    Unfit(String),
    Failed(Error),
}

fn create(folder: &Path, fields: &Fields, rebuilt: Option<String>) -> Result<Opened> {
    std::fs::create_dir_all(folder).map_err(Error::io(folder))?;
    let made = || -> Result<_, TantivyError> {
        let settings = IndexSettings {
            docstore_compression: Compressor::None,
            docstore_compress_dedicated_thread: false,
            ..IndexSettings::default()
        };
        let directory = MmapDirectory::open(folder)?;
        let index = Index::create(directory.clone(), fields.schema.clone(), settings)?;
        let reader = reader(&index)?;
        Ok((index, directory, reader))
    };
    let (index, directory, reader) = made().map_err(|error| failed(folder, error))?;
    Ok(Opened { index, directory, reader, next: 0, rebuilt })
}

fn reader(index: &Index) -> tantivy::Result<IndexReader> {
    index.tokenizers().register(TOKENIZER, WordTokenizer::default());
    index.reader_builder().reload_policy(ReloadPolicy::Manual).try_into()
}

fn open_whole(folder: &Path, settings: &SearchSettings, fields: &Fields) -> Result<Opened, OpenError> {
    let open_error = |error: TantivyError| match io_error(&error) {
        Some(source) if !is_damage(&source) => {
            OpenError::Failed(Error::Io { path: folder.to_owned(), source })
        }
        _ => OpenError::Unfit(format!("it is damaged ({error})")),
    };
    let directory = MmapDirectory::open(folder).map_err(|error| open_error(error.into()))?;
    let index = Index::open(directory.clone()).map_err(open_error)?;
    let metas = index.load_metas().map_err(open_error)?;
    let state = match &metas.payload {
        Some(payload) => serde_json::from_str::<State>(payload).ok(),
        // It was closed or killed before its first commit, and is empty.
        None => metas.segments.is_empty().then(|| State::new(settings, 0)),
    };
    let state = state.ok_or_else(|| OpenError::Unfit("it does not say what it is".to_owned()))?;
    if state != State::new(settings, state.next) || index.schema() != fields.schema {
        return Err(OpenError::Unfit("it was made for another generation or other settings".to_owned()));
    }
    let damaged = index.validate_checksum().map_err(open_error)?;
    if let Some(file) = damaged.iter().min() {
        return Err(OpenError::Unfit(format!("its file {} is damaged", file.display())));
    }
    let reader = reader(&index).map_err(open_error)?;
    Ok(Opened { index, directory, reader, next: state.next, rebuilt: None })
}

/// The error of the operating system, if there was one.
fn io_error(error: &TantivyError) -> Option<io::Error> {
    let source = match error {
        TantivyError::IoError(source)
        | TantivyError::LockFailure(LockError::IoError(source), _)
        | TantivyError::OpenReadError(OpenReadError::IoError { io_error: source, .. })
        | TantivyError::OpenWriteError(OpenWriteError::IoError { io_error: source, .. })
        | TantivyError::OpenDirectoryError(OpenDirectoryError::IoError { io_error: source, .. }) => source,
        _ => return None,
    };
    Some(io::Error::new(source.kind(), source.to_string()))
}

/// The library also reports damaged content as errors of these kinds.
fn is_damage(error: &io::Error) -> bool {
    use io::ErrorKind::{InvalidData, InvalidInput, NotFound, Other, UnexpectedEof};
    matches!(error.kind(), InvalidData | InvalidInput | NotFound | Other | UnexpectedEof)
}
