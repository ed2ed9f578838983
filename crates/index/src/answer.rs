//! What an index answers, as the command line, the service and the page show it.

use lookalike_core::document::Id;
use serde::{Deserialize, Serialize, Serializer};
use serde_json::value::RawValue;

use lookalike_engine::decisions::TextDigest;

/// What was found of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Verdict"))]
#[serde(rename_all = "kebab-case")]
pub enum DocumentVerdict {
    /// Nothing like it is known.
    New,
    NearDuplicate,
    /// All of its features are those of a known document.
    Duplicate,
    /// Nothing to compare: empty, too short or not readable. Never a match.
    Unreadable,
}

/// What became of the document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Action"))]
#[serde(rename_all = "kebab-case")]
pub enum DocumentAction {
    /// It was only looked at.
    Checked,
    /// It is in the index now.
    Inserted,
    /// Its id was known: this is a new version.
    Updated,
    /// Its id was known, and so was every byte of it.
    Unchanged,
    /// The policy left it out.
    Rejected,
}

/// The answer to a check or an insert.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Answer {
    pub verdict: DocumentVerdict,
    pub action: DocumentAction,
    /// Of the document asked about; null when it has none.
    #[serde(serialize_with = "optional_id")]
    pub id: Option<Id>,
    /// The document that stands for the cluster; null for a document that is alone or unknown.
    #[serde(serialize_with = "optional_id")]
    pub master: Option<Id>,
    /// The name of the cluster, which is its master's.
    #[serde(serialize_with = "optional_id")]
    pub cluster: Option<Id>,
    /// The access labels of the master, which belong to its name; left out if it has none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub master_labels: Vec<String>,
    /// The most similar first.
    pub matches: Vec<Match>,
    /// How many match, more than `matches` holds if that was limited.
    pub matching: usize,
    /// The documents that were removed in favour of this one.
    #[serde(serialize_with = "ids", skip_serializing_if = "Vec::is_empty")]
    pub replaced: Vec<Id>,
    /// The access labels of each of them; left out if none has any.
    #[serde(skip_serializing_if = "none_labelled")]
    pub replaced_labels: Vec<Vec<String>>,
    /// The set of prototypes that the best match belongs to, such as known spam.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub set: Option<SetVerdict>,
    /// For an id that was known: how this version differs from the last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<Version>,
    /// Why it is unreadable or was rejected.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The text of the document asked about, for a check that tells passages.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

/// A known document that is alike.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Match {
    #[serde(serialize_with = "id")]
    pub id: Id,
    /// Its access labels, which belong to its name; left out if it has none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub labels: Vec<String>,
    /// The title, or else the beginning of the text, where passages are told.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Verified on the full feature sets, unless the recipe estimates.
    #[cfg_attr(feature = "schema", schemars(range(min = 0, max = 1)))]
    pub similarity: f64,
    /// The part of the asked document's features that this one has.
    #[cfg_attr(feature = "schema", schemars(range(min = 0, max = 1)))]
    pub contained_in: Option<f64>,
    /// The part of this one's features that the asked document has.
    #[cfg_attr(feature = "schema", schemars(range(min = 0, max = 1)))]
    pub contains: Option<f64>,
    /// The methods that proposed the pair, or `exact` for a copy, or `decision` for a person's word.
    pub method: String,
    /// What weighed most, where a classifier decides.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub because: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub set: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub passages: Option<Vec<MatchPassage>>,
}

/// Words that both documents have, as byte offsets into their texts.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Passage"))]
pub struct MatchPassage {
    /// In the document asked about: start and end, in bytes.
    pub asked: [usize; 2],
    /// In the known one: start and end, in bytes.
    pub known: [usize; 2],
    pub words: usize,
}

/// What the prototypes say of a message.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SetVerdict {
    pub name: String,
    /// To the prototype that is most alike.
    #[cfg_attr(feature = "schema", schemars(range(min = 0, max = 1)))]
    pub similarity: f64,
    /// How often prototypes of this set that match were met so far.
    pub hits: u64,
}

/// One version of a document.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Version {
    /// Seconds since 1970.
    pub time: u64,
    /// Whether any byte differs from the version before; true for the first.
    pub changed: bool,
    /// To the version before; null for the first and where nothing can be compared.
    #[cfg_attr(feature = "schema", schemars(range(min = 0, max = 1)))]
    pub similarity: Option<f64>,
    /// Bytes of the document.
    pub bytes: u64,
}

/// What is known of an id over time.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct History {
    #[serde(serialize_with = "id")]
    pub id: Id,
    /// Its access labels, which belong to its name; left out if it has none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub labels: Vec<String>,
    /// The oldest first.
    pub versions: Vec<Version>,
    /// How often it came again without any change since the last version.
    pub unchanged: u64,
    pub recrawl: Recrawl,
}

/// When to fetch a document again, and how urgently.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Recrawl {
    /// Seconds until the next visit pays.
    pub interval: u64,
    /// Seconds since 1970.
    pub due: u64,
    /// From 0 to 1: near-duplicates of a better document can wait.
    #[cfg_attr(feature = "schema", schemars(range(min = 0, max = 1)))]
    pub crawl_priority: f64,
    #[cfg_attr(feature = "schema", schemars(range(min = 0, max = 1)))]
    pub index_priority: f64,
}

/// A stored document.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Stored"))]
pub struct StoredDocument {
    #[serde(serialize_with = "id")]
    pub id: Id,
    /// As it was given.
    #[cfg_attr(feature = "schema", schemars(with = "serde_json::Map<String, serde_json::Value>"))]
    pub document: Box<RawValue>,
    #[serde(serialize_with = "optional_id")]
    pub master: Option<Id>,
    /// The access labels of the master, which belong to its name; left out if it has none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub master_labels: Vec<String>,
    /// Who may see it: callers with one of these; everybody if there is none.
    pub labels: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub set: Option<String>,
    /// Seconds since 1970.
    pub added: u64,
    pub seen: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires: Option<u64>,
    pub hits: u64,
}

/// A cluster as its readers may see it.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Cluster"))]
pub struct VisibleCluster {
    /// The name of the cluster, which is its master's.
    #[serde(serialize_with = "id")]
    pub cluster: Id,
    #[serde(serialize_with = "id")]
    pub master: Id,
    /// The access labels of the master, which belong to its name; left out if it has none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub labels: Vec<String>,
    pub size: usize,
    /// The similarity of the member that is least like the master.
    #[cfg_attr(feature = "schema", schemars(range(min = 0, max = 1)))]
    pub weakest: f64,
    /// The most similar first; the master is not among them.
    pub members: Vec<VisibleMember>,
}

#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "ClusterMember"))]
pub struct VisibleMember {
    #[serde(serialize_with = "id")]
    pub id: Id,
    /// Its access labels, which belong to its name; left out if it has none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub labels: Vec<String>,
    /// To the master; null when the two were never compared, as in a chain.
    #[cfg_attr(feature = "schema", schemars(range(min = 0, max = 1)))]
    pub similarity: Option<f64>,
}

/// A document beside the master of its cluster.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct NearDuplicate {
    #[serde(serialize_with = "id")]
    pub id: Id,
    /// Its access labels, which belong to its name; left out if it has none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub labels: Vec<String>,
    /// The title, or else the beginning of the text; null where none was asked for.
    pub title: Option<String>,
    /// To the master; null when the two were never compared, as in a chain.
    #[cfg_attr(feature = "schema", schemars(range(min = 0, max = 1)))]
    pub similarity: Option<f64>,
}

/// What a person said of two documents, and the texts that they have.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Decision {
    #[serde(serialize_with = "id")]
    pub a: Id,
    #[serde(serialize_with = "id")]
    pub b: Id,
    /// The access labels of the first, which belong to its name; left out if it has none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub a_labels: Vec<String>,
    /// The same of the second.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub b_labels: Vec<String>,
    pub duplicate: bool,
    pub a_text: TextDigest,
    pub b_text: TextDigest,
    pub by: String,
    /// Seconds since 1970.
    pub time: u64,
}

/// A document that a person wants to stand for its cluster.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Keeper"))]
pub struct Preference {
    #[serde(serialize_with = "id")]
    pub id: Id,
    /// Its access labels, which belong to its name; left out if it has none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub labels: Vec<String>,
    pub text: TextDigest,
    pub by: String,
    /// Seconds since 1970.
    pub time: u64,
}

/// A document by number, and the best document of its cluster, as somebody sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Resolved {
    pub number: u32,
    pub master: u32,
}

/// Figures about an index.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Stats {
    pub scheme: String,
    pub method: String,
    pub threshold: f64,
    pub generation: u64,
    pub documents: u64,
    /// Documents that differ from all others in some feature.
    pub contents: u64,
    /// Clusters of two documents or more.
    pub clusters: u64,
    /// Documents in clusters that are not the master.
    pub duplicates: u64,
    pub pairs: u64,
    pub decisions: u64,
    pub text_bytes: u64,
    /// Bytes on disk beside the stored texts.
    pub index_bytes: u64,
    /// Bytes of texts that `compact` would free.
    pub dead_bytes: u64,
    /// Operations since the last checkpoint: what opening after a crash replays.
    pub log_operations: u64,
    /// How far a new generation is, while one is built.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resigning: Option<f64>,
}

fn none_labelled(sets: &[Vec<String>]) -> bool {
    sets.iter().all(Vec::is_empty)
}

fn raw(id: &Id) -> Result<Box<RawValue>, String> {
    RawValue::from_string(id.json().to_owned()).map_err(|error| error.to_string())
}

pub(super) fn id<S: Serializer>(id: &Id, serializer: S) -> Result<S::Ok, S::Error> {
    raw(id).map_err(serde::ser::Error::custom)?.serialize(serializer)
}

pub(super) fn optional_id<S: Serializer>(id: &Option<Id>, serializer: S) -> Result<S::Ok, S::Error> {
    let raw = id.as_ref().map(raw).transpose().map_err(serde::ser::Error::custom)?;
    raw.serialize(serializer)
}

fn ids<S: Serializer>(ids: &[Id], serializer: S) -> Result<S::Ok, S::Error> {
    let raw = ids.iter().map(raw).collect::<Result<Vec<_>, _>>().map_err(serde::ser::Error::custom)?;
    raw.serialize(serializer)
}
