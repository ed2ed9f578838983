//! Records out of a stream of bytes, each whole in memory, one at a time.
//!
//! A [`Scan`] knows what a record is: rows of a table, objects of a JSON array. The documents are read
//! once to sign them and once to copy the kept ones, so both must split the stream in the same way.

use std::io::Read;
use std::ops::Range;

use lookalike_core::{Error, Result};

use super::{broken, too_long};

/// Finds where records begin and end.
pub trait Scan {
    /// Continues in `bytes`, which are all those not taken or skipped, from where it stopped. `ended` means
    /// that nothing follows.
    fn scan(&mut self, bytes: &[u8], ended: bool) -> Scanned;

    /// This many bytes at the beginning were removed.
    fn forget(&mut self, bytes: usize);
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Scanned {
    /// The next record begins at `next`, and scanning starts anew there.
    Record {
        record: Range<usize>,
        next: usize,
    },
    /// More bytes are needed. Before `from` there is nothing but white space.
    More {
        from: usize,
    },
    End,
    /// The stream ends where it should not, with the reason. Nothing follows.
    Cut(&'static str),
}

/// A record, or why it cannot be read.
pub type Found<'a> = std::result::Result<&'a [u8], String>;

pub struct Window<S> {
    reader: Box<dyn Read + Send>,
    name: String,
    /// Whether the stream is compressed and truncated, for the message.
    packed: bool,
    max_line: u64,
    pub scan: S,
    bytes: Vec<u8>,
    start: usize,
    ended: bool,
    /// Whether the stream ended because of damage.
    trouble: Option<String>,
    /// Bytes of a record that is too long; they were dropped.
    passed_over: u64,
    finished: bool,
}

impl<S: Scan> Window<S> {
    pub fn new(reader: Box<dyn Read + Send>, name: &str, packed: bool, max_line: u64, scan: S) -> Self {
        Window {
            reader,
            name: name.to_owned(),
            packed,
            max_line,
            scan,
            bytes: Vec::new(),
            start: 0,
            ended: false,
            trouble: None,
            passed_over: 0,
            finished: false,
        }
    }

    /// The next record, or the reason why it cannot be read; `None` at the end.
    pub fn next(&mut self) -> Result<Option<Found<'_>>> {
        loop {
            if self.finished {
                return Ok(None);
            }
            let ended = self.ended && self.trouble.is_none();
            match self.scan.scan(&self.bytes[self.start..], ended) {
                Scanned::Record { record, next } => {
                    let length = std::mem::take(&mut self.passed_over) + record.len() as u64;
                    let record = self.start + record.start..self.start + record.end;
                    self.start += next;
                    self.scan.forget(next);
                    if length > self.max_line {
                        return Ok(Some(Err(too_long(length, self.max_line))));
                    }
                    return Ok(Some(Ok(&self.bytes[record])));
                }
                Scanned::End => self.finished = true,
                Scanned::Cut(reason) => {
                    self.finished = true;
                    return Ok(Some(Err(reason.to_owned())));
                }
                Scanned::More { from } => {
                    self.start += from;
                    self.scan.forget(from);
                    if from > 0 && self.start < self.bytes.len() {
                        // The remaining bytes were not scanned yet.
                        continue;
                    }
                    if let (true, Some(trouble)) = (self.ended, self.trouble.take()) {
                        self.finished = true;
                        return Ok(Some(Err(trouble)));
                    }
                    self.fill()?;
                }
            }
        }
    }

    fn fill(&mut self) -> Result<()> {
        const STEP: u64 = 256 << 10;
        let held = self.bytes.len() - self.start;
        if held as u64 > self.max_line {
            self.passed_over += held as u64;
            self.scan.forget(held);
            self.start = self.bytes.len();
        }
        if self.start > 0 {
            self.bytes.drain(..self.start);
            self.start = 0;
        }
        match self.reader.by_ref().take(STEP).read_to_end(&mut self.bytes) {
            Ok(0) => self.ended = true,
            Ok(_) => {}
            Err(source) if source.kind() == std::io::ErrorKind::OutOfMemory => {
                return Err(Error::Io { path: self.name.clone().into(), source });
            }
            Err(error) => {
                self.ended = true;
                self.trouble = Some(broken(&error, self.packed));
            }
        }
        Ok(())
    }
}
