//! Files that many threads read by offset, with a limited number of them open at a time.

use std::collections::HashMap;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use lookalike_core::{Error, Result};
use rustix::process::{Resource, getrlimit};

/// Well below the usual limit of 1024 open files.
const MOST_OPEN: usize = 256;

/// How many files may be open at a time: a quarter of what the process may open if that is little.
fn most_open() -> usize {
    let limit = getrlimit(Resource::Nofile).current.and_then(|limit| usize::try_from(limit).ok());
    limit.map_or(MOST_OPEN, |limit| (limit / 4).clamp(1, MOST_OPEN))
}

/// Files by number, opened when they are asked for.
pub struct Files {
    paths: Vec<PathBuf>,
    open: Mutex<HashMap<usize, Arc<File>>>,
    most_open: usize,
}

impl Files {
    /// Opens none yet.
    pub fn new(paths: Vec<PathBuf>) -> Self {
        Files { paths, open: Mutex::default(), most_open: most_open() }
    }

    /// The path of a file.
    pub fn path(&self, index: usize) -> &Path {
        &self.paths[index]
    }

    /// The file, opened if necessary. When too many are open, all are released: threads that still
    /// use one keep it until they are done.
    pub fn get(&self, index: usize) -> Result<Arc<File>> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(file) = open.get(&index) {
            return Ok(file.clone());
        }
        if open.len() >= self.most_open {
            open.clear();
        }
        let path = &self.paths[index];
        let file = Arc::new(File::open(path).map_err(Error::io(path))?);
        open.insert(index, file.clone());
        Ok(file)
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::FileExt;

    use super::*;

    #[test]
    fn more_files_than_may_be_open_can_all_be_read_again_and_again() {
        let dir = tempfile::tempdir().unwrap();
        let paths: Vec<PathBuf> = (0..3 * MOST_OPEN).map(|i| dir.path().join(i.to_string())).collect();
        for (i, path) in paths.iter().enumerate() {
            std::fs::write(path, [i as u8]).unwrap();
        }
        let files = Files::new(paths);
        for round in 0..2 {
            for i in 0..3 * MOST_OPEN {
                let mut byte = [0];
                files.get(i).unwrap().read_exact_at(&mut byte, 0).unwrap();
                assert_eq!(byte, [i as u8], "round {round}");
                assert!(files.open.lock().unwrap().len() <= MOST_OPEN);
            }
        }
    }
}
