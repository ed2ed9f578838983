//! A document as it is stored, and the content that exact copies of each other share.
//!
//! A content is a set of features: documents whose features are all the same have one. Keys, links and
//! clusters belong to contents, so a hundred thousand copies of one message cost one signature.

use crate::storage::texts::Place;
use lookalike_core::numbers::Number;

/// The number of a document within its generation.
pub type DocumentNumber = Number<Document>;
pub type ContentNumber = Number<Content>;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Document {
    pub place: Place,
    /// Absent for a document without features.
    pub content: Option<ContentNumber>,
    /// Numbers of its access labels and of its set of prototypes.
    pub labels: u32,
    pub set: u32,
    /// Seconds since 1970.
    pub added: u32,
    pub seen: u32,
    /// 0: never.
    pub expires: u32,
    /// How long it lives from a hit on, in seconds; 0: for ever.
    pub lives: u32,
    pub hits: u32,
    /// How often it came again unchanged, and the advised seconds between visits.
    pub unchanged: u32,
    pub interval: u32,
    pub alive: bool,
    /// Whether a person wants it to stand for its cluster.
    pub preferred: bool,
    /// Neighbours in the list of its content's copies.
    pub(super) next_copy: Option<DocumentNumber>,
    pub(super) previous_copy: Option<DocumentNumber>,
}

#[derive(Clone, Copy, Debug)]
pub struct Content {
    pub digest: u128,
    /// The living copy that the keep rules like best; absent when all are gone.
    pub best: Option<DocumentNumber>,
    pub(super) first_copy: Option<DocumentNumber>,
    /// How many live.
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
