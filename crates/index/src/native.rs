//! The native lexicon: counted from the living documents of the index, and kept in the folder of the generation that
//! uses it. So recipes name it without a path, it moves with the index, and it comes and goes with its generation.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use lookalike_core::lexicon::Lexicon;
use lookalike_core::registry::Registry;
use lookalike_core::{Error, Result};
use lookalike_engine::Recipe;
use lookalike_engine::lexicon::{NATIVE, NATIVE_FILE, count_documents, open};
use lookalike_io::record::TextBuffer;
use lookalike_plumbing::files::{make_durable, sync_folder};

use crate::generation::Generation;
use crate::lexicons::fields;
use crate::storage::document::DocumentNumber;

/// The folder in which a lexicon is counted, until the generation that uses it has a folder.
const COUNTING: &str = "counting";
/// How many documents a thread takes at a time.
const PART: u32 = 64;
/// What the file names as its source.
const SOURCE: &str = "the index";

/// A lexicon for the next generation.
pub struct NextLexicon {
    pub lexicon: Lexicon,
    /// The file, which is moved, or copied if another generation still needs it.
    file: PathBuf,
    is_moved: bool,
}

impl NextLexicon {
    /// The one that a generation in this folder uses.
    pub fn of(folder: &Path, generation: &Generation) -> Option<NextLexicon> {
        let lexicon = (**generation.lexicons.native()?).clone();
        Some(NextLexicon { lexicon, file: folder.join(NATIVE_FILE), is_moved: false })
    }

    /// Gives the lexicon its place in the folder of a generation.
    pub fn put_into(self, folder: &Path) -> Result<()> {
        std::fs::create_dir_all(folder).map_err(Error::io(folder))?;
        let place = folder.join(NATIVE_FILE);
        if self.is_moved {
            std::fs::rename(&self.file, &place).map_err(Error::io(&place))?;
            return sync_folder(folder);
        }
        make_durable(&place, |path| std::fs::copy(&self.file, path).map(drop).map_err(Error::io(path)))
    }
}

/// Counts the documents of an index in this folder that are alive and numbered below `end`.
pub fn count(
    folder: &Path,
    generation: &Generation,
    end: DocumentNumber,
    (recipe, registry): (&Recipe, &Registry),
    threads: usize,
) -> Result<NextLexicon> {
    let place = folder.join(COUNTING);
    clear(folder)?;
    std::fs::create_dir_all(&place).map_err(Error::io(&place))?;
    let extractor = recipe.counted_features(registry)?;
    let fields = fields(extractor.as_deref());
    let taken = AtomicU32::new(0);
    let file = place.join(NATIVE_FILE);
    let counted = count_documents(&file, SOURCE, extractor.as_deref(), threads, |visit| {
        let (mut line, mut text) = (Vec::new(), TextBuffer::default());
        loop {
            let first = taken.fetch_add(PART, Ordering::Relaxed);
            if first >= end.raw() {
                return Ok(());
            }
            let numbers: Vec<DocumentNumber> = {
                let state = generation.store.state();
                let last = first.saturating_add(PART).min(end.raw());
                let from = state.population.documents.iter_from(DocumentNumber::from_index(first as usize));
                let part = from.take_while(|(number, _)| number.raw() < last);
                part.filter(|(_, document)| document.is_alive()).map(|(number, _)| number).collect()
            };
            for number in numbers {
                match generation.read_line(number, &mut line) {
                    // It was removed meanwhile.
                    Err(Error::Gone) => continue,
                    read => read?,
                }
                let broken = || Error::Internal("a stored document cannot be read again".to_owned());
                let line = simdutf8::basic::from_utf8(&line).map_err(|_| broken())?;
                visit(&fields.parse(line, &mut text).map_err(|_| broken())?.document)?;
            }
        }
    });
    match counted {
        Ok(lexicon) => Ok(NextLexicon { lexicon, file, is_moved: true }),
        Err(error) => {
            // What is left would only take space on a disk that may be full.
            let _ = clear(folder);
            Err(error)
        }
    }
}

/// The lexicon of no documents, for a new index: put into the folder of its first generation.
pub fn count_none(folder: &Path, recipe: &Recipe, registry: &Registry) -> Result<Lexicon> {
    std::fs::create_dir_all(folder).map_err(Error::io(folder))?;
    let extractor = recipe.counted_features(registry)?;
    count_documents(&folder.join(NATIVE_FILE), SOURCE, extractor.as_deref(), 1, |_| Ok(()))
}

/// Why a lexicon of no documents is refused where nothing would ever count it again.
pub fn nothing_to_count() -> Error {
    Error::config(
        "lexicon `native` is counted from the documents of the index, which has none yet: have it counted as they come \
         (--refresh-after N), or begin with `english` or a lexicon file and resign the index with `--lexicon native` when \
         it has documents",
    )
}

/// Removes what an interrupted count left.
pub fn clear(folder: &Path) -> Result<()> {
    let place = folder.join(COUNTING);
    if place.exists() { std::fs::remove_dir_all(&place).map_err(Error::io(&place)) } else { Ok(()) }
}

/// The native lexicon in the folder of a generation, if its recipe uses one.
pub fn load(folder: &Path, recipe: &Recipe, registry: &Registry) -> Result<Option<Lexicon>> {
    if !recipe.uses_lexicon(NATIVE, registry)? {
        return Ok(None);
    }
    let file = folder.join(NATIVE_FILE);
    if !file.exists() {
        return Err(Error::damaged(
            file,
            "is missing, and the documents are signed by it: restore it from a copy",
        ));
    }
    open(&file).map(Some)
}

/// Counts what came after the counters of a generation were last written.
pub fn recover(generation: &Generation) -> Result<()> {
    let end = generation.store.state().population.documents.next_number();
    let lexicons = &generation.lexicons;
    let first = lexicons.load()?.unwrap_or(end.raw());
    let (mut reader, mut line, mut buffer) = (lexicons.reader(), Vec::new(), TextBuffer::default());
    let fields = fields(None);
    for number in (first..end.raw()).map(|number| DocumentNumber::from_index(number as usize)) {
        // A text that cannot be read is told when somebody asks for it; here it only counts as a document.
        let read = generation.read_line(number, &mut line).is_ok();
        let text = read.then(|| simdutf8::basic::from_utf8(&line).ok()).flatten();
        let parsed = text.and_then(|text| fields.parse(text, &mut buffer).ok());
        let terms = parsed.map(|record| reader.count(&line, &record.document.text));
        lexicons.usage().add(&terms.unwrap_or_default());
    }
    Ok(())
}
