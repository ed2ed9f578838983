//! From signatures to candidate pairs: documents that share a key meet.

mod bands;
mod buckets;
mod curve;
mod whole_signature;

pub use bands::Bands;
pub use buckets::{Buckets, pairs_in_bucket};
pub use curve::Curve;
pub use whole_signature::WholeSignature;

use crate::registry::Spec;

/// Turns a signature into bucket keys. Stateless: the in-memory group-by, the sort on disk, the
/// shuffle of a cluster and the online index all call this one function.
pub trait Keyer: Send + Sync {
    /// The type and parameters that rebuild this keyer.
    fn spec(&self) -> Spec;

    /// Keys a document has; two documents meet when they agree on the key of any one place.
    fn keys(&self) -> usize;

    /// Writes the `keys()` keys of a signature into `out`.
    fn write_keys(&self, signature: &[u8], out: &mut [u64]);

    /// The chance that a pair of this similarity meets.
    fn recall_at(&self, similarity: f64) -> f64;
}
