//! LSH bands: consecutive signature values hashed together into one key.

use super::curve::Curve;
use super::keyer::Keyer;
use crate::error::{Error, Result};
use crate::hash;
use crate::part::{Param, Params, PartInfo, Spec};
use crate::registry::BuildContext;

/// Makes keys out of bands of MinHash values: documents that agree on every value of enough bands
/// become candidates.
pub struct Bands {
    curve: Curve,
    /// How many bands must agree. For more than one, there is a key for every choice of that many
    /// bands.
    agree: usize,
}

/// More keys than this would take more room than any signature.
const MOST_KEYS: usize = 4096;

impl Bands {
    /// The description of this part in the registry.
    pub const INFO: PartInfo = PartInfo {
        name: "bands",
        summary: "Locality-sensitive hashing: documents meet when they agree on one band of values",
        paper: "Indyk, Motwani 1998; S09 §2.4",
        params: &[
            Param {
                name: "recall",
                default: "0.99",
                help: "wished chance that a pair right at the threshold is found",
            },
            Param {
                name: "bands",
                default: "chosen",
                help: "number of bands; chosen from threshold and recall unless given with rows",
            },
            Param {
                name: "rows",
                default: "chosen",
                help: "values in a band; chosen from threshold and recall unless given with bands",
            },
            Param {
                name: "agree",
                default: "1",
                help: "how many bands must agree; more than one goes with given bands and rows",
            },
        ],
    };

    /// Cuts the signature into the bands and rows of the curve.
    pub fn new(curve: Curve) -> Self {
        Bands { curve, agree: 1 }
    }

    /// Reads its parameters from a section of a recipe.
    pub fn from_params(params: &mut Params, context: &BuildContext<'_>) -> Result<Self> {
        let recall = params.fraction("recall", 0.99)?;
        let given = (params.optional_integer("bands")?, params.optional_integer("rows")?);
        let agree = params.integer("agree", 1)? as usize;
        let hashes = context.signature_values;
        let curve = match given {
            (Some(bands), Some(rows)) => Curve { bands: bands as usize, rows: rows as usize },
            (None, None) => Curve::choose(context.threshold, recall, hashes).ok_or_else(|| {
                let best = Curve { bands: hashes, rows: 1 }.recall_at(context.threshold);
                Error::config(format!(
                    "{hashes} hashes cannot find pairs at threshold {} with recall {recall}: the best is {best:.3}; \
                     raise sign.hashes or lower candidates.recall",
                    context.threshold
                ))
            })?,
            _ => return Err(Error::config("candidates.bands and candidates.rows go together")),
        };
        if curve.bands == 0 || curve.rows == 0 || curve.bands.saturating_mul(curve.rows) > hashes {
            return Err(Error::config(format!(
                "{} bands of {} rows do not fit into {hashes} hashes",
                curve.bands, curve.rows
            )));
        }
        let bands = Bands { curve, agree };
        if agree == 0 || agree > curve.bands || bands.keys() > MOST_KEYS {
            return Err(Error::config(format!(
                "candidates.agree is {agree}, it must be from 1 to the number of bands, {}, with at most {MOST_KEYS} \
                 choices of so many bands",
                curve.bands
            )));
        }
        if agree > 1 && given.0.is_none() {
            return Err(Error::config("candidates.agree goes with candidates.bands and candidates.rows"));
        }
        Ok(bands)
    }
}

impl Keyer for Bands {
    fn spec(&self) -> Spec {
        let spec = Spec::new(Self::INFO.name)
            .with("bands", self.curve.bands as i64)
            .with("rows", self.curve.rows as i64);
        if self.agree == 1 { spec } else { spec.with("agree", self.agree as i64) }
    }

    fn keys(&self) -> usize {
        choices(self.curve.bands, self.agree)
    }

    fn write_keys(&self, signature: &[u8], out: &mut [u64]) {
        let bands = signature.as_chunks::<4>().0.chunks_exact(self.curve.rows).take(self.curve.bands);
        let keys = bands.enumerate().map(|(band, values)| {
            values
                .iter()
                .fold(band as u64, |state, value| hash::combine(state, u64::from(u32::from_le_bytes(*value))))
        });
        if self.agree == 1 {
            out.iter_mut().zip(keys).for_each(|(out, key)| *out = key);
            return;
        }
        let keys: Vec<u64> = keys.collect();
        let mut chosen: Vec<usize> = (0..self.agree).collect();
        for out in out {
            *out = chosen.iter().fold(SEVERAL, |state, &band| hash::combine(state, keys[band]));
            next_choice(&mut chosen, keys.len());
        }
    }

    fn recall_at(&self, similarity: f64) -> Option<f64> {
        Some(self.curve.recall_of(similarity, self.agree))
    }
}

/// The state from which the hash of a key over several bands starts.
const SEVERAL: u64 = 0x6d65_6761;

/// n choose k.
fn choices(n: usize, k: usize) -> usize {
    (0..k.min(n)).fold(1usize, |count, i| count.saturating_mul(n - i) / (i + 1))
}

/// The next choice of places below `n`, in rising order.
fn next_choice(chosen: &mut [usize], n: usize) {
    let k = chosen.len();
    if let Some(place) = (0..k).rev().find(|&place| chosen[place] < n - k + place) {
        let first = chosen[place] + 1;
        for (offset, value) in chosen[place..].iter_mut().enumerate() {
            *value = first + offset;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::features::Features;
    use crate::sign::{MinHash, Signer};
    use crate::testing::check_keyer;

    #[test]
    fn passes_the_conformance_suite() {
        check_keyer(&Bands::new(Curve { bands: 16, rows: 6 }), &MinHash::new(128, 1).unwrap());
        let mega = Bands { curve: Curve { bands: 6, rows: 14 }, agree: 2 };
        check_keyer(&mega, &MinHash::new(84, 1).unwrap());
    }

    /// Persisted indexes depend on these: a change here is a new scheme, never a fix.
    #[test]
    fn golden_vectors() {
        let mut keys = [0; 2];
        let signature: Vec<u8> = (0..16).collect();
        Bands::new(Curve { bands: 2, rows: 2 }).write_keys(&signature, &mut keys);
        assert_eq!(keys, GOLDEN);
    }

    /// Two documents agree on a megashingle exactly when they agree on its two supershingles.
    #[test]
    fn keys_of_several_bands_tell_how_many_agree() {
        let single = Bands::new(Curve { bands: 6, rows: 1 });
        for agree in 1..=6 {
            let several = Bands { curve: Curve { bands: 6, rows: 1 }, agree };
            assert_eq!(several.keys(), [6, 15, 20, 15, 6, 1][agree - 1]);
            for differing in 0..64u32 {
                let values = |flip: u32| -> Vec<u8> {
                    (0..6u32).flat_map(|i| (i * 10 + (flip >> i & 1)).to_le_bytes()).collect()
                };
                let meet = |bands: &Bands| {
                    let (mut a, mut b) = (vec![0; bands.keys()], vec![0; bands.keys()]);
                    bands.write_keys(&values(0), &mut a);
                    bands.write_keys(&values(differing), &mut b);
                    a.iter().zip(&b).filter(|(x, y)| x == y).count()
                };
                assert_eq!(meet(&several) > 0, meet(&single) >= agree, "{agree} {differing:06b}");
            }
        }
    }

    const GOLDEN: [u64; 2] = [16430031185387618532, 16577938058114366695];

    /// The measured chance to meet follows the S-curve, up to sampling error and the slightly
    /// smaller variance of the sketch, which moves the curve by less than 0.02.
    #[test]
    fn measured_curve_follows_theory() {
        const TRIALS: u64 = 1500;
        let curve = Curve { bands: 16, rows: 6 };
        let (signer, keyer) = (MinHash::new(128, 5).unwrap(), Bands::new(curve));
        let keys = |range: std::ops::Range<u64>| {
            let hashes = range.map(|n| hash::mix(n ^ 0x5eed_0000)).collect();
            let mut signature = vec![0; signer.width()];
            signer.sign(&Features { hashes, ..Features::default() }, &mut signature);
            let mut keys = [0; 16];
            keyer.write_keys(&signature, &mut keys);
            keys
        };
        for shared in [200u64, 250, 286, 320, 356] {
            let size = 400;
            let similarity = shared as f64 / (2 * size - shared) as f64;
            let met = (0..TRIALS)
                .filter(|trial| {
                    let start = trial * 1_000_000;
                    let a = keys(start..start + size);
                    let b = keys(start + size - shared..start + 2 * size - shared);
                    a.iter().zip(&b).any(|(x, y)| x == y)
                })
                .count();
            let measured = met as f64 / TRIALS as f64;
            let expected = curve.recall_at(similarity);
            let allowed = 4.0 * (expected * (1.0 - expected) / TRIALS as f64).sqrt() + 0.02;
            assert!(
                (measured - expected).abs() < allowed,
                "at {similarity:.3}: measured {measured:.3}, theory {expected:.3}"
            );
        }
    }
}
