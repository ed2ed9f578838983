//! Consecutive lines of one input, as threads take them.

use std::ops::Range;

use super::too_long;
use crate::folders::FolderFields;

/// About as many bytes are checked to be UTF-8 at once.
const PIECE: usize = 64 << 10;

/// Consecutive whole lines of one input.
#[derive(Default, Debug)]
pub struct Chunk {
    /// The number of the input.
    pub input: usize,
    /// Rises with the position in the input.
    pub part: u64,
    /// Where the lines begin in the input if it is [read where it is](crate::inputs::Input::is_in_place), otherwise
    /// of no meaning.
    pub base: u64,
    /// How many bytes of the input, as it is, were read for it.
    pub raw_bytes: u64,
    /// Fields of all documents of the input.
    pub folders: FolderFields,
    /// A buffer that is reused; the lines are part of it.
    pub(super) buffer: Vec<u8>,
    pub(super) lines: Range<usize>,
    /// Lines that are blank because they could not be read, with the reasons; rising.
    pub(super) bad: Vec<(u32, String)>,
    /// If something after the last whole line could not be read: the reason, and how many bytes of
    /// an overlong line were skipped.
    pub broken: Option<String>,
    pub(super) max_line: u64,
}

/// A line that is not blank.
#[derive(Debug)]
pub struct Line<'a> {
    /// Its number within the chunk, from 0.
    pub number: u32,
    /// Where it begins in [`Chunk::bytes`].
    pub start: usize,
    /// The line without its end, or why it is no document.
    pub content: Result<&'a str, String>,
}

impl Chunk {
    /// The lines, each with its end; the last may have none.
    pub fn bytes(&self) -> &[u8] {
        &self.buffer[self.lines.clone()]
    }

    /// All lines except blank ones, with the reasons for unreadable ones.
    pub fn lines(&self) -> impl Iterator<Item = Line<'_>> {
        let bytes = self.bytes();
        // Many lines are checked at once, but no more than are still near when they are parsed; only those of a bad piece
        // are checked one by one.
        let (mut piece, mut checked) = (0..0, None);
        let mut bad = self.bad.iter().peekable();
        let mut broken = self.broken.as_ref();
        let (mut start, mut number) = (0, 0);
        std::iter::from_fn(move || {
            loop {
                let here = number;
                number += 1;
                if start >= bytes.len() {
                    let reason = broken.take()?;
                    return Some(Line { number: here, start: bytes.len(), content: Err(reason.clone()) });
                }
                let begin = start;
                if begin >= piece.end {
                    let some = bytes.len().min(begin + PIECE);
                    let end = memchr::memchr(b'\n', &bytes[some..]).map_or(bytes.len(), |at| some + at + 1);
                    piece = begin..end;
                    checked = simdutf8::basic::from_utf8(&bytes[piece.clone()]).ok();
                }
                let end = memchr::memchr(b'\n', &bytes[begin..]).map_or(bytes.len(), |at| begin + at);
                start = end + 1;
                if let Some((_, reason)) = bad.next_if(|(line, _)| *line == here) {
                    return Some(Line { number: here, start: begin, content: Err(reason.clone()) });
                }
                let text = match checked {
                    Some(checked) => Ok(&checked[begin - piece.start..end - piece.start]),
                    None => simdutf8::compat::from_utf8(&bytes[begin..end])
                        .map_err(|error| format!("not valid UTF-8 at byte {}", error.valid_up_to() + 1)),
                };
                // A byte order mark may open the file.
                let opens = self.part == 0 && begin == 0;
                let mark = if opens && bytes.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
                let content = match text {
                    Ok(text) if text[mark..].trim().is_empty() => continue,
                    Ok(text) if text.len() as u64 > self.max_line => {
                        Err(too_long(text.len() as u64, self.max_line))
                    }
                    Ok(text) => Ok(&text[mark..]),
                    Err(reason) => Err(reason),
                };
                return Some(Line { number: here, start: begin + mark, content });
            }
        })
    }

    /// How many lines there are, including blank and unreadable ones.
    pub fn line_count(&self) -> u32 {
        let bytes = self.bytes();
        let ends = memchr::memchr_iter(b'\n', bytes).count();
        let last = usize::from(!bytes.is_empty() && !bytes.ends_with(b"\n"));
        (ends + last + usize::from(self.broken.is_some())) as u32
    }

    pub(super) fn clear(&mut self) {
        self.buffer.clear();
        self.lines = 0..0;
        self.bad.clear();
        self.broken = None;
    }

    /// For readers that fill the buffer from its beginning.
    pub(super) fn take_all(&mut self) {
        self.lines = 0..self.buffer.len();
    }
}
