//! Sorting more than fits into memory: sorted runs on disk, merged while read.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;
use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, ErrorKind, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use lookalike_core::{Error, Result};

/// What is sorted: by its key, in a fixed number of bytes on disk. Of records with the same key one is kept.
pub trait Record: Copy + Send + Sync {
    type Key: Ord + Copy;
    const BYTES: usize;
    fn key(&self) -> Self::Key;
    fn put(&self, out: &mut Vec<u8>);
    /// Bytes that are not of this record are the work of another version or of a broken disk.
    fn get(bytes: &[u8]) -> Option<Self>;
}

macro_rules! record {
    ($type:ty) => {
        impl Record for $type {
            type Key = $type;
            const BYTES: usize = size_of::<$type>();
            fn key(&self) -> $type {
                *self
            }
            fn put(&self, out: &mut Vec<u8>) {
                out.extend_from_slice(&self.to_le_bytes());
            }
            fn get(bytes: &[u8]) -> Option<Self> {
                bytes.try_into().ok().map(<$type>::from_le_bytes)
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
    /// Runs; those of each level are made of as many of the level below as are merged at once.
    levels: Vec<Vec<PathBuf>>,
}

/// Sorted records, each key once, that can be read more than once. Its files are removed with it.
pub struct Sorted<R> {
    memory: Vec<Vec<R>>,
    files: Vec<PathBuf>,
}

/// How the names of runs begin.
pub const RUN: &str = "run-";
/// As many runs are merged into one, so that few files are open and few buffers needed when all are read.
const MOST_RUNS: usize = 32;
/// What is read or written of a run at once.
const BUFFER: usize = 128 << 10;

static NEXT_FILE: AtomicU64 = AtomicU64::new(0);

impl<R: Record> Sorter<R> {
    /// Keeps at most about `bytes` in memory.
    pub fn new(folder: &Path, bytes: u64) -> Self {
        let limit = (bytes as usize / size_of::<R>()).max(1024);
        Sorter { folder: folder.to_owned(), limit, buffer: Vec::new(), levels: Vec::new() }
    }

    pub fn push(&mut self, record: R) -> Result<()> {
        if self.buffer.len() >= self.limit {
            self.compact();
            // With many repeats, continue in memory. Otherwise the run is full.
            if self.buffer.len() > self.limit / 2 {
                self.spill()?;
            }
        }
        if self.buffer.len() == self.buffer.capacity() && self.buffer.len() > self.limit / 4 {
            // Doubling would take more than allowed.
            self.buffer.reserve_exact(self.limit - self.buffer.len());
        }
        self.buffer.push(record);
        Ok(())
    }

    fn compact(&mut self) {
        self.buffer.sort_unstable_by_key(R::key);
        self.buffer.dedup_by_key(|record| record.key());
    }

    fn spill(&mut self) -> Result<()> {
        let mut run = write_run(&self.folder, self.buffer.drain(..).map(Ok))?;
        for level in 0.. {
            if self.levels.len() == level {
                self.levels.push(Vec::new());
            }
            self.levels[level].push(run);
            if self.levels[level].len() < MOST_RUNS {
                break;
            }
            let runs = Sorted::<R> { memory: Vec::new(), files: std::mem::take(&mut self.levels[level]) };
            run = write_run(&self.folder, runs.iter()?)?;
        }
        Ok(())
    }

    /// Merges what several threads collected.
    pub fn finish(sorters: impl IntoIterator<Item = Sorter<R>>) -> Sorted<R> {
        let mut sorted = Sorted { memory: Vec::new(), files: Vec::new() };
        for mut sorter in sorters {
            sorter.compact();
            sorted.files.extend(std::mem::take(&mut sorter.levels).into_iter().flatten());
            if !sorter.buffer.is_empty() {
                sorted.memory.push(std::mem::take(&mut sorter.buffer));
            }
        }
        sorted
    }

    /// All that was collected.
    pub fn sorted(self) -> Sorted<R> {
        Sorter::finish([self])
    }
}

impl<R> Drop for Sorter<R> {
    fn drop(&mut self) {
        self.levels.iter().for_each(|runs| remove(runs));
    }
}

fn write_run<R: Record>(folder: &Path, records: impl Iterator<Item = Result<R>>) -> Result<PathBuf> {
    let path = folder.join(format!("{RUN}{}", NEXT_FILE.fetch_add(1, Ordering::Relaxed)));
    let mut file = BufWriter::with_capacity(BUFFER, File::create(&path).map_err(Error::io(&path))?);
    let mut bytes = Vec::with_capacity(R::BYTES);
    let write = || {
        for record in records {
            bytes.clear();
            record?.put(&mut bytes);
            file.write_all(&bytes).map_err(Error::io(&path))?;
        }
        file.flush().map_err(Error::io(&path))
    };
    match write() {
        Ok(()) => Ok(path),
        Err(error) => {
            remove(std::slice::from_ref(&path));
            Err(error)
        }
    }
}

fn remove(files: &[PathBuf]) {
    for file in files {
        // A file that cannot be removed is removed with the work folder.
        let _ = std::fs::remove_file(file);
    }
}

impl<R> Drop for Sorted<R> {
    fn drop(&mut self) {
        remove(&self.files);
    }
}

impl<R> Default for Sorted<R> {
    fn default() -> Self {
        Sorted { memory: Vec::new(), files: Vec::new() }
    }
}

impl<R: Record> Sorted<R> {
    /// All records in order.
    pub fn iter(&self) -> Result<Merge<'_, R>> {
        self.merge(|_| 0, |_, _| Ok(0))
    }

    /// The records from a key on.
    pub fn iter_from(&self, key: &R::Key) -> Result<Merge<'_, R>> {
        self.merge(
            |run| run.partition_point(|record| record.key() < *key),
            |file, path| seek::<R>(file, path, key),
        )
    }

    /// The record with a key.
    pub fn get(&self, key: &R::Key) -> Result<Option<R>> {
        Ok(self.iter_from(key)?.next().transpose()?.filter(|record| record.key() == *key))
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.memory.is_empty() && self.files.is_empty()
    }

    fn merge<'a>(
        &'a self,
        start: impl Fn(&[R]) -> usize,
        seek: impl Fn(&File, &Path) -> Result<u64>,
    ) -> Result<Merge<'a, R>> {
        let mut sources: Vec<Source<'a, R>> =
            self.memory.iter().map(|run| Source::Memory(run[start(run)..].iter())).collect();
        for path in &self.files {
            let mut file = File::open(path).map_err(Error::io(path))?;
            let start = seek(&file, path)? * R::BYTES as u64;
            file.seek(SeekFrom::Start(start)).map_err(Error::io(path))?;
            sources.push(Source::File(BufReader::with_capacity(BUFFER, file), path, vec![0; R::BYTES]));
        }
        let (mut heads, mut heap) = (Vec::with_capacity(sources.len()), BinaryHeap::new());
        for (index, source) in sources.iter_mut().enumerate() {
            let head = source.next()?;
            heap.extend(head.map(|record| Reverse((record.key(), index))));
            heads.push(head);
        }
        Ok(Merge { sources, heads, heap, last: None })
    }
}

/// The first record of a run that is not below a key.
fn seek<R: Record>(file: &File, path: &Path, key: &R::Key) -> Result<u64> {
    let (mut from, mut to) = (0, file.metadata().map_err(Error::io(path))?.len() / R::BYTES as u64);
    let mut bytes = vec![0; R::BYTES];
    while from < to {
        let middle = from.midpoint(to);
        file.read_exact_at(&mut bytes, middle * R::BYTES as u64).map_err(Error::io(path))?;
        match R::get(&bytes).ok_or_else(|| damaged(path))?.key() < *key {
            true => from = middle + 1,
            false => to = middle,
        }
    }
    Ok(from)
}

fn damaged(path: &Path) -> Error {
    Error::Incompatible(format!("{} is damaged", path.display()))
}

enum Source<'a, R> {
    Memory(std::slice::Iter<'a, R>),
    /// With room for a record.
    File(BufReader<File>, &'a Path, Vec<u8>),
}

impl<R: Record> Source<'_, R> {
    fn next(&mut self) -> Result<Option<R>> {
        match self {
            Source::Memory(records) => Ok(records.next().copied()),
            Source::File(reader, path, bytes) => {
                // A signal may interrupt it.
                let filled = loop {
                    match reader.fill_buf() {
                        Err(error) if error.kind() == ErrorKind::Interrupted => {}
                        filled => break filled.map_err(Error::io(*path))?,
                    }
                };
                if filled.is_empty() {
                    return Ok(None);
                }
                reader.read_exact(bytes).map_err(Error::io(*path))?;
                R::get(bytes).map(Some).ok_or_else(|| damaged(path))
            }
        }
    }
}

pub struct Merge<'a, R: Record> {
    sources: Vec<Source<'a, R>>,
    /// The next record of each source.
    heads: Vec<Option<R>>,
    heap: BinaryHeap<Reverse<(R::Key, usize)>>,
    last: Option<R::Key>,
}

impl<R: Record> Iterator for Merge<'_, R> {
    type Item = Result<R>;

    fn next(&mut self) -> Option<Result<R>> {
        while let Some(mut top) = self.heap.peek_mut() {
            let Reverse((key, index)) = *top;
            let next = match self.sources[index].next() {
                Ok(next) => next,
                Err(error) => {
                    PeekMut::pop(top);
                    return Some(Err(error));
                }
            };
            // In place of the one before, which mostly is where it belongs.
            match next {
                Some(next) => *top = Reverse((next.key(), index)),
                None => drop(PeekMut::pop(top)),
            }
            let record = std::mem::replace(&mut self.heads[index], next)?;
            if self.last != Some(key) {
                self.last = Some(key);
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
        let records: Vec<u64> = (0..200_000).map(|i| lookalike_core::hash::mix(i % 90_000)).collect();
        let mut expected = records.clone();
        expected.sort_unstable();
        expected.dedup();
        for bytes in [1 << 30, 9_000 * 8, 1] {
            let mut sorters: Vec<Sorter<u64>> = (0..3).map(|_| Sorter::new(dir.path(), bytes)).collect();
            for (i, &record) in records.iter().enumerate() {
                sorters[i % 3].push(record).unwrap();
            }
            let runs = |sorter: &Sorter<u64>| sorter.levels.iter().map(Vec::len).max().unwrap_or_default();
            assert!(sorters.iter().all(|sorter| runs(sorter) < MOST_RUNS), "runs are merged");
            let sorted = Sorter::finish(sorters);
            for _ in 0..2 {
                let got: Vec<u64> = sorted.iter().unwrap().map(|record| record.unwrap()).collect();
                assert_eq!(got, expected, "limit {bytes}");
            }
            for place in [0, 1, 77, 50_000, 89_999] {
                let from = |key: u64| sorted.iter_from(&key).unwrap().map(|record| record.unwrap());
                assert!(from(expected[place]).eq(expected[place..].iter().copied()), "from {place}");
                assert!(from(expected[place] + 1).eq(expected[place + 1..].iter().copied()));
                assert_eq!(sorted.get(&expected[place]).unwrap(), Some(expected[place]));
                assert_eq!(sorted.get(&(expected[place] + 1)).unwrap(), None);
            }
        }
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0, "no file is left");
    }

    #[test]
    fn a_run_that_was_cut_is_an_error() {
        let dir = tempfile::tempdir().unwrap();
        let mut sorter: Sorter<u64> = Sorter::new(dir.path(), 1);
        (0..3000).for_each(|record| sorter.push(record).unwrap());
        let sorted = sorter.sorted();
        let file = File::options().write(true).open(&sorted.files[0]).unwrap();
        file.set_len(file.metadata().unwrap().len() - 3).unwrap();
        assert!(sorted.iter().unwrap().any(|record| record.is_err()));
    }
}
