//! Reads a log that is being written to.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::PathBuf;

use lookalike_core::{Error, Result, hash};

use super::{Framing, HEADER};

/// Reads the frames of a log that is written to, from the beginning on.
pub struct LogReader {
    path: PathBuf,
    framing: Framing,
    file: File,
    at: u64,
}

impl LogReader {
    pub(super) fn new(path: PathBuf, framing: Framing, file: File) -> LogReader {
        LogReader { path, framing, file, at: 0 }
    }

    /// Reads the next frame, if there is one before `end`, where a frame of the log ends. Returns whether there was.
    pub fn next(&mut self, end: u64, frame: &mut Vec<u8>) -> Result<bool> {
        let Some(left) = end.checked_sub(self.at).filter(|&left| left > 0) else { return Ok(false) };
        let damaged = || Error::damaged(&self.path, format!("is damaged at byte {}", self.at));
        let mut header = [0; HEADER];
        self.file.read_exact_at(&mut header, self.at).map_err(Error::io(&self.path))?;
        let (length, checksum) = self.framing.parse(header).ok_or_else(damaged)?;
        if left < HEADER as u64 || length > left - HEADER as u64 {
            return Err(damaged());
        }
        frame.resize(length as usize, 0);
        self.file.read_exact_at(frame, self.at + HEADER as u64).map_err(Error::io(&self.path))?;
        if hash::bytes(frame) != checksum {
            return Err(damaged());
        }
        self.at += HEADER as u64 + length;
        Ok(true)
    }
}
