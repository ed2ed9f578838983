//! Documents in Arrow tables, and results as Arrow tables: what other languages and engines exchange with this one.
//!
//! A [`TableSource`] hands the rows of a table to the engine without copying their texts. [`ResultKind`] turns the
//! results of a run, in memory or in files, into tables; [`Rows`] are the documents that it keeps. The [`kernels`] are the
//! engine's steps as functions from tables to tables.

#![deny(missing_docs)]

pub mod job;
pub mod kernels;
mod lines;
mod results;
mod rows;
mod source;
mod texts;
mod values;

pub use lines::read as read_lines;
pub use results::{ResultKind, kept_files};
pub use rows::{Batches, Lines, Rows};
pub use source::TableSource;
pub use values::Table;
