//! Answers about documents over time: their versions, and when to fetch them again.

use lookalike_core::difference::Difference;
use lookalike_core::document::Id;
use serde::Serialize;

use super::id;

/// One version of a document.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Version {
    /// Seconds since 1970.
    pub time: u64,
    /// Whether any byte differs from the version before; true for the first.
    pub changed: bool,
    /// To the version before; null for the first, and if the two cannot be compared.
    #[cfg_attr(feature = "schema", schemars(range(min = 0, max = 1)))]
    pub similarity: Option<f64>,
    /// Bytes of the document.
    pub bytes: u64,
    /// Its simhash, in hexadecimal digits; null if it has nothing to compare or went before fingerprints were recorded.
    pub fingerprint: Option<String>,
    /// In how many bits its simhash differs from that of the version before; null where one of the two is not known.
    #[cfg_attr(feature = "schema", schemars(range(min = 0, max = 128)))]
    pub distance: Option<u32>,
    /// How its text differs from that of the version before; null for the first, for one that is no near-duplicate of
    /// the version before, and if it is not known, as the distance then is.
    pub difference: Option<Difference>,
    /// If it has come back: when the earlier version with its fingerprint came, in seconds since 1970. Another was
    /// between them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub came_back_to: Option<u64>,
}

/// The versions of a document.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct History {
    /// The id of the document.
    #[serde(serialize_with = "id")]
    pub id: Id,
    /// Its access labels, which belong to its name; left out if it has none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub labels: Vec<String>,
    /// The oldest first.
    pub versions: Vec<Version>,
    /// How often it came again unchanged since the last version.
    pub unchanged: u64,
    /// When to fetch it again.
    pub recrawl: Recrawl,
}

/// When to fetch a document again, and how urgently.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Recrawl {
    /// Advised seconds between visits.
    pub interval: u64,
    /// Seconds since 1970.
    pub due: u64,
    /// How urgent a visit is, from 0 to 1: near-duplicates of a better document can wait.
    #[cfg_attr(feature = "schema", schemars(range(min = 0, max = 1)))]
    pub crawl_priority: f64,
    /// How useful it is to index the document, from 0 to 1: near-duplicates of a better document bring nothing new, and
    /// a version brings as much as it differs from the one before.
    #[cfg_attr(feature = "schema", schemars(range(min = 0, max = 1)))]
    pub index_priority: f64,
}

/// What should be fetched again.
#[derive(Clone, Debug, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DueQueue {
    /// How many documents are due.
    pub due: u64,
    /// The first of them, the most urgent first.
    pub documents: Vec<DueDocument>,
}

/// A document that should be fetched again.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DueDocument {
    /// The id of the document.
    #[serde(serialize_with = "id")]
    pub id: Id,
    /// Its access labels, which belong to its name; left out if it has none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub labels: Vec<String>,
    /// When and how urgently.
    #[serde(flatten)]
    pub recrawl: Recrawl,
}
