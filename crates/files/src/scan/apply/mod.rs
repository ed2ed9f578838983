//! Actions on the duplicates that a scan found: a list, another folder, hard links or the
//! wastebasket; and undoing them.
//!
//! Three steps are kept separate so that each can be trusted alone. Making an [`ActionPlan`] only reads, and
//! names every file that is skipped with the reason: a dry run is the plan and nothing else. [`apply`]
//! carries out a plan, checks every file and its master once more right before changing it, and logs what it
//! is about to do. [`undo`] reads that log and the disk, so that it can undo what a killed process left half
//! done.
//!
//! Only whole files are touched, and never one with a document that is to be kept.

mod carry_out;
mod check;
mod disk;
mod log;
mod plan;
mod show;
mod spelling;
mod trash;
mod undo;

#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

pub use carry_out::{Summary, apply};
pub use check::modified_nanos;
pub use log::undo_log_name;
pub use plan::{ActionPlan, SkippedFile, Step, plan};
pub use undo::{Undone, undo};

/// What to do with every duplicate; its master stays as it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Action {
    /// Changes nothing.
    List,
    /// Move to another folder, under the file's path below the scanned folders.
    Move,
    /// Replace the file by a hard link to the master, or to the first of its copies; only if both have
    /// exactly the same bytes.
    Link,
    /// Move to the desktop's wastebasket.
    Trash,
}

impl Action {
    /// In the order in which they are shown.
    pub const ALL: [Action; 4] = [Action::List, Action::Move, Action::Link, Action::Trash];

    /// The name for users.
    pub fn name(self) -> &'static str {
        match self {
            Action::List => "list",
            Action::Move => "move",
            Action::Link => "link",
            Action::Trash => "trash",
        }
    }
}

/// What the user asks for.
#[derive(Clone, Debug)]
pub struct ActionRequest {
    /// What to do with duplicates.
    pub action: Action,
    /// Where [`Action::Move`] moves to.
    pub to: Option<PathBuf>,
    /// The files and folders that were scanned: moved files keep their paths below them.
    pub roots: Vec<PathBuf>,
    /// Paths, as the report spells them, of all files that gave more than one document. The report
    /// names only documents with duplicates, so it does not show that a mail with a duplicate also
    /// has an attachment without one. Such files are never touched.
    pub containers: BTreeSet<String>,
}
