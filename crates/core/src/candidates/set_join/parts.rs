//! Keys of sets by parts that are equal, for thresholds that leave room for few differences.
//!
//! If partners can differ in `unshared` features at most, and features are dealt out to more parts than that, some part is
//! equal in both sets: each difference spoils one part. So the contents of the parts are a set's keys (Arasu, Ganti,
//! Kaushik: Efficient Exact Set-Similarity Joins, VLDB 2006). A part holds several features, and few sets have all of
//! them and none of the others that are dealt to it: buckets are far smaller than those of one rare feature each, and do
//! not depend on a lexicon that knows what is rare in just this collection.
//!
//! There are a few more parts than needed, so that the parts that say the least, such as empty ones, are no keys. Parts
//! are ranked by their contents alone. Of the parts that two partners have in common the best one stands, in either set,
//! above all others that they have in common, and so is not among as many of the worst as there are parts to spare.
//!
//! How many parts there are depends on sizes. Sizes are cut into cells; a set is kept under the parts of its own cell,
//! and looks for partners in each cell by the parts of that one. The details of a key are the size, so that only sets
//! whose size allows a pair are found.

use std::sync::{Arc, OnceLock};

use super::bounds::Bounds;
use super::record::{hashes, size};
use crate::candidates::join::{DETAIL_BITS, KeyRange};
use crate::candidates::size_cells::{SizeCells, both};
use crate::lexicon::Lexicon;
use crate::{hash, maths};

pub(super) struct Parts {
    bounds: Arc<Bounds>,
    lexicon: Option<Arc<Lexicon>>,
    cells: SizeCells,
    /// For each cell, in how many features a set of it can differ from a partner of any size. Computed when first needed:
    /// there are cells for sets of billions of features.
    unshared: Vec<OnceLock<u32>>,
}

/// Into how many cells the sizes from a set's own to its largest partner's are cut. More would save a few keys, and
/// take more look-ups.
const CELLS: u32 = 2;

/// A part of fewer features, on average, would be one of many sets.
const LEAST_FEATURES: u32 = 3;

/// A size at which it no longer matters that sizes are whole numbers.
const TYPICAL: u32 = 1000;

const LARGEST: u32 = (1 << DETAIL_BITS) - 1;

/// A feature and how rare it is.
struct Dealt {
    spread: u64,
    rareness: u64,
}

/// What features of a set are dealt to one place.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Part {
    /// How rare its features are together.
    rareness: u64,
    contents: u64,
}

impl Parts {
    /// `None` if partners can differ in too much for this.
    pub(super) fn new(bounds: &Arc<Bounds>, lexicon: Option<&Arc<Lexicon>>) -> Option<Self> {
        if *bounds.partners(TYPICAL).end() > 2 * TYPICAL {
            return None;
        }
        let cells = SizeCells::new(|size| *bounds.partners(size).end(), CELLS);
        let unshared = (0..=cells.cell(u32::MAX)).map(|_| OnceLock::new()).collect();
        let parts = Parts { bounds: Arc::clone(bounds), lexicon: lexicon.cloned(), cells, unshared };
        let cell = parts.cells.cell(TYPICAL);
        let needed = parts.unshared(cell).saturating_add(1);
        (needed.saturating_mul(LEAST_FEATURES) <= *parts.cells.sizes(cell).start()).then_some(parts)
    }

    /// Appends the keys under which a set is kept.
    pub(super) fn write_keys(&self, record: &[u8], out: &mut Vec<u64>) {
        let size = size(record);
        let cell = self.cells.cell(size);
        let mut parts = Vec::new();
        let best = self.best(&self.deal(record), cell, self.unshared(cell), &mut parts);
        out.extend(best.iter().map(|part| key(part, size)));
    }

    /// Appends the ranges of keys in which partners of a set are kept.
    pub(super) fn write_sought_ranges(&self, record: &[u8], out: &mut Vec<KeyRange>) {
        let size = size(record);
        let partners = self.bounds.partners(size);
        let (dealt, mut parts) = (self.deal(record), Vec::new());
        let start = out.len();
        for cell in self.cells.cells(partners.clone()) {
            let others = both(&self.cells.sizes(cell), &partners);
            let Some(unshared) = self.bounds.most_unshared(&(size..=size), &others) else { continue };
            let best = self.best(&dealt, cell, unshared, &mut parts);
            let range = |part| KeyRange { first: key(part, *others.start()), last: key(part, *others.end()) };
            out.extend(best.iter().map(range));
        }
        // Should two parts have one key, its range is the same and comes once.
        out[start..].sort_unstable();
        out.dedup();
    }

    /// In how many features a set of this cell can differ from a partner of any size.
    fn unshared(&self, cell: u64) -> u32 {
        let compute = || {
            let sizes = self.cells.sizes(cell);
            let others =
                *self.bounds.partners(*sizes.start()).start()..=*self.bounds.partners(*sizes.end()).end();
            self.bounds.most_unshared(&sizes, &others).unwrap_or(0)
        };
        self.unshared.get(cell as usize).map_or_else(compute, |known| *known.get_or_init(compute))
    }

    fn deal(&self, record: &[u8]) -> Vec<Dealt> {
        let rareness = |hash| match &self.lexicon {
            Some(lexicon) => rareness(lexicon.documents(), lexicon.df(hash)),
            None => 1,
        };
        hashes(record).map(|hash| Dealt { spread: hash::mix(hash), rareness: rareness(hash) }).collect()
    }

    /// The parts of a set by which it shares one with every partner that differs from it in so many features, if the one
    /// is kept in this cell and the other looks for it there.
    fn best<'a>(&self, dealt: &[Dealt], cell: u64, unshared: u32, parts: &'a mut Vec<Part>) -> &'a [Part] {
        let most = self.unshared(cell);
        let count = most as usize + 1 + spare(most);
        parts.clear();
        parts.resize(count, Part::default());
        for feature in dealt {
            let place = ((u128::from(feature.spread) * count as u128) >> 64) as usize;
            parts[place].rareness += feature.rareness;
            // A sum, because then features may come in any order.
            parts[place].contents = parts[place].contents.wrapping_add(hash::mix(feature.spread));
        }
        for (place, part) in (0..).zip(parts.iter_mut()) {
            part.contents = hash::combine(part.contents, cell << 32 | place);
        }
        let needed = unshared.min(most) as usize + 1;
        if needed < count {
            parts.select_nth_unstable_by(needed, |a, b| b.cmp(a));
        }
        &parts[..needed]
    }
}

/// How many parts there are beyond those that it takes. With many more each would be smaller and say less.
fn spare(unshared: u32) -> usize {
    2 + unshared as usize / 16
}

/// How rare a word is that so many documents of a lexicon have, in units of which a word of all documents has one.
fn rareness(documents: u64, df: u32) -> u64 {
    let times = (documents as f64 + 1.0) / (f64::from(df) + 1.0);
    1 + (64.0 * maths::ln(times.max(1.0))) as u64
}

/// A part's cell is among what its contents were combined with.
fn key(part: &Part, size: u32) -> u64 {
    part.contents >> DETAIL_BITS << DETAIL_BITS | u64::from(size.min(LARGEST))
}

#[cfg(test)]
mod tests {
    use super::super::record::of_hashes;
    use super::*;
    use crate::decide::{Containment, Cosine, Dice, Jaccard, Longer, Measure};

    fn parts(measure: Box<dyn Measure>, similarity: f64) -> Parts {
        Parts::new(&Arc::new(Bounds::of(measure, similarity)), None).expect("differences are few")
    }

    fn measures() -> [Box<dyn Measure>; 4] {
        [Box::new(Jaccard), Box::new(Cosine), Box::new(Dice), Box::new(Longer)]
    }

    /// How many of the keys of a set are in ranges that another seeks.
    fn met(parts: &Parts, kept: &[u8], seeker: &[u8]) -> usize {
        let (mut keys, mut ranges) = (Vec::new(), Vec::new());
        parts.write_keys(kept, &mut keys);
        parts.write_sought_ranges(seeker, &mut ranges);
        keys.iter().filter(|&&key| ranges.iter().any(|range| range.contains(key))).count()
    }

    /// Sets of these sizes that share as little as partners can.
    fn barely_alike(parts: &Parts, (a, b): (u32, u32), seed: u64) -> (Vec<u8>, Vec<u8>) {
        let shared = parts.bounds.least_shared(a, b);
        let set = |own: u64, size: u32| {
            let common = (0..shared).map(|n| hash::combine(seed, u64::from(n)));
            of_hashes(common.chain((shared..size).map(|n| hash::combine(seed ^ own, u64::from(n)))))
        };
        (set(1 << 40, a), set(2 << 40, b))
    }

    fn check_barely_alike(parts: &Parts, sizes: (u32, u32), seed: u64) {
        let (a, b) = barely_alike(parts, sizes, seed);
        assert!(met(parts, &a, &b) > 0, "{sizes:?}, the smaller is kept, {:?}", parts.bounds.similarity);
        assert!(met(parts, &b, &a) > 0, "{sizes:?}, the larger is kept, {:?}", parts.bounds.similarity);
    }

    #[test]
    fn partners_that_differ_in_all_they_can_are_found() {
        for similarity in [0.9, 0.95, 1.0] {
            for parts in measures().map(|measure| parts(measure, similarity)) {
                for a in 1..60 {
                    for b in a..=*parts.bounds.partners(a).end() {
                        (0..4).for_each(|seed| check_barely_alike(&parts, (a, b), seed));
                    }
                }
            }
        }
    }

    /// Of many sizes only some are asked about.
    #[test]
    fn large_partners_are_found_in_every_cell() {
        for parts in measures().map(|measure| parts(measure, 0.9)) {
            for cell in [40, 50, 60] {
                let sizes = parts.cells.sizes(cell);
                for a in [*sizes.start(), sizes.start() + 7, *sizes.end()] {
                    let partners = parts.bounds.partners(a);
                    for b in [*partners.start(), partners.start() + 1, a, partners.end() - 1, *partners.end()]
                    {
                        check_barely_alike(&parts, (a, b), u64::from(a));
                    }
                }
            }
        }
    }

    /// However sizes are asked about, no two sets differ in more than is said.
    #[test]
    fn no_partners_differ_in_more_than_they_can() {
        for parts in measures().map(|measure| parts(measure, 0.9)) {
            for (from, last) in [(1, 1), (1, 40), (900, 1300), (5000, 5100)] {
                let sizes = from..=last;
                let others = *parts.bounds.partners(from).start()..=*parts.bounds.partners(last).end();
                let bounds = &parts.bounds;
                let unshared =
                    |a: u32| bounds.partners(a).map(|b| a + b - 2 * bounds.least_shared(a, b)).max();
                let exact = sizes.clone().filter_map(unshared).max().unwrap();
                let told = parts.bounds.most_unshared(&sizes, &others).unwrap();
                assert!(exact <= told && told <= exact + exact / 20, "{from} to {last}: {exact}, {told}");
            }
        }
    }

    #[test]
    fn only_where_partners_differ_in_little() {
        let takes = |measure: Box<dyn Measure>, similarity| {
            Parts::new(&Arc::new(Bounds::of(measure, similarity)), None).is_some()
        };
        assert!(
            takes(Box::new(Cosine), 0.9) && takes(Box::new(Jaccard), 0.8) && takes(Box::new(Jaccard), 1.0)
        );
        assert!(!takes(Box::new(Cosine), 0.8) && !takes(Box::new(Jaccard), 0.7));
        assert!(!takes(Box::new(Containment), 0.99), "a partner may be of any size");
    }

    #[test]
    fn keys_are_few_and_say_something() {
        let lexicon = Lexicon::from_counts(1000, (0..125u64).map(|n| (hash::mix(n), 1000)));
        let bounds = Arc::new(Bounds::of(Box::new(Cosine), 0.9));
        let parts = Parts::new(&bounds, Some(&Arc::new(lexicon))).unwrap();
        // Half of the words are in every document.
        let set = |own: u64| of_hashes((0..125).chain(own..own + 125).map(hash::mix));
        let (mut keys, mut buckets) = (Vec::new(), std::collections::BTreeMap::<u64, u32>::new());
        for own in 1..200 {
            keys.clear();
            parts.write_keys(&set(1000 * own), &mut keys);
            // Partners of 250 words differ in 50 at most, those of the largest size of the cell in some more.
            assert!((51..70).contains(&keys.len()), "{}", keys.len());
            keys.iter().for_each(|&key| *buckets.entry(key).or_default() += 1);
        }
        // Parts without a word of its own are every seventh, but few sets have more of these than can be spared.
        let common: u32 = buckets.values().filter(|&&sets| sets > 1).sum();
        assert!(common < 199 * 6, "{common}");
    }

    /// Persisted indexes depend on these: a change here is a new scheme, never a fix.
    #[test]
    fn golden_vectors() {
        let lexicon = Arc::new(Lexicon::from_counts(1000, [(hash::mix(3), 900), (hash::mix(4), 7)]));
        let bounds = Arc::new(Bounds::of(Box::new(Cosine), 0.9));
        let parts = Parts::new(&bounds, Some(&lexicon)).unwrap();
        let record = of_hashes((1..12).map(hash::mix));
        let (mut keys, mut ranges) = (Vec::new(), Vec::new());
        parts.write_keys(&record, &mut keys);
        keys.sort_unstable();
        parts.write_sought_ranges(&record, &mut ranges);
        let ranges: Vec<u64> = ranges.iter().flat_map(|range| [range.first, range.last]).collect();
        let told = (keys, ranges.len(), hash::digest(&ranges));
        let expected = (
            vec![4472581780674707467, 13972764040208842763, 18137195834331103243],
            18,
            243314040857812704107282638476419278353,
        );
        assert_eq!(told, expected);
    }
}
