//! Inputs of `dedup` and `lexicon` that are no corpora: files and folders of documents.
//!
//! Their documents become one corpus, written beside the results before the run begins. Corpora
//! among the inputs stay what they are.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use lookalike_core::{Error, Result, hash};
use lookalike_extract::Reason;
use lookalike_io::inputs;
use lookalike_io::write::AtomicFile;

use super::{Found, Gather, Sources, Unread, find};
use crate::run::Progress;

/// Inputs that can all be read as corpora.
#[derive(Clone, Debug, Default)]
pub struct Corpus {
    pub inputs: Vec<String>,
    /// Files that gave no document.
    pub unreadable: Unread,
    /// Whether some documents came from files.
    pub from_files: bool,
}

/// Replaces files and folders of documents by a corpus in `folder`, where it can be found again
/// when an interrupted run goes on.
pub fn corpus(
    arguments: &[String],
    gather: &Gather<'_>,
    folder: &Path,
    progress: &dyn Progress,
) -> Result<Corpus> {
    let mut corpus = Corpus::default();
    let mut paths = Vec::new();
    for argument in arguments {
        match documents_of(argument)? {
            None => corpus.inputs.push(argument.clone()),
            Some(found) => {
                if !corpus.from_files {
                    corpus.from_files = true;
                    corpus.inputs.push(folder.join("documents.jsonl").to_string_lossy().into_owned());
                }
                paths.extend(found);
            }
        }
    }
    if corpus.from_files {
        let sources = Sources { paths, exclude: vec![folder.to_owned()], ..Sources::default() };
        let (found, places) = find::find(&sources)?;
        corpus.unreadable = write(found, places, gather, folder, progress)?;
    }
    Ok(corpus)
}

/// The paths that an argument stands for, if these are documents; `None` for a corpus.
fn documents_of(argument: &str) -> Result<Option<Vec<PathBuf>>> {
    let path = Path::new(argument);
    if argument == "-" {
        return Ok(None);
    }
    if path.is_dir() {
        let sources = Sources { paths: vec![path.to_owned()], ..Sources::default() };
        // Of an empty folder the reader of corpora says what is missing.
        let is_corpus = inputs::holds_corpus(path)? || find::find(&sources)?.0.is_empty();
        return Ok(if is_corpus { None } else { Some(sources.paths) });
    }
    if path.exists() {
        return Ok(if is_corpus(path)? { None } else { Some(vec![path.to_owned()]) });
    }
    // A pattern: all of it is one or the other, by its first file.
    match inputs::expand(argument) {
        Ok(found) if found.first().map_or(Ok(true), |first| is_corpus(first))? => Ok(None),
        Ok(found) => Ok(Some(found)),
        // The reader of corpora says what is wrong.
        Err(_) => Ok(None),
    }
}

/// By its name, or by what it begins with once unpacked: JSON objects or Parquet.
fn is_corpus(path: &Path) -> Result<bool> {
    if inputs::is_corpus_name(path) {
        return Ok(true);
    }
    let mut file = File::open(path).map_err(Error::io(path))?;
    let mut start = Vec::new();
    // The first block of zstd gives nothing before all of it is there, which may be 128 KiB.
    file.by_ref().take(160 << 10).read_to_end(&mut start).map_err(Error::io(path))?;
    Ok(inputs::begins_corpus(&start))
}

fn write(
    found: Vec<Found>,
    places: Unread,
    gather: &Gather<'_>,
    folder: &Path,
    progress: &dyn Progress,
) -> Result<Unread> {
    let key = key_of(&found, &places, gather);
    let (corpus, done) = (folder.join("documents.jsonl"), folder.join("files.json"));
    let earlier = std::fs::read(&done).ok();
    let earlier = earlier.and_then(|bytes| serde_json::from_slice::<(String, Unread)>(&bytes).ok());
    if let Some((earlier, unreadable)) = earlier
        && earlier == key
        && corpus.exists()
    {
        return Ok(unreadable);
    }
    std::fs::create_dir_all(folder).map_err(Error::io(folder))?;
    let gathered = gather.run(found, places, progress)?;
    gathered.write_jsonl(&corpus, gather.extraction.marked)?;
    let mut unreadable = gathered.unreadable();
    unreadable.extend(gathered.partly());
    let json = serde_json::to_vec(&(key, &unreadable)).map_err(|error| Error::Internal(error.to_string()))?;
    let mut file = AtomicFile::create(&done)?;
    file.write(&json)?;
    file.finish()?;
    Ok(unreadable)
}

fn key_of(found: &[Found], places: &[(String, Reason)], gather: &Gather<'_>) -> String {
    let mut digester = hash::Digester::default();
    let mut push = |text: &str| digester.push(hash::bytes(text.as_bytes()));
    push(&format!("{} {:?}", env!("CARGO_PKG_VERSION"), gather.extraction));
    places.iter().for_each(|(path, reason)| push(&format!("{path} {reason}")));
    found.iter().for_each(|file| push(&format!("{} {} {}", file.id, file.bytes, file.modified)));
    format!("{:032x}", digester.finish())
}
