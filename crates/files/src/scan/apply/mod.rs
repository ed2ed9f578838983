//! What becomes of the duplicates that a scan found: a list, another folder, hard links or the
//! wastebasket; and the way back.
//!
//! Three values keep the steps apart so that each can be trusted alone. An [`ActionPlan`] is made by looking
//! only, and names every file that is passed over with the reason: a dry run is the plan and nothing
//! else. [`apply`] carries a plan out, checks every file and its master once more right before it is
//! touched, and writes to a log what it is about to do before it does it. [`undo`] reads that log and
//! looks at the disk, so that it can take back what a killed process left half done.
//!
//! Only whole files are touched, and never one that holds a document which is to be kept.

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
pub use show::printable;
pub use undo::{Undone, undo};

/// What to do with every duplicate; its master stays as it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Action {
    /// Changes nothing.
    List,
    /// To another folder, under the path that the file has below the scanned folders.
    Move,
    /// A hard link to the master takes the file's place, or one to the first of its copies; only if both
    /// hold the very same bytes.
    Link,
    /// To the desktop's wastebasket.
    Trash,
}

impl Action {
    /// As they are listed to people.
    pub const ALL: [Action; 4] = [Action::List, Action::Move, Action::Link, Action::Trash];

    /// As people name it.
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
    /// names only documents with duplicates, so it cannot tell that a mail which has one also
    /// carries an attachment which has none. Such files are never touched.
    pub containers: BTreeSet<String>,
}
