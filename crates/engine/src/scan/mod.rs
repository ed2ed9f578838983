//! A person's view of folders: documents of any format, in clusters of near-duplicates.

pub mod apply;
mod result;

pub use result::{ScanCluster, ScanMember, ScanReport, Streams, Unreadable};
