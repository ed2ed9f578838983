//! Chunks of lines that must be decoded in order: compressed, or in UTF-16.

use std::io::Read;

use lookalike_core::{Error, Result};

use super::consumed::Consumed;
use super::records::open_counted;
use super::{CHUNK_BYTES, Chunk, broken, too_long};
use crate::decode::Compression;
use crate::inputs::Input;

pub struct StreamCursor {
    input: Input,
    decoder: Option<Box<dyn Read + Send>>,
    consumed: Consumed,
    part: u64,
    decoded: u64,
    /// The beginning of a line whose end is not decoded yet.
    carried: Vec<u8>,
    finished: bool,
}

impl StreamCursor {
    pub fn new(input: &Input) -> Self {
        StreamCursor {
            input: input.clone(),
            decoder: None,
            consumed: Consumed::default(),
            part: 0,
            decoded: 0,
            carried: Vec::new(),
            finished: false,
        }
    }

    /// Decodes the next chunk. For a truncated stream, the part before the end is returned once.
    pub fn next(&mut self, chunk: &mut Chunk, max_line: u64) -> Result<bool> {
        if self.finished {
            return Ok(false);
        }
        chunk.clear();
        chunk.part = self.part;
        chunk.base = self.decoded;
        self.part += 1;
        chunk.buffer.append(&mut self.carried);
        while chunk.buffer.len() < CHUNK_BYTES as usize {
            let (read, trouble) = self.decode_some(&mut chunk.buffer)?;
            if let Some(trouble) = trouble {
                // What follows the last line end is incomplete and no document.
                let whole = memchr::memrchr(b'\n', &chunk.buffer).map_or(0, |at| at + 1);
                chunk.buffer.truncate(whole);
                chunk.broken = Some(trouble);
                self.finished = true;
                break;
            }
            if read == 0 {
                self.finished = true;
                break;
            }
        }
        if !self.finished {
            match memchr::memrchr(b'\n', &chunk.buffer) {
                Some(line_end) => self.carried = chunk.buffer.split_off(line_end + 1),
                None => self.finish_long_line(chunk, max_line)?,
            }
        }
        if self.finished {
            // Closes the file, since there may be thousands.
            self.decoder = None;
        }
        chunk.take_all();
        if chunk.buffer.is_empty() && chunk.broken.is_none() {
            return Ok(!self.finished);
        }
        chunk.raw_bytes = self.consumed.take();
        self.decoded += chunk.buffer.len() as u64;
        Ok(true)
    }

    /// A single line fills the chunk: reads to its end, dropping it when it exceeds the limit.
    fn finish_long_line(&mut self, chunk: &mut Chunk, max_line: u64) -> Result<()> {
        let mut piece = Vec::new();
        let mut length = chunk.buffer.len() as u64;
        loop {
            piece.clear();
            let (read, trouble) = self.decode_some(&mut piece)?;
            if read == 0 || trouble.is_some() {
                self.finished = true;
                chunk.broken = trouble;
                if chunk.broken.is_some() {
                    chunk.buffer.clear();
                }
                break;
            }
            let line_end = memchr::memchr(b'\n', &piece);
            let taken = line_end.map_or(read, |line_end| line_end + 1);
            length += line_end.unwrap_or(read) as u64;
            if length <= max_line {
                chunk.buffer.extend_from_slice(&piece[..taken]);
            }
            if line_end.is_some() {
                self.carried = piece.split_off(taken);
                break;
            }
        }
        if length > max_line {
            chunk.buffer.clear();
            chunk.broken.get_or_insert_with(|| too_long(length, max_line));
        }
        Ok(())
    }

    /// Appends some decoded bytes; 0 at the end. Damage in the stream is returned as a sentence.
    fn decode_some(&mut self, out: &mut Vec<u8>) -> Result<(usize, Option<String>)> {
        const STEP: u64 = 256 << 10;
        if self.decoder.is_none() {
            self.decoder = Some(open_counted(&self.input, &self.consumed)?);
        }
        let Some(decoder) = &mut self.decoder else { return Ok((0, None)) };
        match decoder.take(STEP).read_to_end(out) {
            Ok(read) => Ok((read, None)),
            Err(error) if error.kind() == std::io::ErrorKind::OutOfMemory => {
                Err(Error::Io { path: self.input.name.clone().into(), source: error })
            }
            Err(error) => Ok((0, Some(broken(&error, self.input.format.compression != Compression::None)))),
        }
    }
}
