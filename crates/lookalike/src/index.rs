//! The persistent index: documents are added, changed and removed, and answers are those of a batch run over the
//! present documents.
//!
//! [`Session::create_index`](crate::Session::create_index) and [`Session::open_index`](crate::Session::open_index)
//! return an [`Index`]; an [`IndexReader`] queries it, an [`IndexWriter`] changes it, a [`Surveyor`] gives overviews.

pub use lookalike_index::survey;
pub use lookalike_index::{
    Answer, Apart, BulkLoader, ClusterMap, ClusterPlan, ClusterShape, CorpusLine, Decision, DocumentAction,
    DocumentName, DocumentVerdict, DueDocument, DueQueue, Formats, Grouping, History, ImportedDecisions,
    Index, IndexLimits, IndexReader, IndexWriter, Judgement, LexiconKind, LexiconStats, MapMember, Match,
    MatchPassage, MemberPage, NearDuplicate, Outside, PinnedDocument, PinnedFile, PinnedIndex, PinnedMember,
    PlannedRemoval, Policy, Preference, Preview, QueryOptions, ReadTransaction, Recrawl, Refresh,
    RefreshReason, RefreshStats, Refusal, Removal, RemovalReason, RemovalReportFormat, RemovedDocument,
    Repository, Resolved, Retention, ReviewOrder, ReviewPair, SetVerdict, ShapeGroup, Snapshot, SnapshotFile,
    SnapshotInfo, Stats, StoredDocument, Surveyor, Taken, Verified, Version, View, VisibleCluster,
    VisibleMember, Waiting,
};
