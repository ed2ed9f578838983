//! How numbers and strings are encoded in the files of an index: little-endian, with lengths first.

use lookalike_core::{Error, Result};

use lookalike_core::numbers::Number;

/// Stands for a missing number; [`Number::from_raw`] turns it into `None`.
const ABSENT: u32 = u32::MAX;

/// Appends values to a buffer.
pub trait Encode {
    fn u8(&mut self, value: u8);
    fn u32(&mut self, value: u32);
    fn u32s(&mut self, values: impl IntoIterator<Item = u32>) {
        values.into_iter().for_each(|value| self.u32(value));
    }
    fn number<Of>(&mut self, number: Number<Of>) {
        self.u32(number.raw());
    }
    fn optional_number<Of>(&mut self, number: Option<Number<Of>>) {
        self.u32(number.map_or(ABSENT, Number::raw));
    }
    fn u64(&mut self, value: u64);
    fn u128(&mut self, value: u128);
    fn f64(&mut self, value: f64);
    /// A length, then the bytes.
    fn bytes(&mut self, value: &[u8]);
    fn text(&mut self, value: &str) {
        self.bytes(value.as_bytes());
    }
}

impl Encode for Vec<u8> {
    fn u8(&mut self, value: u8) {
        self.push(value);
    }

    fn u32(&mut self, value: u32) {
        self.extend_from_slice(&value.to_le_bytes());
    }

    fn u64(&mut self, value: u64) {
        self.extend_from_slice(&value.to_le_bytes());
    }

    fn u128(&mut self, value: u128) {
        self.extend_from_slice(&value.to_le_bytes());
    }

    fn f64(&mut self, value: f64) {
        self.extend_from_slice(&value.to_le_bytes());
    }

    fn bytes(&mut self, value: &[u8]) {
        self.u32(value.len() as u32);
        self.extend_from_slice(value);
    }
}

/// Reads values in the order in which they were appended. An error means that the bytes are damaged or were written
/// by another version.
#[derive(Clone)]
pub struct Decoder<'a> {
    rest: &'a [u8],
}

impl<'a> Decoder<'a> {
    pub fn new(bytes: &'a [u8]) -> Self {
        Decoder { rest: bytes }
    }

    pub fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    /// How much was read of all these bytes, which it began with.
    pub fn place_in(&self, all: &[u8]) -> usize {
        all.len() - self.rest.len()
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N]> {
        let (first, rest) = self.rest.split_first_chunk::<N>().ok_or_else(damaged)?;
        self.rest = rest;
        Ok(*first)
    }

    pub fn u8(&mut self) -> Result<u8> {
        Ok(self.array::<1>()?[0])
    }

    pub fn u32(&mut self) -> Result<u32> {
        Ok(u32::from_le_bytes(self.array()?))
    }

    pub fn number<Of>(&mut self) -> Result<Number<Of>> {
        self.optional_number()?.ok_or_else(damaged)
    }

    pub fn optional_number<Of>(&mut self) -> Result<Option<Number<Of>>> {
        Ok(Number::from_raw(self.u32()?))
    }

    pub fn u64(&mut self) -> Result<u64> {
        Ok(u64::from_le_bytes(self.array()?))
    }

    pub fn u128(&mut self) -> Result<u128> {
        Ok(u128::from_le_bytes(self.array()?))
    }

    pub fn f64(&mut self) -> Result<f64> {
        Ok(f64::from_le_bytes(self.array()?))
    }

    pub fn take(&mut self, length: usize) -> Result<&'a [u8]> {
        let (first, rest) = self.rest.split_at_checked(length).ok_or_else(damaged)?;
        self.rest = rest;
        Ok(first)
    }

    pub fn bytes(&mut self) -> Result<&'a [u8]> {
        let length = self.u32()? as usize;
        self.take(length)
    }

    pub fn text(&mut self) -> Result<&'a str> {
        std::str::from_utf8(self.bytes()?).map_err(|_| damaged())
    }

    /// A count of items that take at least `least` bytes each. It is checked against the remaining bytes, so that a
    /// damaged count cannot request more memory than there are bytes.
    pub fn count(&mut self, least: usize) -> Result<usize> {
        let count = self.u32()? as usize;
        if count.saturating_mul(least) > self.rest.len() { Err(damaged()) } else { Ok(count) }
    }
}

pub fn damaged() -> Error {
    Error::Incompatible("the bytes are damaged or were written by another version".to_owned())
}
