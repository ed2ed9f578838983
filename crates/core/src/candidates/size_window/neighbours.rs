//! Documents of like size and class, one document at a time: for an index.
//!
//! As in the paper, a document is compared with all of its class whose size allows it. Sizes are cut into cells, so that
//! those are the documents of one to three cells. The first byte of each of the first chunks is held in memory: nearly
//! all documents differ in so many of these already that no more of them needs to be looked at.

use super::{Record, SizeWindow, compare, least_votes};
use crate::candidates::join::Neighbours;
use crate::candidates::size_cells::{SizeCells, largest_partner, smallest_partner};
use crate::features::chunks::code;
use crate::hash;

pub(super) struct LikeSizes {
    window: SizeWindow,
    cells: SizeCells,
}

impl LikeSizes {
    pub(super) fn new(window: SizeWindow) -> Self {
        let cells = SizeCells::new(|size| largest_partner(size, |other| window.may_pair(size, other)), 1);
        LikeSizes { window, cells }
    }
}

impl SizeWindow {
    /// Whether the sizes, in chunks, of two documents allow a pair.
    fn may_pair(&self, shorter: u32, longer: u32) -> bool {
        shorter as usize >= least_votes(longer as usize, self.threshold)
    }
}

fn key(record: &Record<'_>, cell: u64) -> u64 {
    let class = record.class.map_or(0, |class| hash::combine(class, 1));
    hash::combine(hash::combine(class, u64::from(record.width)), cell)
}

fn size(record: &Record<'_>) -> u32 {
    u32::try_from(record.chunks()).unwrap_or(u32::MAX)
}

/// Bytes of an outline: chunks of text, other chunks, their width, and the first byte of each of the first chunks of text.
/// An index is refused if outlines had another size when it was made, so whoever changes the keys changes this, too.
const OUTLINE: usize = 512;
const OUTLINE_HEADER: usize = 9;

#[derive(Clone, Copy)]
struct Outline<'a> {
    text: u32,
    symbols: u32,
    width: u8,
    first: &'a [u8],
}

impl<'a> Outline<'a> {
    fn read(bytes: &'a [u8]) -> Option<Self> {
        let (text, rest) = bytes.split_first_chunk()?;
        let (symbols, rest) = rest.split_first_chunk()?;
        let (&width, first) = rest.split_first()?;
        Some(Outline { text: u32::from_le_bytes(*text), symbols: u32::from_le_bytes(*symbols), width, first })
    }

    fn size(&self) -> u32 {
        self.text.saturating_add(self.symbols)
    }

    fn bytes(&self) -> &'a [u8] {
        &self.first[..self.first.len().min(self.text as usize)]
    }
}

impl Neighbours for LikeSizes {
    fn write_keys(&self, record: &[u8], out: &mut Vec<u64>) {
        out.extend(Record::read(record).map(|record| key(&record, self.cells.cell(size(&record)))));
    }

    fn write_sought_keys(&self, record: &[u8], out: &mut Vec<u64>) {
        let Some(record) = Record::read(record) else { return };
        let size = size(&record);
        let least = smallest_partner(size, |other| self.window.may_pair(other, size));
        let most = largest_partner(size, |other| self.window.may_pair(size, other));
        out.extend(self.cells.cells(least..=most).map(|cell| key(&record, cell)));
    }

    fn outline_width(&self) -> usize {
        OUTLINE
    }

    fn write_outline(&self, record: &[u8], out: &mut Vec<u8>) {
        let start = out.len();
        if let Some(record) = Record::read(record) {
            let count = |stream: &[u8]| u32::try_from(stream.len() / record.element()).unwrap_or(u32::MAX);
            out.extend(count(record.text).to_le_bytes());
            out.extend(count(record.symbols).to_le_bytes());
            out.push(record.width);
            out.extend(record.text.iter().step_by(record.element()).take(OUTLINE - OUTLINE_HEADER));
        }
        out.resize(start + OUTLINE, 0);
    }

    /// Chunks whose first bytes disagree disagree.
    fn may_pair(&self, a: &[u8], b: &[u8]) -> bool {
        let (Some(a), Some(b)) = (Outline::read(a), Outline::read(b)) else { return true };
        let longer = a.size().max(b.size());
        if a.width != b.width || !self.window.may_pair(a.size().min(b.size()), longer) {
            return false;
        }
        let bits = code::bits_of(usize::from(a.width)).filter(|_| self.window.by_bits);
        let most = u64::from(a.text.min(b.text)) + u64::from(a.symbols.min(b.symbols));
        let unit = bits.unwrap_or(1) as usize;
        let least = least_votes(unit * longer as usize, self.window.threshold);
        let Some(spare) = (unit * most as usize).checked_sub(least) else { return false };
        match bits {
            Some(_) => compare::differing_bits(a.bytes(), b.bytes(), spare).is_some(),
            None => compare::votes(a.bytes(), b.bytes(), 1, self.window.tolerance, spare).is_some(),
        }
    }

    fn pairs(&self, a: &[u8], b: &[u8]) -> bool {
        let (Some(a), Some(b)) = (Record::read(a), Record::read(b)) else { return false };
        let least = least_votes(self.window.size(&a).max(self.window.size(&b)), self.window.threshold);
        (a.class, a.width) == (b.class, b.width) && self.window.votes(&a, &b, least).is_some()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::candidates::Join;
    use crate::document::Document;
    use crate::features::{Align, ChunkStreams, Chunks, Features};

    fn record(bits: u64, text: &str) -> Vec<u8> {
        let chunks = Chunks::new(Align::Position { bits }, ChunkStreams::Both, false, "").unwrap();
        let mut features = Features::default();
        features.fill(&chunks, &Document::from_text(text));
        let mut out = Vec::new();
        SizeWindow::new(1.0, 0).unwrap().pack(&features, &mut out);
        out
    }

    fn outline(near: &LikeSizes, record: &[u8]) -> Vec<u8> {
        let mut outline = Vec::new();
        near.write_outline(record, &mut outline);
        assert_eq!(outline.len(), near.outline_width());
        outline
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]

        /// Texts of which an outline holds only a part, with about as many changes as the threshold allows.
        #[test]
        fn no_partner_is_hidden_by_its_outline(
            text in "[a-e ,.]{300,3000}",
            changes in proptest::collection::vec((any::<prop::sample::Index>(), "[a-z;]"), 0..300),
            cut in 0usize..100,
            bits in prop_oneof![Just(8u64), Just(10), Just(16), Just(24), Just(64)],
            threshold in 0.5f64..1.0,
            tolerance in 0u64..3,
            by_bits in any::<bool>(),
        ) {
            let mut other: Vec<u8> = text.bytes().skip(cut / 60).collect();
            for (place, with) in &changes {
                *place.get_mut(&mut other) = with.as_bytes()[0];
            }
            other.truncate(other.len() - cut);
            let (a, b) = (record(bits, &text), record(bits, std::str::from_utf8(&other).unwrap()));
            let tolerance = if bits == 64 { 0 } else { tolerance };
            let window = match by_bits {
                true => SizeWindow::by_bits(threshold),
                false => SizeWindow::new(threshold, tolerance),
            };
            let near = LikeSizes::new(window.unwrap());
            let may_pair = near.may_pair(&outline(&near, &a), &outline(&near, &b));
            prop_assert_eq!(may_pair, near.may_pair(&outline(&near, &b), &outline(&near, &a)));
            prop_assert!(may_pair || !near.pairs(&a, &b));
        }
    }

    #[test]
    fn outlines_tell_texts_of_one_size_apart() {
        let near = LikeSizes::new(SizeWindow::new(0.9, 0).unwrap());
        let text = |seed: u64| -> String {
            (0..4000u64)
                .map(|at| char::from(b'a' + (hash::mix(hash::combine(seed, at)) % 26) as u8))
                .collect()
        };
        for bits in [8, 10, 16, 64] {
            let outlines: Vec<Vec<u8>> =
                (0..20).map(|seed| outline(&near, &record(bits, &text(seed)))).collect();
            for (place, one) in outlines.iter().enumerate() {
                assert!(outlines[..place].iter().all(|other| !near.may_pair(one, other)), "{bits}");
            }
        }
    }
}
