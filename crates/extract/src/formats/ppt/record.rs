//! Records: eight bytes that give the kind and the length of what follows.

use crate::formats::codepage;
use crate::formats::compound::{long, short};

/// The kinds of records that are read.
pub mod kind {
    pub const DOCUMENT: u16 = 1000;
    pub const SLIDE: u16 = 1006;
    pub const NOTES: u16 = 1008;
    pub const NOTES_ATOM: u16 = 1009;
    pub const SLIDE_PERSIST: u16 = 1011;
    pub const EXTERNAL_OBJECTS: u16 = 1033;
    pub const OUTLINE_TEXT_REF: u16 = 3998;
    pub const TEXT_HEADER: u16 = 3999;
    pub const TEXT_CHARS: u16 = 4000;
    pub const TEXT_BYTES: u16 = 4008;
    pub const STRING: u16 = 4026;
    pub const HYPERLINK: u16 = 4055;
    pub const SLIDE_LIST: u16 = 4080;
    pub const USER_EDIT: u16 = 4085;
    pub const PERSIST_DIRECTORY: u16 = 6002;
    pub const CLIENT_TEXTBOX: u16 = 0xf00d;
}

const HEADER: usize = 8;

#[derive(Clone, Copy)]
pub struct Record<'a> {
    pub kind: u16,
    pub instance: u16,
    version: u16,
    pub data: &'a [u8],
}

impl<'a> Record<'a> {
    /// The record at a place, as far as the bytes go.
    pub fn at(bytes: &'a [u8], place: usize) -> Option<Self> {
        let first = short(bytes, place)?;
        let kind = short(bytes, place.checked_add(2)?)?;
        let length = long(bytes, place.checked_add(4)?)? as usize;
        let data = bytes.get(place.checked_add(HEADER)?..)?;
        Some(Record {
            kind,
            instance: first >> 4,
            version: first & 15,
            data: &data[..data.len().min(length)],
        })
    }

    pub fn is_container(&self) -> bool {
        self.version == 15
    }

    /// The text of the record: two bytes per character, or one if all characters are Western.
    pub fn text(&self) -> String {
        if self.kind == kind::TEXT_BYTES {
            return codepage::decode(self.data, 1252);
        }
        let units = self.data.as_chunks::<2>().0.iter().map(|&unit| u16::from_le_bytes(unit));
        char::decode_utf16(units).map(|unit| unit.unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
    }
}

/// The records that stand one after another.
pub fn records(bytes: &[u8]) -> impl Iterator<Item = Record<'_>> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let record = Record::at(bytes, at)?;
        at += HEADER + record.data.len();
        Some(record)
    })
}
