//! Versions of a document as bytes. The marks of a version came later than the rest, so they are apart from it.

use lookalike_core::Result;
use lookalike_core::difference::Difference;
use lookalike_core::sign::Fingerprint;

use super::{Marks, Version};
use crate::storage::bytes::{Decoder, Encode, damaged};

/// Bits of the byte before marks: which of them follow.
const FINGERPRINT: u8 = 1;
const UPPER_HALF: u8 = 2;
const DISTANCE: u8 = 4;
const DIFFERENCE: u8 = 8;

impl Version {
    pub fn encode(&self, out: &mut Vec<u8>) {
        out.u32(self.time);
        out.u8(u8::from(self.changed));
        // NaN stands for versions that were not compared.
        out.f64(self.similarity.unwrap_or(f64::NAN));
        out.u32(self.bytes);
    }

    pub fn decode(from: &mut Decoder<'_>) -> Result<Version> {
        Ok(Version {
            time: from.u32()?,
            changed: from.u8()? != 0,
            similarity: Some(from.f64()?).filter(|similarity| !similarity.is_nan()),
            bytes: from.u32()?,
            marks: Marks::default(),
        })
    }
}

impl Marks {
    pub fn encode(&self, out: &mut Vec<u8>) {
        let Marks { fingerprint, distance, difference } = *self;
        let high = fingerprint.and_then(|print| print.high);
        let flag = |present: bool, flag: u8| if present { flag } else { 0 };
        out.u8(flag(fingerprint.is_some(), FINGERPRINT)
            | flag(high.is_some(), UPPER_HALF)
            | flag(distance.is_some(), DISTANCE)
            | flag(difference.is_some(), DIFFERENCE));
        if let Some(print) = fingerprint {
            out.u32(print.scheme);
            out.u64(print.low);
        }
        if let Some(high) = high {
            out.u64(high);
        }
        if let Some(distance) = distance {
            out.u8(distance);
        }
        if let Some(difference) = difference {
            out.u32(u32::from(difference.bits()));
        }
    }

    pub fn decode(from: &mut Decoder<'_>) -> Result<Marks> {
        let flags = from.u8()?;
        let has = |flag: u8| flags & flag != 0;
        if flags > (FINGERPRINT | UPPER_HALF | DISTANCE | DIFFERENCE) || has(UPPER_HALF) && !has(FINGERPRINT)
        {
            return Err(damaged());
        }
        let mut marks = Marks::default();
        if has(FINGERPRINT) {
            let (scheme, low) = (from.u32()?, from.u64()?);
            let high = if has(UPPER_HALF) { Some(from.u64()?) } else { None };
            marks.fingerprint = Some(Fingerprint { scheme, low, high });
        }
        if has(DISTANCE) {
            marks.distance = Some(from.u8()?);
        }
        if has(DIFFERENCE) {
            let bits = u16::try_from(from.u32()?).ok().and_then(Difference::from_bits);
            marks.difference = Some(bits.ok_or_else(damaged)?);
        }
        Ok(marks)
    }
}

pub fn encode_versions(versions: &[Version], out: &mut Vec<u8>) {
    out.u32(versions.len() as u32);
    versions.iter().for_each(|version| version.encode(out));
}

pub fn decode_versions(from: &mut Decoder<'_>) -> Result<Vec<Version>> {
    (0..from.count(17)?).map(|_| Version::decode(from)).collect()
}
