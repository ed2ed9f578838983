//! Locates the records of the current state of the presentation: each save lists the records it
//! changed, and where the save before it did the same.

use std::collections::HashMap;

use crate::formats::compound::long;
use crate::reason::Reason;

use super::record::{Record, kind, records};

/// The mark in the stream "Current User" of a file with a password.
const ENCRYPTED: u32 = 0xf3d1_c4df;
/// How many saves are followed back; each costs a few bytes in the file.
const MOST_SAVES: usize = 10_000;
/// The most records of one presentation.
const MOST_RECORDS: usize = 1 << 20;

pub struct Directory {
    /// The number of the record that is the document.
    pub document: u32,
    /// From numbers to places in the stream.
    places: HashMap<u32, u32>,
}

impl Directory {
    /// The directory; `None` if it cannot be followed.
    pub fn read(main: &[u8], current: &[u8]) -> Result<Option<Self>, Reason> {
        if long(current, 12) == Some(ENCRYPTED) {
            return Err(Reason::Encrypted);
        }
        let Some(mut save) = long(current, 16).map(|place| place as usize).or_else(|| last_save(main)) else {
            return Ok(None);
        };
        if Record::at(main, save).is_none_or(|record| record.kind != kind::USER_EDIT) {
            let Some(last) = last_save(main) else { return Ok(None) };
            save = last;
        }
        let mut directory = Directory { document: 0, places: HashMap::new() };
        for number in 0..MOST_SAVES {
            let Some(edit) = Record::at(main, save).filter(|record| record.kind == kind::USER_EDIT) else {
                break;
            };
            let field = |at| long(edit.data, at).unwrap_or_default();
            if number == 0 {
                directory.document = field(16);
                // A longer record names the key with which all others are encrypted.
                if edit.data.len() >= 32 && field(28) != 0 {
                    return Err(Reason::Encrypted);
                }
            }
            directory.take(main, field(12) as usize);
            // Saves are in order; one that refers to a later one would make a circle.
            match field(8) as usize {
                before if before > 0 && before < save => save = before,
                _ => break,
            }
        }
        Ok(Some(directory).filter(|directory| !directory.places.is_empty()))
    }

    pub fn record<'a>(&self, main: &'a [u8], number: u32) -> Option<Record<'a>> {
        Record::at(main, *self.places.get(&number)? as usize)
    }

    /// Adds the places that one save wrote, unless a later save wrote others: a number and a count,
    /// then that many places.
    fn take(&mut self, main: &[u8], place: usize) {
        let Some(list) = Record::at(main, place).filter(|record| record.kind == kind::PERSIST_DIRECTORY)
        else {
            return;
        };
        let mut words = list.data.as_chunks::<4>().0.iter().map(|&word| u32::from_le_bytes(word));
        while let Some(head) = words.next() {
            let first = head & 0xf_ffff;
            for number in first..first + (head >> 20) {
                let Some(place) = words.next() else { return };
                if self.places.len() < MOST_RECORDS {
                    self.places.entry(number).or_insert(place);
                }
            }
        }
    }
}

/// The last save in the stream, for files whose stream "Current User" is lost.
fn last_save(main: &[u8]) -> Option<usize> {
    let mut at = 0;
    let mut found = None;
    for record in records(main) {
        if record.kind == kind::USER_EDIT {
            found = Some(at);
        }
        at += 8 + record.data.len();
    }
    found
}
