//! What the extractor `terms` keeps from document to document. It has a file of its own because
//! [`Features`](crate::features::Features) holds it for every extractor.

use super::tally::Tally;

/// Buffers that the extractor reuses from document to document.
#[derive(Default)]
pub struct Buffers {
    pub(super) tally: Tally,
    pub(super) heaviest: Vec<(f32, u64)>,
    /// Words of the document and their stems.
    pub(super) stems: Vec<(u64, u64)>,
}
