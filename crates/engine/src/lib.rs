//! Lookalike: finds, explains and removes near-duplicate documents.
//!
//! A [`Recipe`] says how documents are compared; a [`Job`] says which and where the results go.
//!
//! ```no_run
//! use lookalike::{Job, Quiet, Recipe, Registry, run};
//! let registry = Registry::with_built_ins();
//! let recipe = Recipe::standard(&registry)?;
//! let report = run(&recipe.build(&registry)?, &Job::new(["corpus.jsonl"], "deduped"), &Quiet)?;
//! println!("{} of {} documents are kept", report.kept, report.documents);
//! # Ok::<(), lookalike::Error>(())
//! ```

pub mod compare;
pub mod decisions;
pub mod documents;
mod ensemble;
pub mod index;
pub mod jobs;
pub mod judge;
pub mod learn;
pub mod lexicon;
mod page;
mod pipeline;
pub mod profile;
mod recipe;
pub mod reproduce;
mod run;
pub mod scan;

pub use lookalike_core as core;
pub use lookalike_core::registry::Registry;
pub use lookalike_core::{Error, Result};
pub use lookalike_extract as extract;
pub use lookalike_index::whole;
pub use pipeline::{Branch, Pipeline, Verify};
pub use recipe::Recipe;
pub use run::memory::{machine_memory, parse_bytes, peak_memory};
pub use run::plan::{Plan, plan};
pub use run::report::{DecisionCounts, PassedOver, Report, WeakText};
pub use run::{Job, Progress, Quiet, run, stored_report, warn_passed_over};
