//! From signatures to candidate pairs.
//!
//! There are two ways to pair. With a [`Keyer`], documents that share a key meet; that scales to any
//! corpus and is the way of most methods. A [`Join`] looks at all documents at once, for methods
//! whose signatures have no keys, or that promise to miss nothing.

mod any_value;
mod bands;
mod buckets;
mod curve;
mod ensemble;
mod hamming;
mod narrowing;
mod outlet;
mod set_join;
mod size_window;
mod whole_signature;
mod within;

pub use any_value::AnyValue;
pub use bands::Bands;
pub use buckets::{Buckets, pairs_in_bucket};
pub use curve::Curve;
pub use ensemble::{Ensemble, Member};
pub use hamming::Hamming;
pub use narrowing::{Lost, Narrowing};
pub use set_join::SetJoin;
pub use size_window::SizeWindow;
pub use whole_signature::WholeSignature;
pub use within::WithinClusters;

use crate::error::Result;
use crate::features::Features;
use crate::registry::Spec;

/// The key of a document that has none at this place: it meets nobody there.
pub const NO_KEY: u64 = u64::MAX;

/// How candidates are found: what `[candidates] type = …` names.
pub enum Finder {
    Keys(Box<dyn Keyer>),
    Join(Box<dyn Join>),
}

impl Finder {
    pub fn keys(keyer: impl Keyer + 'static) -> Box<Finder> {
        Box::new(Finder::Keys(Box::new(keyer)))
    }

    pub fn join(join: impl Join + 'static) -> Box<Finder> {
        Box::new(Finder::Join(Box::new(join)))
    }

    pub fn spec(&self) -> Spec {
        match self {
            Finder::Keys(keyer) => keyer.spec(),
            Finder::Join(join) => join.spec(),
        }
    }
}

/// Turns a signature into bucket keys. Stateless: the in-memory group-by, the sort on disk, the
/// shuffle of a cluster and the online index all call this one function.
pub trait Keyer: Send + Sync {
    /// The type and parameters that rebuild this keyer.
    fn spec(&self) -> Spec;

    /// Keys a document has; two documents meet when they agree on the key of any one place.
    fn keys(&self) -> usize;

    /// Writes the `keys()` keys of a signature into `out`; [`NO_KEY`] where it has none.
    fn write_keys(&self, signature: &[u8], out: &mut [u64]);

    /// The chance that a pair of this Jaccard resemblance meets, if it can be told.
    fn recall_at(&self, similarity: f64) -> Option<f64>;
}

/// Finds the candidate pairs of a whole collection.
pub trait Join: Send + Sync {
    /// The type and parameters that rebuild this join.
    fn spec(&self) -> Spec;

    /// The chance that a pair of this similarity, by the recipe's own measure, is found, if it can
    /// be told.
    fn recall_at(&self, similarity: f64) -> Option<f64>;

    /// What is remembered of each document.
    fn source(&self) -> Source;

    /// Appends what the join must know of a document's features, in its own form. Not called when
    /// the source is the signature.
    fn pack(&self, _features: &Features, _out: &mut Vec<u8>) {}

    /// Hands out every candidate pair of places in `records`, the smaller first, each once, in
    /// batches and from several threads. Stops at the first error of `emit`, which gets an empty batch now
    /// and then, so that a search that finds nothing for long can be ended, too.
    fn pairs(&self, records: &Records, threads: usize, emit: &Emit<'_>) -> Result<()>;

    /// How to find the partners of one document at a time, for a join over signatures that can.
    fn neighbours(&self) -> Option<Box<dyn Neighbours>> {
        None
    }

    /// What the last call of [`Join::pairs`] saved and what that cost, for a join that does not look at
    /// every pair that could be alike.
    fn narrowing(&self) -> Option<Narrowing> {
        None
    }
}

/// The partners that a join over signatures would find, one document at a time.
pub trait Neighbours: Send + Sync {
    /// Keys a signature has.
    fn keys(&self) -> usize;

    /// Writes the `keys()` keys of a signature into `out`. Partners agree on the key of some place.
    fn write_keys(&self, signature: &[u8], out: &mut [u64]);

    /// Whether two signatures that share a key are partners.
    fn near(&self, a: &[u8], b: &[u8]) -> bool;
}

pub type Emit<'a> = dyn Fn(&[(u32, u32)]) -> Result<()> + Sync + 'a;

/// What a join remembers of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// Its signature.
    Signature,
    /// What [`Join::pack`] makes of its features.
    Features,
}

/// One run of bytes for each document, end to end.
#[derive(Clone, Debug, Default)]
pub struct Records {
    pub bytes: Vec<u8>,
    /// Where each record ends.
    pub ends: Vec<usize>,
}

impl Records {
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    pub fn get(&self, place: usize) -> &[u8] {
        let start = if place == 0 { 0 } else { self.ends[place - 1] };
        &self.bytes[start..self.ends[place]]
    }

    pub fn push(&mut self, record: &[u8]) {
        self.bytes.extend_from_slice(record);
        self.ends.push(self.bytes.len());
    }
}
