//! Text, images, links and metadata out of documents of many formats.
//!
//! ```
//! use lookalike_extract::{ExtractOutcome, Options, extract};
//! let mut found = Vec::new();
//! extract(b"<html><body><h1>Minutes</h1><p>All agreed.</p></body></html>", "minutes.html", &Options::default(),
//!     &mut |outcome| found.push(outcome));
//! let ExtractOutcome::Document(document) = &found[0] else { panic!() };
//! assert_eq!(document.text, "Minutes\n\nAll agreed.");
//! ```
//!
//! The content decides which format a file has, not its name ([`Kind::detect`]). A format is one file in `formats`,
//! with one function from bytes to documents, and one row in `table`. A container (archive, mailbox, crawl, news
//! file) gives several documents, each named by its place within the file.
//!
//! Files may be malicious. Functions here must not panic, and a budget bounds what they write; but
//! libraries can loop or crash, so files from strangers should be read in a child process, which is
//! what [`worker`] does.

#![deny(missing_docs)]

mod body;
mod budget;
mod date;
mod dispatch;
mod document;
mod file;
mod format;
mod formats;
mod kind;
mod out;
mod picture;
mod reason;
pub mod site;
mod table;
pub mod worker;

pub use dispatch::{extract, extract_as, extract_stream};
pub use document::{Anchor, Confidence, Extracted, Heading, Mark, Tag};
pub use file::{File, hash_of};
pub use kind::{Category, Kind};
pub use lookalike_core::reading::{Limits, Ocr, Options, PdfReader, PostScriptReader, RULES};
pub use out::ExtractOutcome;
pub use picture::Picture;
pub use reason::Reason;
