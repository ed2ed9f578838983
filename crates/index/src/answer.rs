//! The answers of an index, as the command line, the service and the page show them.

mod over_time;

pub use over_time::{DueDocument, DueQueue, History, Recrawl, Version};

use lookalike_core::difference::Difference;
use lookalike_core::document::Id;
use lookalike_core::streams::StreamAgreement;
use serde::{Deserialize, Serialize, Serializer};
use serde_json::value::RawValue;

use lookalike_engine::decisions::TextDigest;

/// Whether a document is a duplicate of a known one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Verdict"))]
#[serde(rename_all = "kebab-case")]
pub enum DocumentVerdict {
    /// No known document resembles it.
    New,
    /// It is a near-duplicate of a known document.
    NearDuplicate,
    /// It has exactly the features of a known document.
    Duplicate,
    /// Nothing to compare: empty, too short or not readable. Never a match.
    Unreadable,
}

/// What was done with the document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Action"))]
#[serde(rename_all = "kebab-case")]
pub enum DocumentAction {
    /// It was only checked.
    Checked,
    /// It is in the index now.
    Inserted,
    /// Its id was known: this is a new version.
    Updated,
    /// Its id was known, and every byte is the same.
    Unchanged,
    /// The policy rejected it.
    Rejected,
}

/// The answer to a check or an insert.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Answer {
    /// Whether it is a duplicate.
    pub verdict: DocumentVerdict,
    /// What was done with it.
    pub action: DocumentAction,
    /// The id of the document; null when it has none.
    #[serde(serialize_with = "optional_id")]
    pub id: Option<Id>,
    /// The master of its cluster; null for a document that is alone or unknown.
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
    /// How many documents match. May be more than `matches` lists.
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
    /// If the id was known: how this version differs from the last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<Version>,
    /// Why it is unreadable or was rejected.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The text of the document, if passages were requested in a check.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

/// A known document that matches.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Match {
    /// The id of the known document.
    #[serde(serialize_with = "id")]
    pub id: Id,
    /// Its access labels, which belong to its name; left out if it has none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub labels: Vec<String>,
    /// The title, or else the beginning of the text; left out unless passages were requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Verified on the full feature sets, unless the recipe estimates.
    #[cfg_attr(feature = "schema", schemars(range(min = 0, max = 1)))]
    pub similarity: f64,
    /// The share of the query document's features that this one has; null for an estimate.
    #[cfg_attr(feature = "schema", schemars(range(min = 0, max = 1)))]
    pub contained_in: Option<f64>,
    /// The share of this document's features that the query document has; null for an estimate.
    #[cfg_attr(feature = "schema", schemars(range(min = 0, max = 1)))]
    pub contains: Option<f64>,
    /// The methods that proposed the pair, or `exact` for an exact copy, or `decision` for a person's decision.
    pub method: String,
    /// What weighed most, where a classifier decides.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub because: Vec<String>,
    /// How the query document differs from this one; null for an estimate.
    pub difference: Option<Difference>,
    /// How their images, links and other streams agree; left out if they have none in common.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub streams: Option<StreamAgreement>,
    /// The set of prototypes that it belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub set: Option<String>,
    /// The shared passages, if they were requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub passages: Option<Vec<MatchPassage>>,
}

/// A passage that both documents share, as byte offsets into their texts.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Passage"))]
pub struct MatchPassage {
    /// In the query document: start and end, in bytes.
    pub asked: [usize; 2],
    /// In the known one: start and end, in bytes.
    pub known: [usize; 2],
    /// How many words it has.
    pub words: usize,
}

/// The set of prototypes that a document belongs to.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SetVerdict {
    /// The name of the set.
    pub name: String,
    /// To the most similar prototype.
    #[cfg_attr(feature = "schema", schemars(range(min = 0, max = 1)))]
    pub similarity: f64,
    /// How often the matching prototypes of this set have been hit so far.
    pub hits: u64,
}

/// A stored document.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Stored"))]
pub struct StoredDocument {
    /// The id of the document.
    #[serde(serialize_with = "id")]
    pub id: Id,
    /// The document as it was inserted.
    #[cfg_attr(feature = "schema", schemars(with = "serde_json::Map<String, serde_json::Value>"))]
    pub document: Box<RawValue>,
    /// The master of its cluster; null if it has no words to compare.
    #[serde(serialize_with = "optional_id")]
    pub master: Option<Id>,
    /// The access labels of the master, which belong to its name; left out if it has none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub master_labels: Vec<String>,
    /// Its access labels: callers with one of these may see it; everyone if there is none.
    pub labels: Vec<String>,
    /// The set of prototypes that it belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub set: Option<String>,
    /// Seconds since 1970.
    pub added: u64,
    /// When it was last inserted or hit, in seconds since 1970.
    pub seen: u64,
    /// When it expires, in seconds since 1970; left out if never.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires: Option<u64>,
    /// How often it was hit.
    pub hits: u64,
}

/// A cluster, limited to the members that the caller may see.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Cluster"))]
pub struct VisibleCluster {
    /// The name of the cluster, which is its master's.
    #[serde(serialize_with = "id")]
    pub cluster: Id,
    /// The best document of the cluster.
    #[serde(serialize_with = "id")]
    pub master: Id,
    /// The access labels of the master, which belong to its name; left out if it has none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub labels: Vec<String>,
    /// How many documents it has, including the master.
    pub size: usize,
    /// The lowest similarity of a member to the master; 0 if some were never compared, as in a chain.
    #[cfg_attr(feature = "schema", schemars(range(min = 0, max = 1)))]
    pub weakest: f64,
    /// The most similar first; the master is not among them.
    pub members: Vec<VisibleMember>,
}

/// A document of a cluster.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "ClusterMember"))]
pub struct VisibleMember {
    /// The id of the document.
    #[serde(serialize_with = "id")]
    pub id: Id,
    /// Its access labels, which belong to its name; left out if it has none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub labels: Vec<String>,
    /// To the master; null when the two were never compared, as in a chain.
    #[cfg_attr(feature = "schema", schemars(range(min = 0, max = 1)))]
    pub similarity: Option<f64>,
    /// How it differs from the master; left out in lists of clusters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub difference: Option<Difference>,
    /// How its images, links and other streams agree with the master's; left out if they have none in common.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub streams: Option<StreamAgreement>,
}

/// Another document of the cluster of a master.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct NearDuplicate {
    /// The id of the document.
    #[serde(serialize_with = "id")]
    pub id: Id,
    /// Its access labels, which belong to its name; left out if it has none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub labels: Vec<String>,
    /// The title, or else the beginning of the text; null if no titles were requested.
    pub title: Option<String>,
    /// To the master; null when the two were never compared, as in a chain.
    #[cfg_attr(feature = "schema", schemars(range(min = 0, max = 1)))]
    pub similarity: Option<f64>,
}

/// A person's decision about two documents, and the texts that they have.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Decision {
    /// The first document.
    #[serde(serialize_with = "id")]
    pub a: Id,
    /// The second document.
    #[serde(serialize_with = "id")]
    pub b: Id,
    /// The access labels of the first, which belong to its name; left out if it has none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub a_labels: Vec<String>,
    /// The access labels of the second, which belong to its name; left out if it has none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub b_labels: Vec<String>,
    /// Whether they are duplicates.
    pub duplicate: bool,
    /// The digest of the text of the first.
    pub a_text: TextDigest,
    /// The digest of the text of the second.
    pub b_text: TextDigest,
    /// Who decided.
    pub by: String,
    /// Seconds since 1970.
    pub time: u64,
}

/// What one person decided of a pair, whether or not that is in force.
#[derive(Clone, Debug, PartialEq)]
pub struct Judgement {
    /// The digests of the two contents, the smaller first.
    pub pair: (u128, u128),
    /// Whether they are duplicates.
    pub duplicate: bool,
    /// Who decided.
    pub by: String,
    /// Seconds since 1970.
    pub time: u64,
}

/// A document that a person prefers as the master of its cluster.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Keeper"))]
pub struct Preference {
    /// The id of the document.
    #[serde(serialize_with = "id")]
    pub id: Id,
    /// Its access labels, which belong to its name; left out if it has none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub labels: Vec<String>,
    /// The digest of its text.
    pub text: TextDigest,
    /// Who prefers it.
    pub by: String,
    /// Seconds since 1970.
    pub time: u64,
}

/// A document and the master of its cluster, both by lasting number and as visible in a view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Resolved {
    /// The document.
    pub number: u32,
    /// Its master, which may be the document itself.
    pub master: u32,
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
