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

#[cfg(test)]
mod tests;

pub(super) struct Parts {
    bounds: Arc<Bounds>,
    lexicon: Arc<Lexicon>,
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
    pub(super) fn new(bounds: &Arc<Bounds>, lexicon: &Arc<Lexicon>) -> Option<Self> {
        if *bounds.partners(TYPICAL).end() > 2 * TYPICAL {
            return None;
        }
        let cells = SizeCells::new(|size| *bounds.partners(size).end(), CELLS);
        let unshared = (0..=cells.cell(u32::MAX)).map(|_| OnceLock::new()).collect();
        let parts = Parts { bounds: Arc::clone(bounds), lexicon: Arc::clone(lexicon), cells, unshared };
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

    /// How many parts the features of a set are dealt to.
    fn count(&self, cell: u64) -> usize {
        let unshared = self.unshared(cell);
        unshared as usize + 1 + spare(unshared)
    }

    fn deal(&self, record: &[u8]) -> Vec<Dealt> {
        let rareness = |hash| rareness(self.lexicon.documents(), self.lexicon.df(hash));
        hashes(record).map(|hash| Dealt { spread: hash::mix(hash), rareness: rareness(hash) }).collect()
    }

    /// The parts of a set by which it shares one with every partner that differs from it in so many features, if the one
    /// is kept in this cell and the other looks for it there.
    fn best<'a>(&self, dealt: &[Dealt], cell: u64, unshared: u32, parts: &'a mut Vec<Part>) -> &'a [Part] {
        let count = self.count(cell);
        parts.clear();
        parts.resize(count, Part::default());
        for feature in dealt {
            let place = place_of(feature.spread, count);
            parts[place].rareness += feature.rareness;
            // A sum, because then features may come in any order.
            parts[place].contents = parts[place].contents.wrapping_add(hash::mix(feature.spread));
        }
        for (place, part) in (0..).zip(parts.iter_mut()) {
            part.contents = hash::combine(part.contents, cell << 32 | place);
        }
        let needed = unshared.min(self.unshared(cell)) as usize + 1;
        if needed < count {
            parts.select_nth_unstable_by(needed, |a, b| b.cmp(a));
        }
        &parts[..needed]
    }
}

/// The part of so many to which a feature is dealt.
fn place_of(spread: u64, parts: usize) -> usize {
    ((u128::from(spread) * parts as u128) >> 64) as usize
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
