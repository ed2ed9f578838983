//! Collection statistics: in how many documents each term occurs.
//!
//! A lexicon is frozen: whatever was signed with it names its [`Lexicon::id`] and refuses another.
//! Its form in memory is its form on disk, so a file of any size can be used without loading it;
//! see [`mod@format`] for the bytes and [`count`] for how a lexicon is made.
//!
//! ```
//! use lookalike_core::{hash, lexicon::Lexicon};
//! let lexicon = Lexicon::from_counts(100, [("rare", 1), ("common", 90)].map(|(w, df)| (hash::bytes(w.as_bytes()), df)));
//! assert_eq!(lexicon.df(hash::bytes(b"rare")), 1);
//! assert_eq!(lexicon.nidf(1), 1.0);
//! assert_eq!(lexicon.df(hash::bytes(b"unknown")), 0);
//! ```

pub mod count;
pub mod format;
pub mod merge;
pub mod simulate;
pub mod stability;
mod table;
pub mod window;
pub mod write;

use std::sync::Arc;

use self::format::LexiconLayout;
pub use self::table::{Entries, Table};
pub use self::window::Window;
use crate::decide::classifier::trained::Trained;
use crate::error::{Error, Result};
use crate::partition::frozen_partition::FrozenPartition;
use crate::text::TEXT_RULES;

/// Bytes that stay where they are: a mapped file, or memory.
pub type Bytes = Arc<dyn AsRef<[u8]> + Send + Sync>;

/// Document frequencies of hashed terms, and the number of documents.
#[derive(Clone)]
pub struct Lexicon {
    bytes: Bytes,
    layout: LexiconLayout,
    about: About,
}

/// What was counted, where, and how.
#[derive(Clone, Debug, PartialEq)]
pub struct About {
    /// N, the documents that were counted.
    pub documents: u64,
    /// A name for people: a corpus, a file.
    pub source: String,
    /// The [`TEXT_RULES`] with which words were found. Other rules give other terms.
    pub rules: String,
    /// [`WORDS`], or the spec of the extractor whose features were counted.
    pub counted: String,
    /// Terms in fewer documents were left out.
    pub least_df: u32,
}

/// What is counted by default.
pub const WORDS: &str = "words";

impl About {
    /// Describes a count of words by the current rules.
    pub fn words(documents: u64, source: &str) -> Self {
        About {
            documents,
            source: source.to_owned(),
            rules: TEXT_RULES.to_owned(),
            counted: WORDS.to_owned(),
            least_df: 1,
        }
    }
}

impl Lexicon {
    /// From words and the documents each occurs in; counts of a repeated word add up.
    pub fn from_counts(documents: u64, counts: impl IntoIterator<Item = (u64, u32)>) -> Self {
        Lexicon::from_counts_of(WORDS, documents, counts)
    }

    /// Like [`Lexicon::from_counts`], for the features that a spec describes.
    pub fn from_counts_of(
        counted: &str,
        documents: u64,
        counts: impl IntoIterator<Item = (u64, u32)>,
    ) -> Self {
        let mut terms: Vec<(u64, u32)> = counts.into_iter().collect();
        terms.sort_unstable();
        terms.dedup_by(|later, first| {
            let same = later.0 == first.0;
            if same {
                first.1 = first.1.saturating_add(later.1);
            }
            same
        });
        let about = About { counted: counted.to_owned(), ..About::words(documents, "counts") };
        write::in_memory(about, &terms)
    }

    /// Uses a lexicon in place. Whatever the bytes are, the result is a lexicon or one clear error:
    /// every offset is checked, and up to [`format::SMALL`] bytes also every value, as
    /// [`Lexicon::verify`] does. Larger lexicons are verified only if the caller asks, since that
    /// reads all of them.
    pub fn open(bytes: impl AsRef<[u8]> + Send + Sync + 'static) -> Result<Self> {
        let lexicon = Lexicon::open_unverified(Arc::new(bytes))?;
        if lexicon.as_bytes().len() <= format::SMALL {
            lexicon.verify()?;
        }
        Ok(lexicon)
    }

    fn open_unverified(bytes: Bytes) -> Result<Self> {
        let (layout, about) = format::parse((*bytes).as_ref())?;
        Ok(Lexicon { bytes, layout, about })
    }

    /// Reads the whole lexicon to check that it is unchanged since it was written.
    pub fn verify(&self) -> Result<()> {
        format::verify(self)
    }

    /// The file as it is written to disk.
    pub fn as_bytes(&self) -> &[u8] {
        (*self.bytes).as_ref()
    }

    /// What was counted, where, and how.
    pub fn about(&self) -> &About {
        &self.about
    }

    /// N, the documents that were counted.
    pub fn documents(&self) -> u64 {
        self.about.documents
    }

    /// Distinct terms.
    pub fn len(&self) -> usize {
        self.layout.terms
    }

    /// Whether it has no terms.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether the texts of its terms are known, or only their hashes.
    pub fn has_texts(&self) -> bool {
        self.layout.has_texts
    }

    /// For looking up many terms.
    pub fn table(&self) -> Table<'_> {
        Table::new(self.as_bytes(), &self.layout)
    }

    /// In how many documents a term occurs; 0 if it is unknown.
    pub fn df(&self, term: u64) -> u32 {
        self.table().df(term)
    }

    /// `ln(N / df)`. An unknown term counts as one that occurs once.
    pub fn idf(&self, df: u32) -> f64 {
        (self.documents().max(1) as f64 / f64::from(df.max(1))).ln().max(0.0)
    }

    /// `idf / ln N`, from 0 to 1.
    pub fn nidf(&self, df: u32) -> f64 {
        let most = (self.documents().max(2) as f64).ln();
        (self.idf(df) / most).clamp(0.0, 1.0)
    }

    /// All terms by rising hash, with their document frequencies.
    pub fn terms(&self) -> impl Iterator<Item = (u64, u32)> + '_ {
        self.table().terms()
    }

    /// All terms by rising hash, with their document frequencies and texts.
    pub fn entries(&self) -> Entries<'_> {
        Entries::new(self.as_bytes(), &self.layout)
    }

    /// The text of a term, by its place in [`Lexicon::terms`]. Long texts are not kept.
    pub fn text(&self, place: usize) -> Option<&str> {
        table::text(self.as_bytes(), &self.layout, place)
    }

    /// A digest of N and all terms with their counts.
    pub fn digest(&self) -> u128 {
        self.layout.digest
    }

    /// The name of this lexicon in schemes.
    pub fn id(&self) -> String {
        format!("{:016x}", self.digest() as u64)
    }
}

impl std::fmt::Debug for Lexicon {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Lexicon").field("about", &self.about).field("terms", &self.len()).finish()
    }
}

/// Where parts get lexicons, models and partitions from, by the name a recipe gives: compiled in, a file, or
/// the corpus at hand.
pub trait Assets {
    /// A lexicon by name.
    fn load(&self, name: &str) -> Result<Arc<Lexicon>>;

    /// A trained model by name.
    fn model(&self, name: &str) -> Result<Arc<Trained>> {
        Err(Error::config(format!("model `{name}` is not available here")))
    }

    /// A frozen partition by name.
    fn partition(&self, name: &str) -> Result<Arc<FrozenPartition>> {
        Err(Error::config(format!("partition `{name}` is not available here")))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;
    use crate::hash;

    #[test]
    fn the_id_is_the_digest_of_documents_terms_and_counts() {
        let lexicon = Lexicon::from_counts(9, [(7, 2), (3, 1), (7, 1)]);
        assert_eq!(lexicon.id(), format!("{:016x}", hash::digest(&[9, 3, 1, 7, 3]) as u64));
        assert_ne!(lexicon.id(), Lexicon::from_counts(10, [(7, 3), (3, 1)]).id());
        assert_ne!(lexicon.id(), Lexicon::from_counts(9, [(7, 3), (3, 2)]).id());
    }

    #[test]
    fn an_empty_lexicon_knows_nothing() {
        let lexicon = Lexicon::from_counts(0, []);
        assert_eq!((lexicon.len(), lexicon.df(5), lexicon.terms().count()), (0, 0, 0));
        assert_eq!((lexicon.idf(0), lexicon.nidf(0)), (0.0, 0.0));
        assert_eq!(lexicon.text(0), None);
        assert!(Lexicon::open(lexicon.as_bytes().to_vec()).is_ok());
    }

    #[test]
    fn idf_falls_from_one_to_zero() {
        let lexicon = Lexicon::from_counts(100, []);
        assert_eq!((lexicon.nidf(1), lexicon.nidf(100), lexicon.nidf(1000)), (1.0, 0.0, 0.0));
        assert!((lexicon.nidf(10) - 0.5).abs() < 1e-12);
        assert_eq!(lexicon.nidf(0), lexicon.nidf(1), "unknown counts as once");
    }

    proptest! {
        /// Terms crowd at both ends of the hash range and in between, so that buckets differ in size.
        #[test]
        fn every_term_is_found_and_no_other(
            counts in proptest::collection::vec(
                (prop_oneof![any::<u64>(), 0u64..40, (u64::MAX - 40)..=u64::MAX], 1u32..9), 0..300),
            others in proptest::collection::vec(prop_oneof![any::<u64>(), 0u64..80], 50),
        ) {
            let mut twin = BTreeMap::new();
            counts.iter().for_each(|&(term, df)| *twin.entry(term).or_insert(0) += df);
            let lexicon = Lexicon::from_counts(1000, counts);
            lexicon.verify().unwrap();
            prop_assert!(lexicon.terms().eq(twin.iter().map(|(&term, &df)| (term, df))));
            for term in twin.keys().copied().chain(others) {
                prop_assert_eq!(lexicon.df(term), twin.get(&term).copied().unwrap_or(0));
            }
        }
    }
}
