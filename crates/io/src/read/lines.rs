//! Chunks of a plain file, cut at fixed offsets and adjusted to line ends.

use std::ops::Range;

use lookalike_core::{Error, Result};

use super::{CHUNK_BYTES, Chunk, too_long};
use crate::inputs::Input;
use crate::place::{OpenFile, Place, failed};

/// How much is read at first to find the end of a chunk's last line.
const STEP: usize = 64 << 10;

/// Opened again for each chunk, so that any number of files can be read.
pub struct PlainFile {
    place: Place,
    name: String,
    bytes: u64,
}

impl PlainFile {
    pub fn new(input: &Input) -> Self {
        PlainFile { place: input.place.clone(), name: input.name.clone(), bytes: input.bytes }
    }

    /// Begins to read a chunk that will be needed soon.
    pub fn expect(&self, part: u64) {
        let range = self.range(part);
        self.place.expect(range.start..range.end + STEP as u64);
    }

    /// A chunk's part of the file. One more byte before it shows whether a line begins right at the start.
    fn range(&self, part: u64) -> Range<u64> {
        (part * CHUNK_BYTES).saturating_sub(1)..((part + 1) * CHUNK_BYTES).min(self.bytes)
    }

    pub fn chunks(&self) -> u64 {
        self.bytes.div_ceil(CHUNK_BYTES)
    }

    /// Reads all lines that begin within the chunk's part of the file.
    pub fn read_chunk(&self, part: u64, max_line: u64, chunk: &mut Chunk) -> Result<()> {
        chunk.part = part;
        chunk.bad.clear();
        chunk.broken = None;
        let Range { start: from, end } = self.range(part);
        // Not cleared first: bytes that are overwritten anyway need not be zeroed.
        chunk.buffer.resize((end - from) as usize, 0);
        let file = self.place.open().map_err(Error::io(&self.name))?;
        self.read_at(&file, &mut chunk.buffer, from)?;
        let first = if part == 0 { Some(0) } else { memchr::memchr(b'\n', &chunk.buffer).map(|at| at + 1) };
        let first = first.unwrap_or(chunk.buffer.len());
        chunk.base = from + first as u64;
        if first < chunk.buffer.len() {
            self.finish_last_line(&file, first, end, max_line, chunk)?;
        }
        self.place.release(from);
        chunk.lines = first..chunk.buffer.len();
        chunk.raw_bytes = chunk.bytes().len() as u64;
        Ok(())
    }

    /// The last line may continue beyond the chunk's part.
    fn finish_last_line(
        &self,
        file: &OpenFile,
        first: usize,
        end: u64,
        max_line: u64,
        chunk: &mut Chunk,
    ) -> Result<()> {
        let line_start = memchr::memrchr(b'\n', &chunk.buffer[first..]).map_or(first, |at| first + at + 1);
        if line_start == chunk.buffer.len() {
            return Ok(());
        }
        let mut at = end;
        let mut piece = vec![0; STEP];
        let mut length = (chunk.buffer.len() - line_start) as u64;
        while at < self.bytes {
            let wanted = piece.len().min((self.bytes - at) as usize);
            self.read_at(file, &mut piece[..wanted], at)?;
            let line_end = memchr::memchr(b'\n', &piece[..wanted]);
            let taken = line_end.map_or(wanted, |line_end| line_end + 1);
            length += line_end.unwrap_or(wanted) as u64;
            if length <= max_line {
                chunk.buffer.extend_from_slice(&piece[..taken]);
            }
            at += wanted as u64;
            if line_end.is_some() {
                break;
            }
            // A line that is this long is often longer still.
            piece.resize((piece.len() * 2).min(CHUNK_BYTES as usize), 0);
        }
        if length > max_line {
            chunk.buffer.truncate(line_start);
            chunk.broken = Some(too_long(length, max_line));
        }
        Ok(())
    }

    fn read_at(&self, file: &OpenFile, buffer: &mut [u8], offset: u64) -> Result<()> {
        file.read_exact_at(buffer, offset).map_err(|source| {
            if source.kind() == std::io::ErrorKind::UnexpectedEof {
                Error::Incompatible(format!("{} became shorter while it was being read", self.name))
            } else {
                failed(&self.place, &self.name)(source)
            }
        })
    }
}
