//! Every coordinate of a signature as a key: documents meet when they agree on any one. For the
//! methods `imatch` and `textprofile`.

use super::keyer::{Keyer, NO_KEY};
use crate::hash;
use crate::part::{PartInfo, Spec};
use crate::registry::BuildContext;
use crate::sign::{COORDINATE, NO_COORDINATE};

/// Makes every coordinate of a signature a key: documents that agree on any coordinate become
/// candidates.
pub struct AnyValue {
    coordinates: usize,
}

impl AnyValue {
    /// The description of this part in the registry.
    pub const INFO: PartInfo = PartInfo {
        name: "any",
        summary: "Documents meet when they agree on any one coordinate of the signature",
        paper: "K04 §4, K08 §4",
        params: &[],
    };

    /// For signatures of as many values as the context says.
    pub fn new(context: &BuildContext<'_>) -> Self {
        AnyValue { coordinates: context.signature_values }
    }
}

impl Keyer for AnyValue {
    fn spec(&self) -> Spec {
        Spec::new(Self::INFO.name)
    }

    fn keys(&self) -> usize {
        self.coordinates
    }

    fn write_keys(&self, signature: &[u8], out: &mut [u64]) {
        for (key, bytes) in out.iter_mut().zip(signature.as_chunks::<COORDINATE>().0) {
            *key = match u128::from_le_bytes(*bytes) {
                NO_COORDINATE => NO_KEY,
                value => hash::combine(value as u64, (value >> 64) as u64).min(NO_KEY - 1),
            };
        }
    }

    fn recall_at(&self, similarity: f64) -> Option<f64> {
        // Nobody knows how many of the differing words are in the lexicon.
        (similarity >= 1.0).then_some(1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registry::{NoAssets, Registry};

    #[test]
    fn absent_coordinates_have_no_key() {
        let registry = Registry::empty();
        let mut context = BuildContext::new(&registry, &NoAssets);
        context.signature_values = 3;
        let keyer = AnyValue::new(&context);
        let signature = [5u128, NO_COORDINATE, 5].map(u128::to_le_bytes).concat();
        let mut keys = [0; 3];
        keyer.write_keys(&signature, &mut keys);
        assert_eq!((keys[0], keys[1]), (keys[2], NO_KEY));
        assert_ne!(keys[0], NO_KEY);
    }
}
