//! The persistent index: "have we seen this?", one document at a time.
//!
//! ```
//! use lookalike_core::registry::Registry;
//! use lookalike_engine::Recipe;
//! use lookalike_index::{QueryOptions, Index, Policy, DocumentVerdict};
//!
//! let folder = tempfile::tempdir().unwrap();
//! let registry = Registry::with_built_ins();
//! let recipe = Recipe::standard(&registry)?;
//! let index = Index::create(&folder.path().join("index"), &recipe, registry)?;
//! let text = "a text of more than five words, since shingles have five";
//! let line = format!("{{\"id\":\"a\",\"text\":\"{text}\"}}");
//! assert_eq!(index.writer().add(line.as_bytes(), Policy::Report, &QueryOptions::default())?.verdict, DocumentVerdict::New);
//! let asked = format!("{{\"text\":\"{text}\"}}");
//! let answer = index.reader().check(asked.as_bytes(), &QueryOptions::default())?;
//! assert_eq!(answer.verdict, DocumentVerdict::Duplicate);
//! # Ok::<(), lookalike_core::Error>(())
//! ```
//!
//! Documents are known outside by lasting numbers (`storage::lasting`), which callers hold as plain `u32`; within a
//! generation, here, by its own. Each kind of number is a type (`storage::numbers`).
//!
//! The same recipe, features, keys and verification as a batch run, so the same pairs. What is on disk and
//! in memory is `storage`'s; the rest is what a recipe makes of it:
//!
//! * `generation` signs documents, `find` finds what they resemble, `tell` makes answers of that;
//! * an [`Index`] is opened and closed; what can be done with it is sorted by what a caller may do:
//!   - a [`IndexReader`] asks (`check`, `see`, `map`; `hold` asks one state several things),
//!   - a [`IndexWriter`] changes (`add`, `decide`, `restore`, `resign`; `upkeep` and `compact` make room),
//!   - a [`Surveyor`] looks at everything at a glance (`survey`) and plans what would go (`removals`, `evidence`).

mod add;
mod answer;
mod build_answer;
mod bulk_load;
mod clusters;
mod compact;
mod corpus_lines;
mod decide;
mod find;
mod generation;
mod index;
mod link_cache;
mod links;
mod map;
mod name;
mod preview;
mod query;
mod read;
mod recrawl;
mod removal_report;
mod removals;
mod resign;
mod restore;
mod storage;
pub mod survey;
#[cfg(test)]
mod tests;
mod transaction;
mod upkeep;

pub use answer::{
    Answer, Decision, DocumentAction, DocumentVerdict, History, Match, MatchPassage, NearDuplicate,
    Preference, Recrawl, Resolved, SetVerdict, Stats, StoredDocument, Version, VisibleCluster, VisibleMember,
};
pub use bulk_load::BulkLoader;
pub use corpus_lines::{CorpusLine, for_each_batch};
pub use index::{Index, IndexReader, IndexWriter, Surveyor};
pub use map::{ClusterMap, MapMember, Outside};
pub use name::DocumentName;
pub use preview::Preview;
pub use query::{Policy, QueryOptions, View};
pub use removal_report::{RemovalReportFormat, RemovalReportWriter};
pub use removals::{ClusterPlan, Removal, RemovalReason};
pub use restore::{PlannedRemoval, Refusal, RemovedDocument};
pub use storage::limits::IndexLimits;
pub use transaction::{PinnedDocument, PinnedMember, ReadTransaction};
