//! Collection statistics: in how many documents each term occurs.
//!
//! A lexicon is frozen: whatever was signed with it names its [`Lexicon::id`] and refuses another.
//!
//! ```
//! use lookalike_core::{hash, lexicon::Lexicon};
//! let lexicon = Lexicon::from_counts(100, [("rare", 1), ("common", 90)].map(|(w, df)| (hash::bytes(w.as_bytes()), df)));
//! assert_eq!(lexicon.df(hash::bytes(b"rare")), 1);
//! assert_eq!(lexicon.nidf(1), 1.0);
//! assert_eq!(lexicon.df(hash::bytes(b"unknown")), 0);
//! ```

use std::sync::Arc;

use crate::error::Result;
use crate::hash;

/// Document frequencies of hashed terms, and the number of documents.
pub struct Lexicon {
    documents: u64,
    /// Rising.
    hashes: Vec<u64>,
    counts: Vec<u32>,
    counted: String,
}

impl Lexicon {
    /// From terms and the documents each occurs in; counts of a repeated term add up.
    pub fn from_counts(documents: u64, counts: impl IntoIterator<Item = (u64, u32)>) -> Self {
        let mut terms: Vec<(u64, u32)> = counts.into_iter().collect();
        terms.sort_unstable();
        terms.dedup_by(|later, first| {
            let same = later.0 == first.0;
            if same {
                first.1 = first.1.saturating_add(later.1);
            }
            same
        });
        let (hashes, counts) = terms.into_iter().unzip();
        Lexicon { documents, hashes, counts, counted: "words".to_owned() }
    }

    /// N, the documents that were counted.
    pub fn documents(&self) -> u64 {
        self.documents
    }

    pub fn counted(&self) -> &str {
        &self.counted
    }

    pub fn counting(mut self, counted: &str) -> Self {
        self.counted = counted.to_owned();
        self
    }

    /// Distinct terms.
    pub fn len(&self) -> usize {
        self.hashes.len()
    }

    pub fn is_empty(&self) -> bool {
        self.hashes.is_empty()
    }

    /// In how many documents a term occurs; 0 if it is unknown.
    pub fn df(&self, term: u64) -> u32 {
        self.hashes.binary_search(&term).map_or(0, |place| self.counts[place])
    }

    /// `ln(N / df)`. An unknown term counts as one that occurs once.
    pub fn idf(&self, df: u32) -> f64 {
        (self.documents.max(1) as f64 / f64::from(df.max(1))).ln().max(0.0)
    }

    /// `idf / ln N`, from 0 to 1.
    pub fn nidf(&self, df: u32) -> f64 {
        let most = (self.documents.max(2) as f64).ln();
        (self.idf(df) / most).clamp(0.0, 1.0)
    }

    /// All terms by rising hash, with their document frequencies.
    pub fn terms(&self) -> impl Iterator<Item = (u64, u32)> + '_ {
        self.hashes.iter().copied().zip(self.counts.iter().copied())
    }

    /// Names this very table in schemes.
    pub fn id(&self) -> String {
        let mut values = vec![self.documents];
        values.extend(self.terms().flat_map(|(term, df)| [term, u64::from(df)]));
        format!("{:016x}", hash::digest(&values) as u64)
    }
}

/// Where parts get their lexicon from, by the name a recipe gives: one compiled in, a file, or the
/// corpus at hand.
pub trait Lexicons {
    fn load(&self, name: &str) -> Result<Arc<Lexicon>>;
}
