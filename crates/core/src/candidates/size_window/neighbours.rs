//! Documents of like size and class, one document at a time: for an index.
//!
//! As in the paper, a document is compared with all of its class whose size allows it. Sizes are cut into cells, so that
//! those are the documents of one to three cells.

use super::{Record, SizeWindow, least_votes};
use crate::candidates::join::Neighbours;
use crate::candidates::size_cells::{SizeCells, largest_partner, smallest_partner};
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
        4
    }

    fn write_outline(&self, record: &[u8], out: &mut Vec<u8>) {
        out.extend(Record::read(record).map_or(0, |record| size(&record)).to_le_bytes());
    }

    fn may_pair(&self, a: &[u8], b: &[u8]) -> bool {
        let size = |outline: &[u8]| outline.first_chunk().map_or(0, |bytes| u32::from_le_bytes(*bytes));
        let (a, b) = (size(a), size(b));
        self.window.may_pair(a.min(b), a.max(b))
    }

    fn pairs(&self, a: &[u8], b: &[u8]) -> bool {
        let (Some(a), Some(b)) = (Record::read(a), Record::read(b)) else { return false };
        let least = least_votes(self.window.size(&a).max(self.window.size(&b)), self.window.threshold);
        (a.class, a.width) == (b.class, b.width) && self.window.votes(&a, &b, least).is_some()
    }
}
