//! Append-only files of checksummed frames: they preserve what was finished before a process was killed or
//! the power failed.
//!
//! A frame is a header and its bytes. A process that is killed while writing leaves an incomplete frame at the end,
//! which is cut off when the log is opened. After a power failure there may be complete frames after an incomplete
//! one, because the disk stored them first: [`Frames`] finds those, too, if the frames are marked.
//!
//! Two similar things are not logs. A snapshot of an index is a file written as a whole, whose frames name their
//! section; and what a scan stores about files, or did to them, are lines of JSON that people can read.
//!
//! ```
//! use lookalike_plumbing::log::{Framing, Log};
//! # let folder = tempfile::tempdir().unwrap();
//! # let path = folder.path().join("log");
//! Log::open(&path, Framing::Plain, |_, _| Ok(()))?.append(b"something finished")?;
//! let mut found = Vec::new();
//! Log::open(&path, Framing::Plain, |_, frame| Ok(found.push(frame.to_vec())))?;
//! assert_eq!(found, [b"something finished"]);
//! # Ok::<(), lookalike_core::Error>(())
//! ```

use std::fs::{File, OpenOptions};
use std::io::{BufReader, Read};
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use lookalike_core::{Error, Result, hash};

mod reader;

pub use reader::LogReader;

const HEADER: usize = 16;

/// The header of a frame, 16 bytes, little-endian.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Framing {
    /// The length in 64 bits and a checksum in 64 bits.
    Plain,
    /// This mark and the length in 32 bits each, and a checksum in 64 bits: a frame can be found from anywhere.
    Marked(u32),
}

impl Framing {
    fn header(self, frame: &[u8]) -> Result<[u8; HEADER]> {
        let length = match self {
            Framing::Plain => frame.len() as u64,
            Framing::Marked(mark) => {
                let length = u32::try_from(frame.len())
                    .map_err(|_| Error::Internal("a frame of a log is larger than 4 GiB".to_owned()))?;
                u64::from(mark) | u64::from(length) << 32
            }
        };
        Ok((u128::from(length) | u128::from(hash::bytes(frame)) << 64).to_le_bytes())
    }

    /// The length and the checksum in a header, if it is valid.
    fn parse(self, header: [u8; HEADER]) -> Option<(u64, u64)> {
        let both = u128::from_le_bytes(header);
        let (first, checksum) = (both as u64, (both >> 64) as u64);
        match self {
            Framing::Plain => Some((first, checksum)),
            Framing::Marked(mark) => (first as u32 == mark).then_some((first >> 32, checksum)),
        }
    }
}

/// A log that is written to.
pub struct Log {
    path: PathBuf,
    framing: Framing,
    file: File,
    end: Mutex<u64>,
}

impl Log {
    /// Begins an empty log, replacing whatever exists.
    pub fn create(path: &Path, framing: Framing) -> Result<Log> {
        Log::at(path, framing, 0, OpenOptions::new().create(true))
    }

    /// Opens or creates the log and calls `replay` with the offset and bytes of each complete frame. What follows the
    /// last of them is cut off.
    pub fn open(
        path: &Path,
        framing: Framing,
        mut replay: impl FnMut(u64, &[u8]) -> Result<()>,
    ) -> Result<Log> {
        let mut options = OpenOptions::new();
        let file = options.create(true).truncate(false).read(true).write(true).open(path);
        let file = file.map_err(Error::io(path))?;
        let size = file.metadata().map_err(Error::io(path))?.len();
        let mut reader = BufReader::with_capacity(1 << 20, &file);
        let mut end = 0;
        let mut frame = Vec::new();
        while let Some(length) = next_frame(&mut reader, framing, size - end, &mut frame) {
            replay(end + HEADER as u64, &frame)?;
            end += HEADER as u64 + length;
        }
        file.set_len(end).map_err(Error::io(path))?;
        Ok(Log { path: path.to_owned(), framing, file, end: Mutex::new(end) })
    }

    /// Continues after the first `count` frames that were read; what follows is cut off.
    pub fn continue_after(path: &Path, framing: Framing, read: &Frames, count: usize) -> Result<Log> {
        let last = count.checked_sub(1).and_then(|last| read.ranges.get(last));
        Log::at(path, framing, last.map_or(0, |range| range.end as u64), &mut OpenOptions::new())
    }

    fn at(path: &Path, framing: Framing, end: u64, options: &mut OpenOptions) -> Result<Log> {
        let file = options.read(true).write(true).open(path).map_err(Error::io(path))?;
        file.set_len(end).map_err(Error::io(path))?;
        Ok(Log { path: path.to_owned(), framing, file, end: Mutex::new(end) })
    }

    /// Appends a frame and returns the offset of its bytes. If that fails, the log keeps its former end.
    pub fn append(&self, frame: &[u8]) -> Result<u64> {
        let header = self.framing.header(frame)?;
        let mut end = self.end.lock().unwrap_or_else(PoisonError::into_inner);
        let offset = *end + HEADER as u64;
        // The header is written last: without it the frame does not exist.
        let written =
            self.file.write_all_at(frame, offset).and_then(|()| self.file.write_all_at(&header, *end));
        if let Err(error) = written {
            // A partly written frame must not precede the next one.
            let _ = self.file.set_len(*end);
            return Err(Error::io(&self.path)(error));
        }
        *end = offset + frame.len() as u64;
        Ok(offset)
    }

    /// Reads bytes that were appended.
    pub fn read(&self, offset: u64, out: &mut [u8]) -> Result<()> {
        self.file.read_exact_at(out, offset).map_err(Error::io(&self.path))
    }

    /// A second handle, so that syncing does not block writing.
    pub fn handle(&self) -> Result<(File, PathBuf)> {
        Ok((self.file.try_clone().map_err(Error::io(&self.path))?, self.path.clone()))
    }

    /// Reads frames while others are appended.
    pub fn reader(&self) -> Result<LogReader> {
        let (file, path) = self.handle()?;
        Ok(LogReader::new(path, self.framing, file))
    }

    /// Forces what was appended to disk.
    pub fn sync(&self) -> Result<()> {
        self.file.sync_data().map_err(Error::io(&self.path))
    }

    /// How long the log is.
    pub fn bytes(&self) -> u64 {
        *self.end.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Reads the next frame if `left` bytes hold a complete one, and returns its length.
fn next_frame(from: &mut impl Read, framing: Framing, left: u64, frame: &mut Vec<u8>) -> Option<u64> {
    let left = left.checked_sub(HEADER as u64)?;
    let mut header = [0; HEADER];
    from.read_exact(&mut header).ok()?;
    let (length, checksum) = framing.parse(header)?;
    if length > left {
        return None;
    }
    frame.resize(length as usize, 0);
    from.read_exact(frame).ok()?;
    (hash::bytes(frame) == checksum).then_some(length)
}

/// The complete frames of a log, read at once; nothing is changed.
pub struct Frames {
    bytes: Vec<u8>,
    /// Frames from the beginning on, without a gap.
    ranges: Vec<Range<usize>>,
    /// Frames after a gap.
    behind: Vec<Range<usize>>,
}

impl Frames {
    /// Reads a log of marked frames.
    pub fn read(path: &Path, mark: u32) -> Result<Frames> {
        let bytes = std::fs::read(path).map_err(Error::io(path))?;
        let framing = Framing::Marked(mark);
        let mut end = 0;
        let ranges = frames_from(&bytes, framing, &mut end);
        let mut behind = Vec::new();
        let last = bytes.len().saturating_sub(HEADER - 1);
        while let Some(next) = (end + 1..last).find(|&start| frame_at(&bytes, framing, start).is_some()) {
            end = next;
            behind.extend(frames_from(&bytes, framing, &mut end));
        }
        Ok(Frames { bytes, ranges, behind })
    }

    /// Frames from the beginning on, without a gap.
    pub fn iter(&self) -> impl Iterator<Item = &[u8]> {
        self.ranges.iter().map(|range| &self.bytes[range.clone()])
    }

    /// Complete frames that are cut off together with what precedes them.
    pub fn behind(&self) -> impl Iterator<Item = &[u8]> {
        self.behind.iter().map(|range| &self.bytes[range.clone()])
    }

    /// The end of the last frame without a gap before it.
    pub fn end(&self) -> usize {
        self.ranges.last().map_or(0, |range| range.end)
    }
}

/// The frames from here on up to the first gap, where `at` is then.
fn frames_from(bytes: &[u8], framing: Framing, at: &mut usize) -> Vec<Range<usize>> {
    let mut ranges = Vec::new();
    while let Some(frame) = frame_at(bytes, framing, *at) {
        let start = *at + HEADER;
        *at = start + frame.len();
        ranges.push(start..*at);
    }
    ranges
}

/// The whole frame that starts here, if one does.
fn frame_at(bytes: &[u8], framing: Framing, start: usize) -> Option<&[u8]> {
    let (header, rest) = bytes.get(start..)?.split_first_chunk::<HEADER>()?;
    let (length, checksum) = framing.parse(*header)?;
    let frame = rest.get(..usize::try_from(length).ok()?)?;
    (hash::bytes(frame) == checksum).then_some(frame)
}

#[cfg(test)]
mod tests;
