//! A file of sections: arrays that are used where they lie, and records one after the other.
//!
//! Sections lie end to end, each at a multiple of [`ALIGNMENT`]. Behind them are the checksums of all blocks of the file
//! up to there, a table of the sections, and a checksum of both.

use std::collections::BTreeMap;
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use lookalike_core::threads::{available, try_on_threads};
use lookalike_core::{Error, Result, hash};
use lookalike_plumbing::files::{AtomicFile, write_synced};

use crate::storage::bytes::{Decoder, Encode};
use crate::storage::mapped::{ALIGNMENT, Mapped, Record, bytes_of};

pub const MARK: &[u8; 8] = b"LKSTATE\x02";
/// How many bytes have a checksum.
const BLOCK: usize = 1 << 20;
/// Section, offset and length in the table.
const ENTRY: u64 = 24;
/// Bytes of the sections, number of sections, checksum of checksums and table, mark.
const FOOTER: u64 = 32;

pub struct SectionWriter<'a> {
    file: &'a mut AtomicFile,
    block: Vec<u8>,
    at: u64,
    checksums: Vec<u8>,
    table: Vec<u8>,
    rest: &'a mut dyn FnMut() -> Result<()>,
}

/// Writes sections, synced to disk; the file gets its name when complete. `rest` is called after every block.
pub fn write_sections(
    path: &Path,
    rest: &mut dyn FnMut() -> Result<()>,
    fill: impl FnOnce(&mut SectionWriter<'_>) -> Result<()>,
) -> Result<()> {
    write_synced(path, |file| {
        let (checksums, table) = (Vec::new(), Vec::new());
        let mut out = SectionWriter { file, block: Vec::with_capacity(BLOCK), at: 0, checksums, table, rest };
        out.write(MARK)?;
        fill(&mut out)?;
        out.finish()
    })
}

impl SectionWriter<'_> {
    /// Writes a section; nothing if it is empty.
    pub fn section(&mut self, section: u64, fill: impl FnOnce(&mut Self) -> Result<()>) -> Result<()> {
        let padding = self.at.next_multiple_of(ALIGNMENT as u64) - self.at;
        self.write(&[0; ALIGNMENT][..padding as usize])?;
        let start = self.at;
        fill(self)?;
        if self.at > start {
            [section, start, self.at - start].into_iter().for_each(|value| self.table.u64(value));
        }
        Ok(())
    }

    /// Writes a section of records.
    pub fn records<T: Record>(&mut self, section: u64, records: impl IntoIterator<Item = T>) -> Result<()> {
        self.section(section, |out| records.into_iter().try_for_each(|record| out.write(bytes_of(&[record]))))
    }

    pub fn write(&mut self, mut bytes: &[u8]) -> Result<()> {
        while !bytes.is_empty() {
            let (now, later) = bytes.split_at(bytes.len().min(BLOCK - self.block.len()));
            self.block.extend_from_slice(now);
            self.at += now.len() as u64;
            bytes = later;
            if self.block.len() == BLOCK {
                self.end_block()?;
            }
        }
        Ok(())
    }

    fn end_block(&mut self) -> Result<()> {
        self.checksums.u64(hash::text(&self.block));
        self.file.write(&self.block)?;
        self.block.clear();
        (self.rest)()
    }

    fn finish(mut self) -> Result<()> {
        if !self.block.is_empty() {
            self.end_block()?;
        }
        let mut end = self.checksums;
        end.extend_from_slice(&self.table);
        let checksum = hash::text(&end);
        end.u64(self.at);
        end.u64(self.table.len() as u64 / ENTRY);
        end.u64(checksum);
        end.extend_from_slice(MARK);
        self.file.write(&end)
    }
}

/// A complete file.
pub struct Sections {
    path: PathBuf,
    file: File,
    /// Bytes of the sections, and the checksum of each block of them.
    bytes: u64,
    checksums: Vec<u64>,
    /// Offset and length of each section.
    table: BTreeMap<u64, (u64, u64)>,
}

impl Sections {
    /// Opens a file and reads its table. The sections are not read before [`Sections::verify`].
    pub fn open(path: &Path) -> Result<Sections> {
        let file = File::open(path).map_err(Error::io(path))?;
        let length = file.metadata().map_err(Error::io(path))?.len();
        Sections::read(path, file, length).ok_or_else(|| damaged(path))
    }

    fn read(path: &Path, file: File, length: u64) -> Option<Sections> {
        let end = length.checked_sub(FOOTER)?;
        let mut footer = [0; FOOTER as usize];
        file.read_exact_at(&mut footer, end).ok()?;
        let mut from = Decoder::new(&footer);
        let (bytes, sections, checksum) = (from.u64().ok()?, from.u64().ok()?, from.u64().ok()?);
        let blocks = bytes.div_ceil(BLOCK as u64);
        let behind = sections.checked_mul(ENTRY)?.checked_add(8 * blocks)?;
        if from.take(8).ok()? != MARK || bytes.checked_add(behind)? != end {
            return None;
        }
        let mut table = vec![0; usize::try_from(behind).ok()?];
        file.read_exact_at(&mut table, bytes).ok()?;
        if hash::text(&table) != checksum {
            return None;
        }
        let mut from = Decoder::new(&table);
        let checksums = (0..blocks).map(|_| from.u64().ok()).collect::<Option<Vec<u64>>>()?;
        let mut entry = || {
            let (section, start, length) = (from.u64().ok()?, from.u64().ok()?, from.u64().ok()?);
            (start.checked_add(length)? <= bytes).then_some((section, (start, length)))
        };
        let table = (0..sections).map(|_| entry()).collect::<Option<_>>()?;
        Some(Sections { path: path.to_owned(), file, bytes, checksums, table })
    }

    /// What is said of a file that cannot be what was written.
    pub fn damaged(&self) -> Error {
        damaged(&self.path)
    }

    /// Reads everything once, on all threads, and compares the checksums.
    pub fn verify(&self) -> Result<()> {
        let next = AtomicUsize::new(0);
        let threads = available().min(self.checksums.len()).max(1);
        try_on_threads(threads, |stop| {
            let mut buffer = vec![0; BLOCK];
            while !stop.is_set() {
                let block = next.fetch_add(1, Ordering::Relaxed);
                let Some(&checksum) = self.checksums.get(block) else { break };
                let start = block as u64 * BLOCK as u64;
                let part = &mut buffer[..(self.bytes - start).min(BLOCK as u64) as usize];
                self.file.read_exact_at(part, start).map_err(Error::io(&self.path))?;
                if hash::text(part) != checksum {
                    let what = format!("is damaged at byte {start} or after: restore it from a copy");
                    return Err(Error::damaged(&self.path, what));
                }
            }
            Ok(())
        })?;
        Ok(())
    }

    /// The records of a section; none if it is not there.
    pub fn map<T: Record>(&self, section: u64) -> Result<Mapped<T>> {
        let Some(&(start, length)) = self.table.get(&section) else { return Ok(Mapped::default()) };
        let mapped = Mapped::new(&self.file, start, length).map_err(Error::io(&self.path))?;
        mapped.ok_or_else(|| damaged(&self.path))
    }
}

pub fn damaged(path: &Path) -> Error {
    Error::damaged(path, "is damaged or cut off: restore it from a copy")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(path: &Path) {
        write_sections(path, &mut || Ok(()), |out| {
            out.records(3, (0..400_000u32).map(|number| [number, 7]))?;
            out.section(9, |_| Ok(()))?;
            out.section(1, |out| out.write(b"text"))
        })
        .unwrap();
    }

    #[test]
    fn sections_come_back() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("state");
        sample(&path);
        let sections = Sections::open(&path).unwrap();
        sections.verify().unwrap();
        let pairs = sections.map::<[u32; 2]>(3).unwrap();
        assert!(pairs.as_slice().iter().enumerate().all(|(at, &pair)| pair == [at as u32, 7]));
        assert_eq!(
            (pairs.as_slice().len(), sections.map::<u8>(1).unwrap().as_slice()),
            (400_000, &b"text"[..])
        );
        assert!(sections.map::<u64>(9).unwrap().as_slice().is_empty());
        assert!(sections.map::<u64>(1).is_err(), "four bytes are no eight");
    }

    /// Every byte is covered by a checksum, except that of the mark at the end, which is compared.
    #[test]
    fn any_damage_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("state");
        sample(&path);
        let whole = std::fs::read(&path).unwrap();
        let told = |bytes: &[u8]| {
            std::fs::write(&path, bytes).unwrap();
            let error = Sections::open(&path).and_then(|sections| sections.verify()).unwrap_err();
            error.to_string()
        };
        let places = (0..whole.len()).step_by(40_009).chain(whole.len() - 200..whole.len());
        for place in places {
            let mut bytes = whole.clone();
            bytes[place] ^= 4;
            assert!(told(&bytes).contains("damaged"), "{place}");
        }
        assert!(
            told(&{
                let mut bytes = whole.clone();
                bytes[1 << 21] ^= 1;
                bytes
            })
            .contains("at byte 2097152 or after")
        );
        for length in [0, 7, 31, 32, 33, 1 << 20, whole.len() - 1] {
            assert!(told(&whole[..length]).contains("cut off"), "{length}");
        }
    }
}
