//! Keys of sets by their rarest features, for thresholds that leave room for many differences.
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
use super::record::{hashes, size};
use crate::candidates::join::{DETAIL_BITS, KeyRange};
use crate::candidates::size_cells::{SizeCells, both};
use crate::hash;
use crate::lexicon::Lexicon;

pub(super) struct Prefixes {
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

impl Prefixes {
    pub(super) fn new(bounds: Arc<Bounds>, lexicon: Option<Arc<Lexicon>>) -> Self {
        let cells = SizeCells::new(|size| *bounds.partners(size).end(), CELLS);
        Prefixes { bounds, lexicon, cells }
    }

    /// Appends the keys under which a set is kept.
    pub(super) fn write_keys(&self, record: &[u8], out: &mut Vec<u64>) {
        let cell = self.cells.cell(size(record));
        let keys = self.first(record, self.keys(size(record)));
        out.extend((0..).zip(keys).map(|(place, feature)| key(feature, cell, place)));
    }

    /// Appends the ranges of keys in which partners of a set are kept.
    pub(super) fn write_sought_ranges(&self, record: &[u8], out: &mut Vec<KeyRange>) {
        let size = size(record);
        let partners = self.bounds.partners(size);
        let first = self.first(record, self.keys(size));
        for cell in self.cells.cells(partners.clone()) {
            let others = both(&self.cells.sizes(cell), &partners);
            let (own, theirs) = self.up_to_first_shared(size, others);
            let Some(last) = theirs.checked_sub(1) else { continue };
            let range =
                |&feature: &u64| KeyRange { first: key(feature, cell, 0), last: key(feature, cell, last) };
            out.extend(first.iter().take(own as usize).map(range));
        }
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

#[cfg(test)]
mod tests {
    use super::super::record::of_hashes;
    use super::*;
    use crate::decide::{Containment, Cosine, Jaccard, Longer, Measure};

    #[test]
    fn a_set_has_few_keys_and_those_of_rare_words() {
        let lexicon = Lexicon::from_counts(1000, (0..90u64).map(|n| (hash::mix(n), 1000 - n as u32)));
        let near = Prefixes::new(Arc::new(Bounds::of(Box::new(Cosine), 0.8)), Some(Arc::new(lexicon)));
        assert_eq!(near.keys(100), 37);
        let mut prefix = near.first(&of_hashes((0..100).map(hash::mix)), 37);
        prefix.sort_unstable();
        // 64 must be shared with the smallest partner, so 37 of 100 are enough: ten unknown ones, then the rarest.
        let mut rarest: Vec<u64> = (63..100).map(hash::mix).collect();
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
                let near = Prefixes::new(Arc::new(Bounds::of(measure, similarity)), None);
                assert!(near.cells.cell(u32::MAX) < 1 << (DETAIL_BITS - PLACE_BITS), "{similarity}");
            }
        }
    }

    /// Persisted indexes depend on these: a change here is a new scheme, never a fix.
    #[test]
    fn golden_vectors() {
        let prefixes = Prefixes::new(Arc::new(Bounds::of(Box::new(Jaccard), 0.5)), None);
        let (mut keys, mut ranges) = (Vec::new(), Vec::new());
        let record = of_hashes((1..6).map(hash::mix));
        prefixes.write_keys(&record, &mut keys);
        prefixes.write_sought_ranges(&record, &mut ranges);
        let ranges: Vec<u64> = ranges.iter().flat_map(|range| [range.first, range.last]).collect();
        let told = (keys, ranges.len(), hash::digest(&ranges));
        let expected = (
            vec![7486586774261612544, 8579500607327453185, 11196264095152095234],
            30,
            40881288098882636281473720170929479151,
        );
        assert_eq!(told, expected);
    }
}
