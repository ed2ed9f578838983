//! What [`Session::compare_texts`](crate::Session::compare_texts) finds out about two documents.

pub use lookalike_engine::compare::{
    Comparison, Measured, MethodVerdict, SharedPassage, Side, SignaturePair, Verdict,
};
