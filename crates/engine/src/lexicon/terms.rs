//! The terms of a document as a lexicon counts them, and the lexicon that the counts become.

use lookalike_core::Result;
use lookalike_core::document::Document;
use lookalike_core::features::{FeatureExtractor, Features};
use lookalike_core::lexicon::count::Counted;
use lookalike_core::lexicon::merge::Merge;
use lookalike_core::lexicon::{About, Lexicon, WORDS};
use lookalike_core::text::for_each_word;

use super::runs::Runs;
use super::target::Target;

/// Finds the terms of documents, with memory that is reused: words, or what an extractor finds.
pub struct TermReader<'a> {
    extractor: Option<&'a dyn FeatureExtractor>,
    features: Features,
}

impl<'a> TermReader<'a> {
    /// For words if there is no extractor.
    pub fn new(extractor: Option<&'a dyn FeatureExtractor>) -> Self {
        TermReader { extractor, features: Features::default() }
    }

    /// Visits every occurrence of a term, with its text if it is a word.
    pub fn for_each(&mut self, document: &Document<'_>, mut visit: impl FnMut(u64, &[u8])) {
        let features = &mut self.features;
        match self.extractor {
            Some(extractor) => {
                features.fill(extractor, document);
                features.hashes.iter().for_each(|&hash| visit(hash, &[]));
            }
            None => {
                for_each_word(&document.text, &mut features.scratch, |word| visit(word.hash, word.bytes));
            }
        }
    }
}

/// What a lexicon of these features says that it counted.
pub(super) fn counted_of(extractor: Option<&dyn FeatureExtractor>) -> String {
    extractor.map_or_else(|| WORDS.to_owned(), |extractor| extractor.spec().to_table().to_string())
}

/// Adds up what was counted in so many documents of a source and writes the lexicon.
pub(super) fn write_counts(
    target: Target,
    extractor: Option<&dyn FeatureExtractor>,
    (source, documents): (&str, u64),
    least_df: u32,
    (runs, counted): (&Runs, &[Counted]),
) -> Result<Lexicon> {
    let about = About {
        counted: counted_of(extractor),
        least_df: least_df.max(1),
        ..About::words(documents, source)
    };
    let (sources, expected) = runs.sources(counted)?;
    let merge = Merge::new(sources)?;
    target.write(about, expected, extractor.is_none(), |writer| merge.write(least_df, writer))
}
