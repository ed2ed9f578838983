//! Documents in files of many formats: reading them, finding near-duplicates among them, acting on those, undoing
//! that.
//!
//! Files from strangers are read by child processes, so that a file that makes a reader crash or loop affects nothing
//! else. The program for that may be the caller's own: it passes [`Program`] its path and an argument to
//! [`Session::reading_files_by`](crate::Session::reading_files_by), and calls [`serve`] when it is started with that
//! argument.
//!
//! ```no_run
//! use lookalike::files::{Program, ScanJob, Sources, serve};
//! use lookalike::{Quiet, Session};
//!
//! fn main() -> Result<(), Box<dyn std::error::Error>> {
//!     if std::env::args().nth(1).as_deref() == Some("read-files") {
//!         return Ok(serve()?);
//!     }
//!     let program = Program { path: std::env::current_exe()?, arguments: vec!["read-files".to_owned()] };
//!     let session = Session::default().reading_files_by(program.clone());
//!     let sources = Sources { paths: vec!["documents".into()], ..Sources::default() };
//!     let job = ScanJob { sources, by_type: false, program, threads: 2, memory: 1 << 30, cache: None };
//!     let report = session.scan(&session.standard()?, &job, false, &Quiet)?.report;
//!     println!("{} clusters of near-duplicates", report.clusters.len());
//!     Ok(())
//! }
//! ```
//!
//! [`extract`] reads one file in this process, for trusted files.

pub use lookalike_engine::extraction::Extraction;
pub use lookalike_extract::worker::{Program, serve};
pub use lookalike_extract::{
    Category, Confidence, ExtractOutcome, Extracted, Kind, Limits, Mark, Ocr, Options, PdfReader, Picture,
    PostScriptReader, Reason, Tag, extract,
};
pub use lookalike_files::documents::{Reference, Sources};
pub use lookalike_files::scan::{
    Scan, ScanCluster, ScanJob, ScanMember, ScanReport, Streams, Unreadable, csv, default_cache, page, table,
};

/// Acting on the duplicates of a scan: a plan, carrying it out with a log, and undoing it by that log.
pub mod apply {
    pub use lookalike_files::scan::apply::{
        Action, ActionPlan, ActionRequest, SkippedFile, Step, Summary, Undone, apply, plan, undo,
        undo_log_name,
    };
}
