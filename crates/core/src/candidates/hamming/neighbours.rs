//! Signatures near one signature, found by keys: for an index that looks up one document at a time.
//!
//! The bits are cut evenly into distance + L blocks, since nothing is known of future signatures. Two signatures
//! that differ in at most `distance` bits agree on at least L blocks, so each choice of L blocks is a key, and
//! signatures that share a key are compared bit by bit. For small distances L is 2, which keeps buckets small for
//! many millions of documents. For greater ones L is 1, which bounds the number of keys. Beyond that, each key
//! would hold half of all documents, so there is one key for all.

use super::Hamming;
use super::word::Word;
use crate::candidates::join::Neighbours;
use crate::hash;

pub struct NearSignatures {
    bits: u32,
    reserved: u32,
    distance: u32,
    /// For each key the blocks it is made of.
    choices: Vec<Vec<u32>>,
    blocks: u32,
}

impl NearSignatures {
    pub fn new(hamming: &Hamming) -> Self {
        let Hamming { distance, reserved, bits, .. } = *hamming;
        let agreeing = match distance {
            0..=3 => 2,
            4..=7 => 1,
            _ => 0,
        };
        let blocks = distance + agreeing;
        let choices = match agreeing {
            0 => vec![Vec::new()],
            1 => (0..blocks).map(|block| vec![block]).collect(),
            _ => (0..blocks).flat_map(|a| (a + 1..blocks).map(move |b| vec![a, b])).collect(),
        };
        NearSignatures { bits, reserved, distance, choices, blocks }
    }

    fn keys_of<W: Word>(&self, signature: W, out: &mut Vec<u64>) {
        let free = self.bits - self.reserved;
        let part = |from: u32, to: u32| -> u64 {
            let mask = (from..to).fold(W::ZERO, |mask, bit| mask | W::ONE << bit);
            let bits = signature & mask;
            hash::combine(bits.low(), if W::BITS > 64 { (bits >> (W::BITS / 2)).low() } else { 0 })
        };
        let agree = part(free, self.bits);
        let edge = |block: u32| free * block / self.blocks.max(1);
        let key = |blocks: &Vec<u32>| {
            blocks.iter().fold(agree, |key, &block| hash::combine(key, part(edge(block), edge(block + 1))))
        };
        out.extend(self.choices.iter().map(key));
    }

    fn near_as<W: Word>(&self, a: W, b: W) -> bool {
        let difference = a ^ b;
        let reserved = (self.bits - self.reserved..self.bits).fold(W::ZERO, |mask, bit| mask | W::ONE << bit);
        difference & reserved == W::ZERO && difference.ones() <= self.distance
    }
}

impl Neighbours for NearSignatures {
    fn kinds(&self) -> usize {
        self.choices.len()
    }

    fn write_keys(&self, signature: &[u8], out: &mut Vec<u64>) {
        match self.bits {
            64 => self.keys_of::<u64>(Word::read(signature).unwrap_or_default(), out),
            _ => self.keys_of::<u128>(Word::read(signature).unwrap_or_default(), out),
        }
    }

    /// A signature is short enough to be its own outline.
    fn may_pair(&self, a: &[u8], b: &[u8]) -> bool {
        self.pairs(a, b)
    }

    fn pairs(&self, a: &[u8], b: &[u8]) -> bool {
        match self.bits {
            64 => matches!((Word::read(a), Word::read(b)), (Some(a), Some(b)) if self.near_as::<u64>(a, b)),
            _ => matches!((Word::read(a), Word::read(b)), (Some(a), Some(b)) if self.near_as::<u128>(a, b)),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn share_a_key(near: &NearSignatures, a: &[u8], b: &[u8]) -> bool {
        let keys = |signature: &[u8]| {
            let mut keys = Vec::new();
            near.write_keys(signature, &mut keys);
            keys
        };
        keys(a).iter().zip(keys(b)).any(|(a, b)| *a == b)
    }

    proptest! {
        /// No near signature is missed, whatever the distance, the reserved bits and the width.
        #[test]
        fn near_signatures_share_a_key(
            value in any::<u128>(),
            flips in proptest::collection::vec(0u32..128, 0..20),
            distance in 0u32..=16,
            reserved in prop_oneof![Just(0u32), 1u32..40],
            wide in any::<bool>(),
        ) {
            let bits = if wide { 128 } else { 64 };
            let near = NearSignatures::new(&Hamming::new(distance, reserved, bits).unwrap());
            let other = flips.iter().fold(value, |value, flip| value ^ 1 << (flip % bits));
            let width = bits as usize / 8;
            let (a, b) = (&value.to_le_bytes()[..width], &other.to_le_bytes()[..width]);
            let difference = if wide { value ^ other } else { (value ^ other) & u128::from(u64::MAX) };
            let expected = difference.count_ones() <= distance
                && difference >> (bits - reserved).min(127) & if reserved == 0 { 0 } else { u128::MAX } == 0;
            prop_assert_eq!(near.pairs(a, b), expected);
            prop_assert!(!expected || share_a_key(&near, a, b));
        }
    }

    #[test]
    fn keys_tell_signatures_apart() {
        let near = NearSignatures::new(&Hamming::new(3, 0, 64).unwrap());
        assert_eq!(near.kinds(), 10);
        let shared = (0..2000u64).filter(|&at| {
            share_a_key(&near, &hash::mix(at).to_le_bytes(), &hash::mix(at + 5000).to_le_bytes())
        });
        assert_eq!(shared.count(), 0, "25 bits of random signatures rarely agree");
    }
}
