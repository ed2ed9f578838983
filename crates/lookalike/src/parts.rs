//! What you need to write parts of your own: a trait for each stage, their inputs and outputs, and how the settings
//! of a recipe are read. [`testing`] checks that a part follows the rules of its stage.
//!
//! | stage | trait | in the [`Registry`](crate::Registry) |
//! |---|---|---|
//! | features | [`FeatureExtractor`] | `features` |
//! | signature | [`Signer`] | `sign` |
//! | candidates | [`Keyer`] or [`Join`], as a [`Finder`] | `candidates` |
//! | partition | [`Partitioner`] | `partitions` |
//! | measure | [`Measure`] | `measures` |
//! | decision | [`Decider`] | `decide` |
//! | clusters | [`Clusterer`] | `cluster` |
//! | which document is kept | [`KeepRule`] | `register_keep_rule` |
//!
//! A [`Method`] is a name for a recipe. `examples/plugin` is a crate with three parts and a method.

pub use lookalike_core::candidates::{
    Bands, Curve, Emit, Finder, Join, JoinSource, Keyer, NO_KEY, Neighbours, Records,
};
pub use lookalike_core::cluster::{Cluster, Clusterer, Edge, KeepRule};
pub use lookalike_core::decide::{Because, Decider, Measure, NO_REASON, Overlap, Verdict};
pub use lookalike_core::document::{Document, Value};
pub use lookalike_core::features::{FeatureExtractor, FeatureSet, Features};
pub use lookalike_core::lexicon::{Assets, Lexicon};
pub use lookalike_core::method::Method;
pub use lookalike_core::partition::{Notes, Partition, Partitioner, ReadFeatures, Vectors};
pub use lookalike_core::registry::{BuildContext, Param, Params, PartInfo, Parts, Spec};
pub use lookalike_core::sign::Signer;
pub use lookalike_core::text::{Scratch, Word, for_each_word, words};
pub use lookalike_core::{hash, testing};
