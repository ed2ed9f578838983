//! Sets that may be alike, one set at a time, by keys: for an index.
//!
//! A set of features some of which are frequent (a lexicon is named that tells how frequent) is kept under [`Parts`] of
//! it, where partners can differ in little. Others are kept under their rarest features, the [`Prefixes`]: shingles are
//! rare as they are, and parts of them would be a third more keys. An outline of each set drops most of those that share a
//! key before any two sets are compared.

use std::sync::Arc;

use super::bounds::Bounds;
use super::parts::Parts;
use super::prefixes::Prefixes;
use super::record::{hashes, shared, size};
use crate::candidates::join::{KeyRange, Neighbours};
use crate::decide::Overlap;
use crate::hash;
use crate::lexicon::Lexicon;

pub(super) struct LikeSets {
    bounds: Arc<Bounds>,
    keys: Keys,
}

enum Keys {
    Parts(Parts),
    Prefixes(Prefixes),
}

impl LikeSets {
    pub(super) fn new(bounds: Arc<Bounds>, lexicon: Option<Arc<Lexicon>>) -> Self {
        let parts = lexicon.as_ref().and_then(|lexicon| Parts::new(&bounds, lexicon));
        let keys = match parts {
            Some(parts) => Keys::Parts(parts),
            None => Keys::Prefixes(Prefixes::new(Arc::clone(&bounds), lexicon)),
        };
        LikeSets { bounds, keys }
    }
}

/// Bytes of the size in an outline. A bit for each feature follows, several features to a bit.
const SIZE: usize = 4;

impl Neighbours for LikeSets {
    fn write_keys(&self, record: &[u8], out: &mut Vec<u64>) {
        match &self.keys {
            Keys::Parts(parts) => parts.write_keys(record, out),
            Keys::Prefixes(prefixes) => prefixes.write_keys(record, out),
        }
    }

    fn write_sought_keys(&self, _: &[u8], _: &mut Vec<u64>) {}

    fn seeks_ranges(&self) -> bool {
        true
    }

    fn write_sought_ranges(&self, record: &[u8], out: &mut Vec<KeyRange>) {
        match &self.keys {
            Keys::Parts(parts) => parts.write_sought_ranges(record, out),
            Keys::Prefixes(prefixes) => prefixes.write_sought_ranges(record, out),
        }
    }

    /// An index is refused if outlines had another size when it was made, so whoever changes the keys changes this, too.
    /// Eight bytes are compared at a time.
    fn outline_width(&self) -> usize {
        match &self.keys {
            Keys::Parts(_) => 56,
            Keys::Prefixes(_) => 64,
        }
    }

    fn write_outline(&self, record: &[u8], out: &mut Vec<u8>) {
        let start = out.len();
        out.extend(size(record).to_le_bytes());
        out.resize(start + self.outline_width(), 0);
        let bits = &mut out[start + SIZE..];
        let count = 8 * bits.len() as u128;
        for hash in hashes(record) {
            let bit = ((u128::from(hash::mix(hash)) * count) >> 64) as usize;
            bits[bit / 8] |= 1 << (bit % 8);
        }
    }

    /// A bit that only one of two sets has is a feature that only this one has.
    fn may_pair(&self, a: &[u8], b: &[u8]) -> bool {
        let (Some(a_size), Some(b_size)) = (outlined_size(a), outlined_size(b)) else { return true };
        let least = self.bounds.least_shared(a_size, b_size);
        let (Some(of_a), Some(of_b)) = (a_size.checked_sub(least), b_size.checked_sub(least)) else {
            return false;
        };
        let (only_a, only_b) = unshared_bits(a, b);
        only_a <= of_a && only_b <= of_b
    }

    fn pairs(&self, a: &[u8], b: &[u8]) -> bool {
        let overlap = Overlap { shared: shared(a, b), a: size(a), b: size(b) };
        overlap.shared > 0 && self.bounds.reached(&overlap)
    }
}

fn outlined_size(outline: &[u8]) -> Option<u32> {
    outline.first_chunk().map(|size| u32::from_le_bytes(*size))
}

/// How many bits only the one and only the other outline has. Counting ones is a single instruction that the oldest
/// processors lack, so this is compiled twice.
fn unshared_bits(a: &[u8], b: &[u8]) -> (u32, u32) {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("popcnt") {
        // SAFETY: the feature was just detected.
        return unsafe { unshared_bits_popcnt(a, b) };
    }
    count_unshared(a, b)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "popcnt")]
fn unshared_bits_popcnt(a: &[u8], b: &[u8]) -> (u32, u32) {
    count_unshared(a, b)
}

#[inline(always)]
fn count_unshared(a: &[u8], b: &[u8]) -> (u32, u32) {
    let (mut only_a, mut only_b) = (0, 0);
    let mut without_size = !u64::from(u32::MAX);
    for (x, y) in a.as_chunks().0.iter().zip(b.as_chunks().0) {
        let (x, y) = (u64::from_le_bytes(*x) & without_size, u64::from_le_bytes(*y) & without_size);
        only_a += (x & !y).count_ones();
        only_b += (y & !x).count_ones();
        without_size = u64::MAX;
    }
    (only_a, only_b)
}

#[cfg(test)]
mod tests {
    use proptest::collection::{btree_set, vec};
    use proptest::prelude::*;

    use super::super::record::of_hashes;
    use super::*;
    use crate::candidates::join::DETAIL_BITS;
    use crate::decide::{Containment, Cosine, Dice, Jaccard, Longer, Measure};

    fn record(set: impl IntoIterator<Item = u64>) -> Vec<u8> {
        of_hashes(set.into_iter().map(hash::mix))
    }

    fn keys(near: &LikeSets, record: &[u8]) -> Vec<u64> {
        let mut keys = Vec::new();
        near.write_keys(record, &mut keys);
        keys
    }

    /// Rising, as they are looked up.
    fn sought(near: &LikeSets, record: &[u8]) -> Vec<KeyRange> {
        let mut ranges = Vec::new();
        near.write_sought_ranges(record, &mut ranges);
        ranges.sort_unstable();
        assert!(ranges.windows(2).all(|pair| pair[0].last < pair[1].first), "ranges do not meet");
        assert!(ranges.iter().all(|range| range.first <= range.last));
        assert!(ranges.iter().all(|range| range.first >> DETAIL_BITS == range.last >> DETAIL_BITS));
        ranges
    }

    fn outline_of(near: &LikeSets, record: &[u8]) -> Vec<u8> {
        let mut outline = Vec::new();
        near.write_outline(record, &mut outline);
        assert_eq!(outline.len(), near.outline_width());
        outline
    }

    /// Features that a partner lacks: many, or as few as partners of high thresholds have.
    fn own(first: u64) -> impl Strategy<Value = Vec<u64>> {
        prop_oneof![vec(first..first + 400, 0..30), vec(first..first + 400, 0..8)]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1000))]

        /// Whoever is a partner by brute force is kept under a key that is sought, and passes by its outline.
        #[test]
        fn no_partner_is_missed(
            common in btree_set(0u64..400, 1..120),
            a_own in own(1000),
            b_own in own(2000),
            similarity in prop_oneof![Just(0.5), Just(0.8), Just(0.9), Just(1.0), 0.05f64..1.0],
            measure in 0usize..5,
            knows in any::<bool>(),
        ) {
            let measures: [Box<dyn Measure>; 5] =
                [Box::new(Jaccard), Box::new(Cosine), Box::new(Containment), Box::new(Dice), Box::new(Longer)];
            let measure = measures.into_iter().nth(measure).unwrap();
            let lexicon = Lexicon::from_counts(1000, (0..300u64).map(|n| (hash::mix(n), 1 + n as u32)));
            let near = LikeSets::new(Arc::new(Bounds::of(measure, similarity)), knows.then(|| Arc::new(lexicon)));
            let with = |own: &[u64]| {
                let mut set = common.clone();
                set.extend(own);
                record(set)
            };
            let (a, b) = (with(&a_own), with(&b_own));
            let overlap = Overlap { shared: common.len() as u32, a: size(&a), b: size(&b) };
            prop_assert_eq!(near.pairs(&a, &b), near.bounds.reached(&overlap));
            if near.pairs(&a, &b) {
                for (seeker, kept) in [(&a, &b), (&b, &a)] {
                    let sought = sought(&near, seeker);
                    let kept = keys(&near, kept);
                    prop_assert!(kept.iter().any(|&key| sought.iter().any(|range| range.contains(key))));
                }
                prop_assert!(near.may_pair(&outline_of(&near, &a), &outline_of(&near, &b)));
            }
        }
    }

    #[test]
    fn outlines_tell_most_sets_apart() {
        let near = LikeSets::new(Arc::new(Bounds::of(Box::new(Jaccard), 0.8)), None);
        let outlines: Vec<Vec<u8>> =
            (0..50u64).map(|n| outline_of(&near, &record((0..200).map(|m| hash::mix(n) ^ m)))).collect();
        let pairs = (0..50).flat_map(|a| (0..a).map(move |b| (a, b)));
        assert_eq!(
            pairs.filter(|&(a, b): &(usize, usize)| near.may_pair(&outlines[a], &outlines[b])).count(),
            0
        );
    }
}
