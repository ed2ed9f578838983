//! The storage of an index, on disk and in memory, and how it survives crashes.
//!
//! A [`store::Store`] is one generation: documents signed by one recipe. Its [`state::State`] is the
//! [`population`] of documents and contents, the [`clusters`] of near-duplicate contents, and the newest [`keys`]: what the
//! last snapshot has is used there ([`mapped`], [`column`]), the rest is in memory.
//! It changes by [`operation`]s, which are in the [`journal`] on disk before they are acknowledged; from time to
//! time a snapshot of the state replaces the journal, and keys go to sorted runs. The lines of documents are in
//! [`texts`], which all generations share. This module does not know what documents mean: features, signatures and
//! verification are handled above it.

mod acknowledged;
pub mod bytes;
pub mod clusters;
pub mod column;
pub mod crowds;
pub mod decisions;
pub mod document;
mod history;
mod ids;
pub mod keys;
pub mod lasting;
pub mod limits;
pub mod manifest;
pub mod mapped;
pub mod names;
pub mod number_set;
pub mod operation;
pub mod pinned_file;
pub mod population;
mod prefetch;
mod snapshot;
pub mod state;
pub mod store;
mod table;
pub mod texts;
