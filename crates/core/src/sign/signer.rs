//! The stage `sign`: what a signer is.

use crate::features::extractor::Features;
use crate::part::Spec;

/// Condenses a document's features into a few bytes. The bytes are the same on every machine.
pub trait Signer: Send + Sync {
    /// The type and parameters that rebuild this signer.
    fn spec(&self) -> Spec;

    /// Bytes in a signature.
    fn width(&self) -> usize;

    /// How many values a signature holds that a keyer may group into keys.
    fn values(&self) -> usize;

    /// Writes the signature of non-empty features into `out`, which is `width()` bytes long.
    fn sign(&self, features: &Features, out: &mut [u8]);

    /// Leading bits of the signature that hold a class and must agree.
    fn reserved_bits(&self) -> u32 {
        0
    }

    /// Whether [`Signer::estimate`] estimates the Jaccard resemblance of the feature sets.
    fn estimates_jaccard(&self) -> bool {
        true
    }

    /// The similarity estimated from two signatures.
    fn estimate(&self, a: &[u8], b: &[u8]) -> f64;

    /// How two signatures compare, for people.
    fn explain(&self, a: &[u8], b: &[u8]) -> String {
        format!("estimated similarity {:.3}", self.estimate(a, b))
    }
}
