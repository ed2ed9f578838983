//! The result of [`Session::compare_texts`](crate::Session::compare_texts).

pub use lookalike_core::difference::{Difference, DifferenceKind};
pub use lookalike_core::streams::{StreamAgreement, StreamKind};
pub use lookalike_engine::compare::{
    ComparedDocument, Comparison, Measured, MethodVerdict, PairVerdict, SharedPassage, SignaturePair,
};
