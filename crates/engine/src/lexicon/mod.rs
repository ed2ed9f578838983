//! Lexicons from corpora, from counts made elsewhere, and by name.
//!
//! ```no_run
//! use lookalike_engine::Quiet;
//! use lookalike_core::lexicon::Window;
//! use lookalike_engine::lexicon::{CountJob, build};
//! let built = build(&CountJob::new(["corpus.jsonl"], "corpus.lexicon"), None, &Quiet)?;
//! let window = Window::parse("0.2:0.8")?;
//! println!("{} of {} words", window.select(&built.lexicon).terms, built.lexicon.len());
//! # Ok::<(), lookalike_core::Error>(())
//! ```

mod assets;
mod build;
mod documents;
mod import;
mod map;
mod rejects;
mod runs;
mod target;
mod terms;

pub use assets::AssetFiles;
pub use build::{Built, CountJob, build};
pub use documents::{count_documents, count_nothing};
pub use import::import;
pub use map::open;
pub use terms::TermReader;

/// The name in recipes of the lexicon that is counted from the documents at hand.
pub const NATIVE: &str = "native";
/// The name that the lexicon of a run's own corpus has beside its results.
pub const NATIVE_FILE: &str = "native.lexicon";
