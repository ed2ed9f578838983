//! The operations that change an index. The state results from applying them in order; [`encoding`] is how they are in
//! the journal.

pub mod encoding;
pub mod versions;

use crate::storage::document::{ContentNumber, DocumentNumber};
use crate::storage::lasting::LastingNumber;
use crate::storage::texts::Place;
use lookalike_core::difference::Difference;
use lookalike_core::sign::Fingerprint;

#[derive(Clone, Debug, PartialEq)]
pub enum Operation {
    Put(Put),
    Remove {
        document: DocumentNumber,
    },
    /// A document was seen again.
    Touch(Touch),
    Decide(Decide),
    Prefer(Prefer),
    /// Documents come from another generation and keep the lasting numbers given by the following operations.
    /// `next` is the first free one.
    Number {
        since: u64,
        next: LastingNumber,
    },
    /// Lasting numbers of the next documents.
    Keep(Vec<LastingNumber>),
    /// The versions that a document had in another generation.
    Remember {
        document: DocumentNumber,
        versions: Vec<Version>,
    },
}

/// Adds a document. The digest tells whether its content is new.
#[derive(Clone, Debug, PartialEq)]
pub struct Put {
    pub id: String,
    pub place: Place,
    /// `None` for a document without features.
    pub digest: Option<u128>,
    pub scores: Vec<u64>,
    /// The keys of the signature, already mixed with their places.
    pub keys: Vec<u64>,
    /// The bytes of signatures that must be stored.
    pub stored: Vec<u8>,
    pub labels: Vec<String>,
    pub set: String,
    pub added: u32,
    pub expires: u32,
    pub lives: u32,
    pub hits: u32,
    pub interval: u32,
    /// Contents that a new content is linked to, with similarities.
    pub links: Vec<(ContentNumber, f64)>,
    pub continues: Option<Continues>,
    /// The number of the document in the generation it was signed from, if any.
    pub origin: Option<DocumentNumber>,
    /// Set if a key of a new content has a crowd: the members of the crowd that were in none before.
    pub crowd: Option<Vec<ContentNumber>>,
}

/// The document is a new version of another.
#[derive(Clone, Debug, PartialEq)]
pub struct Continues {
    pub document: DocumentNumber,
    /// Whether this replaces the other, because both have the same id.
    pub replaces: bool,
    /// The fingerprint of the other, whose text may go with this.
    pub before: Option<Fingerprint>,
    pub version: Version,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Version {
    pub time: u32,
    pub changed: bool,
    pub similarity: Option<f64>,
    /// Bytes of the document's line.
    pub bytes: u32,
    pub marks: Marks,
}

/// What tells versions apart when their texts are gone; nothing in versions from before this was recorded.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Marks {
    /// Absent while this is the last version: it is computed from its text, by the recipe that the index has then.
    pub fingerprint: Option<Fingerprint>,
    /// To the fingerprint of the version before, in bits.
    pub distance: Option<u8>,
    /// How the text differs from that of the version before, if they are near-duplicates.
    pub difference: Option<Difference>,
}

impl Marks {
    pub fn is_empty(&self) -> bool {
        *self == Marks::default()
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct Touch {
    pub document: DocumentNumber,
    pub seen: u32,
    pub expires: u32,
    pub hits: u32,
    pub unchanged: u32,
    pub interval: u32,
}

/// A person's decision about two contents.
#[derive(Clone, Debug, PartialEq)]
pub struct Decide {
    pub digests: (u128, u128),
    pub ids: (String, String),
    /// `None` when a decision is withdrawn.
    pub duplicate: Option<bool>,
    pub by: String,
    pub time: u32,
    /// Their similarity, if they are linked from now on.
    pub link: Option<f64>,
    /// Digests of the two texts; `None` in decisions from before these were recorded.
    pub texts: Option<(u128, u128)>,
    /// Access labels of the two documents: only callers who see both see the decision. `None` in decisions from
    /// before these were recorded.
    pub labels: Option<(Vec<String>, Vec<String>)>,
}

/// A person's preference for a document as the master of its cluster.
#[derive(Clone, Debug, PartialEq)]
pub struct Prefer {
    pub document: DocumentNumber,
    /// `false` when it is withdrawn.
    pub preferred: bool,
    pub by: String,
    pub time: u32,
}
