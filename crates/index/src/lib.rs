//! The persistent index: "have we seen this?", one document at a time.
//!
//! ```
//! use lookalike_core::registry::Registry;
//! use lookalike_engine::Recipe;
//! use lookalike_index::{Ask, Index, Policy, Verdict};
//!
//! let folder = tempfile::tempdir().unwrap();
//! let registry = Registry::with_built_ins();
//! let recipe = Recipe::standard(&registry)?;
//! let index = Index::create(&folder.path().join("index"), &recipe, registry)?;
//! let text = "a text of more than five words, since shingles have five";
//! let line = format!("{{\"id\":\"a\",\"text\":\"{text}\"}}");
//! assert_eq!(index.writer().add(line.as_bytes(), Policy::Report, &Ask::default())?.verdict, Verdict::New);
//! let asked = format!("{{\"text\":\"{text}\"}}");
//! let answer = index.reader().check(asked.as_bytes(), &Ask::default())?;
//! assert_eq!(answer.verdict, Verdict::Duplicate);
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
//!   - a [`Reader`] asks (`check`, `see`, `map`; `hold` asks one state several things),
//!   - a [`Writer`] changes (`add`, `decide`, `restore`, `resign`; `upkeep` and `compact` make room),
//!   - a [`Surveyor`] looks at everything at a glance (`survey`) and plans what would go (`removals`, `evidence`).

mod add;
mod answer;
mod ask;
mod clusters;
mod compact;
mod decide;
mod evidence;
mod face;
mod fill;
mod find;
mod found_out;
mod generation;
mod hold;
mod index;
mod links;
mod load;
mod map;
mod name;
mod recrawl;
mod removals;
mod resign;
mod restore;
mod see;
mod storage;
pub mod survey;
mod tell;
#[cfg(test)]
mod tests;
mod upkeep;

pub use crate::storage::limits::Limits;
pub use answer::{
    Action, Answer, ClusterView, Decision, History, Match, MemberView, NearDuplicate, Passage, Preference,
    Recrawl, Seen, SetVerdict, Stats, Stored, Verdict, Version,
};
pub use ask::{Ask, Policy, View};
pub use evidence::Evidence;
pub use face::Face;
pub use fill::Filling;
pub use hold::{Held, HeldDocument, HeldMember};
pub use index::{Index, Reader, Surveyor, Writer};
pub use load::{Line, for_each_batch};
pub use map::{ClusterMap, MapMember, Outside};
pub use name::Name;
pub use removals::{ClusterPlan, Reason, Removal};
pub use restore::{Departed, Departure, Refusal};
