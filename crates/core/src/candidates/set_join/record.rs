//! What is remembered of a set: its hashes, rising, little endian.

use std::cmp::Ordering;

pub(super) fn size(record: &[u8]) -> u32 {
    (record.len() / 8) as u32
}

pub(super) fn hashes(record: &[u8]) -> impl Iterator<Item = u64> {
    record.as_chunks::<8>().0.iter().map(|&bytes| u64::from_le_bytes(bytes))
}

/// How many hashes two sets have in common.
pub(super) fn shared(a: &[u8], b: &[u8]) -> u32 {
    let (mut a, mut b) = (hashes(a).peekable(), hashes(b).peekable());
    let mut shared = 0;
    while let (Some(x), Some(y)) = (a.peek(), b.peek()) {
        match x.cmp(y) {
            Ordering::Less => drop(a.next()),
            Ordering::Greater => drop(b.next()),
            Ordering::Equal => {
                shared += 1;
                a.next();
                b.next();
            }
        }
    }
    shared
}

/// A record for tests.
#[cfg(test)]
pub(super) fn of_hashes(hashes: impl IntoIterator<Item = u64>) -> Vec<u8> {
    let mut hashes: Vec<u64> = hashes.into_iter().collect();
    hashes.sort_unstable();
    hashes.iter().flat_map(|hash| hash.to_le_bytes()).collect()
}
