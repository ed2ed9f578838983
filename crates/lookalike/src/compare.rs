//! What [`Session::compare_texts`](crate::Session::compare_texts) finds out about two documents.

pub use lookalike_engine::compare::{
    ComparedDocument, Comparison, Measured, MethodVerdict, PairVerdict, SharedPassage, SignaturePair,
};
