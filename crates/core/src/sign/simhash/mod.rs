//! Simhash: one bit for each of 64 (or 128) random directions, which says on which side the document
//! lies.
//!
//! For every bit each feature votes with its weight, for or against by the bit of its hash; the bit is 1
//! when the votes for it weigh more, 0 when they weigh less or just as much. Two documents differ in a
//! bit with probability θ/π, θ being the angle between their vectors of feature weights, so the Hamming
//! distance of signatures estimates it.
//!
//! The signature is a little-endian number, so its leading bits are in its last bytes. `reserved` of them
//! hold the document's class instead of votes: documents of another class are no neighbours.
//!
//! Votes are summed as integers ([`crate::votes`] for weighted features, [`count`] for equal ones), hence exactly:
//! neither the order of features nor the CPU can change a signature.

mod count;

use super::signer::Signer;
use crate::error::{Error, Result};
use crate::features::Features;
use crate::hash;
use crate::part::{Param, Params, PartInfo, Spec};
use crate::votes::Sums;

/// A bit for the sign of each of many weighted votes of the features.
pub struct Simhash {
    bits: u32,
    reserved: u32,
}

const MAX_RESERVED: u32 = 16;

impl Simhash {
    /// The description of this part in the registry.
    pub const INFO: PartInfo = PartInfo {
        name: "simhash",
        summary: "Simhash signature: differing bits estimate the angle between weighted features",
        paper: "Charikar 2002; Manku, Jain, Das Sarma 2007; S09 ch. 3, §7.1.1",
        params: &[
            Param { name: "bits", default: "64", help: "bits in a signature: 64 or 128" },
            Param {
                name: "reserved",
                default: "0",
                help: "leading bits that hold the document's class (features.class) and must agree, 0 to 16",
            },
        ],
    };

    /// `bits` bits, of which the first `reserved` hold the class of the document.
    pub fn new(bits: u32, reserved: u32) -> Result<Self> {
        if bits != 64 && bits != 128 {
            return Err(Error::config(format!("sign.bits is {bits}, it must be 64 or 128")));
        }
        if reserved > MAX_RESERVED {
            return Err(Error::config(format!(
                "sign.reserved is {reserved}, it must be from 0 to {MAX_RESERVED}"
            )));
        }
        Ok(Simhash { bits, reserved })
    }

    /// Reads its parameters from a section of a recipe.
    pub fn from_params(params: &mut Params) -> Result<Self> {
        let mut read = |key, default| Ok(params.integer(key, default)?.min(u64::from(u32::MAX)) as u32);
        Simhash::new(read("bits", 64)?, read("reserved", 0)?)
    }

    /// The bits that features vote for.
    fn voted(&self) -> u128 {
        u128::MAX >> (128 - self.bits + self.reserved)
    }
}

impl Signer for Simhash {
    fn spec(&self) -> Spec {
        Spec::new(Self::INFO.name)
            .with("bits", i64::from(self.bits))
            .with("reserved", i64::from(self.reserved))
    }

    fn width(&self) -> usize {
        self.bits as usize / 8
    }

    fn values(&self) -> usize {
        self.bits as usize
    }

    fn sign(&self, features: &Features, out: &mut [u8]) {
        let mut signature = u128::from(vote(features, |hash| hash));
        if self.bits == 128 {
            // The second half votes by hashes of the hashes.
            signature |= u128::from(vote(features, hash::mix)) << 64;
        }
        let class = u128::from(features.class.map_or(0, hash::mix)) << (self.bits - 64);
        signature = signature & self.voted() | class & !self.voted();
        out.copy_from_slice(&signature.to_le_bytes()[..self.width()]);
    }

    fn reserved_bits(&self) -> u32 {
        self.reserved
    }

    fn estimates_jaccard(&self) -> bool {
        false
    }

    fn explain(&self, a: &[u8], b: &[u8]) -> String {
        let differing = number(a) ^ number(b);
        if differing & !self.voted() != 0 {
            return "the classes differ".to_owned();
        }
        format!("{} of {} bits differ", differing.count_ones(), self.voted().count_ones())
    }

    fn estimate(&self, a: &[u8], b: &[u8]) -> f64 {
        let differing = number(a) ^ number(b);
        if differing & !self.voted() != 0 {
            return 0.0;
        }
        1.0 - f64::from(differing.count_ones()) / f64::from(self.bits - self.reserved)
    }
}

/// 64 bits of the signature, voted by each feature's `hash_of`.
fn vote(features: &Features, hash_of: impl Fn(u64) -> u64) -> u64 {
    if features.weights.is_empty() {
        count::majority(&features.hashes, hash_of)
    } else {
        Sums::of(&features.hashes, &features.weights, hash_of).majority()
    }
}

fn number(signature: &[u8]) -> u128 {
    let mut bytes = [0; 16];
    let length = signature.len().min(16);
    bytes[..length].copy_from_slice(&signature[..length]);
    u128::from_le_bytes(bytes)
}

#[cfg(test)]
mod tests;
