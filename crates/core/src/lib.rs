//! What near-duplicate detection computes, without any files.
//!
//! Data flows one way: [`document`] → [`text`] → [`features`] → [`sign`] → [`candidates`] →
//! [`decide`] → [`cluster`]. Each stage is a small trait; [`registry`] builds its parts by name.
//!
//! ```
//! use lookalike_core::{decide::{Decider, Jaccard, Threshold}, document::Document};
//! use lookalike_core::features::{FeatureSet, Features, Shingles, Unit};
//!
//! let shingles = Shingles::new(Unit::Word, 2)?;
//! let mut features = Features::default();
//! let mut set = |text| {
//!     features.fill(&shingles, &Document::from_text(text));
//!     FeatureSet::from_features(&features)
//! };
//! let (a, b) = (set("the same four words"), set("The same: four words!"));
//! assert!(Threshold::new(Box::new(Jaccard), 0.8).decide(&a, &b).duplicate);
//! # Ok::<(), lookalike_core::Error>(())
//! ```

#![deny(missing_docs)]

mod built_in;
pub mod candidates;
pub mod cluster;
pub mod decide;
pub mod difference;
pub mod document;
pub mod duration;
mod error;
pub mod features;
pub mod hash;
pub mod lexicon;
pub mod maths;
pub mod method;
pub mod numbers;
pub mod part;
pub mod partition;
pub mod passages;
pub mod reading;
pub mod registry;
pub mod scheme;
pub mod sign;
pub mod streams;
pub mod testing;
pub mod text;
pub mod threads;
pub mod union_find;
mod votes;
pub mod warc;

pub use error::{Error, Result};
