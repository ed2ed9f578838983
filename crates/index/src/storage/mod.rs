//! What an index is on disk and in memory, and how it stays whole.
//!
//! A [`store::Store`] is one generation: documents signed by one recipe. Its [`state::State`] is in memory: the
//! [`population`] of documents and contents, the [`clusters`] of contents that resemble each other, and the newest
//! [`keys`]. It changes by [`operation`]s, which the [`journal`] has on disk before they are acknowledged; a snapshot
//! of the state replaces the journal now and then, and keys go to sorted runs. Documents' lines are in [`texts`],
//! which all generations share. What documents mean (features, signatures, verification) is not known here.

mod acknowledged;
pub mod bytes;
pub mod clusters;
mod crowds;
pub mod decisions;
pub mod document;
mod ids;
pub mod journal;
pub mod keys;
pub mod lasting;
pub mod limits;
pub mod manifest;
mod names;
pub mod operation;
pub mod population;
mod snapshot;
pub mod state;
pub mod store;
pub mod texts;
