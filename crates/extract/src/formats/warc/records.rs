//! Splits a crawl into its records.

use std::io::{self, Read};

use lookalike_core::warc::{LONGEST_HEADER, NEXT, field, header_end, is_followed};
use memchr::memmem;

/// How much is read at once at least. Tests take small steps, so that records begin and end anywhere.
const LEAST: usize = if cfg!(test) { 50 } else { 64 << 10 };

pub struct Records<R> {
    from: R,
    /// Bytes that are not used yet begin at `start`.
    buffer: Vec<u8>,
    start: usize,
    ended: bool,
    /// A longer record is truncated.
    most: usize,
    /// Whether a length was too large: then no other is trusted, so that each costs only what its
    /// record holds.
    lied: bool,
    /// Why nothing more could be read. It is told when what came before is used up.
    trouble: Option<io::Error>,
}

pub struct Record<'a> {
    header: &'a [u8],
    pub body: &'a [u8],
}

impl Record<'_> {
    /// `response`, `request`, …
    pub fn kind(&self) -> String {
        self.field("warc-type").unwrap_or_default().to_ascii_lowercase()
    }

    pub fn field(&self, name: &str) -> Option<String> {
        field(self.header, name)
    }
}

impl<R: Read> Records<R> {
    pub fn new(from: R, most: usize) -> Self {
        Records { from, buffer: Vec::new(), start: 0, ended: false, most, lied: false, trouble: None }
    }

    /// The next record. After an error, what follows the damage, if the stream goes on there.
    pub fn next(&mut self) -> io::Result<Option<Record<'_>>> {
        if !self.seek_record() {
            return self.end();
        }
        self.fill(LONGEST_HEADER);
        let (header_end, body_start) = match header_end(self.unused()) {
            Some(found) => found,
            // The file ends within a header.
            None => return self.end(),
        };
        let length = field(&self.unused()[..header_end], "content-length")
            .and_then(|length| length.parse::<u64>().ok());
        let length = usize::try_from(length.unwrap_or(0)).unwrap_or(usize::MAX);
        let kept = length.min(self.most);
        let used = if self.lied || length > self.most {
            self.find_end(body_start, kept)
        } else {
            self.check_end(body_start, kept)
        };
        let start = self.start;
        self.start += body_start + used;
        let record = self.buffer.get(start..start + body_start + used).unwrap_or_default();
        let (header, body) = record.split_at(body_start);
        Ok(Some(Record { header: &header[..header_end], body }))
    }

    /// The length of the body, given its declared length: corrected if the next record shows
    /// otherwise.
    fn check_end(&mut self, body_start: usize, length: usize) -> usize {
        // Includes two empty lines and the beginning of the next record, to check the length.
        let wanted = body_start.saturating_add(length).saturating_add(16);
        self.fill(wanted);
        let body = &self.unused()[body_start..];
        let used = body.len().min(length);
        if used == length && is_followed(&body[used..]) {
            return used;
        }
        self.fill(wanted.saturating_add(1 << 20));
        let found = memmem::find(&self.unused()[body_start..], NEXT).map(|next| next + 1);
        self.lied = found.is_some_and(|found| found < length);
        found.unwrap_or(used)
    }

    /// The length of the body, found by searching for the next record step by step.
    fn find_end(&mut self, body_start: usize, most: usize) -> usize {
        let mut seen = 0;
        let mut window = 64 << 10;
        loop {
            self.fill(body_start + window);
            let body = &self.unused()[body_start..];
            if let Some(next) = memmem::find(&body[seen..], NEXT) {
                return seen + next + 1;
            }
            if self.ended || body.len() >= most {
                return body.len().min(most);
            }
            seen = body.len().saturating_sub(NEXT.len());
            window *= 2;
        }
    }

    /// Goes to the next line that begins a record.
    fn seek_record(&mut self) -> bool {
        loop {
            self.fill(16);
            let blank = self.unused().iter().take_while(|byte| byte.is_ascii_whitespace()).count();
            self.start += blank;
            self.fill(16);
            let unused = self.unused();
            if unused.starts_with(b"WARC/") {
                return true;
            }
            if unused.is_empty() {
                return false;
            }
            if blank > 0 {
                continue;
            }
            // Something else: skips to the next record's line, keeping what could be half of it.
            self.fill(64 << 10);
            let unused = self.unused();
            let skipped = match memmem::find(unused, b"\nWARC/") {
                Some(found) => found + 1,
                None if self.ended => unused.len(),
                None => unused.len().saturating_sub(6).max(1),
            };
            self.start += skipped;
        }
    }

    fn unused(&self) -> &[u8] {
        &self.buffer[self.start..]
    }

    /// At the end: none, or the damage that is the reason.
    fn end(&mut self) -> io::Result<Option<Record<'_>>> {
        let Some(error) = self.trouble.take() else { return Ok(None) };
        self.buffer.clear();
        (self.start, self.ended) = (0, false);
        Err(error)
    }

    /// Reads until this many bytes are available or the end is reached.
    fn fill(&mut self, wanted: usize) {
        if self.ended || self.buffer.len() - self.start >= wanted {
            return;
        }
        self.buffer.drain(..self.start);
        self.start = 0;
        // Read in chunks as they come, so that a false length costs no memory.
        while self.buffer.len() < wanted && !self.ended {
            let chunk = (wanted - self.buffer.len()).clamp(LEAST, 4 << 20);
            match self.from.by_ref().take(chunk as u64).read_to_end(&mut self.buffer) {
                Ok(read) => self.ended = read == 0,
                Err(error) => (self.ended, self.trouble) = (true, Some(error)),
            }
        }
    }
}
