//! LSH bands: consecutive signature values hashed together into one key.

use super::{Curve, Keyer};
use crate::error::{Error, Result};
use crate::hash;
use crate::registry::{BuildContext, Param, Params, PartInfo, Spec};

pub struct Bands {
    curve: Curve,
}

impl Bands {
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
        ],
    };

    pub fn new(curve: Curve) -> Self {
        Bands { curve }
    }

    pub fn from_params(params: &mut Params, context: &BuildContext<'_>) -> Result<Self> {
        let recall = params.fraction("recall", 0.99)?;
        let given = (params.optional_integer("bands")?, params.optional_integer("rows")?);
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
        Ok(Bands { curve })
    }
}

impl Keyer for Bands {
    fn spec(&self) -> Spec {
        Spec::new(Self::INFO.name).with("bands", self.curve.bands as i64).with("rows", self.curve.rows as i64)
    }

    fn keys(&self) -> usize {
        self.curve.bands
    }

    fn write_keys(&self, signature: &[u8], out: &mut [u64]) {
        let bands = signature.as_chunks::<4>().0.chunks_exact(self.curve.rows);
        for (band, (key, values)) in out.iter_mut().zip(bands).enumerate() {
            let mut state = band as u64;
            for value in values {
                state = hash::combine(state, u64::from(u32::from_le_bytes(*value)));
            }
            *key = state;
        }
    }

    fn recall_at(&self, similarity: f64) -> Option<f64> {
        Some(self.curve.recall_at(similarity))
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
    }

    /// Persisted indexes depend on these: a change here is a new scheme, never a fix.
    #[test]
    fn golden_vectors() {
        let mut keys = [0; 2];
        let signature: Vec<u8> = (0..16).collect();
        Bands::new(Curve { bands: 2, rows: 2 }).write_keys(&signature, &mut keys);
        assert_eq!(keys, GOLDEN);
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
