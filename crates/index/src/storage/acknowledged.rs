//! How many frames of the journal were acknowledged, in a file beside it.
//!
//! What is torn at the end of a journal is forgotten when the index is opened, since nobody was told of it.
//! Whether an end that is damaged or missing is such a one the journal itself cannot say; this number can. It is
//! written after each forcing to disk and not forced itself: after a power cut it may lag behind, but it never
//! runs ahead. So it only ever forbids to forget, and an index without it opens.

use std::fs::{File, OpenOptions};
use std::os::unix::fs::FileExt;
use std::path::Path;

use lookalike_core::{Error, Result, hash};

pub const NAME: &str = "acknowledged";

pub struct Acknowledged(File);

impl Acknowledged {
    /// Opens the file, or makes it.
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

    /// The number in the file; 0 if there is none to be had.
    pub fn read(folder: &Path) -> u64 {
        let bytes = std::fs::read(folder.join(NAME)).unwrap_or_default();
        let number = |at: usize| bytes.get(at..)?.first_chunk().map(|eight| u64::from_le_bytes(*eight));
        match (number(0), number(8)) {
            (Some(frames), Some(checksum)) if hash::mix(frames) == checksum => frames,
            _ => 0,
        }
    }

    /// Nothing depends on it, so nothing is said when it fails.
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
