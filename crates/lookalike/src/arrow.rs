//! Documents and results as Arrow tables in memory: [`Session::dedup_table`](crate::Session::dedup_table) finds
//! near-duplicates among the rows of a [`Table`], [`ResultKind`] and [`Rows`] are what it found.

pub use lookalike_arrow::{
    Batches, Lines, ResultKind, Rows, Table, TableSource, job, kept_files, kernels, read_lines,
};
