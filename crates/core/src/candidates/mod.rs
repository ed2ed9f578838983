//! From signatures to candidate pairs.
//!
//! There are two ways to pair documents. With a [`Keyer`], documents that share a key become
//! candidates; that scales to any corpus and is what most methods do. A [`Join`] looks at all
//! documents at once, for methods whose signatures have no keys or that must miss no pair.

mod any_value;
mod bands;
mod buckets;
mod curve;
mod emitter;
mod ensemble;
pub(crate) mod finder;
mod hamming;
pub(crate) mod join;
mod keyer;
mod narrowing;
mod set_join;
mod size_cells;
mod size_window;
mod whole_signature;
mod within;

pub use any_value::AnyValue;
pub use bands::Bands;
pub use buckets::{Buckets, pairs_in_bucket, pairs_with_pivots};
pub use curve::Curve;
pub use ensemble::{Ensemble, EnsembleMember};
pub use finder::Finder;
pub use hamming::Hamming;
pub use join::{DETAIL_BITS, Emit, Join, JoinSource, KeyRange, Neighbours, Records};
pub use keyer::{Keyer, NO_KEY};
pub use narrowing::{Lost, Narrowing};
pub use set_join::SetJoin;
pub use size_window::SizeWindow;
pub use whole_signature::WholeSignature;
pub use within::WithinClusters;
