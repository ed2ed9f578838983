//! How many frames of the journal have been acknowledged, in a file beside it.
//!
//! A torn end of a journal is dropped when the index is opened, because it was never acknowledged. The journal
//! alone cannot tell whether a damaged or missing end had been acknowledged; this number can. It is written after
//! each sync to disk but not synced itself: after a power cut it may be too low, but never too high. So it can only
//! forbid to drop frames, and an index without it still opens.

use std::fs::{File, OpenOptions};
use std::os::unix::fs::FileExt;
use std::path::Path;

use lookalike_core::{Error, Result, hash};

pub const NAME: &str = "acknowledged";

pub struct Acknowledged(File);

impl Acknowledged {
    /// Opens the file, or creates it.
    pub fn open(folder: &Path) -> Result<Acknowledged> {
        let path = folder.join(NAME);
        let mut options = OpenOptions::new();
        options
            .create(true)
            .truncate(false)
            .write(true)
            .open(&path)
            .map(Acknowledged)
            .map_err(Error::io(path))
    }

    /// The number in the file; 0 if it is missing or damaged.
    pub fn read(folder: &Path) -> u64 {
        let bytes = std::fs::read(folder.join(NAME)).unwrap_or_default();
        let number = |at: usize| bytes.get(at..)?.first_chunk().map(|eight| u64::from_le_bytes(*eight));
        match (number(0), number(8)) {
            (Some(frames), Some(checksum)) if hash::mix(frames) == checksum => frames,
            _ => 0,
        }
    }

    /// Errors are ignored: nothing depends on this number being up to date.
    pub fn write(&self, frames: u64) {
        let both = u128::from(frames) | u128::from(hash::mix(frames)) << 64;
        let _ = self.0.write_all_at(&both.to_le_bytes(), 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_comes_back_and_damage_counts_as_none() {
        let dir = tempfile::tempdir().unwrap();
        assert_eq!(Acknowledged::read(dir.path()), 0);
        let file = Acknowledged::open(dir.path()).unwrap();
        assert_eq!(Acknowledged::read(dir.path()), 0);
        for frames in [7, u64::MAX, 300] {
            file.write(frames);
            assert_eq!(Acknowledged::read(dir.path()), frames);
        }
        let path = dir.path().join(NAME);
        let whole = std::fs::read(&path).unwrap();
        for place in 0..whole.len() {
            let mut bytes = whole.clone();
            bytes[place] ^= 1;
            std::fs::write(&path, &bytes).unwrap();
            assert_eq!(Acknowledged::read(dir.path()), 0, "{place}");
        }
    }
}
