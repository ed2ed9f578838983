//! How much an index gathers before it moves it on.

/// How much is gathered before it is moved on. Results do not depend on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IndexLimits {
    /// Keys in memory before they become a run.
    pub head_entries: u64,
    /// A checkpoint is due after this many operations, or a quarter of the documents if these are more.
    pub operations: u64,
    /// A file of texts is closed when it has this many bytes, at most 4 GiB.
    pub segment_bytes: u64,
    /// Dead documents, and bytes of their texts, that are worth the trouble of making room, if they are more than the
    /// living, too.
    pub dead_documents: u32,
    pub dead_bytes: u64,
}

impl Default for IndexLimits {
    fn default() -> Self {
        IndexLimits {
            head_entries: 1 << 18,
            operations: 50_000,
            segment_bytes: 256 << 20,
            dead_documents: 100_000,
            dead_bytes: 256 << 20,
        }
    }
}
