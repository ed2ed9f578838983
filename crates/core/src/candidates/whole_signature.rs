//! The whole signature as one key. For the method `exact`.

use super::keyer::Keyer;
use crate::hash;
use crate::part::{PartInfo, Spec};

/// One key, the whole signature: only equal signatures meet.
pub struct WholeSignature;

impl WholeSignature {
    /// The description of this part in the registry.
    pub const INFO: PartInfo = PartInfo {
        name: "whole",
        summary: "The whole signature as one key: documents meet when their signatures are equal",
        paper: "",
        params: &[],
    };
}

impl Keyer for WholeSignature {
    fn spec(&self) -> Spec {
        Spec::new(Self::INFO.name)
    }

    fn keys(&self) -> usize {
        1
    }

    fn write_keys(&self, signature: &[u8], out: &mut [u64]) {
        out[0] = hash::bytes(signature);
    }

    fn recall_at(&self, similarity: f64) -> Option<f64> {
        Some(f64::from(u8::from(similarity >= 1.0)))
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn passes_the_conformance_suite() {
        crate::testing::check_keyer(&super::WholeSignature, &crate::sign::Digest);
    }
}
