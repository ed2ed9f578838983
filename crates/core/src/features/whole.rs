//! The whole text as one feature: two documents are alike or not at all. For the method `exact`.

use super::extractor::{FeatureExtractor, Features};
use crate::document::Document;
use crate::error::Result;
use crate::hash;
use crate::part::{Param, Params, PartInfo, Spec};
use crate::text::{TEXT_RULES, push_word_hashes};

/// The whole text as one feature.
pub struct Whole {
    normalise: bool,
}

impl Whole {
    /// The description of this part in the registry.
    pub const INFO: PartInfo = PartInfo {
        name: "whole",
        summary: "The whole text as one feature",
        paper: "",
        params: &[Param {
            name: "normalise",
            default: "false",
            help: "compare the words only: case, punctuation and spacing do not count",
        }],
    };

    /// The text as it is, or its normalised words.
    pub fn new(normalise: bool) -> Self {
        Whole { normalise }
    }

    /// Reads its parameters from a section of a recipe.
    pub fn from_params(params: &mut Params) -> Result<Self> {
        Ok(Whole::new(params.boolean("normalise", false)?))
    }
}

impl FeatureExtractor for Whole {
    fn spec(&self) -> Spec {
        let spec = Spec::new(Self::INFO.name).with("normalise", self.normalise);
        if self.normalise { spec.with("rules", TEXT_RULES) } else { spec }
    }

    fn sees_every_word(&self) -> bool {
        true
    }

    fn extract(&self, document: &Document<'_>, out: &mut Features) {
        let Features { hashes, scratch, units, .. } = out;
        units.clear();
        if self.normalise {
            push_word_hashes(&document.text, scratch, units);
        } else if !document.text.trim().is_empty() {
            let (blocks, rest) = document.text.as_bytes().as_chunks::<8>();
            units.extend(blocks.iter().map(|block| u64::from_le_bytes(*block)));
            let mut last = [0u8; 8];
            last[..rest.len()].copy_from_slice(rest);
            units.push(u64::from_le_bytes(last));
            units.push(document.text.len() as u64);
        }
        if !units.is_empty() {
            // Two features carry the 128 bits of the digest; they agree together or not at all.
            let digest = hash::digest(units);
            hashes.extend([digest as u64, (digest >> 64) as u64]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{check_extractor, hashes_of};

    #[test]
    fn passes_the_conformance_suite() {
        check_extractor(&Whole::new(false));
        check_extractor(&Whole::new(true));
    }

    #[test]
    fn normalising_decides_what_counts() {
        let (a, b) = ("Hello, World", "hello world!");
        assert_ne!(hashes_of(&Whole::new(false), a), hashes_of(&Whole::new(false), b));
        assert_eq!(hashes_of(&Whole::new(true), a), hashes_of(&Whole::new(true), b));
    }

    #[test]
    fn padding_is_not_content() {
        let whole = Whole::new(false);
        assert_ne!(hashes_of(&whole, "abc"), hashes_of(&whole, "abc\0"));
        assert!(hashes_of(&whole, " \n").is_empty());
    }

    /// Persisted digests depend on this: a change here is a new scheme, never a fix.
    #[test]
    fn golden_vectors() {
        assert_eq!(hashes_of(&Whole::new(false), "One small step"), GOLDEN);
    }

    const GOLDEN: [u64; 2] = [6541558668444351489, 2125190873284389372];
}
