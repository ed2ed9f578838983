//! Every pair of signatures within a Hamming distance: none missed, none twice.
//!
//! Signatures of 64 or 128 bits are cut into blocks. Two signatures that differ in few bits agree
//! on some of the blocks, so tables sorted by blocks bring every such pair together (Manku, Jain,
//! Das Sarma 2007). A pair is reported by the first table in which its blocks agree, so nothing has
//! to be remembered.
//!
//! * `plan` cuts the bits into blocks and decides when tables pay;
//! * `worker` searches within a bucket, `search` shares the buckets among threads;
//! * `table` sorts, `near` compares; `neighbours` answers for one signature at a time; `limits` says which table a pair belongs to.

mod limits;
mod near;
mod neighbours;
mod plan;
mod search;
mod table;
#[cfg(test)]
mod tests;
mod word;
mod worker;

use super::join::{Emit, Join, JoinSource, Neighbours, Records};
use crate::error::{Error, Result};
use crate::part::{Params, PartInfo, Spec};
use crate::registry::BuildContext;
use plan::Tuning;
use word::{Item, Word};

/// All pairs of signatures that differ in few bits, none missed.
pub struct Hamming {
    distance: u32,
    reserved: u32,
    bits: u32,
    /// Whether pairs are judged by the cosine that the bits of a simhash estimate.
    cosine: bool,
}

impl Hamming {
    /// The description of this part in the registry.
    pub const INFO: PartInfo = PartInfo {
        name: "hamming",
        summary: "All pairs of signatures that differ in at most decide.distance bits, none missed",
        paper: "Manku, Jain, Das Sarma 2007; S09 §2.6.2",
        params: &[],
    };

    /// The greatest distance. Beyond it, random signatures begin to count as near each other.
    pub const MOST_DISTANCE: u32 = 16;

    /// `bits` is the width of a signature. The `reserved` leading bits must agree; of the others at
    /// most `distance` may differ.
    pub fn new(distance: u32, reserved: u32, bits: u32) -> Result<Self> {
        if distance > Self::MOST_DISTANCE {
            return Err(Error::config(format!(
                "decide.distance is {distance}, it must be a whole number from 0 to {}",
                Self::MOST_DISTANCE
            )));
        }
        if bits != 64 && bits != 128 {
            return Err(Error::config(format!(
                "candidates.type = \"hamming\" needs a signature of 64 or 128 bits, as sign.type = \"simhash\" \
                 makes; this one has {bits} values"
            )));
        }
        if reserved > bits {
            return Err(Error::config(format!(
                "{reserved} reserved bits do not fit into a signature of {bits}"
            )));
        }
        Ok(Hamming { distance, reserved, bits, cosine: false })
    }

    /// Reads its parameters from a section of a recipe.
    pub fn from_params(_: &mut Params, context: &BuildContext<'_>) -> Result<Self> {
        let bits = u32::try_from(context.signature_values).unwrap_or(u32::MAX);
        let hamming = Hamming::new(context.distance, context.reserved_bits, bits)?;
        Ok(Hamming { cosine: context.measure == "weighted-cosine", ..hamming })
    }

    fn search<W: Word>(&self, records: &Records, threads: usize, emit: &Emit<'_>) -> Result<()> {
        if records.len() > table::MOST_ITEMS {
            return Err(Error::input(format!("hamming compares at most {} documents", table::MOST_ITEMS)));
        }
        let items = (0..records.len()).zip(0..).map(|(at, place)| {
            let record = records.get(at);
            let value = W::read(record).ok_or_else(|| {
                Error::Internal(format!("a signature of {} bits has {} bytes", self.bits, record.len()))
            })?;
            Ok(Item { value, place })
        });
        let items = items.collect::<Result<Vec<Item<W>>>>()?;
        search::search(items, self.distance, self.reserved, threads, Tuning::default(), emit)?;
        Ok(())
    }
}

impl Join for Hamming {
    fn spec(&self) -> Spec {
        Spec::new(Self::INFO.name)
            .with("distance", i64::from(self.distance))
            .with("reserved", i64::from(self.reserved))
    }

    /// Two vectors of this cosine lie on different sides of a random plane with the chance
    /// angle / π, independently for each bit (Charikar 2002).
    fn recall_at(&self, similarity: f64) -> Option<f64> {
        let differs = similarity.clamp(0.0, 1.0).acos() / std::f64::consts::PI;
        self.cosine.then(|| at_most(self.distance, self.bits - self.reserved, differs))
    }

    fn source(&self) -> JoinSource {
        JoinSource::Signature
    }

    fn neighbours(&self) -> Option<Box<dyn Neighbours>> {
        Some(Box::new(neighbours::NearSignatures::new(self)))
    }

    fn pairs(&self, records: &Records, threads: usize, emit: &Emit<'_>) -> Result<()> {
        match self.bits {
            64 => self.search::<u64>(records, threads, emit),
            _ => self.search::<u128>(records, threads, emit),
        }
    }
}

/// The chance of at most `most` successes in this many trials.
fn at_most(most: u32, trials: u32, chance: f64) -> f64 {
    if most >= trials {
        return 1.0;
    }
    let mut ways = 1.0;
    let mut sum = 0.0;
    for successes in 0..=most {
        sum += ways * chance.powi(successes as i32) * (1.0 - chance).powi((trials - successes) as i32);
        ways *= f64::from(trials - successes) / f64::from(successes + 1);
    }
    sum.min(1.0)
}

#[cfg(test)]
mod part_tests {
    use std::sync::Mutex;

    use super::*;
    use crate::registry::{NoAssets, Registry};

    fn records(values: &[&[u8]]) -> Records {
        let mut records = Records::default();
        values.iter().for_each(|value| records.push(value));
        records
    }

    fn pairs(hamming: &Hamming, records: &Records) -> Result<Vec<(u32, u32)>> {
        let found = Mutex::new(Vec::new());
        hamming.pairs(records, 2, &|batch| {
            found.lock().unwrap().extend_from_slice(batch);
            Ok(())
        })?;
        let mut found = found.into_inner().unwrap();
        found.sort_unstable();
        Ok(found)
    }

    #[test]
    fn records_are_little_endian_and_leading_bits_agree() {
        let short =
            records(&[&[0, 0, 0, 0, 0, 0, 0, 0], &[7, 0, 0, 0, 0, 0, 0, 0], &[0, 0, 0, 0, 0, 0, 0, 1]]);
        assert_eq!(pairs(&Hamming::new(3, 0, 64).unwrap(), &short).unwrap(), [(0, 1), (0, 2)]);
        assert_eq!(pairs(&Hamming::new(3, 8, 64).unwrap(), &short).unwrap(), [(0, 1)]);
        let mut long = [[0; 16], [0; 16]];
        long[1][15] = 1;
        let long = records(&[&long[0], &long[1]]);
        assert_eq!(pairs(&Hamming::new(1, 0, 128).unwrap(), &long).unwrap(), [(0, 1)]);
        assert!(pairs(&Hamming::new(1, 8, 128).unwrap(), &long).unwrap().is_empty());
    }

    #[test]
    fn no_records_no_pairs_and_signatures_of_another_size_are_refused() {
        let hamming = Hamming::new(3, 0, 64).unwrap();
        assert!(pairs(&hamming, &Records::default()).unwrap().is_empty());
        let error = pairs(&hamming, &records(&[&[0; 16]])).unwrap_err().to_string();
        assert!(error.contains("64 bits") && error.contains("16 bytes"), "{error}");
    }

    fn built(change: impl FnOnce(&mut BuildContext<'_>)) -> Result<Hamming> {
        let registry = Registry::with_built_ins();
        let mut context = BuildContext { signature_values: 64, ..BuildContext::new(&registry, &NoAssets) };
        change(&mut context);
        Hamming::from_params(&mut Params::new("candidates", toml::Table::new()), &context)
    }

    #[test]
    fn wrong_settings_are_named() {
        let error = |change: fn(&mut BuildContext<'_>)| built(change).err().unwrap().to_string();
        assert!(error(|context| context.distance = 17).contains("decide.distance is 17"));
        assert!(error(|context| context.signature_values = 1).contains("64 or 128 bits"));
        assert!(error(|context| context.reserved_bits = 65).contains("65 reserved bits"));
        let spec = built(|context| context.reserved_bits = 8).unwrap().spec();
        assert_eq!(spec, Spec::new("hamming").with("distance", 3).with("reserved", 8));
    }

    #[test]
    fn recall_is_the_chance_that_few_bits_differ() {
        assert_eq!(built(|_| {}).unwrap().recall_at(0.9), None, "nothing is known of Jaccard");
        let cosine = |distance: u32, reserved: u32| {
            let hamming = built(|context| {
                (context.measure, context.distance, context.reserved_bits) =
                    ("weighted-cosine", distance, reserved);
            });
            move |similarity| hamming.as_ref().unwrap().recall_at(similarity).unwrap()
        };
        // At a right angle every bit is random.
        assert!((cosine(0, 0)(0.0) - 0.5f64.powi(64)).abs() < 1e-24);
        assert!((cosine(1, 60)(0.0) - 5.0 / 16.0).abs() < 1e-12);
        // cos 18° : a tenth of the bits differ.
        let tenth = (18f64).to_radians().cos();
        assert!((cosine(2, 60)(tenth) - (0.9f64.powi(4) + 0.4 * 0.9f64.powi(3) + 0.06 * 0.81)).abs() < 1e-9);
        assert_eq!(cosine(16, 60)(0.3), 1.0, "more may differ than there are");
        for distance in [0, 3, 16] {
            let recall = cosine(distance, 0);
            let rising: Vec<f64> = (0..=100).map(|step| recall(f64::from(step) / 100.0)).collect();
            assert!(rising.windows(2).all(|pair| pair[0] <= pair[1]));
            assert_eq!(rising[100], 1.0);
        }
    }
}
