//! The operations since the last checkpoint, each acknowledged only when it is on disk.
//!
//! A frame is a mark, a length, a checksum and its bytes. A process killed while writing leaves a torn frame at the
//! end, which was never acknowledged: it is cut off. After a power cut whole frames may follow a torn one, because
//! the disk wrote them first. The frames themselves and the file `acknowledged` tell whether a lost frame had been
//! acknowledged; if so, opening fails rather than losing data.

use std::fs::{File, OpenOptions};
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use lookalike_core::{Error, Result, hash};

const MARK: u32 = 0x6a4c_4b4c;
const HEADER: usize = 16;

pub struct Journal {
    path: PathBuf,
    file: File,
    end: u64,
}

impl Journal {
    pub fn create(path: &Path) -> Result<Journal> {
        let file = OpenOptions::new().create(true).truncate(true).read(true).write(true).open(path);
        Ok(Journal { path: path.to_owned(), file: file.map_err(Error::io(path))?, end: 0 })
    }

    /// Continues after the first `frames` frames of what was read; the rest is cut off.
    pub fn open(path: &Path, read: &Frames, frames: usize) -> Result<Journal> {
        let file = OpenOptions::new().read(true).write(true).open(path).map_err(Error::io(path))?;
        let end = match frames {
            0 => 0,
            frames => read.ranges.get(frames - 1).map_or(0, |range| range.end as u64),
        };
        file.set_len(end).map_err(Error::io(path))?;
        Ok(Journal { path: path.to_owned(), file, end })
    }

    /// Appends a frame. If that fails, the journal ends where it did before.
    pub fn append(&mut self, frame: &[u8]) -> Result<()> {
        let mut bytes = Vec::with_capacity(HEADER + frame.len());
        let length = u32::try_from(frame.len())
            .map_err(|_| Error::Internal("a batch of operations is larger than 4 GiB".to_owned()))?;
        bytes.extend_from_slice(&MARK.to_le_bytes());
        bytes.extend_from_slice(&length.to_le_bytes());
        bytes.extend_from_slice(&hash::bytes(frame).to_le_bytes());
        bytes.extend_from_slice(frame);
        if let Err(source) = self.file.write_all_at(&bytes, self.end) {
            // A partial frame must not stand before the next one.
            let _ = self.file.set_len(self.end);
            return Err(Error::Io { path: self.path.clone(), source });
        }
        self.end += bytes.len() as u64;
        Ok(())
    }

    /// A second handle to the file, so that syncing does not block writers.
    pub fn handle(&self) -> Result<(File, PathBuf)> {
        Ok((self.file.try_clone().map_err(Error::io(&self.path))?, self.path.clone()))
    }

    pub fn bytes(&self) -> u64 {
        self.end
    }
}

/// The whole frames of a journal.
pub struct Frames {
    bytes: Vec<u8>,
    /// The frames from the beginning up to the first gap.
    ranges: Vec<Range<usize>>,
    /// The frames after the first gap.
    behind: Vec<Range<usize>>,
}

impl Frames {
    pub fn read(path: &Path) -> Result<Frames> {
        let bytes = std::fs::read(path).map_err(Error::io(path))?;
        let mut end = 0;
        let ranges = frames_from(&bytes, &mut end);
        let mut behind = Vec::new();
        let last = bytes.len().saturating_sub(HEADER - 1);
        while let Some(next) = (end + 1..last).find(|&start| frame_at(&bytes, start).is_some()) {
            end = next;
            behind.extend(frames_from(&bytes, &mut end));
        }
        Ok(Frames { bytes, ranges, behind })
    }

    pub fn iter(&self) -> impl Iterator<Item = &[u8]> {
        self.ranges.iter().map(|range| &self.bytes[range.clone()])
    }

    /// Whole frames after the first gap, which are cut off with it.
    pub fn behind(&self) -> impl Iterator<Item = &[u8]> {
        self.behind.iter().map(|range| &self.bytes[range.clone()])
    }

    /// Where the last frame before the first gap ends.
    pub fn end(&self) -> usize {
        self.ranges.last().map_or(0, |range| range.end)
    }
}

/// The consecutive frames from `at` on. `at` is moved to their end.
fn frames_from(bytes: &[u8], at: &mut usize) -> Vec<Range<usize>> {
    let mut ranges = Vec::new();
    while let Some(frame) = frame_at(bytes, *at) {
        let start = *at + HEADER;
        *at = start + frame.len();
        ranges.push(start..*at);
    }
    ranges
}

/// The whole frame that starts here; `None` if there is none.
fn frame_at(bytes: &[u8], start: usize) -> Option<&[u8]> {
    let (header, rest) = bytes.get(start..)?.split_first_chunk::<HEADER>()?;
    let all = u128::from_le_bytes(*header);
    if all as u32 != MARK {
        return None;
    }
    let frame = rest.get(..(all >> 32) as u32 as usize)?;
    (hash::bytes(frame) == (all >> 64) as u64).then_some(frame)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frames(path: &Path) -> Result<Vec<Vec<u8>>> {
        Ok(Frames::read(path)?.iter().map(<[u8]>::to_vec).collect())
    }

    fn three(path: &Path) -> Vec<u8> {
        let mut journal = Journal::create(path).unwrap();
        for frame in [&b"one"[..], b"", b"three is longer"] {
            journal.append(frame).unwrap();
        }
        std::fs::read(path).unwrap()
    }

    #[test]
    fn a_journal_cut_anywhere_keeps_its_whole_frames_and_goes_on() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("journal");
        let whole = three(&path);
        for cut in 0..=whole.len() {
            std::fs::write(&path, &whole[..cut]).unwrap();
            let expected = [19, 35, 66].iter().filter(|&&end| end <= cut).count();
            let read = Frames::read(&path).unwrap();
            let mut journal = Journal::open(&path, &read, read.iter().count()).unwrap();
            journal.append(b"next").unwrap();
            let found = frames(&path).unwrap();
            assert_eq!(found.len(), expected + 1, "cut at {cut}");
            assert_eq!(found.last().unwrap(), b"next");
        }
    }

    #[test]
    fn whole_frames_behind_damage_are_seen() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("journal");
        let whole = three(&path);
        for place in 0..whole.len() {
            let mut bytes = whole.clone();
            bytes[place] ^= 1;
            std::fs::write(&path, &bytes).unwrap();
            let before = [19, 35, 66].iter().filter(|&&end| end <= place).count();
            let read = Frames::read(&path).unwrap();
            assert_eq!((read.iter().count(), read.behind().count()), (before, 2 - before), "{place}");
            assert_eq!(read.end(), [0, 19, 35][before]);
            assert_eq!(std::fs::read(&path).unwrap(), bytes);
        }
    }

    #[test]
    fn what_was_not_acknowledged_is_cut_off() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("journal");
        three(&path);
        Journal::open(&path, &Frames::read(&path).unwrap(), 1).unwrap();
        assert_eq!(frames(&path).unwrap(), [b"one"]);
    }
}
