//! The header of a `WordDocument` stream: which version of Word wrote it, how long its texts are,
//! where its tables are.

use crate::formats::codepage;
use crate::formats::compound::{long, short};
use crate::reason::Reason;

/// Tables that the header points at, by their number in its list.
#[derive(Clone, Copy)]
pub enum Table {
    Styles = 1,
    CharacterPages = 12,
    ParagraphPages = 13,
    Fonts = 15,
    Pieces = 33,
    Lists = 73,
    ListOverrides = 74,
}

/// The texts of a document, one after the other in the file.
#[derive(Clone, Copy)]
pub enum Story {
    Main = 0,
    Footnotes = 1,
    Endnotes = 5,
    TextBoxes = 6,
}

pub struct Header {
    /// Word 6 and 95, which have other tables and only one-byte characters; Word 2 differs even
    /// more.
    pub old: bool,
    /// Word 95 for East Asia: two bytes per character, though not Unicode.
    pub wide_pages: bool,
    pub has_tables: bool,
    pub second_table: bool,
    /// The code page of one-byte characters whose font does not name one.
    pub page: u16,
    /// Where the text is, if no piece table says so.
    pub text: (u32, u32),
    lengths: [u32; 8],
    pairs: Vec<(u32, u32)>,
}

impl Header {
    pub fn read(stream: &[u8]) -> Result<Self, Reason> {
        let cut = || Reason::damaged("a Word file without its header");
        let number = |at| short(stream, at).ok_or_else(cut);
        let magic = number(0)?;
        let version = number(2)?;
        if !matches!(magic, 0xa5ec | 0xa5dc | 0xa5db | 0xa697..=0xa699) {
            return Err(Reason::damaged("its text does not begin as a Word file does"));
        }
        let flags = number(10)?;
        if flags & 0x0100 != 0 {
            return Err(Reason::Encrypted);
        }
        let old = version < 106;
        let lengths_at = if old { 0x34 } else { 76 };
        let mut lengths = [0; 8];
        for (i, length) in lengths.iter_mut().enumerate() {
            // No file has more than 2^30 characters; sums of such lengths cannot overflow.
            *length = long(stream, lengths_at + 4 * i).unwrap_or(0).min(1 << 28);
        }
        let pairs_at = if old { 0x58 } else { 154 };
        let count = if old { 64 } else { usize::from(short(stream, 152).unwrap_or(0)).min(256) };
        let pair = |i| Some((long(stream, pairs_at + 8 * i)?, long(stream, pairs_at + 8 * i + 4)?));
        Ok(Header {
            old,
            wide_pages: old && flags & 0x1000 != 0 && version > 100,
            has_tables: version > 100,
            second_table: flags & 0x0200 != 0,
            page: if number(0x14)? == 256 { 10000 } else { codepage::of_language(number(6)?) },
            text: (long(stream, 24).unwrap_or(0), long(stream, 28).unwrap_or(0)),
            lengths,
            pairs: (0..count).map_while(pair).collect(),
        })
    }

    /// A table's bytes out of the stream of tables.
    pub fn table<'a>(&self, tables: &'a [u8], table: Table) -> &'a [u8] {
        let (start, length) = self.pairs.get(table as usize).copied().unwrap_or((0, 0));
        if !self.has_tables || length == 0 {
            return &[];
        }
        let rest = tables.get(start as usize..).unwrap_or_default();
        &rest[..rest.len().min(length as usize)]
    }

    /// Lists have a table whose end is not stored: returns all bytes from its start.
    pub fn table_and_beyond<'a>(&self, tables: &'a [u8], table: Table) -> &'a [u8] {
        match self.pairs.get(table as usize) {
            Some(&(start, length)) if length > 0 => tables.get(start as usize..).unwrap_or_default(),
            _ => &[],
        }
    }

    /// The letters of a story, counted over all of them.
    pub fn story(&self, story: Story) -> (u32, u32) {
        let start: u32 = self.lengths[..story as usize].iter().sum();
        (start, start + self.lengths[story as usize])
    }
}
