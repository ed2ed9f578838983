//! Folders of documents: read files of any format, find near-duplicates among them, act on them, undo.

#![deny(missing_docs)]

pub mod documents;
pub mod scan;
