//! Decisions of people about pairs, as a file that runs and indexes apply.

pub use lookalike_engine::decisions::{DecidedPair, Decisions, Named, TextDigest};
