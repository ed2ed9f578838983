//! Corpora in, results out.
//!
//! Whatever the format, a corpus is read as numbered [`read::Chunk`]s of JSON lines that many
//! threads take at once. Documents of plain files can be read again by their offset; other inputs are read again chunk by
//! chunk, and give the same chunks.

#![deny(missing_docs)]

pub mod decode;
pub mod depot;
pub mod files;
pub mod folders;
pub mod format;
pub mod hint;
pub mod inputs;
pub mod names;
pub mod place;
pub mod read;
pub mod record;
pub mod remote;
pub mod write;
