//! The result of a scan, as `--json` prints it; all other output is made from it.

use serde::{Deserialize, Serialize};

use crate::documents::Inode;
use lookalike_core::difference::Difference;
use lookalike_core::streams::StreamKind;
use lookalike_engine::run::doubts::Doubt;

/// The result of a scan.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ScanReport {
    /// Files found; each is read or unreadable.
    pub files: u64,
    /// Files that gave at least one document.
    pub read: u64,
    /// Documents in the files.
    pub documents: u64,
    /// Files and parts that gave no document.
    pub unreadable: Vec<Unreadable>,
    /// Files that hold several documents; no action touches them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub containers: Vec<String>,
    /// Parts that could not be read, of files that gave other documents.
    pub partly: Vec<Unreadable>,
    /// Documents of which too little could be read to compare their texts. They match only by
    /// something other than their text, and are never acted on unless they are byte for byte the
    /// same. A path is `path#part` for a document within a file.
    #[serde(default)]
    pub weak: Vec<Unreadable>,
    /// Documents that are near-duplicates of each other.
    pub clusters: Vec<ScanCluster>,
    /// Bytes that removing every duplicate would free: of files that an action may touch, each once.
    pub duplicate_bytes: u64,
    /// The method that texts were compared by.
    pub method: String,
    /// The least similarity of near-duplicates.
    pub threshold: f64,
    /// What signatures were made by.
    pub scheme: String,
    /// The whole recipe with every default spelled out.
    pub recipe: toml::Table,
    /// Warnings for readers of the report.
    pub warnings: Vec<String>,
    /// Files whose content was known from an earlier scan.
    pub from_cache: u64,
    /// How long it took.
    pub seconds: f64,
}

/// A file that could not be read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unreadable {
    /// Where it is.
    pub path: String,
    /// Why it could not be read.
    pub reason: String,
}

/// Documents that are all near-duplicates of one of them, the master.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ScanCluster {
    /// From 1.
    pub cluster: u64,
    /// The id of the document that would be kept.
    pub master: String,
    /// Documents in it.
    pub size: u64,
    /// The least similarity of a member to the master.
    pub weakest: f64,
    /// The rule that ranks the master before the next best, or `id` if none of them decides.
    #[serde(default)]
    pub kept_by: String,
    /// The same in words.
    pub kept_because: String,
    /// Warnings about the cluster.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    #[serde(skip)]
    pub(super) doubts: Vec<Doubt>,
    /// The master first, then the others, the most similar first.
    pub members: Vec<ScanMember>,
}

/// A document of a cluster, and why it is in it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ScanMember {
    /// The path, or `path#part` for a document within a file.
    pub id: String,
    /// Similarity to the master; 1 for the master itself. Of the texts if both have one to compare,
    /// otherwise of what agrees; `found_by` says what that is.
    pub similarity: f64,
    /// How the streams agree with the master's; absent if one of the two has nothing there.
    pub streams: Streams,
    /// What found it: the method, and `file`, `images`, `links`, `metadata` or `page`; empty for the master.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub found_by: Vec<String>,
    /// What is exactly the same as in the master: `file`, `text`, or absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub same: Option<String>,
    /// How much of this document is in the master.
    pub contained_in_master: Option<f64>,
    /// How much of the master is in this document.
    pub contains_master: Option<f64>,
    /// How this document differs from the master; absent for the master, and if the texts were not compared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub difference: Option<Difference>,
    /// The file.
    pub path: String,
    /// The document within the file, if that holds several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub part: Option<String>,
    /// The format.
    #[serde(rename = "type")]
    pub kind: String,
    /// The length of the file.
    pub bytes: u64,
    /// Bytes that removing the file would free; absent for a master, for a part, for files that no
    /// action touches, and for a file that keeps another name.
    #[serde(default)]
    pub frees: u64,
    #[serde(skip)]
    pub(super) inode: Inode,
    /// The time that the rule `newest` uses, as ISO 8601.
    #[serde(default)]
    pub dated: String,
    /// Whether that is the time of the `document` or of the `file`.
    #[serde(default)]
    pub dated_by: String,
    /// When the file was changed last, as ISO 8601.
    pub modified: String,
    /// Nanoseconds since 1970; shows whether the file has changed since.
    pub modified_nanos: u64,
    /// The title in the document.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The document's own date.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub date: Option<String>,
    /// Words of its text.
    pub words: u64,
    /// Why the text is weak; absent if it is not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weak: Option<String>,
    /// Images in it.
    pub images: u64,
    /// Links in it.
    pub links: u64,
    /// The digest of the file's bytes.
    pub file_hash: String,
}

/// Similarity by stream.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Streams {
    /// How alike the texts are.
    pub text: Option<f64>,
    /// How alike the images are.
    pub images: Option<f64>,
    /// How alike the links are.
    pub links: Option<f64>,
    /// How alike title, author, date and language are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metadata: Option<f64>,
    /// How alike pages are built.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub structure: Option<f64>,
    /// For two web pages with the same title: how much of their structure is the same.
    pub page: Option<f64>,
    /// The streams of which both have several items and nearly none in common.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub contradict: Vec<StreamKind>,
}

impl ScanReport {
    /// Documents that are near-duplicates of a master.
    pub fn duplicates(&self) -> impl Iterator<Item = (&ScanCluster, &ScanMember)> {
        self.clusters.iter().flat_map(|cluster| {
            cluster
                .members
                .iter()
                .filter(|member| member.id != cluster.master)
                .map(move |member| (cluster, member))
        })
    }
}
