//! A person's view of folders: documents of any format, in clusters of near-duplicates.

mod csv;
pub mod page;
mod result;
#[cfg(test)]
mod sample;
mod shown;
mod table;

pub use csv::csv;
pub use result::{ScanCluster, ScanMember, ScanReport, Streams, Unreadable};
pub use table::{MOST_CLUSTERS, table};
