//! Documents with the same set, taken together, so that each different set is searched once.

use super::super::join::Records;
use crate::error::{Error, Result};
use crate::hash;

/// The places of all documents that have features, by rising size of their sets, equal sets together.
pub(super) struct Groups {
    places: Vec<u32>,
    /// Where each group begins in `places`, and where the last one ends.
    starts: Vec<u32>,
    /// One document of each group, by rising place, so that the records are read in the order in
    /// which they are stored.
    first_places: Vec<u32>,
}

impl Groups {
    /// The records must be fewer than 2³².
    pub(super) fn new(records: &Records) -> Result<Groups> {
        if !(0..records.len()).all(|place| is_set(records.get(place))) {
            return Err(Error::Incompatible(
                "a record is not a rising list of hashes, as the join writes it".into(),
            ));
        }
        let mut keys: Vec<(usize, u64, u32)> = (0..records.len())
            .map(|place| (hashes(records, place).len(), fingerprint(hashes(records, place)), place as u32))
            .filter(|&(size, ..)| size > 0)
            .collect();
        keys.sort_unstable();
        let mut groups =
            Groups { places: Vec::with_capacity(keys.len()), starts: Vec::new(), first_places: Vec::new() };
        let mut last = None;
        for (size, fingerprint, place) in keys {
            let set = hashes(records, place as usize);
            // Two different sets with the same fingerprint are told apart here. If a third set stands
            // between two equal ones, the equal ones become two groups, which the search pairs like any
            // other two.
            if last != Some((size, fingerprint, set)) {
                groups.starts.push(groups.places.len() as u32);
                groups.first_places.push(place);
                last = Some((size, fingerprint, set));
            }
            groups.places.push(place);
        }
        groups.starts.push(groups.places.len() as u32);
        groups.first_places.sort_unstable();
        Ok(groups)
    }

    pub(super) fn first_places(&self) -> &[u32] {
        &self.first_places
    }

    pub(super) fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// The documents of a group, in rising order.
    pub(super) fn places(&self, group: usize) -> &[u32] {
        &self.places[self.starts[group] as usize..self.starts[group + 1] as usize]
    }

    /// The feature hashes of every document of a group; they are equal.
    pub(super) fn hashes<'a>(&self, group: usize, records: &'a Records) -> &'a [[u8; 8]] {
        self.places(group).first().map_or(&[], |&place| hashes(records, place as usize))
    }
}

/// The feature hashes of a document.
pub(super) fn hashes(records: &Records, place: usize) -> &[[u8; 8]] {
    records.get(place).as_chunks().0
}

fn is_set(record: &[u8]) -> bool {
    let (hashes, rest) = record.as_chunks();
    rest.is_empty() && hashes.windows(2).all(|two| u64::from_le_bytes(two[0]) < u64::from_le_bytes(two[1]))
}

/// A sum, because its terms can be computed independently of each other.
fn fingerprint(hashes: &[[u8; 8]]) -> u64 {
    hashes.iter().fold(0, |sum, &bytes| sum.wrapping_add(hash::mix(u64::from_le_bytes(bytes))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_sets_are_together_and_empty_ones_left_out() {
        let mut records = Records::default();
        for set in [&[5u64, 9][..], &[], &[7], &[5, 9], &[4, 9]] {
            records.push(&set.iter().flat_map(|hash| hash.to_le_bytes()).collect::<Vec<u8>>());
        }
        let groups = Groups::new(&records).unwrap();
        assert_eq!(groups.len(), 3);
        assert_eq!(groups.places(0), [2]);
        let mut pairs = [groups.places(1), groups.places(2)];
        pairs.sort_unstable();
        assert_eq!(pairs, [&[0, 3][..], &[4]]);
        assert_eq!(Groups::new(&Records::default()).unwrap().len(), 0);
    }

    #[test]
    fn records_that_are_no_sets_are_refused() {
        for record in [&[1; 7][..], &[0; 16], &[[2, 0, 0, 0, 0, 0, 0, 0], [1, 0, 0, 0, 0, 0, 0, 0]].concat()]
        {
            let mut records = Records::default();
            records.push(record);
            assert!(matches!(Groups::new(&records), Err(Error::Incompatible(_))), "{record:?}");
        }
    }
}
