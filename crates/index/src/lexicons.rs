//! The lexicons by which a generation signs, and how well they know the documents that came since.
//!
//! The share of unknown terms is kept as two counters for each lexicon. They are written to a file from time to time; what
//! came after that is counted again when the index is opened, so a crash loses nothing.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use lookalike_core::decide::classifier::Trained;
use lookalike_core::document::Document;
use lookalike_core::features::FeatureExtractor;
use lookalike_core::lexicon::{Assets, Lexicon, Table, WORDS};
use lookalike_core::partition::FrozenPartition;
use lookalike_core::{Error, Result};
use lookalike_engine::lexicon::{AssetFiles, NATIVE, TermReader};
use lookalike_io::record::{Fields, TextBuffer};
use lookalike_plumbing::json::{read_json, write_json};
use serde::{Deserialize, Serialize};

use crate::storage::document::DocumentNumber;

/// The file of a generation that holds its [`LexiconUse`].
pub const FILE: &str = "lexicons.json";
/// After so many documents the counters are written, so that opening never counts many again.
const UNSAVED: u32 = 10_000;

/// The lexicons of a generation.
pub struct Lexicons {
    /// By name.
    pub used: Vec<(String, Arc<Lexicon>)>,
    /// What lexicons count that do not count words.
    extractor: Option<Box<dyn FeatureExtractor>>,
    file: PathBuf,
    usage: Mutex<LexiconUse>,
}

/// What is known of the documents that came since the lexicons were counted or taken into use.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LexiconUse {
    /// When the native lexicon was counted, in seconds since 1970.
    pub counted: Option<u64>,
    /// How often it was counted again by itself.
    pub refreshes: u64,
    /// Documents that were added or changed since.
    pub documents: u64,
    /// Their terms, for each lexicon.
    pub terms: Vec<TermCount>,
    /// The first document that is not counted here.
    next: u32,
}

/// Occurrences of terms.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TermCount {
    pub all: u64,
    /// Those that the lexicon does not have.
    pub unknown: u64,
}

impl TermCount {
    /// The share of unknown terms; `None` if there were none at all.
    pub fn unknown_share(self) -> Option<f64> {
        (self.all > 0).then(|| self.unknown as f64 / self.all as f64)
    }
}

impl LexiconUse {
    /// Adds a document.
    pub fn add(&mut self, terms: &[TermCount]) {
        self.documents += 1;
        self.terms.resize(self.terms.len().max(terms.len()), TermCount::default());
        for (sum, more) in self.terms.iter_mut().zip(terms) {
            sum.all += more.all;
            sum.unknown += more.unknown;
        }
    }
}

impl Lexicons {
    /// The lexicons that a generation in this folder loaded when it was built.
    pub fn new(loaded: Recorder<'_>, extractor: Option<Box<dyn FeatureExtractor>>, folder: &Path) -> Self {
        let used = loaded.lexicons.into_inner().into_iter().collect();
        Lexicons { used, extractor, file: folder.join(FILE), usage: Mutex::default() }
    }

    /// The lexicon that was counted from the documents of the index.
    pub fn native(&self) -> Option<&Arc<Lexicon>> {
        self.used.iter().find(|used| self.is_native(used)).map(|(_, lexicon)| lexicon)
    }

    /// Whether one of them is that.
    pub fn is_native(&self, (name, _): &(String, Arc<Lexicon>)) -> bool {
        name == NATIVE
    }

    /// For building the recipe of the generation, or one with other rules, again.
    pub fn assets(&self) -> AssetFiles {
        self.native().map_or_else(AssetFiles::default, |native| AssetFiles::with_native((**native).clone()))
    }

    pub fn usage(&self) -> MutexGuard<'_, LexiconUse> {
        self.usage.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads the counters. Returns the first document that is not among them; `None` if an earlier version made the
    /// index, which counted nothing.
    pub fn load(&self) -> Result<Option<u32>> {
        if self.used.is_empty() || !self.file.exists() {
            return Ok(None);
        }
        let usage: LexiconUse = read_json(&self.file)?;
        let next = usage.next;
        *self.usage() = usage;
        Ok(Some(next))
    }

    /// Writes the counters, in which all documents before `next` are.
    pub fn save(&self, next: DocumentNumber) -> Result<()> {
        if self.used.is_empty() {
            return Ok(());
        }
        let mut usage = self.usage().clone();
        usage.next = next.raw();
        write_json(&self.file, &usage)?;
        self.usage().next = next.raw();
        Ok(())
    }

    /// The same if there is much to write.
    pub fn save_if_many(&self, next: DocumentNumber) -> Result<()> {
        let saved = self.usage().next;
        if next.raw().saturating_sub(saved) < UNSAVED { Ok(()) } else { self.save(next) }
    }

    /// The same if there is anything to write.
    pub fn save_if_any(&self, next: DocumentNumber) -> Result<()> {
        let saved = self.usage().next;
        if next.raw() == saved { Ok(()) } else { self.save(next) }
    }

    /// For counting the terms of documents. Each thread has its own.
    pub fn reader(&self) -> UnknownTerms<'_> {
        let extractor = self.extractor.as_deref();
        let of_words = |(_, lexicon): &&(String, Arc<Lexicon>)| lexicon.about().counted == WORDS;
        UnknownTerms {
            has_words: self.used.iter().any(|one| of_words(&one)),
            lexicons: self.used.iter().map(|one| KnownTerms::new(of_words(&one), one.1.table())).collect(),
            words: TermReader::new(None),
            features: extractor.map(|extractor| (TermReader::new(Some(extractor)), fields(Some(extractor)))),
            buffer: TextBuffer::default(),
        }
    }
}

/// The fields that counting reads. No id is needed, so this is a name that no field has.
pub fn fields(extractor: Option<&dyn FeatureExtractor>) -> Fields {
    let wanted = extractor.map(|extractor| extractor.fields()).unwrap_or_default();
    Fields { id: "\0".to_owned(), text: "text".to_owned(), wanted }
}

/// Counts the terms of documents that lexicons do not have, with memory that is reused.
pub struct UnknownTerms<'a> {
    lexicons: Vec<KnownTerms<'a>>,
    has_words: bool,
    words: TermReader<'a>,
    features: Option<(TermReader<'a>, Fields)>,
    buffer: TextBuffer,
}

impl UnknownTerms<'_> {
    /// The terms of a document for each lexicon, from its line and its text.
    pub fn count(&mut self, line: &[u8], text: &str) -> Vec<TermCount> {
        let mut counts = vec![TermCount::default(); self.lexicons.len()];
        let lexicons = &mut self.lexicons;
        let mut add = |of_words: bool, hash: u64| {
            for (lexicon, count) in lexicons.iter_mut().zip(&mut counts) {
                if lexicon.of_words == of_words {
                    count.all += 1;
                    count.unknown += u64::from(!lexicon.has(hash));
                }
            }
        };
        if self.has_words {
            self.words.for_each(&Document::from_text(text), |hash, _| add(true, hash));
        }
        if let Some((reader, fields)) = &mut self.features
            && let Ok(line) = simdutf8::basic::from_utf8(line)
            && let Ok(record) = fields.parse(line, &mut self.buffer)
        {
            reader.for_each(&record.document, |hash, _| add(false, hash));
        }
        counts
    }
}

/// The terms of a lexicon. Most words of a text are among a few hundred common ones, so those that were met are
/// remembered: that saves the look-up in a table that does not fit into the processor's cache.
struct KnownTerms<'a> {
    of_words: bool,
    table: Table<'a>,
    /// A known term for each value of the last bits of a hash.
    met: Box<[u64; MET]>,
}

const MET: usize = 1 << 10;

impl<'a> KnownTerms<'a> {
    fn new(of_words: bool, table: Table<'a>) -> Self {
        // At first each place holds a number that belongs to its neighbour, so it is no term of this place.
        let met = Box::new(std::array::from_fn(|place| place as u64 ^ 1));
        KnownTerms { of_words, table, met }
    }

    #[inline]
    fn has(&mut self, hash: u64) -> bool {
        let met = &mut self.met[hash as usize % MET];
        if *met == hash {
            return true;
        }
        let is_known = self.table.place(hash).is_some();
        if is_known {
            *met = hash;
        }
        is_known
    }
}

/// Remembers which lexicons the parts of a pipeline asked for, those of an ensemble's members included.
pub struct Recorder<'a> {
    assets: &'a AssetFiles,
    lexicons: RefCell<BTreeMap<String, Arc<Lexicon>>>,
}

impl<'a> Recorder<'a> {
    pub fn new(assets: &'a AssetFiles) -> Self {
        Recorder { assets, lexicons: RefCell::default() }
    }
}

impl Assets for Recorder<'_> {
    fn load(&self, name: &str) -> Result<Arc<Lexicon>> {
        let lexicon = self.assets.load(name)?;
        let mut lexicons = self.lexicons.try_borrow_mut().map_err(|_| busy())?;
        lexicons.insert(name.to_owned(), Arc::clone(&lexicon));
        Ok(lexicon)
    }

    fn model(&self, name: &str) -> Result<Arc<Trained>> {
        self.assets.model(name)
    }

    fn partition(&self, name: &str) -> Result<Arc<FrozenPartition>> {
        self.assets.partition(name)
    }
}

fn busy() -> Error {
    Error::Internal("a lexicon asked for another while it was loaded".to_owned())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Hashes crowd in few places, so that terms which are met displace each other.
        #[test]
        fn what_was_met_changes_no_answer(
            known in proptest::collection::vec((0u64..4, 0u64..4), 0..12),
            asked in proptest::collection::vec((0u64..4, 0u64..4), 1..200),
        ) {
            let hash = |(place, other): (u64, u64)| place | other << 62 | other << 10;
            let lexicon = Lexicon::from_counts(9, known.into_iter().map(|term| (hash(term), 1)));
            let mut terms = KnownTerms::new(true, lexicon.table());
            for term in asked {
                prop_assert_eq!(terms.has(hash(term)), lexicon.df(hash(term)) > 0, "{:?}", term);
            }
        }
    }
}
