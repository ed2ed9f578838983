//! Texts of a web archive (WET): the records of type `conversion`, each as a line of JSON.
//!
//! Other records are passed over and counted. A record that is damaged, or whose length is wrong, is a reject; the
//! next one is found by its first line.

use std::io::Read;

use lookalike_core::warc::{LONGEST_HEADER, NEXT, field, header_end, is_followed, is_warc};
use lookalike_core::{Error, Result};
use memchr::memmem;

use super::members::Members;
use super::window::Found;
use super::{broken, too_long};

/// The types of records of the standard, by which those that are no texts are counted; the last one stands for any
/// other.
pub const TYPES: [&str; 9] = [
    "warcinfo",
    "response",
    "resource",
    "request",
    "metadata",
    "revisit",
    "conversion",
    "continuation",
    "unknown",
];

/// Where the bytes come from.
pub enum Archive {
    /// Goes on after a damaged member.
    Members(Members<Box<dyn Read + Send>>),
    /// Ends with the first damage. Whether it is compressed is for the message.
    Stream { from: Box<dyn Read + Send>, packed: bool },
}

pub struct Texts {
    archive: Archive,
    name: String,
    max_line: u64,
    /// Bytes that are not used yet begin at `start`.
    bytes: Vec<u8>,
    start: usize,
    ended: bool,
    /// Damage that follows the bytes at hand, and whether the last of these come from the damaged member.
    damage: Option<(String, bool)>,
    line: Vec<u8>,
    /// Records that are no texts, by [`TYPES`].
    passed_over: [u64; TYPES.len()],
}

/// Whether a record is a text, or why it cannot be read.
type Record = std::result::Result<bool, String>;

/// A record whose header has been read.
struct Head {
    /// The fields of a text; `None` for other records.
    text: Option<TextFields>,
    kind: usize,
    body: usize,
    length: u64,
}

struct TextFields {
    id: Option<String>,
    url: Option<String>,
    date: Option<String>,
    language: Option<String>,
}

impl Texts {
    pub fn new(archive: Archive, name: &str, max_line: u64) -> Self {
        Texts {
            archive,
            name: name.to_owned(),
            max_line,
            bytes: Vec::new(),
            start: 0,
            ended: false,
            damage: None,
            line: Vec::new(),
            passed_over: [0; TYPES.len()],
        }
    }

    /// How many records of each type were passed over so far.
    pub fn passed_over(&self) -> [u64; TYPES.len()] {
        self.passed_over
    }

    /// The next text as a line of JSON, or why it cannot be read; `None` at the end.
    pub fn next(&mut self) -> Result<Option<Found<'_>>> {
        loop {
            let found = self.next_record()?;
            match found {
                None => return Ok(None),
                Some(Err(reason)) => return Ok(Some(Err(reason))),
                Some(Ok(true)) => return Ok(Some(Ok(&self.line))),
                Some(Ok(false)) => {}
            }
        }
    }

    /// Reads a record, and says whether it is a text, which is then in `line`.
    fn next_record(&mut self) -> Result<Option<Record>> {
        self.skip_blank()?;
        if self.unused().is_empty() {
            return Ok(self.go_on_after_damage().map(Err));
        }
        if !is_warc(self.unused()) {
            let skipped = self.seek_next(0)?;
            return Ok(self.told(|_| format!("{skipped} bytes here are no record of a web archive")));
        }
        let head = match self.read_head()? {
            Ok(head) => head,
            Err(reason) => {
                self.seek_next(0)?;
                return Ok(self.told(|_| reason));
            }
        };
        if head.length > self.max_line {
            // Not skipped by its length, which may be wrong.
            self.seek_next(head.body)?;
            if head.text.is_none() {
                self.passed_over[head.kind] += 1;
                return Ok(Some(Ok(false)));
            }
            return Ok(Some(Err(too_long(head.length, self.max_line))));
        }
        let end = head.body + head.length as usize;
        // With the empty lines after it and the beginning of the next record, by which the length is checked.
        self.need(end + 16)?;
        let Some(rest) = self.unused().get(end..) else {
            self.seek_next(head.body)?;
            return Ok(self.told(|is_last| match is_last {
                true => "the file ends within this record: it is cut here".to_owned(),
                false => wrong_length(head.length),
            }));
        };
        if !is_followed(rest) {
            self.seek_next(head.body)?;
            return Ok(self.told(|_| wrong_length(head.length)));
        }
        if let (true, Some((damage, true))) = (rest.trim_ascii().is_empty(), &self.damage) {
            // The checksum of this very record is wrong.
            let damage = damage.clone();
            (self.start, self.damage) = (self.bytes.len(), None);
            return Ok(Some(Err(damage)));
        }
        let Some(text) = head.text else {
            self.passed_over[head.kind] += 1;
            self.start += end;
            return Ok(Some(Ok(false)));
        };
        let body = &self.bytes[self.start + head.body..self.start + end];
        let written = text.write_line(body, &mut self.line);
        self.start += end;
        Ok(Some(written.map(|()| true)))
    }

    /// The header at the beginning of the unused bytes, or why there is none.
    fn read_head(&mut self) -> Result<std::result::Result<Head, String>> {
        let mut end = header_end(self.unused());
        while end.is_none() && self.unused().len() < LONGEST_HEADER && !self.has_ended() {
            self.need(self.unused().len() + 1)?;
            end = header_end(self.unused());
        }
        let Some((end, body)) = end else {
            return Ok(Err(match self.has_ended() {
                true => "the file ends within the header of a record: it is cut here".to_owned(),
                false => format!("the header of the record has more than {LONGEST_HEADER} bytes"),
            }));
        };
        let header = &self.unused()[..end];
        let length = field(header, "content-length").and_then(|length| length.parse().ok());
        let Some(length) = length else {
            return Ok(Err("the record does not say how long it is (Content-Length)".to_owned()));
        };
        let kind = field(header, "warc-type").unwrap_or_default().to_ascii_lowercase();
        let is_plain = |kind: String| kind.to_ascii_lowercase().starts_with("text/");
        let is_text = kind == "conversion" && field(header, "content-type").is_none_or(is_plain);
        let kind = TYPES.iter().position(|known| *known == kind).unwrap_or(TYPES.len() - 1);
        let bare = |name: &str| {
            field(header, name)
                .map(|value| value.trim_matches(['<', '>']).to_owned())
                .filter(|value| !value.is_empty())
        };
        let text = is_text.then(|| TextFields {
            id: bare("warc-record-id"),
            url: bare("warc-target-uri"),
            date: bare("warc-date"),
            language: bare("warc-identified-content-language"),
        });
        Ok(Ok(Head { text, kind, body, length }))
    }

    /// Rejects what was passed. If nothing is left before damage, that is the reason that counts; `reason` is told whether
    /// nothing is left at all.
    fn told(&mut self, reason: impl FnOnce(bool) -> String) -> Option<Record> {
        let is_last = self.unused().is_empty();
        let damage = if is_last { self.go_on_after_damage() } else { None };
        Some(Err(damage.unwrap_or_else(|| reason(is_last))))
    }

    /// The damage that ended the bytes at hand, if any; what follows it is read next.
    fn go_on_after_damage(&mut self) -> Option<String> {
        self.damage.take().map(|(reason, _)| reason)
    }

    fn skip_blank(&mut self) -> Result<()> {
        loop {
            let blank = self.unused().iter().take_while(|byte| byte.is_ascii_whitespace()).count();
            self.start += blank;
            if self.unused().len() >= 5 || self.has_ended() {
                return Ok(());
            }
            self.need(5)?;
        }
    }

    /// Goes to the first line of a record behind the first `from` bytes, or to the end of what can be read, and returns
    /// how many bytes that were. What is passed is not held.
    fn seek_next(&mut self, from: usize) -> Result<u64> {
        let from = from.min(self.unused().len());
        let mut passed = from as u64;
        self.start += from;
        loop {
            if let Some(found) = memmem::find(self.unused(), NEXT) {
                self.start += found + 1;
                return Ok(passed + found as u64 + 1);
            }
            let held = self.unused().len();
            // The last bytes may be the beginning of such a line.
            let dropped = if self.has_ended() { held } else { held.saturating_sub(NEXT.len() - 1) };
            self.start += dropped;
            passed += dropped as u64;
            if self.has_ended() {
                return Ok(passed);
            }
            self.need(self.unused().len() + 1)?;
        }
    }

    fn unused(&self) -> &[u8] {
        &self.bytes[self.start..]
    }

    /// Whether the bytes at hand are all that can be read before the end or before damage.
    fn has_ended(&self) -> bool {
        self.ended || self.damage.is_some()
    }

    /// Reads until this many bytes are at hand or there are no more. A false length costs no memory: bytes are read
    /// as they come.
    fn need(&mut self, wanted: usize) -> Result<()> {
        // Tests take small steps, so that whatever is read begins and ends anywhere.
        const STEP: u64 = if cfg!(test) { 50 } else { 256 << 10 };
        while self.bytes.len() - self.start < wanted && !self.has_ended() {
            // Not for each record, or large lengths of small records would move the bytes again and again.
            if self.start > self.bytes.len() / 2 {
                self.bytes.drain(..self.start);
                self.start = 0;
            }
            let (read, packed) = match &mut self.archive {
                Archive::Members(members) => (members.take(STEP).read_to_end(&mut self.bytes), true),
                Archive::Stream { from, packed } => (from.take(STEP).read_to_end(&mut self.bytes), *packed),
            };
            match read {
                Ok(0) => self.ended = true,
                Ok(_) => {}
                Err(source) if source.kind() == std::io::ErrorKind::OutOfMemory => {
                    return Err(Error::Io { path: self.name.clone().into(), source });
                }
                Err(error) => self.note_damage(&error, packed),
            }
        }
        Ok(())
    }

    fn note_damage(&mut self, error: &std::io::Error, packed: bool) {
        let Archive::Members(members) = &self.archive else {
            self.ended = true;
            self.damage = Some((broken(error, packed), false));
            return;
        };
        let reason = format!("the compressed record is damaged or cut here ({error})");
        self.damage = Some((reason, members.given() > 0));
    }
}

fn wrong_length(length: u64) -> String {
    format!("the record has not the {length} bytes that its header says")
}

impl TextFields {
    fn write_line(&self, body: &[u8], line: &mut Vec<u8>) -> std::result::Result<(), String> {
        let text = simdutf8::compat::from_utf8(body)
            .map_err(|error| format!("the text is not valid UTF-8 at byte {}", error.valid_up_to() + 1))?;
        line.clear();
        let fields =
            [("id", &self.id), ("url", &self.url), ("date", &self.date), ("language", &self.language)];
        let fields = fields.into_iter().filter_map(|(name, value)| Some((name, value.as_deref()?)));
        for (name, value) in fields.chain([("text", text)]) {
            line.extend_from_slice(if line.is_empty() { b"{\"" } else { b",\"" });
            line.extend_from_slice(name.as_bytes());
            line.extend_from_slice(b"\":");
            // Writing into a Vec cannot fail.
            drop(serde_json::to_writer(&mut *line, value));
        }
        line.push(b'}');
        Ok(())
    }
}

#[cfg(test)]
mod tests;
