//! Documents that stay in memory between being read and being compared, as far as there is room.

use std::sync::atomic::{AtomicU64, Ordering};

use lookalike_extract::Extracted;

/// The documents of one file: either all stay in memory, or none.
pub struct HeldDocuments<'a> {
    /// Bytes that may still be held, for all files together.
    room: &'a AtomicU64,
    held: u64,
    documents: Option<Vec<Extracted>>,
}

impl<'a> HeldDocuments<'a> {
    pub fn new(room: &'a AtomicU64) -> Self {
        HeldDocuments { room, held: 0, documents: Some(Vec::new()) }
    }

    /// `bytes` is the size of the document.
    pub fn push(&mut self, document: Extracted, bytes: u64) {
        let Some(documents) = &mut self.documents else { return };
        let take = |room: u64| room.checked_sub(bytes);
        if self.room.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take).is_ok() {
            self.held += bytes;
            documents.push(document);
        } else {
            self.room.fetch_add(self.held, Ordering::Relaxed);
            self.documents = None;
        }
    }

    /// The documents, if there was room for all of them.
    pub fn finish(self) -> Option<Vec<Extracted>> {
        self.documents
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_held_whole_or_not_at_all() {
        let room = AtomicU64::new(10);
        let hold = |sizes: &[u64]| {
            let mut holding = HeldDocuments::new(&room);
            sizes.iter().for_each(|&bytes| holding.push(Extracted::default(), bytes));
            holding.finish().map(|documents| documents.len())
        };
        assert_eq!(hold(&[3, 3]), Some(2));
        assert_eq!(hold(&[2, 3, 1]), None);
        assert_eq!(room.load(Ordering::Relaxed), 4, "what was not held takes no room");
        assert_eq!((hold(&[4]), hold(&[]), hold(&[1])), (Some(1), Some(0), None));
    }
}
