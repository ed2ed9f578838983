//! Counting documents that the caller reads, such as those of an index.

use std::path::Path;

use lookalike_core::Result;
use lookalike_core::document::Document;
use lookalike_core::features::FeatureExtractor;
use lookalike_core::lexicon::Lexicon;
use lookalike_core::lexicon::count::Counter;
use lookalike_core::threads::try_on_threads;

use super::runs::Runs;
use super::target::Target;
use super::terms::{TermReader, counted_of, write_counts};

/// Memory for the tables of all threads; beyond it, counts go to disk.
const TABLE_BYTES: usize = 256 << 20;

/// Takes a document to be counted.
pub type Visit<'a> = dyn FnMut(&Document<'_>) -> Result<()> + 'a;

/// Counts the words of documents, or the features that an extractor finds in them, and writes the lexicon: that of
/// [`build`](super::build()) over the same documents. `read` is called once on each thread and hands over its part of the
/// documents.
pub fn count_documents(
    output: &Path,
    source: &str,
    extractor: Option<&dyn FeatureExtractor>,
    threads: usize,
    read: impl Fn(&mut Visit<'_>) -> Result<()> + Sync,
) -> Result<Lexicon> {
    let target = Target::claim(output)?;
    let runs = Runs::new(target.folder());
    let found = try_on_threads(threads, |_| {
        let mut counter = Counter::new(TABLE_BYTES / threads.max(1), extractor.is_none());
        let mut terms = TermReader::new(extractor);
        read(&mut |document| {
            counter.begin_document(&mut |run| runs.store(run))?;
            terms.for_each(document, |hash, text| counter.add(hash, text));
            Ok(())
        })?;
        Ok((counter.documents(), counter.finish()))
    })?;
    let documents = found.iter().map(|&(documents, _)| documents).sum();
    let counted: Vec<_> = found.into_iter().map(|(_, counted)| counted).collect();
    write_counts(target, extractor, (source, documents), 1, (&runs, &counted))
}

/// The lexicon of no documents: every term is unknown to it.
pub fn count_nothing(extractor: Option<&dyn FeatureExtractor>) -> Lexicon {
    Lexicon::from_counts_of(&counted_of(extractor), 0, [])
}
