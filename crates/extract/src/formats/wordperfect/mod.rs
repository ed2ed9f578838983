//! WordPerfect 5 and later: the main text.
//!
//! A header gives the start of the text. From there on bytes below 128 are characters, those above are
//! codes: single ones, codes of a fixed length and codes that contain their length. The last two end with
//! the byte they begin with, so a damaged file can be recognised. Notes, headers and boxes are elsewhere
//! and left out.

mod characters;
#[cfg(test)]
mod tests;

use crate::body::Body;
use crate::document::Extracted;
use crate::file::File;
use crate::format::{Format, Sign, Stage};
use crate::kind::{Category, Kind};
use crate::out::Out;
use crate::reason::Reason;

use self::characters::character;
use super::compound::{long, short};

pub const MAGIC: &[u8] = b"\xffWPC";
/// The file type of a document; others are macros, dictionaries, settings.
const DOCUMENT: u8 = 10;

/// Lengths of the codes from 0xc0 on in version 5, and from 0xf0 on in later ones; 0 where none is known.
const FIXED_5: [usize; 16] = [4, 9, 11, 3, 3, 5, 6, 7, 0, 0, 0, 0, 0, 0, 0, 0];
const FIXED_6: [usize; 16] = [4, 5, 3, 3, 3, 3, 4, 4, 4, 5, 5, 6, 6, 8, 8, 0];

pub const FORMAT: Format = Format {
    kind: Kind::WordPerfect,
    category: Category::Word,
    summary: "WordPerfect 5 and later: the main text",
    signs: &[Sign {
        stage: Stage::Start,
        recognise: |bytes, _| bytes.starts_with(MAGIC).then_some(Kind::WordPerfect),
    }],
    read,
    read_stream: None,
};

pub fn read(file: &File<'_>, out: &mut Out<'_>) -> Result<(), Reason> {
    let bytes = file.bytes;
    let header = |at: usize| bytes.get(at).copied().unwrap_or_default();
    if header(9) != DOCUMENT {
        return Err(Reason::Unsupported("a file of WordPerfect that is no document".to_owned()));
    }
    if short(bytes, 12) != Some(0) {
        return Err(Reason::Encrypted);
    }
    let start = long(bytes, 4).unwrap_or_default() as usize;
    let text = bytes.get(start..).filter(|_| start >= 16);
    let text = text.ok_or_else(|| Reason::damaged("it says that its text begins behind its end"))?;
    let mut reader = Reader { body: Body::default(), is_deleted: false, broken: 0, codes: 0 };
    match header(10) {
        0 => reader.version_5(text),
        2 => reader.version_6(text),
        // There are no versions between the two or after them.
        other => return Err(Reason::Unsupported(format!("WordPerfect with the version {other} inside"))),
    }
    let mut document = Extracted { kind: file.kind, ..Extracted::default() };
    (document.text, document.marks) = reader.body.finish();
    if reader.broken * 10 > reader.codes {
        document.doubt(0.3, "many of its codes are broken, so codes may stand among the text");
    }
    out.document(document)
}

struct Reader {
    body: Body,
    /// Whether the text was deleted but kept for undo.
    is_deleted: bool,
    /// How many codes lack their end, and how many there are.
    broken: usize,
    codes: usize,
}

impl Reader {
    fn version_5(&mut self, text: &[u8]) {
        let mut at = 0;
        while let Some(&byte) = text.get(at) {
            let length = match byte {
                0x20..=0x7e => self.letters(&text[at..], 0x20..=0x7e),
                0xc0..=0xcf => self.framed(&text[at..], FIXED_5[usize::from(byte & 15)]),
                0xd0..=0xff => {
                    self.framed(&text[at..], short(text, at + 2).map_or(0, |rest| 4 + usize::from(rest)))
                }
                _ => 1,
            };
            let operand = text.get(at + 1).copied().unwrap_or_default();
            match (byte, length) {
                (0x0a | 0x0c | 0x8c | 0x90 | 0x99, _) => self.line(),
                (0x0b | 0x0d | 0x93..=0x95 | 0xa0, _) => self.push(" "),
                (0xa9..=0xab, _) => self.push("-"),
                (0xc0, 4) => self.sign(character(text[at + 2], operand, true)),
                (0xc1 | 0xc2, 2..) => self.push(" "),
                // Cells and rows of tables.
                (0xdc | 0xdd, 2..) if operand == 0 => self.push(" "),
                (0xdc | 0xdd, 2..) => self.line(),
                _ => {}
            }
            at += length.max(1);
        }
    }

    fn version_6(&mut self, text: &[u8]) {
        let mut at = 0;
        while let Some(&byte) = text.get(at) {
            let length = match byte {
                0x21..=0x7e => self.letters(&text[at..], 0x21..=0x7e),
                0xd0..=0xef => self.framed(&text[at..], short(text, at + 2).map_or(0, usize::from)),
                0xf0..=0xff => self.framed(&text[at..], FIXED_6[usize::from(byte & 15)]),
                _ => 1,
            };
            let operand = text.get(at + 1).copied().unwrap_or_default();
            match (byte, length) {
                (0x01..=0x20, _) => self.sign(characters::short(byte)),
                (0x80 | 0x81 | 0xcd..=0xcf | 0xba..=0xbc | 0xc3..=0xc6, _) => self.push(" "),
                (0x84, _) => self.push("-"),
                (0x87 | 0xb4..=0xb9 | 0xbd..=0xc2 | 0xc7..=0xcc, _) => self.line(),
                // Ends of lines: soft ones, cells, all others.
                (0xd0, 2..) if matches!(operand, 1..=3 | 0x0a) => self.push(" "),
                (0xd0, 2..) if operand > 3 => self.line(),
                (0xe0, 2..) => self.push(" "),
                (0xf0, 4) => self.sign(character(text[at + 2], operand, false)),
                (0xf1, 5) => self.is_deleted = operand == 0,
                _ => {}
            }
            at += length.max(1);
        }
    }

    /// A run of characters, and its length.
    fn letters(&mut self, text: &[u8], letters: std::ops::RangeInclusive<u8>) -> usize {
        let end = text.iter().position(|byte| !letters.contains(byte)).unwrap_or(text.len());
        self.push(&String::from_utf8_lossy(&text[..end]));
        end
    }

    /// The length of a code that ends with the byte it begins with; 1 if it does not.
    fn framed(&mut self, text: &[u8], length: usize) -> usize {
        self.codes += 1;
        let is_whole = length > 1 && text.get(length - 1) == text.first();
        self.broken += usize::from(!is_whole);
        if is_whole { length } else { 1 }
    }

    fn sign(&mut self, character: Option<char>) {
        if let Some(character) = character {
            self.push(character.encode_utf8(&mut [0; 4]));
        }
    }

    fn push(&mut self, text: &str) {
        if !self.is_deleted {
            self.body.push(text);
        }
    }

    fn line(&mut self) {
        if !self.is_deleted {
            self.body.line();
        }
    }
}
