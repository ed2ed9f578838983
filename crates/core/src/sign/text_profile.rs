//! TextProfile signatures: a hash of the frequent terms with their rounded frequencies.
//!
//! The idea is Solr's: frequencies are rounded down to a multiple of a step that grows with the
//! largest one, terms below the step are dropped, and the rest is hashed. So rare words may change
//! freely. Solr hashes the terms by falling frequency and leaves the order of ties to chance; here
//! the hash is that of a set, so there are no ties to break. Randomised copies (see `randomise`) also
//! make it stable against changes of frequent terms.
//!
//! The features must have repeats (`features.type = "terms"`).

use super::randomise::{self, COORDINATE, Coordinates, Membership, Randomisation};
use super::signer::Signer;
use crate::error::Result;
use crate::features::{Features, sort_hashes};
use crate::hash;
use crate::part::{Param, Params, PartInfo, Spec};

/// A hash of the frequent words with their rounded frequencies, as in Solr.
pub struct TextProfile {
    rate: f64,
    randomisation: Randomisation,
    membership: Membership,
}

impl TextProfile {
    /// The description of this part in the registry.
    pub const INFO: PartInfo = PartInfo {
        name: "textprofile",
        summary: "TextProfile: a hash of the frequent terms with their rounded frequencies",
        paper: "Apache Solr, TextProfileSignature; K08 §1",
        params: &[
            Param {
                name: "rate",
                default: "0.01",
                help: "step of rounding as a share of the largest frequency; at least 2 repeats count",
            },
            randomise::PARAMS[0],
            randomise::PARAMS[1],
            randomise::PARAMS[2],
        ],
    };

    fn new(rate: f64, randomisation: Randomisation) -> Self {
        let membership = randomisation.draw();
        TextProfile { rate, randomisation, membership }
    }

    /// Reads its parameters from a section of a recipe.
    pub fn from_params(params: &mut Params) -> Result<Self> {
        let rate = params.fraction("rate", 0.01)?;
        Ok(TextProfile::new(rate, Randomisation::from_params(params)?))
    }
}

/// The step to which frequencies are rounded: as in Solr, at least 2 once any term repeats.
fn step(largest: usize, rate: f64) -> usize {
    let step = (largest as f64 * rate).round() as usize;
    if step >= 2 {
        step
    } else if largest > 1 {
        2
    } else {
        1
    }
}

impl Signer for TextProfile {
    fn spec(&self) -> Spec {
        self.randomisation.write_spec(Spec::new(Self::INFO.name).with("rate", self.rate))
    }

    fn width(&self) -> usize {
        self.values() * COORDINATE
    }

    fn values(&self) -> usize {
        self.randomisation.coordinates()
    }

    fn sign(&self, features: &Features, out: &mut [u8]) {
        let mut terms = Vec::new();
        sort_hashes(&features.hashes, &mut terms);
        let groups = || terms.chunk_by(|a, b| a == b);
        let step = step(groups().map(<[u64]>::len).max().unwrap_or(0), self.rate);
        let mut sums = Coordinates::new(self.values());
        for group in groups() {
            let rounded = group.len() / step * step;
            if rounded > 0 {
                sums.add(hash::combine(group[0], rounded as u64), self.membership.mask(group[0]));
            }
        }
        for (place, bytes) in out.as_chunks_mut::<COORDINATE>().0.iter_mut().enumerate() {
            // A copy that lacks every frequent term has no coordinate.
            let value = if sums.count(place) > 0 { sums.value(place) } else { randomise::NO_COORDINATE };
            *bytes = value.to_le_bytes();
        }
    }

    fn estimates_jaccard(&self) -> bool {
        false
    }

    fn estimate(&self, a: &[u8], b: &[u8]) -> f64 {
        f64::from(u8::from(a == b || randomise::agree(a, b)))
    }

    fn explain(&self, a: &[u8], b: &[u8]) -> String {
        randomise::explain(a, b)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::check_signer;

    fn signature(signer: &TextProfile, terms: &[u64]) -> Vec<u8> {
        let features = Features { hashes: terms.to_vec(), ..Features::default() };
        let mut out = vec![0; signer.width()];
        signer.sign(&features, &mut out);
        out
    }

    fn signer(copies: usize) -> TextProfile {
        TextProfile::new(0.01, Randomisation { copies, seed: 1, dropped: None })
    }

    #[test]
    fn passes_the_conformance_suite() {
        check_signer(&signer(0));
        check_signer(&signer(5));
    }

    #[test]
    fn rounding_follows_solr() {
        for (largest, rate, expected) in [
            (1, 0.01, 1),
            (2, 0.01, 2),
            (100, 0.01, 2),
            (149, 0.01, 2),
            (150, 0.01, 2),
            (300, 0.01, 3),
            (10, 0.5, 5),
        ] {
            assert_eq!(step(largest, rate), expected, "{largest} {rate}");
        }
    }

    #[test]
    fn rare_terms_and_order_do_not_count_but_frequent_terms_do() {
        let plain = signature(&signer(0), &[1, 1, 2, 2, 2, 3]);
        assert_eq!(plain, signature(&signer(0), &[2, 1, 2, 4, 1, 2, 5]), "3 frequent twos round to 2");
        assert_ne!(plain, signature(&signer(0), &[1, 1, 2, 2, 2, 3, 3]));
        assert_ne!(plain, signature(&signer(0), &[1, 2, 2, 2, 3]));
    }

    #[test]
    fn copies_survive_what_breaks_the_plain_signature() {
        let document: Vec<u64> = (0..40).flat_map(|n| [hash::mix(n), hash::mix(n)]).collect();
        let (plain, randomised) = (signer(0), signer(10));
        let (mut kept, mut broken) = (0, 0);
        for left_out in 0..40 {
            let mut changed = document.clone();
            changed.remove(left_out * 2);
            broken +=
                usize::from(!randomise::agree(&signature(&plain, &document), &signature(&plain, &changed)));
            kept += usize::from(randomise::agree(
                &signature(&randomised, &document),
                &signature(&randomised, &changed),
            ));
        }
        assert_eq!(broken, 40);
        assert!(kept >= 35, "1 − (1 − 1/e)^10 = 0.99 of them, got {kept} of 40");
    }
}
