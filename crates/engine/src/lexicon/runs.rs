//! Counts that did not fit into memory: sorted runs on disk, merged while read.

use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use lookalike_core::lexicon::count::{Counted, CountedTerms};
use lookalike_core::lexicon::merge::{Merge, TermSource};
use lookalike_core::{Error, Result};

/// The most runs to merge at once, since each has a buffer and an open file. More are first merged
/// into fewer.
const MOST_AT_ONCE: usize = 64;
const BUFFER: usize = 256 << 10;

/// The runs that threads have stored. The owner of the folder removes it.
pub struct Runs {
    folder: PathBuf,
    files: Mutex<Files>,
}

#[derive(Default)]
struct Files {
    /// Path and number of terms.
    stored: Vec<(PathBuf, u64)>,
    named: u64,
}

impl Runs {
    pub fn new(folder: &Path) -> Self {
        Runs { folder: folder.to_owned(), files: Mutex::default() }
    }

    /// Stores a run.
    pub fn store(&self, run: &mut dyn TermSource) -> Result<()> {
        let path = {
            let mut files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
            files.named += 1;
            self.folder.join(format!("run-{}", files.named))
        };
        let file = File::create_new(&path).map_err(Error::io(&path))?;
        let mut file = BufWriter::with_capacity(BUFFER, file);
        let mut terms = 0;
        let mut record = Vec::new();
        while let Some((hash, df)) = run.advance()? {
            terms += 1;
            record.clear();
            record.extend_from_slice(&hash.to_le_bytes());
            record.extend_from_slice(&df.to_le_bytes());
            // A counter keeps no text longer than this.
            let text = run.text();
            record.push(u8::try_from(text.len()).unwrap_or_default());
            record.extend_from_slice(&text[..usize::from(record[12])]);
            file.write_all(&record).map_err(Error::io(&path))?;
        }
        file.flush().map_err(Error::io(&path))?;
        let mut files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        files.stored.push((path, terms));
        Ok(())
    }

    /// All stored runs and all in memory, as sources, with an upper bound of the number of terms.
    pub fn sources<'a>(&self, memory: &'a [Counted]) -> Result<(Vec<AnyRun<'a>>, u64)> {
        loop {
            let first: Vec<(PathBuf, u64)> = {
                let mut files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
                if files.stored.len() <= MOST_AT_ONCE {
                    break;
                }
                files.stored.drain(..MOST_AT_ONCE).collect()
            };
            let opened: Result<Vec<_>> = first.iter().map(|(path, _)| StoredRun::open(path)).collect();
            self.store(&mut Merge::new(opened?)?)?;
            first.iter().try_for_each(|(path, _)| std::fs::remove_file(path).map_err(Error::io(path)))?;
        }
        let files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        let mut terms: u64 = memory.iter().map(|counted| counted.len() as u64).sum();
        let mut sources: Vec<_> = memory.iter().map(|counted| AnyRun::Memory(counted.source())).collect();
        for (path, stored) in &files.stored {
            sources.push(AnyRun::Stored(StoredRun::open(path)?));
            terms += stored;
        }
        Ok((sources, terms))
    }
}

/// A run in memory or on disk.
pub enum AnyRun<'a> {
    Memory(CountedTerms<'a>),
    Stored(StoredRun),
}

impl TermSource for AnyRun<'_> {
    fn advance(&mut self) -> Result<Option<(u64, u32)>> {
        match self {
            AnyRun::Memory(run) => run.advance(),
            AnyRun::Stored(run) => run.advance(),
        }
    }

    fn text(&self) -> &[u8] {
        match self {
            AnyRun::Memory(run) => run.text(),
            AnyRun::Stored(run) => run.text(),
        }
    }
}

pub struct StoredRun {
    path: PathBuf,
    reader: BufReader<File>,
    text: Vec<u8>,
}

impl StoredRun {
    fn open(path: &Path) -> Result<Self> {
        let file = File::open(path).map_err(Error::io(path))?;
        let reader = BufReader::with_capacity(BUFFER, file);
        Ok(StoredRun { path: path.to_owned(), reader, text: Vec::new() })
    }

    fn read(&mut self) -> std::io::Result<Option<(u64, u32)>> {
        if self.reader.fill_buf()?.is_empty() {
            return Ok(None);
        }
        let (mut hash, mut df, mut length) = ([0; 8], [0; 4], [0]);
        self.reader.read_exact(&mut hash)?;
        self.reader.read_exact(&mut df)?;
        self.reader.read_exact(&mut length)?;
        self.text.resize(length[0].into(), 0);
        self.reader.read_exact(&mut self.text)?;
        Ok(Some((u64::from_le_bytes(hash), u32::from_le_bytes(df))))
    }
}

impl TermSource for StoredRun {
    fn advance(&mut self) -> Result<Option<(u64, u32)>> {
        self.read().map_err(Error::io(&self.path))
    }

    fn text(&self) -> &[u8] {
        &self.text
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use lookalike_core::hash;
    use lookalike_core::lexicon::count::Counter;

    use super::*;

    #[test]
    fn any_number_of_runs_adds_up() {
        let dir = tempfile::tempdir().unwrap();
        for count in [0, 1, MOST_AT_ONCE, 3 * MOST_AT_ONCE + 5] {
            let runs = Runs::new(dir.path());
            let mut twin = BTreeMap::new();
            for run in 0..count as u64 {
                let mut counter = Counter::new(0, true);
                counter.begin_document(&mut |_| Ok(())).unwrap();
                for number in run..run + 20 {
                    let word = format!("w{number}");
                    let hash = hash::bytes(word.as_bytes());
                    counter.add(hash, word.as_bytes());
                    twin.entry(hash).or_insert((0, word)).0 += 1;
                }
                runs.store(&mut counter.finish().source()).unwrap();
            }
            let (sources, expected) = runs.sources(&[]).unwrap();
            assert!(sources.len() <= MOST_AT_ONCE && expected >= twin.len() as u64);
            let mut merge = Merge::new(sources).unwrap();
            for (&hash, (df, word)) in &twin {
                assert_eq!(merge.advance().unwrap(), Some((hash, *df)));
                assert_eq!(merge.text(), word.as_bytes());
            }
            assert_eq!(merge.advance().unwrap(), None);
            std::fs::read_dir(dir.path())
                .unwrap()
                .for_each(|file| std::fs::remove_file(file.unwrap().path()).unwrap());
        }
    }
}
