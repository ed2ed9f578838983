//! An append-only file of checked frames: what a killed run had finished.
//!
//! A frame is its length, a checksum and its bytes. Opening reads frame by frame and forgets a torn
//! or damaged end, so a run can be killed at any point.

use std::fs::{File, OpenOptions};
use std::io::Read;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use lookalike_core::{Error, Result, hash};

const HEADER: u64 = 16;

pub struct Log {
    path: PathBuf,
    file: File,
    end: Mutex<u64>,
}

impl Log {
    /// Opens or creates the log and calls `replay` with the offset and bytes of each whole frame.
    pub fn open(path: &Path, mut replay: impl FnMut(u64, &[u8]) -> Result<()>) -> Result<Log> {
        let file = OpenOptions::new()
            .create(true)
            .truncate(false)
            .read(true)
            .write(true)
            .open(path)
            .map_err(Error::io(path))?;
        let size = file.metadata().map_err(Error::io(path))?.len();
        let mut reader = std::io::BufReader::with_capacity(1 << 20, &file);
        let mut end = 0;
        let mut frame = Vec::new();
        loop {
            let mut header = [0; HEADER as usize];
            if size - end < HEADER || reader.read_exact(&mut header).is_err() {
                break;
            }
            let (length, checksum) = split_header(header);
            if length > size - end - HEADER {
                break;
            }
            frame.resize(length as usize, 0);
            if reader.read_exact(&mut frame).is_err() || hash::bytes(&frame) != checksum {
                break;
            }
            replay(end + HEADER, &frame)?;
            end += HEADER + length;
        }
        file.set_len(end).map_err(Error::io(path))?;
        Ok(Log { path: path.to_owned(), file, end: Mutex::new(end) })
    }

    /// Appends a frame and gives the offset of its bytes.
    pub fn append(&self, frame: &[u8]) -> Result<u64> {
        let mut header = [0; HEADER as usize];
        header[..8].copy_from_slice(&(frame.len() as u64).to_le_bytes());
        header[8..].copy_from_slice(&hash::bytes(frame).to_le_bytes());
        let mut end = self.end.lock().unwrap_or_else(PoisonError::into_inner);
        let write = |bytes: &[u8], at| self.file.write_all_at(bytes, at).map_err(Error::io(&self.path));
        write(frame, *end + HEADER)?;
        // The header last: until it is there, the frame is not.
        write(&header, *end)?;
        let offset = *end + HEADER;
        *end = offset + frame.len() as u64;
        Ok(offset)
    }

    pub fn read(&self, offset: u64, out: &mut [u8]) -> Result<()> {
        self.file.read_exact_at(out, offset).map_err(Error::io(&self.path))
    }
}

fn split_header(header: [u8; HEADER as usize]) -> (u64, u64) {
    let both = u128::from_le_bytes(header);
    (both as u64, (both >> 64) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frames(path: &Path) -> Vec<Vec<u8>> {
        let mut found = Vec::new();
        let log = Log::open(path, |offset, frame| {
            found.push((offset, frame.to_vec()));
            Ok(())
        })
        .unwrap();
        for (offset, frame) in &found {
            let mut again = vec![0; frame.len()];
            log.read(*offset, &mut again).unwrap();
            assert_eq!(again, *frame);
        }
        found.into_iter().map(|(_, frame)| frame).collect()
    }

    #[test]
    fn a_log_cut_anywhere_keeps_its_whole_frames() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("log");
        let log = Log::open(&path, |_, _| Ok(())).unwrap();
        for frame in [&b"one"[..], b"", b"three is longer"] {
            log.append(frame).unwrap();
        }
        let whole = std::fs::read(&path).unwrap();
        for cut in 0..=whole.len() {
            std::fs::write(&path, &whole[..cut]).unwrap();
            let expected = [19, 35, 66].iter().filter(|&&end| end <= cut).count();
            assert_eq!(frames(&path).len(), expected, "cut at {cut}");
        }
    }

    #[test]
    fn a_damaged_frame_ends_the_log() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("log");
        let log = Log::open(&path, |_, _| Ok(())).unwrap();
        log.append(b"first").unwrap();
        log.append(b"second").unwrap();
        let mut bytes = std::fs::read(&path).unwrap();
        *bytes.last_mut().unwrap() ^= 1;
        std::fs::write(&path, bytes).unwrap();
        assert_eq!(frames(&path), [b"first"]);
    }
}
