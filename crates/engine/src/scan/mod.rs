//! A person's view of folders: documents of any format, in clusters of near-duplicates.

mod result;

pub use result::{ScanCluster, ScanMember, ScanReport, Streams, Unreadable};
