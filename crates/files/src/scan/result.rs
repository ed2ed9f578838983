//! What a scan found, as `--json` prints it and as everything else is made from it.

use serde::{Deserialize, Serialize};

use crate::documents::Inode;
use lookalike_engine::run::doubts::Doubt;

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ScanReport {
    /// Files looked at; each is read or unreadable.
    pub files: u64,
    /// Files that gave at least one document.
    pub read: u64,
    pub documents: u64,
    pub unreadable: Vec<Unreadable>,
    /// Files that hold several documents; no action touches them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub containers: Vec<String>,
    /// Parts that could not be read, of files that gave other documents.
    pub partly: Vec<Unreadable>,
    /// Documents of which too little could be read to compare their texts. They match only by what
    /// is not their text, and are never acted on unless they are byte for byte the same. A path is
    /// `path#part` for a document within a file.
    #[serde(default)]
    pub weak: Vec<Unreadable>,
    pub clusters: Vec<ScanCluster>,
    /// Bytes that removing every duplicate would free: of files that an action may touch, each once.
    pub duplicate_bytes: u64,
    pub method: String,
    pub threshold: f64,
    pub scheme: String,
    /// The whole recipe with every default spelled out.
    pub recipe: toml::Table,
    pub warnings: Vec<String>,
    /// Files whose content was known from an earlier scan.
    pub from_cache: u64,
    pub seconds: f64,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unreadable {
    pub path: String,
    pub reason: String,
}

/// Documents that are all near-duplicates of one of them, the master.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ScanCluster {
    /// From 1.
    pub cluster: u64,
    pub master: String,
    pub size: u64,
    /// The least similarity of a member to the master.
    pub weakest: f64,
    /// The rule by which the master comes before the next best, or `id` if none of them decides.
    #[serde(default)]
    pub kept_by: String,
    /// The same in words.
    pub kept_because: String,
    /// What a person should know before trusting the cluster.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    #[serde(skip)]
    pub(super) doubts: Vec<Doubt>,
    /// The master first, then the others, the most similar first.
    pub members: Vec<ScanMember>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ScanMember {
    /// The path, or `path#part` for a document within a file.
    pub id: String,
    /// To the master; 1 for the master itself. Of the texts where both have one to compare, else of what
    /// agrees; `found_by` says what that is.
    pub similarity: f64,
    /// How the streams agree with the master's; absent where one of the two has nothing there.
    pub streams: Streams,
    /// Who found it: the method, and `file`, `images`, `links`, `metadata` or `page`; nothing for the master.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub found_by: Vec<String>,
    /// What is the very same as in the master: `file`, `text`, or nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub same: Option<String>,
    /// How much of this document is in the master, and of the master in it.
    pub contained_in_master: Option<f64>,
    pub contains_master: Option<f64>,
    pub path: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub part: Option<String>,
    #[serde(rename = "type")]
    pub kind: String,
    pub bytes: u64,
    /// Bytes that removing the file would free; nothing for a master, for a part, for what no action
    /// touches, and for a file that keeps another name.
    #[serde(default)]
    pub frees: u64,
    #[serde(skip)]
    pub(super) inode: Inode,
    /// The time that `newest` goes by, as ISO 8601, and whether it is that of the `document` or the `file`.
    #[serde(default)]
    pub dated: String,
    #[serde(default)]
    pub dated_by: String,
    /// When the file was changed last, as ISO 8601.
    pub modified: String,
    /// Nanoseconds since 1970; tells that the file changed since.
    pub modified_nanos: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The document's own date.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub date: Option<String>,
    pub words: u64,
    /// Why the text is weak; nothing where it is not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weak: Option<String>,
    pub images: u64,
    pub links: u64,
    pub file_hash: String,
}

/// Similarity by stream.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Streams {
    pub text: Option<f64>,
    pub images: Option<f64>,
    pub links: Option<f64>,
    /// Of two web pages with the same title: how much of their structure is the same.
    pub page: Option<f64>,
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
