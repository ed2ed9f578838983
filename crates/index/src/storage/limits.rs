//! When an index moves data from memory and the journal to files of their own.

/// How much an index collects before it writes runs, checkpoints or new files, and before it is worth compacting.
/// Results do not depend on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IndexLimits {
    /// Keys in memory before they are written to a run.
    pub head_entries: u64,
    /// Operations before a checkpoint is due, or a quarter of the documents if that is more.
    pub operations: u64,
    /// Bytes that changes take in memory before a checkpoint is due, unless that would take much of the time.
    pub own_bytes: u64,
    /// Bytes of a file of texts before the next one is started; at most 4 GiB.
    pub segment_bytes: u64,
    /// Removed documents before compacting is worth it, if they are also more than the living ones.
    pub dead_documents: u32,
    /// Bytes of removed texts before compacting is worth it, if they are also more than those of the living.
    pub dead_bytes: u64,
}

impl Default for IndexLimits {
    fn default() -> Self {
        IndexLimits {
            head_entries: 1 << 18,
            operations: 50_000,
            own_bytes: 2 << 20,
            segment_bytes: 256 << 20,
            dead_documents: 100_000,
            dead_bytes: 256 << 20,
        }
    }
}
