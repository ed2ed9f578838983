//! The options of a query to the index: view, policy, limits.

use crate::storage::population::Visibility;
use crate::storage::state::State;
use std::time::Duration;

use lookalike_core::{Error, Result};
use lookalike_plumbing::clock;
use serde::{Deserialize, Serialize};

/// What happens to a new document that resembles a known one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(inline))]
#[serde(rename_all = "kebab-case")]
pub enum Policy {
    /// It is inserted, and the answer lists what it resembles.
    #[default]
    Report,
    /// It is not inserted.
    Reject,
    /// It is inserted, and the documents it resembles are removed.
    Replace,
    /// Of the new document and those it resembles, the keep rules choose the one that stays.
    KeepBest,
    /// It is inserted as the next version of the document it resembles most, which also stays.
    Version,
}

impl Policy {
    /// The names of the policies, as recipes and requests use them.
    pub const NAMES: [&str; 5] = ["report", "reject", "replace", "keep-best", "version"];

    /// The name of the policy.
    pub fn name(self) -> &'static str {
        Policy::NAMES[self as usize]
    }

    /// The policy with this name, or an error that lists the known ones.
    pub fn from_name(name: &str) -> Result<Policy> {
        let all = [Policy::Report, Policy::Reject, Policy::Replace, Policy::KeepBest, Policy::Version];
        let known = || Error::config(format!("unknown policy `{name}`; known: {}", Policy::NAMES.join(", ")));
        all.into_iter().find(|policy| policy.name() == name).ok_or_else(known)
    }
}

/// Which documents a caller may see, and which it may change.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum View {
    /// All documents.
    #[default]
    All,
    /// Documents without labels, and those with at least one of these labels.
    Labels(Vec<String>),
    /// The same for seeing, `None` being all; only documents with labels, all of them among the second list, may be
    /// changed.
    Scoped(Option<Vec<String>>, Vec<String>),
}

impl View {
    /// The labels of which a document must have one, or none at all, to be seen; `None`: all documents are.
    pub fn seen_labels(&self) -> Option<&[String]> {
        match self {
            View::All | View::Scoped(None, _) => None,
            View::Labels(own) | View::Scoped(Some(own), _) => Some(own),
        }
    }

    /// Whether a document with these labels is seen.
    pub fn sees(&self, labels: &[String]) -> bool {
        let Some(own) = self.seen_labels() else { return true };
        labels.is_empty() || labels.iter().any(|label| own.contains(label))
    }

    /// Whether a caller with this view may change a document with these labels: it must have all of them itself. A document
    /// without any belongs to those who have none.
    pub fn may_change(&self, labels: &[String]) -> bool {
        match self {
            View::All => true,
            View::Labels(own) => {
                labels.is_empty() == own.is_empty() && labels.iter().all(|label| own.contains(label))
            }
            View::Scoped(_, changed) => {
                self.sees(labels) && !labels.is_empty() && labels.iter().all(|label| changed.contains(label))
            }
        }
    }
}

/// The options of a check or an insert.
#[derive(Clone, Debug)]
pub struct QueryOptions {
    /// What the caller may see.
    pub view: View,
    /// How many matches the answer lists at most. All matches are counted.
    pub limit: usize,
    /// Also list the shared passages and the titles of matches.
    pub passages: bool,
    /// Count this query as a hit of each match, and restart the match's time to live.
    pub refresh: bool,
    /// How long an inserted document is kept; `None`: for ever.
    pub time_to_live: Option<Duration>,
    /// The current time, in seconds since 1970.
    pub now: u64,
}

impl Default for QueryOptions {
    fn default() -> Self {
        let now = clock::now();
        QueryOptions { view: View::All, limit: 100, passages: false, refresh: false, time_to_live: None, now }
    }
}

/// Converts a time to the 32 bits in which times are stored. They last until 2106.
pub fn seconds(time: u64) -> u32 {
    u32::try_from(time).unwrap_or(u32::MAX)
}

/// What is visible to the caller of a query.
pub fn visibility_for(state: &State, options: &QueryOptions) -> Visibility {
    visibility_of(state, &options.view, options.now)
}

pub fn visibility_of(state: &State, view: &View, now: u64) -> Visibility {
    let sets = view.seen_labels().map(|_| state.labels.iter().map(|set: &[String]| view.sees(set)).collect());
    Visibility { sets, now: seconds(now) }
}

/// What is visible in a view at the current time.
pub fn visibility_now(state: &State, view: &View) -> Visibility {
    visibility_of(state, view, QueryOptions::default().now)
}
