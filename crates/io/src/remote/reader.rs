//! An object from some place to its end, with what follows on its way.

use std::collections::VecDeque;
use std::io::{self, BufRead, Read};
use std::sync::Arc;

use bytes::{Buf, Bytes};

use super::object::{Fetch, Object};

/// The first piece is small, since often only the beginning is looked at; then they grow.
const FIRST: u64 = 128 << 10;
const LARGEST: u64 = 4 << 20;
/// How many pieces are on their way while one is used.
const AHEAD: usize = 3;

/// Reads an object in order.
pub struct ObjectReader {
    object: Arc<Object>,
    /// Where the next piece to ask for begins, and its length.
    asked: u64,
    piece: u64,
    end: u64,
    coming: VecDeque<Fetch>,
    here: Bytes,
}

impl ObjectReader {
    /// From the beginning.
    pub fn new(object: Arc<Object>) -> Self {
        let end = object.bytes();
        ObjectReader { object, asked: 0, piece: FIRST, end, coming: VecDeque::new(), here: Bytes::new() }
    }

    /// A range of which all will be read.
    pub fn of_range(object: Arc<Object>, range: std::ops::Range<u64>) -> Self {
        let end = range.end.min(object.bytes());
        ObjectReader {
            object,
            asked: range.start,
            piece: LARGEST,
            end,
            coming: VecDeque::new(),
            here: Bytes::new(),
        }
    }
}

impl BufRead for ObjectReader {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.here.is_empty() {
            let ahead = if self.piece == FIRST { 0 } else { AHEAD };
            while self.coming.len() <= ahead && self.asked < self.end {
                let to = (self.asked + self.piece).min(self.end);
                self.coming.push_back(self.object.fetch(self.asked..to)?);
                self.asked = to;
                self.piece = (self.piece * 8).min(LARGEST);
            }
            if let Some(fetch) = self.coming.pop_front() {
                self.here = self.object.wait(fetch)?;
            }
        }
        Ok(&self.here)
    }

    fn consume(&mut self, count: usize) {
        self.here.advance(count.min(self.here.len()));
    }
}

impl Read for ObjectReader {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let here = self.fill_buf()?;
        let count = out.len().min(here.len());
        out[..count].copy_from_slice(&here[..count]);
        self.consume(count);
        Ok(count)
    }
}
