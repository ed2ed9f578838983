//! Sorted keys in a memory-mapped file that never changes.
//!
//! The file consists of blocks of 4096 entries: keys, then contents. The first key and a checksum of each block are
//! in a table at the end, which is read when the run is opened; a block is checked when it is first used. Keys are
//! hashes and evenly spread, so the place of a key can be guessed closely.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use lookalike_core::candidates::KeyRange;
use lookalike_core::{Error, Result, hash};
use memmap2::Mmap;

use crate::storage::document::ContentNumber;
use crate::storage::prefetch::prefetch;
use lookalike_plumbing::files::write_synced;

const MARK: &[u8; 8] = b"LKRUN\0\0\x01";
const BLOCK: usize = 4096;
const ENTRY: usize = 12;
/// How many checksums are computed side by side.
const TOGETHER: usize = 4;
/// Mark, entries, checksum of the table.
const FOOTER: usize = 24;

pub struct Run {
    path: PathBuf,
    map: Mmap,
    entries: u64,
    /// The first key and the checksum of each block.
    blocks: Vec<(u64, u64)>,
    /// A bit for each block that was checked.
    checked: Vec<AtomicU64>,
}

impl Run {
    pub fn open(path: &Path) -> Result<Run> {
        let damaged = || {
            let what = "is damaged or cut off: restore it from a copy, or sign the documents again with \
                        `lookalike index resign`";
            Error::damaged(path, what)
        };
        let file = File::open(path).map_err(Error::io(path))?;
        // SAFETY: the bytes must not change while they are mapped. Runs are written under another name and
        // renamed when complete, and never written again; what is read is checked before it is used.
        let map = unsafe { Mmap::map(&file) }.map_err(Error::io(path))?;
        let footer = map.len().checked_sub(FOOTER).ok_or_else(damaged)?;
        let number = |at: usize| -> u64 {
            map.get(at..).and_then(|rest| rest.first_chunk()).map_or(0, |eight| u64::from_le_bytes(*eight))
        };
        let entries = number(footer + 8);
        let count = entries.div_ceil(BLOCK as u64) as usize;
        let data = usize::try_from(entries).ok().and_then(|entries| entries.checked_mul(ENTRY));
        let table = data.filter(|&data| count.checked_mul(16).is_some_and(|table| data + table == footer));
        let table = table.ok_or_else(damaged)?;
        if &map[footer..footer + 8] != MARK || hash::bytes(&map[table..footer]) != number(footer + 16) {
            return Err(damaged());
        }
        let blocks = (0..count).map(|block| (number(table + 16 * block), number(table + 16 * block + 8)));
        let blocks = blocks.collect();
        let checked = (0..count.div_ceil(64)).map(|_| AtomicU64::new(0)).collect();
        Ok(Run { path: path.to_owned(), map, entries, blocks, checked })
    }

    pub fn entries(&self) -> u64 {
        self.entries
    }

    /// Appends the contents with keys in these rising ranges, of which the first should be near `place`.
    pub fn find(&self, ranges: &[KeyRange], place: usize, out: &mut Vec<ContentNumber>) -> Result<()> {
        let Some((mut range, mut later)) = ranges.split_first() else { return Ok(()) };
        let (mut block, mut at) = (place / BLOCK, place % BLOCK);
        while let Some(&(first, _)) = self.blocks.get(block) {
            // What a range holds was in blocks before this one.
            while range.last < first {
                match later.split_first() {
                    Some((next, rest)) => (range, later) = (next, rest),
                    None => return Ok(()),
                }
            }
            let (keys, contents) = self.block(block)?;
            let count = keys.len() / 8;
            at = first_not_below(at, count, range.first, |place| key_at(keys, place));
            loop {
                while at < count && key_at(keys, at) <= range.last {
                    out.extend(content_at(contents, at));
                    at += 1;
                }
                // The range may continue, or begin, in a later block.
                if at == count {
                    break;
                }
                match later.split_first() {
                    Some((next, rest)) => (range, later) = (next, rest),
                    None => return Ok(()),
                }
                // Most often the next range begins right here.
                if key_at(keys, at) < range.first {
                    at = first_not_below(at, count, range.first, |place| key_at(keys, place));
                }
            }
            (block, at) = ((block + 1).max(self.block_of(range.first)), 0);
        }
        Ok(())
    }

    /// Verifies the checksums of the blocks of these places, where that was not done before, several at a time. What is
    /// damaged is left to be told by the search that comes upon it.
    pub fn check(&self, places: &[usize]) {
        let mut unchecked = [0; TOGETHER];
        let mut count = 0;
        for block in places.iter().map(|place| place / BLOCK) {
            if block >= self.blocks.len() || self.is_checked(block) || unchecked[..count].contains(&block) {
                continue;
            }
            unchecked[count] = block;
            count += 1;
            if count == TOGETHER {
                self.check_all(unchecked);
                count = 0;
            }
        }
        // One alone would take as long later.
        if count > 1 {
            let [first, ..] = unchecked;
            unchecked[count..].fill(first);
            self.check_all(unchecked);
        }
    }

    fn check_all(&self, blocks: [usize; TOGETHER]) {
        let hashes = hash::bytes_of_all(blocks.map(|block| self.whole_block(block)));
        for (block, hash) in blocks.into_iter().zip(hashes) {
            if hash == self.blocks[block].1 {
                self.set_checked(block);
            }
        }
    }

    /// Where a key should be, by interpolation. Starts to prefetch that place.
    pub fn guess(&self, key: u64) -> usize {
        let block = self.block_of(key);
        let Some(&(first, _)) = self.blocks.get(block) else { return 0 };
        let (keys, _) = self.bytes_of(block);
        let last = (keys.len() / 8).saturating_sub(1);
        let place = ((key.saturating_sub(first) as f64 * self.density(block, keys)) as usize).min(last);
        prefetch(keys, 8 * place);
        block * BLOCK + place
    }

    /// Improves a guess, by the key found there.
    pub fn refine_guess(&self, key: u64, place: usize) -> usize {
        let (block, near) = (place / BLOCK, place % BLOCK);
        if block >= self.blocks.len() {
            return place;
        }
        let (keys, _) = self.bytes_of(block);
        let last = (keys.len() / 8).saturating_sub(1);
        let found = key_at(keys, near);
        let off = (key.abs_diff(found) as f64 * self.density(block, keys)) as usize;
        let place = if key < found { near.saturating_sub(off) } else { (near + off).min(last) };
        let (first, _) = near_keys(keys, place);
        prefetch(keys, 8 * first);
        prefetch(keys, 8 * first + 64);
        block * BLOCK + place
    }

    /// Where a key is, by a guess, or a place after all entries if it is nowhere. Starts to prefetch its content. In a block
    /// that was not [checked](Run::check) the guess stays.
    pub fn locate(&self, key: u64, place: usize) -> usize {
        let (block, near) = (place / BLOCK, place % BLOCK);
        if block >= self.blocks.len() || !self.is_checked(block) {
            return place;
        }
        let (keys, contents) = self.bytes_of(block);
        let (first, near_keys) = near_keys(keys, near);
        // Counting takes no branch that cannot be predicted.
        let below = near_keys.iter().filter(|&&one| u64::from_le_bytes(one) < key).count();
        let is_among = (below > 0 || first == 0) && below < near_keys.len();
        let at = if is_among {
            first + below
        } else {
            first_not_below(near, keys.len() / 8, key, |place| key_at(keys, place))
        };
        match keys.as_chunks::<8>().0.get(at) {
            Some(&found) if u64::from_le_bytes(found) != key => return usize::MAX,
            Some(_) => prefetch(contents, 4 * at),
            // If it is anywhere, the next block begins with it.
            None => {}
        }
        block * BLOCK + at
    }

    /// The block in which the first entry with this key is, if there is any. Equal keys may begin in the
    /// block before the first that starts with them.
    fn block_of(&self, key: u64) -> usize {
        let guess = (u128::from(key) * self.blocks.len() as u128) >> 64;
        let at = |place: usize| self.blocks[place].0;
        first_not_below(guess as usize, self.blocks.len(), key, at).saturating_sub(1)
    }

    /// Keys per unit of the key range of a block.
    fn density(&self, block: usize, keys: &[u8]) -> f64 {
        let next = self.blocks.get(block + 1).map_or(u64::MAX, |&(first, _)| first);
        (keys.len() / 8) as f64 / next.saturating_sub(self.blocks[block].0).max(1) as f64
    }

    /// All entries in order.
    pub fn iter(&self) -> impl Iterator<Item = Result<(u64, u32)>> + '_ {
        (0..self.blocks.len()).flat_map(move |block| {
            let (parts, error) = match self.block(block) {
                Ok(parts) => (parts, None),
                Err(error) => ((&[][..], &[][..]), Some(error)),
            };
            let keys = parts.0.as_chunks::<8>().0.iter().map(|key| u64::from_le_bytes(*key));
            let contents = parts.1.as_chunks::<4>().0.iter().map(|content| u32::from_le_bytes(*content));
            error.map(Err).into_iter().chain(keys.zip(contents).map(Ok))
        })
    }

    /// The keys and contents of a block, with its checksum verified.
    fn block(&self, block: usize) -> Result<(&[u8], &[u8])> {
        if !self.is_checked(block) {
            if hash::bytes(self.whole_block(block)) != self.blocks[block].1 {
                let what = format!(
                    "is damaged at byte {}: restore it from a copy, or sign the documents again with \
                     `lookalike index resign`",
                    block * BLOCK * ENTRY
                );
                return Err(Error::damaged(&self.path, what));
            }
            self.set_checked(block);
        }
        Ok(self.bytes_of(block))
    }

    fn is_checked(&self, block: usize) -> bool {
        self.checked[block / 64].load(Ordering::Relaxed) >> (block % 64) & 1 == 1
    }

    fn set_checked(&self, block: usize) {
        self.checked[block / 64].fetch_or(1 << (block % 64), Ordering::Relaxed);
    }

    /// The keys and the contents of a block.
    fn bytes_of(&self, block: usize) -> (&[u8], &[u8]) {
        let bytes = self.whole_block(block);
        bytes.split_at(bytes.len() / ENTRY * 8)
    }

    fn whole_block(&self, block: usize) -> &[u8] {
        let start = block * BLOCK * ENTRY;
        let entries = (self.entries as usize - block * BLOCK).min(BLOCK);
        &self.map[start..start + entries * ENTRY]
    }
}

fn content_at(contents: &[u8], at: usize) -> Option<ContentNumber> {
    let four = contents.get(4 * at..)?.first_chunk()?;
    ContentNumber::from_raw(u32::from_le_bytes(*four))
}

fn key_at(keys: &[u8], at: usize) -> u64 {
    keys.get(8 * at..)
        .and_then(|rest| rest.first_chunk())
        .map_or(u64::MAX, |eight| u64::from_le_bytes(*eight))
}

/// The keys of two cache lines around a place, and the place of the first of them.
fn near_keys(keys: &[u8], place: usize) -> (usize, &[[u8; 8]]) {
    const LINE: usize = 8;
    let first = place.saturating_sub(LINE / 2) / LINE * LINE;
    let keys = keys.as_chunks::<8>().0.get(first..).unwrap_or_default();
    (first, &keys[..keys.len().min(2 * LINE)])
}

/// The place of the first of `count` rising values that is not smaller than the key. The search starts at a guess
/// with growing steps, so that a bad guess costs no more than a plain binary search.
fn first_not_below(guess: usize, count: usize, key: u64, at: impl Fn(usize) -> u64) -> usize {
    let mut step = 1;
    let (mut low, mut high) = (0, count);
    if guess < count && at(guess) < key {
        low = guess + 1;
        while low + step < count {
            if at(low + step) >= key {
                high = low + step;
                break;
            }
            low += step + 1;
            step *= 2;
        }
    } else {
        high = guess.min(count);
        while high > step {
            if at(high - step) < key {
                low = high - step + 1;
                break;
            }
            high -= step;
            step *= 2;
        }
    }
    while low < high {
        let middle = low + (high - low) / 2;
        if at(middle) < key { low = middle + 1 } else { high = middle }
    }
    low
}

/// Writes a run, synced to disk; it gets its name when complete.
pub fn write_run(path: &Path, entries: impl Iterator<Item = Result<(u64, u32)>>) -> Result<()> {
    write_synced(path, |file| {
        let mut table: Vec<u8> = Vec::new();
        let mut count = 0u64;
        let mut keys: Vec<u8> = Vec::with_capacity(BLOCK * ENTRY);
        let mut contents: Vec<u8> = Vec::with_capacity(BLOCK * 4);
        let mut finish_block = |keys: &mut Vec<u8>, contents: &mut Vec<u8>| -> Result<()> {
            if keys.is_empty() {
                return Ok(());
            }
            let first: [u8; 8] = keys.first_chunk().copied().unwrap_or_default();
            keys.append(contents);
            table.extend_from_slice(&first);
            table.extend_from_slice(&hash::bytes(keys).to_le_bytes());
            file.write(keys)?;
            keys.clear();
            Ok(())
        };
        for entry in entries {
            let (key, content) = entry?;
            keys.extend_from_slice(&key.to_le_bytes());
            contents.extend_from_slice(&content.to_le_bytes());
            count += 1;
            if contents.len() == BLOCK * 4 {
                finish_block(&mut keys, &mut contents)?;
            }
        }
        finish_block(&mut keys, &mut contents)?;
        let checksum = hash::bytes(&table);
        table.extend_from_slice(MARK);
        table.extend_from_slice(&count.to_le_bytes());
        table.extend_from_slice(&checksum.to_le_bytes());
        file.write(&table)
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn write(path: &Path, entries: &[(u64, u32)]) -> Run {
        write_run(path, entries.iter().map(|&entry| Ok(entry))).unwrap();
        Run::open(path).unwrap()
    }

    #[test]
    fn every_key_of_many_blocks_is_found_and_no_other() {
        let dir = tempfile::tempdir().unwrap();
        let mut entries: Vec<(u64, u32)> = (0..20_000).map(|i| (hash::mix(u64::from(i / 2)), i)).collect();
        // A bucket that spans blocks, and keys that are not spread at all.
        entries.extend((0..9000).map(|i| (1 << 40, 30_000 + i)));
        entries.extend((0..5000).map(|i| (u64::from(i), 40_000 + i)));
        entries.sort_unstable();
        let run = write(&dir.path().join("run"), &entries);
        assert!(run.iter().map(|entry| entry.unwrap()).eq(entries.iter().copied()));
        let find = |key| {
            let (mut found, mut located) = (Vec::new(), Vec::new());
            let place = run.refine_guess(key, run.guess(key));
            run.find(&[KeyRange::of(key)], place, &mut found).unwrap();
            // By now the block is checked. A bad guess leads to the same.
            for place in [place, place / BLOCK * BLOCK, place / BLOCK * BLOCK + 5000 % BLOCK] {
                located.clear();
                run.find(&[KeyRange::of(key)], run.locate(key, place), &mut located).unwrap();
                assert_eq!(located, found);
            }
            found
        };
        for group in entries.chunk_by(|a, b| a.0 == b.0) {
            assert!(
                find(group[0].0)
                    .into_iter()
                    .eq(group.iter().filter_map(|entry| ContentNumber::from_raw(entry.1))),
                "{}",
                group[0].0
            );
            let absent = group[0].0 + 1;
            if entries.binary_search_by_key(&absent, |entry| entry.0).is_err() {
                assert!(find(absent).is_empty());
            }
        }
        assert!(find(u64::MAX).is_empty());
        let none = write(&dir.path().join("none"), &[]);
        let mut found = Vec::new();
        none.find(&[KeyRange::of(7)], none.refine_guess(7, none.guess(7)), &mut found).unwrap();
        assert!(found.is_empty());
    }

    #[test]
    fn a_damaged_block_is_told_by_who_looks_there_and_by_no_other() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("run");
        let entries: Vec<(u64, u32)> = (1..=5 * BLOCK as u32).map(|i| (u64::from(i) << 40, i)).collect();
        drop(write(&path, &entries));
        let mut bytes = std::fs::read(&path).unwrap();
        bytes[BLOCK * ENTRY + 7] ^= 1;
        std::fs::write(&path, bytes).unwrap();
        let run = Run::open(&path).unwrap();
        let places: Vec<usize> = (0..5).map(|block| block * BLOCK + 9).collect();
        run.check(&places);
        let checked: Vec<bool> = (0..5).map(|block| run.is_checked(block)).collect();
        assert_eq!(checked, [true, false, true, true, false], "the last one is alone");
        for place in places {
            let key = entries[place].0;
            let mut found = Vec::new();
            let told = run.find(&[KeyRange::of(key)], run.locate(key, place), &mut found);
            assert_eq!(told.is_err(), place / BLOCK == 1);
            assert_eq!(found.len(), usize::from(told.is_ok()));
        }
    }

    proptest! {
        #[test]
        fn any_guess_leads_to_the_place(
            mut values in proptest::collection::vec(0u64..300, 0..200), guess in 0usize..250, key in 0u64..310,
        ) {
            values.sort_unstable();
            let found = first_not_below(guess, values.len(), key, |place| values[place]);
            prop_assert_eq!(found, values.partition_point(|&value| value < key));
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(30))]

        /// Ranges in sparse and dense parts, within a block and over several.
        #[test]
        fn ranges_hold_what_lies_between_their_ends(
            seed in any::<u64>(),
            ends in proptest::collection::btree_set(0u64..60_000, 2..40),
            guess in 0usize..20_000,
        ) {
            let dir = tempfile::tempdir().unwrap();
            let mut entries: Vec<(u64, u32)> =
                (0..14_000).map(|i| (hash::mix(seed ^ u64::from(i)) % if i % 3 == 0 { 500 } else { 60_000 }, i)).collect();
            entries.sort_unstable();
            let run = write(&dir.path().join("run"), &entries);
            let ends: Vec<u64> = ends.into_iter().collect();
            let ranges: Vec<KeyRange> =
                ends.chunks_exact(2).map(|pair| KeyRange { first: pair[0], last: pair[1] }).collect();
            let expected = entries.iter().filter(|entry| ranges.iter().any(|range| range.contains(entry.0)));
            let expected: Vec<ContentNumber> =
                expected.filter_map(|entry| ContentNumber::from_raw(entry.1)).collect();
            let first = ranges[0].first;
            // A guess is in the right block and anywhere there.
            let block = run.guess(first) / BLOCK;
            for place in [run.refine_guess(first, run.guess(first)), block * BLOCK + guess % BLOCK] {
                let mut found = Vec::new();
                run.find(&ranges, place, &mut found).unwrap();
                prop_assert_eq!(&found, &expected);
            }
        }
    }

    #[test]
    fn damage_is_told_where_it_is() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("run");
        let entries: Vec<(u64, u32)> = (0..10_000).map(|i| (u64::from(i) << 40, i)).collect();
        write(&path, &entries);
        let whole = std::fs::read(&path).unwrap();
        let with = |place: usize| {
            let mut bytes = whole.clone();
            bytes[place] ^= 4;
            std::fs::remove_file(&path).unwrap();
            std::fs::write(&path, bytes).unwrap();
            Run::open(&path)
        };
        let run = with(50_000).unwrap();
        let mut found = Vec::new();
        run.find(&[KeyRange::of(5 << 40)], run.guess(5 << 40), &mut found).unwrap();
        assert_eq!(found, [ContentNumber::from_index(5)], "another block is whole");
        let told =
            run.find(&[KeyRange::of(5000 << 40)], run.guess(5000 << 40), &mut found).unwrap_err().to_string();
        assert!(told.contains("damaged at byte 49152"), "{told}");
        for place in [whole.len() - 1, whole.len() - 30, whole.len() - 20] {
            assert!(with(place).is_err(), "{place}");
        }
        std::fs::write(&path, &whole[..whole.len() - 1]).unwrap();
        assert!(Run::open(&path).err().unwrap().to_string().contains("cut off"));
    }
}
