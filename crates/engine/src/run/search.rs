//! What the search for candidates works with, both by keys and by a join.

use std::collections::BinaryHeap;
use std::path::Path;

use lookalike_core::Result;
use lookalike_core::candidates::Buckets;
use lookalike_io::record::Fields;

use super::external::Sorter;
use crate::corpus::Bits;
use crate::corpus::block::NO_FEATURES;
use crate::corpus::catalog::Catalog;
use crate::corpus::{CorpusNumber, Source};
use crate::pipeline::{FieldPlan, Pipeline, pivots};

pub struct Search<'a> {
    pub pipeline: &'a Pipeline,
    pub catalog: &'a Catalog,
    pub source: &'a dyn Source,
    pub fields: &'a Fields,
    pub plan: &'a FieldPlan,
    /// Exact copies are searched by their representative only.
    pub copies: &'a Bits,
    pub limits: Buckets,
    pub work: &'a Path,
    pub threads: usize,
    pub memory: u64,
    /// For the records of a join, and what it needs to work on them.
    pub join_memory: u64,
}

impl Search<'_> {
    /// Adds a pair to those that a branch proposes. Pairs within the corpus compared against are ignored.
    pub fn propose(&self, sorter: &mut Sorter<u64>, a: CorpusNumber, b: CorpusNumber) -> Result<()> {
        let (a, b) = (a.min(b), a.max(b));
        if self.catalog.is_reference(b) { Ok(()) } else { sorter.push(pack_pair(a, b)) }
    }

    /// The pivots of a bucket that is too large to compare all pairs; `each` calls its argument with every document.
    pub fn pivots(
        &self,
        each: impl Fn(&mut dyn FnMut(CorpusNumber) -> Result<()>) -> Result<()>,
    ) -> Result<Vec<CorpusNumber>> {
        let best = self.catalog.best(&each)?;
        // The largest first.
        let mut smallest = BinaryHeap::new();
        each(&mut |document| {
            smallest.push((self.catalog.digest(document)?.unwrap_or(NO_FEATURES), document));
            if smallest.len() > self.limits.pivots {
                smallest.pop();
            }
            Ok(())
        })?;
        Ok(pivots(self.limits, best, &mut smallest.into_vec()))
    }
}

/// A pair as it is sorted: by the smaller document, then by the larger.
fn pack_pair(a: CorpusNumber, b: CorpusNumber) -> u64 {
    u64::from(a.raw()) << 32 | u64::from(b.raw())
}

pub fn unpack_pair(pair: u64) -> (CorpusNumber, CorpusNumber) {
    (CorpusNumber::from_index((pair >> 32) as usize), CorpusNumber::from_index(pair as u32 as usize))
}
