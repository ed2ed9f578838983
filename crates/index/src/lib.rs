//! The persistent index: "have we seen this document?", answered one document at a time.
//!
//! ```
//! use lookalike_core::registry::Registry;
//! use lookalike_engine::Recipe;
//! use lookalike_index::{DocumentVerdict, Index, Policy, QueryOptions};
//!
//! let folder = tempfile::tempdir().unwrap();
//! let registry = Registry::with_built_ins();
//! let recipe = Recipe::standard(&registry)?;
//! let index = Index::create(&folder.path().join("index"), &recipe, registry)?;
//! let text = "a text of more than five words, since shingles have five";
//! let line = format!("{{\"id\":\"a\",\"text\":\"{text}\"}}");
//! let answer = index.writer().add(line.as_bytes(), Policy::Report, &QueryOptions::default())?;
//! assert_eq!(answer.verdict, DocumentVerdict::New);
//! let query = format!("{{\"text\":\"{text}\"}}");
//! let answer = index.reader().check(query.as_bytes(), &QueryOptions::default())?;
//! assert_eq!(answer.verdict, DocumentVerdict::Duplicate);
//! # Ok::<(), lookalike_core::Error>(())
//! ```
//!
//! Recipe, features, keys and verification are the same as in a batch run, so the pairs are the same.
//!
//! An [`Index`] is created, opened and closed; its users get handles by what they may do:
//!
//! * an [`IndexReader`] answers queries (`read`, `map`, `shape`; `transaction` answers several from one state),
//! * an [`IndexWriter`] changes the index (`add`, `decide`, `restore`, `resign`; `upkeep` and `compact` free space),
//! * a [`Surveyor`] gives overviews of everything (`survey`), lists pairs that wait for a person (`review`) and plans
//!   removals (`removals`, `removal_report`).
//!
//! Callers know documents by ids, or by lasting numbers, which are plain `u32` here and never change unless
//! [`Index::numbering`] does. Within a generation documents have numbers of their own; each kind of number is a type
//! (`storage::numbers`).
//!
//! `storage` keeps the data on disk and in memory. Above it, `generation` signs documents by a recipe, `find` finds
//! what they resemble, and `build_answer` turns that into answers.

#![deny(missing_docs)]

mod add;
mod answer;
mod apart;
mod backup;
mod build_answer;
mod bulk_load;
mod clusters;
mod compact;
mod corpus_lines;
mod crowd;
mod decide;
mod differences;
mod due;
mod extras;
mod find;
mod generation;
mod history;
mod import_decisions;
mod index;
mod insert;
mod lexicons;
mod link_cache;
mod links;
mod map;
mod name;
mod native;
mod near;
mod preview;
mod query;
mod read;
mod recrawl;
mod refresh;
mod refresh_setting;
mod removal_report;
mod removals;
mod resign;
mod restore;
mod review;
mod seriation;
mod shape;
mod statistics;
mod stats;
mod storage;
pub mod survey;
#[cfg(test)]
mod tests;
mod transaction;
mod upkeep;

pub use answer::{
    Answer, Decision, DocumentAction, DocumentVerdict, DueDocument, DueQueue, History, Judgement, Match,
    MatchPassage, NearDuplicate, Preference, Recrawl, Resolved, SetVerdict, StoredDocument, Version,
    VisibleCluster, VisibleMember,
};
pub use apart::Apart;
pub use backup::{
    Formats, PinnedFile, PinnedIndex, Repository, Retention, Snapshot, SnapshotFile, SnapshotInfo, Taken,
    Verified,
};
pub use bulk_load::BulkLoader;
pub use corpus_lines::{CorpusLine, for_each_batch};
pub use import_decisions::ImportedDecisions;
pub use index::{Index, IndexReader, IndexWriter, Surveyor};
pub use map::{ClusterMap, MapMember, MemberPage, Outside};
pub use name::DocumentName;
pub use preview::Preview;
pub use query::{Policy, QueryOptions, View};
pub use refresh_setting::{Refresh, RefreshReason};
pub use removal_report::{RemovalReportFormat, RemovalReportWriter};
pub use removals::{ClusterPlan, Removal, RemovalReason};
pub use restore::{PlannedRemoval, Refusal, RemovedDocument, RemovedVersion};
pub use review::{ReviewOrder, ReviewPair, Waiting};
pub use shape::{ClusterShape, Grouping, ShapeGroup};
pub use stats::{LexiconKind, LexiconStats, RefreshStats, Stats};
pub use storage::limits::IndexLimits;
pub use transaction::{PinnedDocument, PinnedMember, ReadTransaction};
