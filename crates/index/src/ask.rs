//! What is asked of an index, and by whom.

use crate::storage::population::Sight;
use crate::storage::state::State;
use std::time::Duration;

use lookalike_core::{Error, Result};
use lookalike_plumbing::clock;
use serde::{Deserialize, Serialize};

/// What becomes of a document that resembles a known one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(inline))]
#[serde(rename_all = "kebab-case")]
pub enum Policy {
    /// It is inserted, and what it resembles is told.
    #[default]
    Report,
    /// It is left out.
    Reject,
    /// It is inserted, and the documents it resembles are removed.
    Replace,
    /// Of it and the documents it resembles the one stays that the keep rules like best.
    KeepBest,
    /// It is inserted as the next version of the document it resembles most, which stays.
    Version,
}

impl Policy {
    pub const NAMES: [&str; 5] = ["report", "reject", "replace", "keep-best", "version"];

    pub fn name(self) -> &'static str {
        Policy::NAMES[self as usize]
    }

    pub fn from_name(name: &str) -> Result<Policy> {
        let all = [Policy::Report, Policy::Reject, Policy::Replace, Policy::KeepBest, Policy::Version];
        let known = || Error::config(format!("unknown policy `{name}`; known: {}", Policy::NAMES.join(", ")));
        all.into_iter().find(|policy| policy.name() == name).ok_or_else(known)
    }
}

/// Whose eyes look at the index.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum View {
    /// Sees every document.
    #[default]
    All,
    /// Sees documents without labels, and those with one of these.
    Labels(Vec<String>),
}

impl View {
    /// Whether this view may change a document with these labels: all of them are its own.
    pub fn may_change(&self, labels: &[String]) -> bool {
        match self {
            View::All => true,
            View::Labels(own) => labels.iter().all(|label| own.contains(label)),
        }
    }
}

/// How to look.
#[derive(Clone, Debug)]
pub struct Ask {
    pub view: View,
    /// The most matches to tell; all are counted.
    pub limit: usize,
    /// Tell the shared passages, too.
    pub passages: bool,
    /// Count this as a hit of what matches, and let its time to live begin anew.
    pub refresh: bool,
    /// How long an inserted document is remembered; absent: for ever.
    pub time_to_live: Option<Duration>,
    /// Seconds since 1970.
    pub now: u64,
}

impl Default for Ask {
    fn default() -> Self {
        let now = clock::now();
        Ask { view: View::All, limit: 100, passages: false, refresh: false, time_to_live: None, now }
    }
}

/// Times are stored in 32 bits, which last until 2106.
pub fn seconds(time: u64) -> u32 {
    u32::try_from(time).unwrap_or(u32::MAX)
}

/// What the asker sees.
pub fn sight(state: &State, ask: &Ask) -> Sight {
    sight_of(state, &ask.view, ask.now)
}

pub fn sight_of(state: &State, view: &View, now: u64) -> Sight {
    let sets = match view {
        View::All => None,
        View::Labels(own) => {
            let sees = |set: &[String]| set.is_empty() || set.iter().any(|label| own.contains(label));
            Some(state.labels.iter().map(sees).collect())
        }
    };
    Sight { sets, now: seconds(now) }
}

/// What a view sees now.
pub fn now_sight(state: &State, view: &View) -> Sight {
    sight_of(state, view, Ask::default().now)
}
