//! The records of a join, in memory or in parts on disk.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use lookalike_core::candidates::{JoinSource, Records};
use lookalike_core::{Error, Result};

use crate::corpus::CorpusNumber;

/// Records and the documents that they are of.
#[derive(Default)]
pub struct Part {
    pub records: Records,
    pub documents: Vec<CorpusNumber>,
}

impl Part {
    fn append(&mut self, other: &Part) {
        let start = self.records.bytes.len();
        self.records.bytes.extend_from_slice(&other.records.bytes);
        self.records.ends.extend(other.records.ends.iter().map(|end| start + end));
        self.documents.extend_from_slice(&other.documents);
    }

    /// What it takes in memory.
    fn bytes(&self) -> u64 {
        let each = size_of::<usize>() + size_of::<CorpusNumber>();
        (self.records.bytes.len() + each * self.documents.len()) as u64
    }
}

/// Collected by blocks from several threads.
pub struct Parts {
    folder: PathBuf,
    /// What a join needs, as a multiple of its records.
    times: u64,
    /// What records may take, of one part or of two.
    most: u64,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// By block, so that the order does not depend on threads.
    held: Vec<(usize, Part)>,
    /// Of all records.
    bytes: u64,
    /// Blocks on disk, once they no longer fit.
    file: Option<File>,
    end: u64,
    on_disk: Vec<Stored>,
}

/// A block on disk.
#[derive(Clone, Copy)]
struct Stored {
    block: usize,
    offset: u64,
    records: usize,
    bytes: usize,
}

impl Stored {
    fn held_bytes(&self) -> u64 {
        (self.bytes + (size_of::<usize>() + size_of::<CorpusNumber>()) * self.records) as u64
    }
}

impl Parts {
    /// A join needs about as much again for long records, and three times as much for signatures.
    pub fn new(folder: &Path, memory: u64, source: JoinSource) -> Parts {
        let times = if source == JoinSource::Signature { 4 } else { 2 };
        Parts { folder: folder.to_owned(), times, most: memory / times, state: Mutex::default() }
    }

    /// Adds the records of a block.
    pub fn add(&self, block: usize, part: Part) -> Result<()> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.bytes += part.bytes();
        if state.file.is_none() && state.bytes <= self.most {
            state.held.push((block, part));
            return Ok(());
        }
        if state.file.is_none() {
            state.file = Some(tempfile::tempfile_in(&self.folder).map_err(Error::io(&self.folder))?);
            for (block, part) in std::mem::take(&mut state.held) {
                state.store(&self.folder, block, &part)?;
            }
        }
        state.store(&self.folder, block, &part)
    }

    /// What all records take in memory, with what a join needs to work on them.
    pub fn needs(&self) -> u64 {
        self.times * self.state.lock().unwrap_or_else(PoisonError::into_inner).bytes
    }

    /// Whether all are in memory.
    pub fn is_one(&self) -> bool {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).file.is_none()
    }

    /// Calls `visit` with all records, or with those of every two parts.
    pub fn for_each_two(self, mut visit: impl FnMut(Part) -> Result<()>) -> Result<()> {
        let mut state = self.state.into_inner().unwrap_or_else(PoisonError::into_inner);
        let Some(file) = &state.file else {
            state.held.sort_unstable_by_key(|(block, _)| *block);
            let mut all = Part::default();
            all.records
                .bytes
                .reserve_exact(state.held.iter().map(|(_, part)| part.records.bytes.len()).sum());
            for (_, part) in std::mem::take(&mut state.held) {
                all.append(&part);
            }
            return visit(all);
        };
        state.on_disk.sort_unstable_by_key(|stored| stored.block);
        let mut parts: Vec<Vec<Stored>> = vec![Vec::new()];
        let mut bytes = 0;
        for &stored in &state.on_disk {
            let size = stored.held_bytes();
            if bytes + size > self.most / 2 && bytes > 0 {
                parts.push(Vec::new());
                bytes = 0;
            }
            bytes += size;
            if let Some(part) = parts.last_mut() {
                part.push(stored);
            }
        }
        let mut together = |first: &[Stored], other: &[Stored]| {
            let mut both = Part::default();
            for stored in first.iter().chain(other) {
                both.append(&stored.read(file, &self.folder)?);
            }
            visit(both)
        };
        if let [only] = &parts[..] {
            return together(only, &[]);
        }
        for (place, first) in parts.iter().enumerate() {
            parts[place + 1..].iter().try_for_each(|other| together(first, other))?;
        }
        Ok(())
    }
}

impl State {
    fn store(&mut self, folder: &Path, block: usize, part: &Part) -> Result<()> {
        let Some(file) = &self.file else { return Ok(()) };
        let Part { records, documents } = part;
        let mut bytes = Vec::with_capacity(records.bytes.len() + 12 * documents.len());
        documents.iter().for_each(|document| bytes.extend_from_slice(&document.raw().to_le_bytes()));
        records.ends.iter().for_each(|end| bytes.extend_from_slice(&(*end as u64).to_le_bytes()));
        bytes.extend_from_slice(&records.bytes);
        file.write_all_at(&bytes, self.end).map_err(Error::io(folder))?;
        let stored = Stored { block, offset: self.end, records: documents.len(), bytes: records.bytes.len() };
        self.on_disk.push(stored);
        self.end += bytes.len() as u64;
        Ok(())
    }
}

impl Stored {
    fn read(&self, file: &File, folder: &Path) -> Result<Part> {
        let mut bytes = vec![0; 12 * self.records + self.bytes];
        file.read_exact_at(&mut bytes, self.offset).map_err(Error::io(folder))?;
        let (documents, rest) = bytes.split_at(4 * self.records);
        let (ends, records) = rest.split_at(8 * self.records);
        let number = |raw: &[u8; 4]| CorpusNumber::from_index(u32::from_le_bytes(*raw) as usize);
        Ok(Part {
            documents: documents.as_chunks::<4>().0.iter().map(number).collect(),
            records: Records {
                ends: ends.as_chunks::<8>().0.iter().map(|end| u64::from_le_bytes(*end) as usize).collect(),
                bytes: records.to_vec(),
            },
        })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_two_records_are_together_at_least_once_and_within_the_limit() {
        let folder = tempfile::tempdir().unwrap();
        for (blocks, memory) in [(1, 0), (1, 1 << 30), (7, 1 << 30), (7, 2000), (40, 9000)] {
            let parts = Parts::new(folder.path(), memory, JoinSource::Features);
            // From the last to the first, as threads may do it.
            for block in (0..blocks).rev() {
                let mut part = Part::default();
                for place in 0..5 {
                    let number = CorpusNumber::from_index(5 * block + place);
                    part.records.push(format!("record {}", number.raw()).repeat(place + 1).as_bytes());
                    part.documents.push(number);
                }
                parts.add(block, part).unwrap();
            }
            assert_eq!(parts.is_one(), memory == 1 << 30);
            let mut together = BTreeSet::new();
            let mut visits = 0;
            parts
                .for_each_two(|part| {
                    visits += 1;
                    assert!(part.documents.is_sorted());
                    for (place, document) in part.documents.iter().enumerate() {
                        let expected = format!("record {}", document.raw()).repeat(document.index() % 5 + 1);
                        assert_eq!(part.records.get(place), expected.as_bytes());
                        together.extend(part.documents[..place].iter().map(|other| (*other, *document)));
                    }
                    Ok(())
                })
                .unwrap();
            assert_eq!(together.len(), 5 * blocks * (5 * blocks - 1) / 2, "{blocks} blocks, {memory} bytes");
            assert_eq!(visits > 1, memory > 0 && memory < 1 << 30);
        }
    }
}
