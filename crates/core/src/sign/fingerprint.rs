//! A signature by which versions of one document are told apart.

use std::fmt;

/// A simhash, and what made it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fingerprint {
    /// Only fingerprints of one scheme can be compared.
    pub scheme: u32,
    /// The lower 64 bits.
    pub low: u64,
    /// The upper 64 bits, of a simhash of 128.
    pub high: Option<u64>,
}

impl Fingerprint {
    /// Of a signature of 8 or 16 bytes; `None` if it is shorter.
    pub fn of_signature(scheme: u32, signature: &[u8]) -> Option<Fingerprint> {
        let (low, rest) = signature.split_first_chunk::<8>()?;
        let high = rest.first_chunk::<8>().map(|high| u64::from_le_bytes(*high));
        Some(Fingerprint { scheme, low: u64::from_le_bytes(*low), high })
    }

    /// In how many bits the two differ; `None` if they were made in different ways.
    pub fn distance(self, other: Fingerprint) -> Option<u32> {
        let bits = |a: u64, b: u64| (a ^ b).count_ones();
        let high = bits(self.high.unwrap_or(0), other.high.unwrap_or(0));
        (self.scheme == other.scheme).then(|| bits(self.low, other.low) + high)
    }
}

/// In hexadecimal digits, the upper bits first.
impl fmt::Display for Fingerprint {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(high) = self.high {
            write!(out, "{high:016x}")?;
        }
        write!(out, "{:016x}", self.low)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_distance_counts_bits_of_one_scheme() {
        let print = |scheme, low, high| Fingerprint { scheme, low, high };
        assert_eq!(print(1, 0b1010, None).distance(print(1, 0b0110, None)), Some(2));
        assert_eq!(print(1, 1, Some(3)).distance(print(1, 0, Some(0))), Some(3));
        assert_eq!(print(1, 1, None).distance(print(2, 1, None)), None);
        assert_eq!(print(1, 10, Some(1)).to_string(), "0000000000000001000000000000000a");
    }

    #[test]
    fn the_upper_half_of_a_signature_is_its_last_bytes() {
        let signature: Vec<u8> = (1..=16).collect();
        let print = |bytes: &[u8]| Fingerprint::of_signature(7, bytes).map(|print| print.to_string());
        assert_eq!(print(&signature).as_deref(), Some("100f0e0d0c0b0a090807060504030201"));
        assert_eq!(print(&signature[..8]).as_deref(), Some("0807060504030201"));
        assert_eq!(print(&signature[..7]), None);
    }
}
