//! The stage `candidates` by keys: what a keyer is.

use crate::part::Spec;

/// The key of a document that has none at this place: it meets nobody there.
pub const NO_KEY: u64 = u64::MAX;

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
