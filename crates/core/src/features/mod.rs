//! From text to hashed features.

pub(crate) mod chunks;
pub(crate) mod extractor;
mod hash_set;
mod items;
mod occurrences;
mod sentences;
pub(crate) mod set;
mod shingles;
mod spots;
mod terms;
mod whole;
mod words;

pub use chunks::{Align, ChunkStreams, Chunks};
pub use extractor::{FeatureExtractor, Features};
pub use hash_set::FeatureHashSet;
pub use items::{Items, WEAK, WithFallback};
pub use sentences::Sentences;
pub use set::FeatureSet;
pub(crate) use set::sort_hashes;
pub use shingles::{Shingles, Unit};
pub use spots::Spots;
pub use terms::Terms;
pub use whole::Whole;
pub use words::Words;
