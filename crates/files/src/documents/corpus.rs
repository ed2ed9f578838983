//! Inputs of `dedup` and `lexicon` that are no corpora: files and folders of documents.
//!
//! Their documents become one corpus, written beside the results before the run begins. Corpora
//! among the inputs stay unchanged.

use std::path::{Path, PathBuf};

use lookalike_core::{Error, Result, hash};
use lookalike_extract::Reason;
use lookalike_io::inputs;
use lookalike_io::read::has_column;
use lookalike_plumbing::files::AtomicFile;

use super::{Found, Gather, Sources, Unread, WeakTexts, find};
use lookalike_engine::run::Progress;

/// Inputs that can all be read as corpora.
#[derive(Clone, Debug, Default)]
pub struct CorpusInputs {
    /// The corpora as they were named, and one with the documents of files.
    pub inputs: Vec<String>,
    /// Files that gave no document.
    pub unreadable: Unread,
    /// Documents without a text to compare in the corpus, since their text is weak.
    pub weak: WeakTexts,
    /// Whether some documents came from files.
    pub from_files: bool,
}

/// Replaces files and folders of documents by a corpus in `folder`, where an interrupted run finds
/// it again when it continues.
pub fn corpus(
    arguments: &[String],
    text_field: &str,
    gather: &Gather<'_>,
    folder: &Path,
    progress: &dyn Progress,
) -> Result<CorpusInputs> {
    let mut corpus = CorpusInputs::default();
    let mut paths = Vec::new();
    for argument in arguments {
        let (corpora, documents) = part(argument, text_field)?;
        corpus.inputs.extend(corpora);
        if !documents.is_empty() {
            if !corpus.from_files {
                corpus.from_files = true;
                corpus.inputs.push(folder.join("documents.jsonl").to_string_lossy().into_owned());
            }
            paths.extend(documents);
        }
    }
    if corpus.from_files {
        let sources = Sources { paths, exclude: vec![folder.to_owned()], ..Sources::default() };
        let (found, places) = find::find(&sources)?;
        let tables: Vec<&Found> = found.iter().filter(|file| inputs::is_table_name(&file.path)).collect();
        if let Some(first) = tables.first() {
            progress.warn(&format!(
                "among documents, a table without a column `{text_field}` is one document, not many: {} of them, \
                 the first: {}; name a table itself to read its rows",
                tables.len(),
                first.id
            ));
        }
        (corpus.unreadable, corpus.weak) = write(found, places, gather, folder, progress)?;
    }
    Ok(corpus)
}

/// What an argument stands for: corpora, and paths of documents.
fn part(argument: &str, text_field: &str) -> Result<(Vec<String>, Vec<PathBuf>)> {
    let path = Path::new(argument);
    let as_it_is = || (vec![argument.to_owned()], Vec::new());
    if argument == "-" {
        return Ok(as_it_is());
    }
    if path.is_dir() {
        let sources = Sources { paths: vec![path.to_owned()], ..Sources::default() };
        let has_text = |table: &inputs::Input| has_column(table, text_field).unwrap_or(false);
        // The reader of corpora reports an empty folder.
        let is_corpus = inputs::holds_corpus(path, has_text)? || find::find(&sources)?.0.is_empty();
        return Ok(if is_corpus { as_it_is() } else { (Vec::new(), sources.paths) });
    }
    if path.exists() && !path.is_file() {
        // A pipe can be read only once, so it is not opened just to recognise its format.
        return Ok(as_it_is());
    }
    if path.exists() {
        return Ok(if inputs::is_corpus(path)? { as_it_is() } else { (Vec::new(), vec![path.to_owned()]) });
    }
    let Ok(found) = inputs::expand(argument) else {
        // The reader of corpora reports the error.
        return Ok(as_it_is());
    };
    let (mut corpora, mut documents) = (Vec::new(), Vec::new());
    for path in found {
        match path.to_str() {
            Some(name) if inputs::is_corpus(&path)? => corpora.push(name.to_owned()),
            _ => documents.push(path),
        }
    }
    // A pattern that matches only corpora is kept: it is short, and the report names it.
    Ok(if documents.is_empty() { as_it_is() } else { (corpora, documents) })
}

fn write(
    found: Vec<Found>,
    places: Unread,
    gather: &Gather<'_>,
    folder: &Path,
    progress: &dyn Progress,
) -> Result<(Unread, WeakTexts)> {
    let key = key_of(&found, &places, gather);
    let (corpus, done) = (folder.join("documents.jsonl"), folder.join("files.json"));
    let earlier = std::fs::read(&done).ok();
    let earlier =
        earlier.and_then(|bytes| serde_json::from_slice::<(String, Unread, WeakTexts)>(&bytes).ok());
    if let Some((earlier, unreadable, weak)) = earlier
        && earlier == key
        && corpus.exists()
    {
        return Ok((unreadable, weak));
    }
    std::fs::create_dir_all(folder).map_err(Error::io(folder))?;
    let gathered = gather.run(found, places, progress)?;
    let weak = gathered.write_jsonl(&corpus, gather.extraction.marked)?;
    let mut unreadable = gathered.unreadable();
    unreadable.extend(gathered.partly());
    let json =
        serde_json::to_vec(&(key, &unreadable, &weak)).map_err(|error| Error::Internal(error.to_string()))?;
    let mut file = AtomicFile::create(&done)?;
    file.write(&json)?;
    file.finish()?;
    Ok((unreadable, weak))
}

fn key_of(found: &[Found], places: &[(String, Reason)], gather: &Gather<'_>) -> String {
    let mut digester = hash::Digester::default();
    let mut push = |text: &str| digester.push(hash::bytes(text.as_bytes()));
    let rules = lookalike_extract::RULES;
    push(&format!("{} {rules} {:?}", env!("CARGO_PKG_VERSION"), gather.extraction));
    places.iter().for_each(|(path, reason)| push(&format!("{path} {reason}")));
    found.iter().for_each(|file| push(&format!("{} {} {}", file.id, file.bytes, file.modified)));
    format!("{:032x}", digester.finish())
}
