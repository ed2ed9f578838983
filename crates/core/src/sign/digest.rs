//! A 128-bit digest of all features: equal or not. For the method `exact`.

use super::signer::Signer;
use crate::features::Features;
use crate::hash;
use crate::part::{PartInfo, Spec};

/// A digest of all features: equal for equal documents only.
pub struct Digest;

impl Digest {
    /// The description of this part in the registry.
    pub const INFO: PartInfo = PartInfo {
        name: "digest",
        summary: "128-bit digest of all features: equal or not",
        paper: "",
        params: &[],
    };
}

impl Signer for Digest {
    fn spec(&self) -> Spec {
        Spec::new(Self::INFO.name)
    }

    fn width(&self) -> usize {
        16
    }

    fn values(&self) -> usize {
        1
    }

    fn sign(&self, features: &Features, out: &mut [u8]) {
        out.copy_from_slice(&hash::digest(&features.hashes).to_le_bytes());
    }

    fn estimate(&self, a: &[u8], b: &[u8]) -> f64 {
        f64::from(u8::from(a == b))
    }

    fn explain(&self, a: &[u8], b: &[u8]) -> String {
        if a == b { "digests are equal" } else { "digests differ" }.to_owned()
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn passes_the_conformance_suite() {
        crate::testing::check_signer(&super::Digest);
    }
}
