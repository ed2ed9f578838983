//! Snapshots of a whole index, as its users know them: taken while it is written to, kept in a folder or a store, restored.
//!
//! The file in which a generation keeps its state (`storage::snapshot`) is one of many files here. `pin` opens the files
//! of an index at one moment, `repository` keeps them, `verify` reads everything there is.

mod pin;
mod repository;
mod restore;
mod upgrade;
mod verify;

pub use pin::PinnedIndex;
pub use repository::{Repository, Retention, Snapshot, SnapshotFile, SnapshotInfo, Taken};
pub use upgrade::Formats;
pub use verify::Verified;

pub use crate::storage::pinned_file::PinnedFile;
