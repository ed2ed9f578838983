//! A stored document, and the content that exact copies share.
//!
//! A content is a set of features: documents with exactly the same features share one. Keys, links and clusters
//! belong to contents, so a hundred thousand copies of one message cost one signature.

use crate::storage::texts::Place;
use lookalike_core::numbers::Number;

/// The number of a document within its generation.
pub type DocumentNumber = Number<Document>;
pub type ContentNumber = Number<Content>;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
    pub alive: bool,
    /// Whether a person prefers it as the master of its cluster.
    pub preferred: bool,
    /// Neighbours in the linked list of its content's copies.
    pub(super) next_copy: Option<DocumentNumber>,
    pub(super) previous_copy: Option<DocumentNumber>,
}

#[derive(Clone, Copy, Debug)]
pub struct Content {
    pub digest: u128,
    /// The living copy that the keep rules rank first; `None` when all copies are gone.
    pub best: Option<DocumentNumber>,
    pub(super) first_copy: Option<DocumentNumber>,
    /// How many living copies there are.
    pub copies: u32,
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
            alive: true,
            preferred: false,
            next_copy: None,
            previous_copy: None,
        }
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
