//! The persistent index: documents come, change and go, and answers are those of a batch run over what is there.
//!
//! [`Session::create_index`](crate::Session::create_index) and [`Session::open_index`](crate::Session::open_index) give an
//! [`Index`]; a [`IndexReader`] asks it, a [`IndexWriter`] changes it, a [`Surveyor`] looks at all of it.

pub use lookalike_index::survey;
pub use lookalike_index::{
    Answer, BulkLoader, ClusterMap, ClusterPlan, CorpusLine, Decision, DocumentAction, DocumentName,
    DocumentVerdict, History, Index, IndexLimits, IndexReader, IndexWriter, MapMember, Match, MatchPassage,
    NearDuplicate, Outside, PinnedDocument, PinnedMember, PlannedRemoval, Policy, Preference, Preview,
    QueryOptions, ReadTransaction, Recrawl, Refusal, Removal, RemovalReason, RemovalReportFormat,
    RemovedDocument, Resolved, SetVerdict, Stats, StoredDocument, Surveyor, Version, View, VisibleCluster,
    VisibleMember,
};
