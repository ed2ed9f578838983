//! MinHash by Fast Similarity Sketching (Dahlgaard, Knudsen, Thorup 2017).
//!
//! Classic MinHash hashes every feature once for every value of the signature. Here each round
//! throws every feature into one random bin and each bin keeps its smallest; a bin that is still
//! empty is filled by a later round. Because values of later rounds are always larger, a round
//! cannot change a bin filled before, so one or two rounds are enough for an ordinary document.
//! After `hashes` rounds, round `hashes + i` throws everything into bin i, which fills it for sure.
//!
//! Each bin holds the minimum of the same function over the whole set, so the chance that two
//! documents agree in a bin is exactly their Jaccard resemblance: unbiased, and with less variance
//! than classic MinHash, since the bins sample features nearly without replacement.

use std::borrow::Cow;

use super::signer::Signer;
use crate::error::{Error, Result};
use crate::features::Features;
use crate::hash;
use crate::part::{Param, Params, PartInfo, Spec};

/// The smallest value of each of many hash functions over the features.
pub struct MinHash {
    hashes: usize,
    seed: u64,
}

const MAX_HASHES: usize = 4096;
const EMPTY: u64 = u64::MAX;
/// The usual number of bins.
const USUAL: usize = 128;
/// Features for each bin with which hardly any bin stays empty.
const MANY: usize = 16;

impl MinHash {
    /// The description of this part in the registry.
    pub const INFO: PartInfo = PartInfo {
        name: "minhash",
        summary: "MinHash signature (Fast Similarity Sketching): agreement estimates Jaccard",
        paper: "Broder 1997; Dahlgaard, Knudsen, Thorup 2017; S09 §2.4",
        params: &[
            Param { name: "hashes", default: "128", help: "values in a signature, 1 to 4096" },
            Param { name: "seed", default: "1", help: "another seed gives other, equally good signatures" },
        ],
    };

    /// `hashes` hash functions; another seed gives others.
    pub fn new(hashes: usize, seed: u64) -> Result<Self> {
        if !(1..=MAX_HASHES).contains(&hashes) {
            return Err(Error::config(format!("sign.hashes is {hashes}, it must be from 1 to {MAX_HASHES}")));
        }
        Ok(MinHash { hashes, seed })
    }

    /// Reads its parameters from a section of a recipe.
    pub fn from_params(params: &mut Params) -> Result<Self> {
        let hashes = params.integer("hashes", USUAL as u64)?;
        MinHash::new(hashes as usize, params.integer("seed", 1)?)
    }

    fn sketch(&self, features: &[u64], bins: &mut [u64]) {
        match bins.as_mut_array::<USUAL>() {
            Some(bins) => self.fill(features, bins),
            None => self.fill(features, bins),
        }
    }

    /// Inlined into `sketch`, so that there is one for the usual number of bins, in which finding a bin is a shift.
    #[inline(always)]
    fn fill(&self, features: &[u64], bins: &mut [u64]) {
        bins.fill(EMPTY);
        let count = bins.len() as u64;
        let mut empty = count;
        let mut features = Cow::Borrowed(features);
        for round in 0..2 * count {
            let salt = hash::combine(self.seed, round);
            let tag = round << 32;
            let mut filled = 0;
            // Which throws come into an empty bin cannot be predicted, so there is no branch: a throw into a bin that
            // was filled in an earlier round changes nothing, as its value is larger.
            let mut throw = |feature: u64| {
                let value = hash::fold(feature ^ salt, MULTIPLIER);
                let bin = if round < count { ((value >> 32) * count) >> 32 } else { round - count };
                let bin = &mut bins[bin as usize];
                // Only an empty bin has the highest bit.
                filled += *bin >> 63;
                *bin = (tag | (value & 0xffff_ffff)).min(*bin);
            };
            let (fours, rest) = features.as_chunks::<4>();
            for &four in fours {
                four.into_iter().for_each(&mut throw);
            }
            rest.iter().copied().for_each(throw);
            empty -= filled;
            if empty == 0 {
                return;
            }
            // This many different features fill all bins at once, so here are few features that repeat. A
            // minimum needs each of them once, and hundreds of rounds may follow.
            if round == 0 && features.len() > MANY * bins.len() {
                let distinct = features.to_mut();
                distinct.sort_unstable();
                distinct.dedup();
            }
        }
    }
}

const MULTIPLIER: u64 = 0xd6e8_feb8_6659_fd93;

impl Signer for MinHash {
    fn spec(&self) -> Spec {
        Spec::new(Self::INFO.name).with("hashes", self.hashes as i64).with("seed", self.seed as i64)
    }

    fn width(&self) -> usize {
        self.hashes * 4
    }

    fn values(&self) -> usize {
        self.hashes
    }

    fn sign(&self, features: &Features, out: &mut [u8]) {
        let mut usual = [EMPTY; USUAL];
        let mut others = Vec::new();
        let bins = if self.hashes == USUAL {
            &mut usual[..]
        } else {
            others.resize(self.hashes, EMPTY);
            &mut others[..]
        };
        self.sketch(&features.hashes, bins);
        for (bin, value) in bins.iter().zip(out.as_chunks_mut::<4>().0) {
            *value = (hash::mix(*bin) as u32).to_le_bytes();
        }
    }

    fn estimate(&self, a: &[u8], b: &[u8]) -> f64 {
        let pairs = a.as_chunks::<4>().0.iter().zip(b.as_chunks::<4>().0);
        let equal = pairs.filter(|(x, y)| x == y).count();
        equal as f64 / self.hashes as f64
    }

    fn explain(&self, a: &[u8], b: &[u8]) -> String {
        let equal = (self.estimate(a, b) * self.hashes as f64).round();
        format!("{equal} of {} values agree", self.hashes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::check_signer;

    fn features(range: std::ops::Range<u64>) -> Features {
        Features { hashes: range.map(|n| hash::mix(n ^ 0xabcd_0000)).collect(), ..Features::default() }
    }

    fn signature(signer: &MinHash, features: &Features) -> Vec<u8> {
        let mut out = vec![0; signer.width()];
        signer.sign(features, &mut out);
        out
    }

    #[test]
    fn passes_the_conformance_suite() {
        check_signer(&MinHash::new(128, 1).unwrap());
        check_signer(&MinHash::new(7, 9).unwrap());
    }

    /// Persisted signatures depend on these: a change here is a new scheme, never a fix.
    #[test]
    fn golden_vectors() {
        let got = signature(&MinHash::new(4, 1).unwrap(), &features(0..10));
        assert_eq!(got, GOLDEN);
    }

    const GOLDEN: [u8; 16] = [31, 62, 67, 125, 158, 186, 70, 89, 205, 121, 18, 23, 51, 36, 121, 169];

    /// Rounds as the head of this file tells them, to the end, with neither shift nor early end.
    #[test]
    fn the_usual_number_of_bins_and_others_equal_the_definition() {
        for hashes in [1, 7, 64, USUAL - 1, USUAL, 256, 300] {
            let signer = MinHash::new(hashes, 5).unwrap();
            for size in [1, 2, 21, 46, 420] {
                let features = features(0..size);
                let mut literal = vec![(u64::MAX, 0u32); hashes];
                for round in 0..2 * hashes as u64 {
                    for &feature in &features.hashes {
                        let value = hash::fold(feature ^ hash::combine(5, round), MULTIPLIER);
                        let thrown = ((value >> 32) as f64 / 2f64.powi(32) * hashes as f64) as usize;
                        let bin = (round as usize).checked_sub(hashes).unwrap_or(thrown);
                        literal[bin] = literal[bin].min((round, value as u32));
                    }
                }
                let literal = literal.into_iter().map(|(round, value)| round << 32 | u64::from(value));
                let mut bins = vec![0; hashes];
                signer.sketch(&features.hashes, &mut bins);
                assert_eq!(bins, literal.collect::<Vec<_>>(), "{hashes} {size}");
            }
        }
    }

    /// The signature depends on the set: repeating a feature changes nothing, and costs almost nothing.
    #[test]
    fn repeats_neither_count_nor_cost() {
        let signer = MinHash::new(128, 1).unwrap();
        for distinct in [1, 2, 7, 300, 2000] {
            let once = features(0..distinct);
            let often = once.hashes.iter().copied().cycle().take(2_000_000).collect();
            let often = Features { hashes: often, ..Features::default() };
            assert_eq!(signature(&signer, &often), signature(&signer, &once), "{distinct}");
        }
        // Hundreds of rounds over all of them took seconds even where one round takes milliseconds.
        let often = Features { hashes: vec![hash::mix(5); 4_000_000], ..Features::default() };
        let round = std::time::Instant::now();
        let mut bins = [0; 1];
        MinHash::new(1, 1).unwrap().sketch(&often.hashes, &mut bins);
        let round = round.elapsed();
        let all = std::time::Instant::now();
        signature(&signer, &often);
        assert!(all.elapsed() < 30 * round.max(std::time::Duration::from_millis(5)), "{:?}", all.elapsed());
    }

    #[test]
    fn a_single_feature_fills_every_bin() {
        let signer = MinHash::new(128, 1).unwrap();
        let one = signature(&signer, &features(0..1));
        assert_eq!(signer.estimate(&one, &one), 1.0);
        let other = signature(&signer, &features(1..2));
        assert_eq!(signer.estimate(&one, &other), 0.0);
    }

    /// The mean error over many independent pairs must vanish and the variance must not exceed
    /// that of ideal MinHash, s(1−s)/k, for small and large sets.
    #[test]
    fn estimate_is_unbiased_with_no_more_variance_than_theory() {
        const TRIALS: u64 = 1500;
        let signer = MinHash::new(128, 3).unwrap();
        for (size, shared) in [(10u64, 5u64), (40, 36), (200, 100), (426, 380), (3000, 2400)] {
            let truth = shared as f64 / (2 * size - shared) as f64;
            let (mut sum, mut squares) = (0.0, 0.0);
            for trial in 0..TRIALS {
                let start = trial * 1_000_000;
                let a = signature(&signer, &features(start..start + size));
                let b = signature(&signer, &features(start + size - shared..start + 2 * size - shared));
                let error = signer.estimate(&a, &b) - truth;
                sum += error;
                squares += error * error;
            }
            let ideal = truth * (1.0 - truth) / 128.0;
            let bias = sum / TRIALS as f64;
            // Four standard errors of the mean: fails by chance less than once in 10 000 changes.
            let allowed = 4.0 * (ideal / TRIALS as f64).sqrt();
            assert!(bias.abs() < allowed, "size {size}: bias {bias:.5} > {allowed:.5}");
            let variance = squares / TRIALS as f64;
            assert!(variance < ideal * 1.15, "size {size}: {variance:.6} > ideal {ideal:.6}");
        }
    }
}
