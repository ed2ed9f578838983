//! The stage `keep`: what a rule is.

use crate::document::{Document, Value};
use crate::part::{Param, PartInfo};

/// Scores documents, so that the best of a cluster is kept.
pub trait KeepRule: Send + Sync {
    /// The names of the fields this rule reads. The first one that a document has is used.
    fn fields(&self) -> Vec<String> {
        Vec::new()
    }

    /// How good the document is; larger is kept. `values` holds the fields asked for.
    fn score(&self, document: &Document<'_>, values: &[Option<Value<'_>>]) -> u64;
}

/// What the names `longest`, `newest`… stand for.
pub struct Keep;

impl Keep {
    /// The description of this part in the registry.
    pub const INFO: PartInfo = PartInfo {
        name: "rule",
        summary: "Rules asked in turn, separated by commas; ties are settled by the id",
        paper: "S09 §2.6.2",
        params: &[Param {
            name: "rule",
            default: "\"longest\"",
            help: "longest, newest, first, shortest-url, max:FIELD, min:FIELD, source:a>b",
        }],
    };
}
