//! Results on disk: whole or not at all.

#[cfg(feature = "parquet")]
mod columns;
mod kept;
mod pack;
mod rows;

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};

use lookalike_core::{Error, Result};

pub use kept::{KeptBlock, write_kept_jsonl};
pub use rows::write_kept_rows;

/// A file that gets its name only when it is complete.
pub struct AtomicFile {
    partial: PathBuf,
    path: PathBuf,
    file: BufWriter<File>,
}

impl AtomicFile {
    /// Begins a file under another name.
    pub fn create(path: &Path) -> Result<Self> {
        let partial = partial_name(path);
        let file = File::create(&partial).map_err(Error::io(&partial))?;
        Ok(AtomicFile { partial, path: path.to_owned(), file: BufWriter::with_capacity(1 << 20, file) })
    }

    /// Gives the file its name.
    pub fn finish(mut self) -> Result<()> {
        self.file.flush().map_err(Error::io(&self.partial))?;
        std::fs::rename(&self.partial, &self.path).map_err(Error::io(&self.path))
    }

    /// Names the file in an error of writing to it.
    pub fn write(&mut self, bytes: &[u8]) -> Result<()> {
        self.file.write_all(bytes).map_err(Error::io(&self.partial))
    }
}

/// The name under which a file is written until it is complete.
pub fn partial_name(path: &Path) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!(".{name}.partial"))
}

/// Runs `work` for 0..count on several threads and `sink` on the results, one at a time and in
/// order, holding no more results than there are threads.
pub fn in_order<T: Send>(
    threads: usize,
    count: usize,
    work: impl Fn(usize) -> Result<T> + Sync,
    sink: impl FnMut(T) -> Result<()> + Send,
) -> Result<()> {
    let next = AtomicUsize::new(0);
    let stop = AtomicBool::new(false);
    let turn = Mutex::new((0usize, sink, None::<Error>));
    let changed = Condvar::new();
    std::thread::scope(|scope| {
        for _ in 0..threads.max(1) {
            scope.spawn(|| {
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    if index >= count || stop.load(Ordering::Relaxed) {
                        return;
                    }
                    let result = work(index);
                    let mut state = turn.lock().unwrap_or_else(PoisonError::into_inner);
                    while state.0 != index && !stop.load(Ordering::Relaxed) {
                        state = changed.wait(state).unwrap_or_else(PoisonError::into_inner);
                    }
                    if state.2.is_none() {
                        let outcome = result.and_then(|result| (state.1)(result));
                        if let Err(error) = outcome {
                            state.2 = Some(error);
                            stop.store(true, Ordering::Relaxed);
                        }
                    }
                    state.0 = index + 1;
                    changed.notify_all();
                }
            });
        }
    });
    let (_, _, error) = turn.into_inner().unwrap_or_else(PoisonError::into_inner);
    error.map_or(Ok(()), Err)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_in_order() {
        let mut seen = Vec::new();
        in_order(
            3,
            50,
            |i| Ok(i * i),
            |square| {
                seen.push(square);
                Ok(())
            },
        )
        .unwrap();
        assert_eq!(seen, (0..50).map(|i| i * i).collect::<Vec<_>>());
    }

    #[test]
    fn the_first_error_stops_the_rest() {
        let work = |i| if i == 7 { Err(Error::input("seven")) } else { Ok(i) };
        let mut seen = 0;
        let error = in_order(4, 100, work, |_| {
            seen += 1;
            Ok(())
        })
        .unwrap_err();
        assert_eq!((seen, error.to_string().as_str()), (7, "seven"));
    }

    #[test]
    fn a_file_has_its_name_only_when_complete() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("out.jsonl");
        let mut file = AtomicFile::create(&path).unwrap();
        file.write(b"half").unwrap();
        assert!(!path.exists());
        file.finish().unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"half");
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 1);
    }
}
