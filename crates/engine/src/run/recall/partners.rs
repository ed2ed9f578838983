//! The possible partners of sampled documents, found by one pass over the outlines of all documents.
//!
//! A pair belongs to its smaller document, so that every pair belongs to one and a document is looked for in the
//! outlines of larger ones, in which unrelated features are told apart. A pair with a document of the corpus compared
//! against belongs to the other, since only the documents of the corpus itself are sampled.

use std::sync::{Mutex, PoisonError};

use lookalike_core::threads::try_spread;
use lookalike_core::{Result, hash};

use super::outlines::{Outline, Outlines};
use super::sampled::Sample;
use crate::corpus::Bits;
use crate::corpus::CorpusNumber;
use crate::corpus::block::{Column, NO_FEATURES};
use crate::corpus::catalog::Catalog;
use crate::progress::Progress;

/// Of more possible partners than this, as many are drawn: a document of a crowd would have very many.
pub const MOST: usize = 32;

/// The possible partners of one sampled document.
#[derive(Clone, Debug, Default)]
pub struct Partners {
    /// How many there are.
    pub count: u64,
    /// Those that were drawn, each with the number by which it was.
    pub drawn: Vec<(u64, CorpusNumber)>,
}

impl Partners {
    /// The smallest numbers are drawn.
    fn merge(&mut self, other: Partners) {
        self.count += other.count;
        self.drawn.extend(other.drawn);
        self.thin(MOST);
    }

    fn thin(&mut self, above: usize) {
        if self.drawn.len() > above {
            self.drawn.select_nth_unstable(MOST);
            self.drawn.truncate(MOST);
        }
    }

    fn add(&mut self, number: u64, document: CorpusNumber) {
        self.count += 1;
        self.drawn.push((number, document));
        self.thin(4 * MOST);
    }
}

pub struct PartnerSearch<'a> {
    pub catalog: &'a Catalog,
    pub outlines: &'a Outlines,
    pub copies: &'a Bits,
    pub threads: usize,
    pub seed: u64,
}

impl PartnerSearch<'_> {
    /// The possible partners of each document of a sample.
    pub fn run(&self, sample: &Sample<'_>, progress: &dyn Progress) -> Result<Vec<Partners>> {
        let found = Mutex::new(vec![Partners::default(); sample.documents.len()]);
        let blocks = 0..self.catalog.blocks.len();
        let state = || vec![Partners::default(); sample.documents.len()];
        try_spread(self.threads, blocks, state, |partners, block| {
            self.search(block, sample, partners)?;
            let mut found = found.lock().unwrap_or_else(PoisonError::into_inner);
            let new = partners.iter_mut().zip(found.iter_mut()).filter(|(new, _)| new.count > 0);
            new.for_each(|(new, found)| found.merge(std::mem::take(new)));
            progress.advance(1, 0)
        })?;
        Ok(found.into_inner().unwrap_or_else(PoisonError::into_inner))
    }

    fn search(&self, block: usize, sample: &Sample<'_>, partners: &mut [Partners]) -> Result<()> {
        let outlines = self.outlines.read(&self.catalog.blocks[block].header)?;
        let mut outlines = outlines.as_slice();
        let digests = self.catalog.column(block, Column::Digest)?;
        for (document, digest) in self.catalog.documents_of(block).zip(digests.as_chunks::<16>().0) {
            let outline = Outline::take(&mut outlines)?;
            let digest = u128::from_le_bytes(*digest);
            if digest == NO_FEATURES || outline.features == 0 || self.copies.get(document) {
                continue;
            }
            let known = self.catalog.is_reference(document);
            sample.for_each_partner(sample.like_sizes(outline.features, known), &outline, |place| {
                let sampled = &sample.documents[place];
                if known || (sampled.least_features, sampled.digest) < (outline.features, digest) {
                    partners[place].add(self.draw(sampled.digest, digest), document);
                }
            });
        }
        Ok(())
    }

    /// A random number for a pair, the same in every run.
    fn draw(&self, sampled: u128, other: u128) -> u64 {
        hash::mix(hash::combine(number(sampled, self.seed), number(other, self.seed)))
    }
}

/// A random number for a content.
pub fn number(digest: u128, seed: u64) -> u64 {
    hash::mix(hash::combine(hash::combine(digest as u64, (digest >> 64) as u64), seed))
}
