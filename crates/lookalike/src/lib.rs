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

pub use lookalike_core as core;
pub use lookalike_core::registry::Registry;
pub use lookalike_core::{Error, Result};
pub use lookalike_engine::run::memory::{machine_memory, parse_bytes, peak_memory};
pub use lookalike_engine::run::plan::{Plan, plan};
pub use lookalike_engine::run::report::{DecisionCounts, PassedOver, Report, WeakText};
pub use lookalike_engine::run::{Job, Progress, Quiet, run, stored_report, warn_passed_over};
pub use lookalike_engine::{Branch, Pipeline, Recipe, Verify};
pub use lookalike_engine::{compare, decisions, lexicon, profile};
pub use lookalike_extract as extract;
pub use lookalike_files::{documents, scan};
pub use lookalike_index as index;
pub use lookalike_io::whole;
pub use lookalike_judge as judge;
pub use lookalike_judge::learn;
pub use lookalike_reproduce as reproduce;
