//! What people decided of pairs, as a file that runs and indexes obey.

pub use lookalike_engine::decisions::{DecidedPair, Decisions, Named, TextDigest};
