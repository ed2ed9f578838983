//! Full-text search over the documents of an index, with duplicates collapsed.
//!
//! Every living document is indexed by its lasting number, not only masters: a caller may be allowed to see a
//! member of a cluster but not its master, and clusters change without any document being indexed again. Documents
//! are collapsed when a query is answered, by a [`DocumentAccess`] that knows what the caller may see. Hidden
//! documents have no influence on hits, totals, facets, scores and snippets.
//!
//! ```
//! use lookalike_search::{DocumentAccess, Query, Search, SearchSettings};
//!
//! /// Two documents, of which the first is the master of both.
//! struct Both;
//! const LINES: [&str; 2] = [r#"{"text":"The ferry is late."}"#, r#"{"text":"The ferry is late!"}"#];
//! impl DocumentAccess for Both {
//!     fn masters(&self, numbers: &[u32]) -> Vec<Option<u32>> {
//!         numbers.iter().map(|_| Some(0)).collect()
//!     }
//!     fn document(&self, number: u32) -> Option<Vec<u8>> {
//!         LINES.get(number as usize).map(|line| line.as_bytes().to_vec())
//!     }
//! }
//!
//! let dir = tempfile::tempdir().unwrap();
//! let search = Search::open(dir.path(), SearchSettings::default())?;
//! for number in search.next()?..2 {
//!     search.add(number, LINES[number as usize].as_bytes())?;
//! }
//! search.commit()?;
//! let found = search.query(&Query::new("ferry late"), &Both)?;
//! assert_eq!((found.total, &found.hits[0].matched[..]), (1, &[0, 1][..]));
//! # Ok::<(), lookalike_core::Error>(())
//! ```

mod budget;
mod collapse;
mod facets;
mod folder;
mod line;
mod matching;
mod parse;
mod query;
mod schema;
mod search;
mod snapshot;
mod snippet;
mod words;

pub use collapse::DocumentAccess;
pub use facets::MOST_VALUES;
pub use query::{Hit, MOST_HITS, MOST_MATCHED, Matches, Query, SearchResults};
pub use schema::SearchSettings;
pub use search::Search;
pub use snippet::Snippet;
