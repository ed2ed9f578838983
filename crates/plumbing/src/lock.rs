//! Lock files, held by one process at a time. The operating system releases them when the process ends, however it
//! ends.

use std::fs::{File, TryLockError};
use std::path::Path;

use lookalike_core::{Error, Result};

/// A lock file that is held until this is dropped. The file itself stays.
#[derive(Debug)]
pub struct LockFile {
    _file: File,
}

impl LockFile {
    /// Takes the lock; `None` if another process holds it.
    pub fn try_take(path: &Path) -> Result<Option<LockFile>> {
        let file = File::create(path).map_err(Error::io(path))?;
        match file.try_lock() {
            Ok(()) => Ok(Some(LockFile { _file: file })),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(Error::io(path)(error)),
        }
    }

    /// Takes the lock, waiting until it is free.
    pub fn take(path: &Path) -> Result<LockFile> {
        let file = File::create(path).map_err(Error::io(path))?;
        file.lock().map_err(Error::io(path))?;
        Ok(LockFile { _file: file })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[test]
    fn one_holds_it_at_a_time() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("lock");
        let held = LockFile::try_take(&path).unwrap();
        assert!(held.is_some() && LockFile::try_take(&path).unwrap().is_none());
        drop(held);
        assert!(LockFile::try_take(&path).unwrap().is_some(), "it is free again");
        assert!(LockFile::try_take(&dir.path().join("none/lock")).is_err());
    }

    #[test]
    fn whoever_waits_gets_it_afterwards() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("lock");
        let inside = AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..50 {
                        let _held = LockFile::take(&path).unwrap();
                        assert_eq!(inside.fetch_add(1, Ordering::SeqCst), 0, "alone");
                        inside.fetch_sub(1, Ordering::SeqCst);
                    }
                });
            }
        });
    }
}
