//! Which chunks of plain files in stores are on their way before a thread takes them.

use super::{Cursor, Slot};

/// While each thread works on a chunk, this many at least are on their way.
const LEAST: u64 = 4;

/// The plain files in stores, in the order in which their chunks are taken.
pub struct Ahead {
    /// The number of a file's first chunk among all of these, and its slot.
    files: Vec<(u64, usize)>,
    distance: u64,
}

impl Ahead {
    pub fn new(slots: &[Slot], threads: usize) -> Self {
        let mut files = Vec::new();
        let mut chunks = 0;
        for (number, slot) in slots.iter().enumerate() {
            if let (Cursor::Plain { file, .. }, None) = (&slot.cursor, slot.place.path()) {
                files.push((chunks, number));
                chunks += file.chunks();
            }
        }
        Ahead { files, distance: LEAST.max(threads as u64) }
    }

    /// A chunk is taken: begins to read the one that will be taken when all those now on their way are.
    pub fn begin(&self, slots: &[Slot], slot: usize, part: u64, done: &dyn Fn(usize, u64) -> bool) {
        let Ok(place) = self.files.binary_search_by_key(&slot, |&(_, slot)| slot) else { return };
        let wanted = self.files[place].0 + part + self.distance;
        let place = self.files.partition_point(|&(first, _)| first <= wanted) - 1;
        let (first, slot) = self.files[place];
        let (Cursor::Plain { file, .. }, part) = (&slots[slot].cursor, wanted - first) else { return };
        if part < file.chunks() && !done(slots[slot].input, part) {
            file.expect(part);
        }
    }
}
