//! A stored document, and the content that exact copies share.
//!
//! A content is a set of features: documents with exactly the same features share one. Keys, links and clusters
//! belong to contents, so a hundred thousand copies of one message cost one signature.

use crate::storage::mapped::Record;
use crate::storage::texts::Place;
use lookalike_core::numbers::Number;

/// The number of a document within its generation.
pub type DocumentNumber = Number<Document>;
pub type ContentNumber = Number<Content>;

/// As in memory, so in a snapshot: a change of the fields is a change of format.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Document {
    pub place: Place,
    /// `None` for a document without features.
    pub content: Option<ContentNumber>,
    /// Its set of access labels, and its set of prototypes, by number.
    pub labels: u32,
    pub set: u32,
    /// Seconds since 1970.
    pub added: u32,
    pub seen: u32,
    /// Seconds since 1970; 0: never.
    pub expires: u32,
    /// Time to live after a hit, in seconds; 0: for ever.
    pub lives: u32,
    pub hits: u32,
    /// How often it came again unchanged, and the advised seconds between visits.
    pub unchanged: u32,
    pub interval: u32,
    /// [`ALIVE`] and [`PREFERRED`].
    pub(super) flags: u32,
    /// Neighbours in the linked list of its content's copies.
    pub(super) next_copy: Option<DocumentNumber>,
    pub(super) previous_copy: Option<DocumentNumber>,
}

const ALIVE: u32 = 1;
const PREFERRED: u32 = 2;

// SAFETY: sixteen fields of four bytes each, of which all patterns are valid.
unsafe impl Record for Document {}

/// As in memory, so in a snapshot.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct Content {
    pub digest: u128,
    /// The living copy that the keep rules rank first; `None` when all copies are gone.
    pub best: Option<DocumentNumber>,
    pub(super) first_copy: Option<DocumentNumber>,
    /// How many living copies there are.
    pub copies: u32,
    /// Zero: there is no padding.
    reserved: u32,
}

// SAFETY: numbers of 16, 4, 4, 4 and 4 bytes, of which all patterns are valid.
unsafe impl Record for Content {}

impl Content {
    pub fn new(digest: u128) -> Self {
        Content { digest, ..Content::default() }
    }
}

impl Document {
    pub fn new(place: Place, added: u32) -> Self {
        Document {
            place,
            content: None,
            labels: 0,
            set: 0,
            added,
            seen: added,
            expires: 0,
            lives: 0,
            hits: 0,
            unchanged: 0,
            interval: 0,
            flags: ALIVE,
            next_copy: None,
            previous_copy: None,
        }
    }

    #[inline]
    pub fn is_alive(&self) -> bool {
        self.flags & ALIVE != 0
    }

    pub fn set_alive(&mut self, alive: bool) {
        self.set(ALIVE, alive);
    }

    /// Whether a person prefers it as the master of its cluster.
    pub fn is_preferred(&self) -> bool {
        self.flags & PREFERRED != 0
    }

    pub fn set_preferred(&mut self, preferred: bool) {
        self.set(PREFERRED, preferred);
    }

    fn set(&mut self, flag: u32, on: bool) {
        self.flags = if on { self.flags | flag } else { self.flags & !flag };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Memory is for documents: absence of a number must cost none.
    #[test]
    fn documents_and_contents_take_no_more_room_than_their_fields() {
        assert_eq!((size_of::<Document>(), size_of::<Content>()), (64, 32));
    }
}
