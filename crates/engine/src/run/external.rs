//! Sorting more than fits into memory: sorted runs on disk, merged while read.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fs::File;
use std::io::{BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use lookalike_core::{Error, Result};

/// A number that is sorted and stored as it is.
pub trait Record: Ord + Copy + Send + Sync {
    const BYTES: usize;
    fn put(self, out: &mut Vec<u8>);
    fn get(bytes: &[u8]) -> Self;
}

macro_rules! record {
    ($type:ty) => {
        impl Record for $type {
            const BYTES: usize = size_of::<$type>();
            fn put(self, out: &mut Vec<u8>) {
                out.extend_from_slice(&self.to_le_bytes());
            }
            fn get(bytes: &[u8]) -> Self {
                <$type>::from_le_bytes(bytes.try_into().unwrap_or_default())
            }
        }
    };
}
record!(u64);
record!(u128);

/// Collects records within a bounded number of bytes.
pub struct Sorter<R> {
    folder: PathBuf,
    limit: usize,
    buffer: Vec<R>,
    files: Vec<PathBuf>,
}

/// Sorted, distinct records that can be read more than once. Its files are removed with it.
pub struct Sorted<R> {
    memory: Vec<Vec<R>>,
    files: Vec<PathBuf>,
}

static NEXT_FILE: AtomicU64 = AtomicU64::new(0);

impl<R: Record> Sorter<R> {
    pub fn new(folder: &Path, bytes: u64) -> Self {
        let limit = (bytes as usize / R::BYTES).max(1024);
        Sorter { folder: folder.to_owned(), limit, buffer: Vec::new(), files: Vec::new() }
    }

    pub fn push(&mut self, record: R) -> Result<()> {
        if self.buffer.len() >= self.limit {
            self.compact();
            // With many repeats, continue in memory. Otherwise the run is full.
            if self.buffer.len() > self.limit / 2 {
                self.spill()?;
            }
        }
        self.buffer.push(record);
        Ok(())
    }

    fn compact(&mut self) {
        self.buffer.sort_unstable();
        self.buffer.dedup();
    }

    fn spill(&mut self) -> Result<()> {
        let path = self.folder.join(format!("run-{}", NEXT_FILE.fetch_add(1, Ordering::Relaxed)));
        let mut file = BufWriter::with_capacity(256 << 10, File::create(&path).map_err(Error::io(&path))?);
        self.files.push(path.clone());
        let mut bytes = Vec::with_capacity(R::BYTES);
        for record in self.buffer.drain(..) {
            bytes.clear();
            record.put(&mut bytes);
            file.write_all(&bytes).map_err(Error::io(&path))?;
        }
        file.flush().map_err(Error::io(&path))
    }

    /// Merges what several threads collected.
    pub fn finish(sorters: impl IntoIterator<Item = Sorter<R>>) -> Sorted<R> {
        let mut sorted = Sorted { memory: Vec::new(), files: Vec::new() };
        for mut sorter in sorters {
            sorter.compact();
            sorted.files.append(&mut sorter.files);
            if !sorter.buffer.is_empty() {
                sorted.memory.push(std::mem::take(&mut sorter.buffer));
            }
        }
        sorted
    }
}

impl<R> Drop for Sorted<R> {
    fn drop(&mut self) {
        for file in &self.files {
            // A file that cannot be removed is removed with the work folder.
            let _ = std::fs::remove_file(file);
        }
    }
}

impl<R: Record> Sorted<R> {
    /// All records in order, each once.
    pub fn iter(&self) -> Result<Merge<'_, R>> {
        let mut sources: Vec<Source<'_, R>> =
            self.memory.iter().map(|run| Source::Memory(run.iter())).collect();
        for path in &self.files {
            let file = File::open(path).map_err(Error::io(path))?;
            sources.push(Source::File(BufReader::with_capacity(256 << 10, file), path));
        }
        let mut heap = BinaryHeap::new();
        for (index, source) in sources.iter_mut().enumerate() {
            if let Some(record) = source.next()? {
                heap.push(Reverse((record, index)));
            }
        }
        Ok(Merge { sources, heap, last: None })
    }
}

enum Source<'a, R> {
    Memory(std::slice::Iter<'a, R>),
    File(BufReader<File>, &'a Path),
}

impl<R: Record> Source<'_, R> {
    fn next(&mut self) -> Result<Option<R>> {
        match self {
            Source::Memory(records) => Ok(records.next().copied()),
            Source::File(reader, path) => {
                let mut bytes = [0; 16];
                match reader.read_exact(&mut bytes[..R::BYTES]) {
                    Ok(()) => Ok(Some(R::get(&bytes[..R::BYTES]))),
                    Err(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => Ok(None),
                    Err(error) => Err(Error::Io { path: path.to_owned(), source: error }),
                }
            }
        }
    }
}

pub struct Merge<'a, R> {
    sources: Vec<Source<'a, R>>,
    heap: BinaryHeap<Reverse<(R, usize)>>,
    last: Option<R>,
}

impl<R: Record> Iterator for Merge<'_, R> {
    type Item = Result<R>;

    fn next(&mut self) -> Option<Result<R>> {
        while let Some(Reverse((record, index))) = self.heap.pop() {
            match self.sources[index].next() {
                Ok(Some(next)) => self.heap.push(Reverse((next, index))),
                Ok(None) => {}
                Err(error) => return Some(Err(error)),
            }
            if self.last != Some(record) {
                self.last = Some(record);
                return Some(Ok(record));
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spilled_and_unspilled_sorts_agree() {
        let dir = tempfile::tempdir().unwrap();
        let records: Vec<u64> = (0..20_000).map(|i| lookalike_core::hash::mix(i % 9_000)).collect();
        let mut expected = records.clone();
        expected.sort_unstable();
        expected.dedup();
        for bytes in [1 << 30, 9_000 * 8, 1] {
            let mut sorters: Vec<Sorter<u64>> = (0..3).map(|_| Sorter::new(dir.path(), bytes)).collect();
            for (i, &record) in records.iter().enumerate() {
                sorters[i % 3].push(record).unwrap();
            }
            let sorted = Sorter::finish(sorters);
            for _ in 0..2 {
                let got: Vec<u64> = sorted.iter().unwrap().map(|record| record.unwrap()).collect();
                assert_eq!(got, expected, "limit {bytes}");
            }
        }
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0, "no file is left");
    }
}
