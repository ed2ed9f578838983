//! Lookalike: finds, explains and removes near-duplicate documents.
//!
//! A [`Session`] holds the parts that recipes may name. A [`Recipe`] says how documents are compared; a [`Job`] says which
//! and where the results go.
//!
//! ```no_run
//! use lookalike::{Job, Quiet, Session};
//! let session = Session::default();
//! let job = Job::new(["corpus.jsonl"], "deduped");
//! let report = session.dedup(&session.standard()?, job, &Quiet)?.run(&Quiet)?;
//! println!("{} of {} documents are kept", report.kept, report.documents);
//! # Ok::<(), lookalike::Error>(())
//! ```

mod session;

pub use lookalike_core as core;
pub use lookalike_core::registry::Registry;
pub use lookalike_core::{Error, Result};
pub use lookalike_engine::corpus::Corpus;
pub use lookalike_engine::memory::{machine_memory, parse_bytes, peak_memory};
pub use lookalike_engine::run::plan::{Plan, plan};
pub use lookalike_engine::run::report::{DecisionCounts, Report, WeakText};
pub use lookalike_engine::run::{
    Job, Outcome, PassedOver, Prepared, Progress, Quiet, compute, for_each_stored_pair, prepare,
    stored_report, warn_passed_over,
};
pub use lookalike_engine::{Branch, Pipeline, Recipe, Verify};
pub use lookalike_engine::{compare, decisions, lexicon, profile};
pub use lookalike_extract as extract;
pub use lookalike_files::{documents, scan};
pub use lookalike_index as index;
pub use lookalike_judge as judge;
pub use lookalike_judge::learn;
pub use lookalike_reproduce as reproduce;
pub use session::{Dedup, Documents, ReadFiles, Session};

/// Runs a job from beginning, or from where it was interrupted, to end: computes its outcome and writes that to files, the
/// page for people among them.
pub fn run(pipeline: &Pipeline, job: &Job, progress: &dyn Progress) -> Result<Report> {
    lookalike_engine::run::run(pipeline, job, lookalike_report::run::render, progress)
}
