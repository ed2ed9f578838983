//! Corpora in, results out.
//!
//! Whatever the format, a corpus is read as numbered [`read::Chunk`]s of JSON lines that many
//! threads take at once, and every document can be read again later from a plain file: the input
//! itself, or for compressed, columnar and remote input a spool file beside the output.

#![deny(missing_docs)]

pub mod decode;
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
