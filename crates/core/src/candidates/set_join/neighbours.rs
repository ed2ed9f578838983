//! Sets that may be alike, one set at a time, by keys: for an index.
//!
//! Two sets that share `least` features share one among the first `size - least + 1` of either, whatever order features
//! are in, as long as it is the same for all. So these features are a set's keys. Rare ones come first, which keeps
//! buckets small: how rare a word is says a frozen lexicon, and what it does not know is rarer than all that it knows.
//! Features other than words (shingles, sentences) are rare anyway, and are in the order of their hashes.
//!
//! Sizes count, too: the larger a partner, the more it must share and the fewer features of a set need to be looked for.
//! And the smaller, the fewer of its own features can be the first that both share. So the details of a key are the cell
//! of the set's size and how many features come before this one: of all sets with a feature, those that can be partners
//! are in a few ranges that lie side by side.

use std::ops::RangeInclusive;
use std::sync::Arc;

use super::bounds::Bounds;
use crate::candidates::join::{DETAIL_BITS, KeyRange, Neighbours};
use crate::candidates::size_cells::{SizeCells, largest_partner, smallest_partner};
use crate::decide::Overlap;
use crate::hash;
use crate::lexicon::Lexicon;

pub(super) struct LikeSets {
    bounds: Arc<Bounds>,
    lexicon: Option<Arc<Lexicon>>,
    cells: SizeCells,
}

/// Into how many cells the sizes from a set's own to its largest partner's are cut. There are fewer than 2¹² cells then,
/// whatever the measure.
const CELLS: u32 = 16;

/// Bits of a key for the place of a feature among those of its set. Places beyond count as the last.
const PLACE_BITS: u32 = 12;
const LAST_PLACE: u32 = (1 << PLACE_BITS) - 1;

const MOST_SIZES: u32 = 10_000;

/// Bytes of an outline: the size, then a bit for each feature, several features to a bit. An index is refused if outlines
/// had another size when it was made, so whoever changes the keys changes this, too.
const OUTLINE: usize = 64;
const SIZE: usize = 4;
const BITS: u64 = ((OUTLINE - SIZE) * 8) as u64;

impl LikeSets {
    pub(super) fn new(bounds: Arc<Bounds>, lexicon: Option<Arc<Lexicon>>) -> Self {
        let most = |size| largest_partner(size, |other| bounds.may_pair(size, other));
        let cells = SizeCells::new(most, CELLS);
        LikeSets { bounds, lexicon, cells }
    }

    /// How many features of a set of this size are its keys.
    fn keys(&self, size: u32) -> u32 {
        (size + 1).saturating_sub(self.bounds.least_with_any(size))
    }

    /// Of a set of this size and of its partners of other sizes: how many features come at most up to the first that they
    /// share, that one included.
    fn up_to_first_shared(&self, size: u32, others: RangeInclusive<u32>) -> (u32, u32) {
        // So many sizes would take longer to ask about than is saved.
        if others.end() - others.start() > MOST_SIZES {
            return (self.keys(size), u32::MAX);
        }
        let (mut own, mut theirs) = (0, 0);
        for other in others {
            let shared = self.bounds.least_shared(size, other);
            own = own.max((size + 1).saturating_sub(shared));
            theirs = theirs.max((other + 1).saturating_sub(shared));
        }
        (own, theirs)
    }

    /// The first features of a set in the order of all.
    fn first(&self, record: &[u8], length: u32) -> Vec<u64> {
        let mut features: Vec<(u32, u64, u64)> = hashes(record)
            .map(|hash| (self.lexicon.as_ref().map_or(0, |lexicon| lexicon.df(hash)), hash::mix(hash), hash))
            .collect();
        let length = length as usize;
        if 0 < length && length < features.len() {
            features.select_nth_unstable(length - 1);
        }
        features.truncate(length);
        features.sort_unstable();
        features.into_iter().map(|(_, _, hash)| hash).collect()
    }
}

fn key(feature: u64, cell: u64, place: u32) -> u64 {
    let details = cell << PLACE_BITS | u64::from(place.min(LAST_PLACE));
    hash::mix(feature) >> DETAIL_BITS << DETAIL_BITS | details
}

impl Neighbours for LikeSets {
    fn write_keys(&self, record: &[u8], out: &mut Vec<u64>) {
        let cell = self.cells.cell(size(record));
        let keys = self.first(record, self.keys(size(record)));
        out.extend((0..).zip(keys).map(|(place, feature)| key(feature, cell, place)));
    }

    fn write_sought_keys(&self, _: &[u8], _: &mut Vec<u64>) {}

    fn seeks_ranges(&self) -> bool {
        true
    }

    fn write_sought_ranges(&self, record: &[u8], out: &mut Vec<KeyRange>) {
        let size = size(record);
        let least = smallest_partner(size, |other| self.bounds.may_pair(other, size));
        let most = largest_partner(size, |other| self.bounds.may_pair(size, other));
        let first = self.first(record, self.keys(size));
        for cell in self.cells.cells(least..=most) {
            let sizes = self.cells.sizes(cell);
            let others = least.max(*sizes.start())..=most.min(*sizes.end());
            let (own, theirs) = self.up_to_first_shared(size, others);
            let Some(last) = theirs.checked_sub(1) else { continue };
            let range =
                |&feature: &u64| KeyRange { first: key(feature, cell, 0), last: key(feature, cell, last) };
            out.extend(first.iter().take(own as usize).map(range));
        }
    }

    fn outline_width(&self) -> usize {
        OUTLINE
    }

    fn write_outline(&self, record: &[u8], out: &mut Vec<u8>) {
        let start = out.len();
        out.extend(size(record).to_le_bytes());
        out.resize(start + OUTLINE, 0);
        let bits = &mut out[start + SIZE..];
        for hash in hashes(record) {
            let bit = ((u128::from(hash::mix(hash)) * u128::from(BITS)) >> 64) as usize;
            bits[bit / 8] |= 1 << (bit % 8);
        }
    }

    /// A bit that only one of two sets has is a feature that only this one has.
    fn may_pair(&self, a: &[u8], b: &[u8]) -> bool {
        let (Some(a), Some(b)) = (a.first_chunk(), b.first_chunk()) else { return true };
        let (a_size, b_size) = (outlined_size(a), outlined_size(b));
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

type Outline = [u8; OUTLINE];

fn outlined_size(outline: &Outline) -> u32 {
    outline.first_chunk().map_or(0, |size| u32::from_le_bytes(*size))
}

/// How many bits only the one and only the other outline has. Counting ones is a single instruction that the oldest
/// processors lack, so this is compiled twice.
fn unshared_bits(a: &Outline, b: &Outline) -> (u32, u32) {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("popcnt") {
        // SAFETY: the feature was just detected.
        return unsafe { unshared_bits_popcnt(a, b) };
    }
    count_unshared(a, b)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "popcnt")]
fn unshared_bits_popcnt(a: &Outline, b: &Outline) -> (u32, u32) {
    count_unshared(a, b)
}

#[inline(always)]
fn count_unshared(a: &Outline, b: &Outline) -> (u32, u32) {
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

fn size(record: &[u8]) -> u32 {
    (record.len() / 8) as u32
}

/// The hashes of a record, rising.
fn hashes(record: &[u8]) -> impl Iterator<Item = u64> {
    record.as_chunks::<8>().0.iter().map(|&bytes| u64::from_le_bytes(bytes))
}

fn shared(a: &[u8], b: &[u8]) -> u32 {
    let (mut a, mut b) = (hashes(a).peekable(), hashes(b).peekable());
    let mut shared = 0;
    while let (Some(x), Some(y)) = (a.peek(), b.peek()) {
        match x.cmp(y) {
            std::cmp::Ordering::Less => drop(a.next()),
            std::cmp::Ordering::Greater => drop(b.next()),
            std::cmp::Ordering::Equal => {
                shared += 1;
                a.next();
                b.next();
            }
        }
    }
    shared
}

#[cfg(test)]
mod tests {
    use proptest::collection::{btree_set, vec};
    use proptest::prelude::*;

    use super::*;
    use crate::decide::{Containment, Cosine, Dice, Jaccard, Longer, Measure};

    fn record(set: impl IntoIterator<Item = u64>) -> Vec<u8> {
        let mut hashes: Vec<u64> = set.into_iter().map(hash::mix).collect();
        hashes.sort_unstable();
        hashes.iter().flat_map(|hash| hash.to_le_bytes()).collect()
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

    proptest! {
        /// Whoever is a partner by brute force is kept under a key that is sought, and passes by its outline.
        #[test]
        fn no_partner_is_missed(
            common in btree_set(0u64..400, 1..120),
            a_own in vec(1000u64..1400, 0..30),
            b_own in vec(2000u64..2400, 0..30),
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
    fn a_set_has_few_keys_and_those_of_rare_words() {
        let lexicon = Lexicon::from_counts(1000, (0..90u64).map(|n| (hash::mix(n), 1000 - n as u32)));
        let near = LikeSets::new(Arc::new(Bounds::of(Box::new(Cosine), 0.9)), Some(Arc::new(lexicon)));
        assert_eq!(near.keys(100), 20);
        let mut prefix = near.first(&record(0..100), 20);
        prefix.sort_unstable();
        // 81 must be shared with the smallest partner, so 20 of 100 are enough: ten unknown ones, then the rarest.
        let mut rarest: Vec<u64> = (80..100).map(hash::mix).collect();
        rarest.sort_unstable();
        assert_eq!(prefix, rarest);
    }

    /// More cells than details have room for would run into the feature.
    #[test]
    fn cells_fit_into_a_key_whatever_the_measure() {
        for similarity in [1.0, 0.999, 0.9, 0.5, 0.01] {
            let measures: [Box<dyn Measure>; 4] =
                [Box::new(Jaccard), Box::new(Cosine), Box::new(Containment), Box::new(Longer)];
            for measure in measures {
                let near = LikeSets::new(Arc::new(Bounds::of(measure, similarity)), None);
                assert!(near.cells.cell(u32::MAX) < 1 << (DETAIL_BITS - PLACE_BITS), "{similarity}");
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
