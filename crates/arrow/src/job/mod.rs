//! The steps of a run whose documents lie on many machines, for an engine that moves rows between them.
//!
//! Each [`Step`] takes the batches of one partition and gives others; the engine only repartitions, sorts by whole numbers
//! and joins between them. What is computed of a document and what decides about two is the pipeline's, as in a run on
//! one machine. Documents have numbers of 64 bits, so there may be more than 2³² of them.
//!
//! 1. [`Sign`]: documents → number, digest, place in keep order, what each is found by.
//! 2. [`Route`]: what documents are found by → one row for each group of keys, packed; sixteen keys of a document are
//!    two hundred bytes in a shuffle that way, and no row each.
//! 3. [`Pair`]: groups of keys → candidate pairs, and the members of crowds.
//! 4. [`Pivots`]: members of crowds → those that all others are compared with; an aggregate that can be repeated.
//! 5. [`Hubs`]: candidate pairs → the places where documents are compared, a hub and some partners each.
//! 6. [`Bring`]: documents → these places; or, where that is too much to be told to everyone, [`Filter`], [`Texts`]: which
//!    documents are needed there, and they alone, for the engine to join.
//! 7. [`Verify`]: documents at their places → verified pairs.
//! 8. [`Assign`]: verified pairs → masters.
//! 9. [`Tell`]: what was found → the lines that a run on one machine writes.

mod assign;
mod bring;
mod documents;
mod filter;
mod hubs;
mod order;
mod pack;
mod pair;
mod pivots;
mod route;
mod said;
mod sign;
mod tell;
mod verify;

use std::sync::Arc;

use arrow_array::RecordBatch;
use lookalike_core::Result;
use lookalike_engine::Pipeline;
use lookalike_engine::pipeline::{FieldPlan, Lookup};
use lookalike_engine::run::Job;
use lookalike_io::record::Fields;

pub use assign::Assign;
pub use bring::Bring;
pub use filter::{Filter, Passing, Texts};
pub use hubs::Hubs;
pub use pair::Pair;
pub use pivots::Pivots;
pub use route::{Route, RouteBy};
pub use sign::Sign;
pub use tell::{Tell, Told};
pub use verify::Verify;

/// From batches to batches, with whatever must be remembered between them.
pub trait Step: Send {
    /// Takes the next batch. All that [`Step::pull`] gives must have been taken before.
    fn push(&mut self, batch: &RecordBatch) -> Result<()>;

    /// There are no more batches.
    fn end(&mut self) -> Result<()> {
        Ok(())
    }

    /// What can be told so far, a batch at a time.
    fn pull(&mut self) -> Result<Option<RecordBatch>>;
}

/// How documents are read, signed and compared.
pub struct Plan {
    /// The recipe, built.
    pub pipeline: Arc<Pipeline>,
    fields: Fields,
    plan: FieldPlan,
    lookup: Lookup,
    max_line: u64,
    /// Whether documents come as lines of JSON, not as columns.
    lines: bool,
    said: Option<said::Said>,
    decisions: Vec<bool>,
    keepers: usize,
}

impl Plan {
    /// A plan for the documents of a job.
    pub fn new(pipeline: Arc<Pipeline>, job: &Job, lines: bool) -> Result<Plan> {
        let (fields, plan) = job.fields(&pipeline);
        let lookup = Lookup::new(&pipeline);
        lookup.check_answers()?;
        let said = job.decisions.as_ref().map(said::Said::new);
        let decisions = job.decisions.iter().flat_map(|said| said.pairs.iter().map(|pair| pair.duplicate));
        let decisions = decisions.collect();
        let keepers = job.decisions.as_ref().map_or(0, |said| said.keepers.len());
        Ok(Plan { pipeline, fields, plan, lookup, max_line: job.max_line, lines, said, decisions, keepers })
    }

    /// For each pair that people decided about, whether they called the two duplicates; and how many keepers they named.
    pub fn decisions(&self) -> Option<(&[bool], usize)> {
        self.said.as_ref().map(|_| (&*self.decisions, self.keepers))
    }

    /// What people said about a document, and its place in keep order.
    fn about(&self, is_known: bool, entry: &documents::Entry<'_>) -> (said::About, Vec<u8>) {
        let about =
            self.said.as_ref().map(|said| said.about(entry.id.json(), &entry.document)).unwrap_or_default();
        let mut scores = Vec::new();
        self.pipeline.keep_scores(&self.plan, &entry.document, "", &mut scores);
        let order = order::order(is_known, about.is_preferred, &scores, &entry.id);
        (about, order)
    }

    /// The fields that are read of a document.
    pub fn columns(&self) -> Vec<String> {
        let Fields { id, text, wanted } = &self.fields;
        [id, text].into_iter().chain(wanted).cloned().collect()
    }

    /// A bit for each branch of which many documents with the same signature are a crowd.
    pub fn crowds_by_signature(&self) -> u32 {
        self.branches_that(lookalike_engine::pipeline::CrowdsBy::Signature)
    }

    fn branches_that(&self, crowds: lookalike_engine::pipeline::CrowdsBy) -> u32 {
        let branches = 0..self.pipeline.branches.len();
        branches
            .filter(|&branch| self.lookup.crowds(branch as u8) == crowds)
            .fold(0, |bits, branch| bits | 1 << branch)
    }
}

/// Set in the numbers of documents of the corpus itself, not in those of the corpus compared against.
pub(crate) const OWN: i64 = 1 << 62;

/// Whether a document belongs to the corpus compared against.
pub(crate) fn is_known(number: i64) -> bool {
    number & OWN == 0
}
