//! What a document is found by, as bytes.

use lookalike_core::candidates::KeyRange;
use lookalike_core::{Error, Result};
use lookalike_engine::pipeline::{LookupEntry, Sought};

/// Packs keys, ranges and what is stored.
pub fn pack(entry: &LookupEntry) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(16 + 9 * entry.kept.len() + entry.stored.len());
    put_keys(&mut bytes, &entry.kept);
    // Where a document looks under its own keys, they are not told twice.
    bytes.push(u8::from(entry.sought.keys == entry.kept));
    if entry.sought.keys != entry.kept {
        put_keys(&mut bytes, &entry.sought.keys);
    }
    put_count(&mut bytes, entry.sought.ranges.len());
    for (branch, range) in &entry.sought.ranges {
        bytes.push(*branch);
        bytes.extend(range.first.to_le_bytes());
        bytes.extend(range.last.to_le_bytes());
    }
    bytes.extend(&entry.stored);
    bytes
}

/// What was packed; and whether the document looks under its own keys.
pub fn unpack(bytes: &[u8]) -> Result<(LookupEntry, bool)> {
    let mut reader = Reader(bytes);
    let kept = reader.keys()?;
    let is_same = reader.take::<1>()?[0] == 1;
    let keys = if is_same { kept.clone() } else { reader.keys()? };
    let count = reader.count()?;
    let mut ranges = Vec::with_capacity(count.min(bytes.len()));
    for _ in 0..count {
        let [branch] = reader.take::<1>()?;
        ranges.push((branch, KeyRange { first: reader.number()?, last: reader.number()? }));
    }
    Ok((LookupEntry { kept, sought: Sought { keys, ranges }, stored: reader.0.to_vec() }, is_same))
}

fn put_keys(bytes: &mut Vec<u8>, keys: &[(u8, u64)]) {
    put_count(bytes, keys.len());
    for (branch, key) in keys {
        bytes.push(*branch);
        bytes.extend(key.to_le_bytes());
    }
}

fn put_count(bytes: &mut Vec<u8>, count: usize) {
    bytes.extend((count as u32).to_le_bytes());
}

/// Reads what may have been cut or changed on its way.
pub struct Reader<'a>(pub &'a [u8]);

impl<'a> Reader<'a> {
    pub fn take<const N: usize>(&mut self) -> Result<[u8; N]> {
        let (first, rest) = self.0.split_first_chunk::<N>().ok_or_else(broken)?;
        self.0 = rest;
        Ok(*first)
    }

    pub fn bytes(&mut self, count: usize) -> Result<&'a [u8]> {
        let (first, rest) = self.0.split_at_checked(count).ok_or_else(broken)?;
        self.0 = rest;
        Ok(first)
    }

    pub fn number(&mut self) -> Result<u64> {
        Ok(u64::from_le_bytes(self.take()?))
    }

    pub fn count(&mut self) -> Result<usize> {
        Ok(u32::from_le_bytes(self.take()?) as usize)
    }

    fn keys(&mut self) -> Result<Vec<(u8, u64)>> {
        let count = self.count()?;
        let mut keys = Vec::with_capacity(count.min(self.0.len()));
        for _ in 0..count {
            let [branch] = self.take::<1>()?;
            keys.push((branch, self.number()?));
        }
        Ok(keys)
    }
}

pub fn broken() -> Error {
    Error::Incompatible("the job's work folder is damaged or was written by another version".to_owned())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn what_is_packed_comes_back_and_what_is_cut_is_an_error(
            kept in prop::collection::vec(any::<(u8, u64)>(), 0..5),
            sought in prop::option::of(prop::collection::vec(any::<(u8, u64)>(), 0..5)),
            ranges in prop::collection::vec(any::<(u8, u64, u64)>(), 0..3),
            cut in 0usize..40,
        ) {
            let keys = sought.unwrap_or_else(|| kept.clone());
            let ranges = ranges.into_iter().map(|(branch, first, last)| (branch, KeyRange { first, last })).collect();
            let entry = LookupEntry { kept, sought: Sought { keys, ranges }, stored: vec![1, 2, 3] };
            let bytes = pack(&entry);
            let (back, is_same) = unpack(&bytes).unwrap();
            prop_assert_eq!(&back.kept, &entry.kept);
            prop_assert_eq!(&back.sought.keys, &entry.sought.keys);
            prop_assert_eq!(&back.sought.ranges, &entry.sought.ranges);
            prop_assert_eq!(&back.stored, &entry.stored);
            prop_assert_eq!(is_same, entry.sought.keys == entry.kept);
            if bytes.len() - 3 > cut {
                prop_assert!(unpack(&bytes[..cut]).is_err());
            }
        }
    }
}
