//! The stage `candidates` by keys: what a keyer is.

use crate::part::Spec;

/// Stands for "no key": the document shares no key with others at this place.
pub const NO_KEY: u64 = u64::MAX;

/// Turns a signature into bucket keys. Stateless: the in-memory group-by, the sort on disk, the
/// shuffle of a cluster and the online index all call this one function.
pub trait Keyer: Send + Sync {
    /// The type and parameters that rebuild this keyer.
    fn spec(&self) -> Spec;

    /// How many keys a document has; two documents become candidates when they agree on any key at
    /// the same place.
    fn keys(&self) -> usize;

    /// Writes the `keys()` keys of a signature into `out`; [`NO_KEY`] where it has none.
    fn write_keys(&self, signature: &[u8], out: &mut [u64]);

    /// The chance that a pair of this Jaccard resemblance shares a key; `None` if it is not known.
    fn recall_at(&self, similarity: f64) -> Option<f64>;
}
