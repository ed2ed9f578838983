//! Folders of documents: read files of any format, find near-duplicates among them, act on them, undo.

pub mod documents;
pub mod scan;
