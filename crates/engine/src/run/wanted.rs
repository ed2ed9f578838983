//! Which documents a run reads again, told before the first of them is read: what cannot be read where it is takes another
//! pass over its inputs, and one for all is enough.

use lookalike_core::Result;

use super::Job;
use super::candidates::{Candidate, Candidates};
use super::external::Sorted;
use super::group::ExactCopy;
use crate::corpus::Bits;
use crate::corpus::catalog::Catalog;
use crate::pipeline::{Pipeline, Verify};

/// The candidates, and of exact copies what tells how they differ.
pub fn documents(
    pipeline: &Pipeline,
    job: &Job,
    catalog: &Catalog,
    candidates: &Candidates,
    copies: &Sorted<ExactCopy>,
) -> Result<Bits> {
    let mut wanted = Bits::new(catalog.len());
    if pipeline.verify != Verify::Estimate || job.passages {
        for packed in candidates.pairs.iter()? {
            let (a, b) = Candidate::unpack(packed?).pair();
            wanted.set(a);
            wanted.set(b);
        }
    }
    for copy in copies.iter()? {
        let ExactCopy { copy, representative } = copy?;
        // Excerpts of a copy with the same text are those of its representative.
        wanted.set(representative);
        if job.passages || !catalog.are_same(copy, representative)? {
            wanted.set(copy);
        }
    }
    Ok(wanted)
}
