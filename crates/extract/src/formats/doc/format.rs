//! Formats of characters and paragraphs: pages of 512 bytes that say for stretches of the stream
//! how they differ from their style.

use std::collections::HashSet;

use crate::formats::compound::{long, short};

const PAGE: usize = 512;

/// How characters differ from their paragraph's style.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CharacterFormat {
    pub bold: bool,
    pub italic: bool,
    /// Hidden, or deleted with tracked changes.
    pub unseen: bool,
    /// Stands for a picture, the bounds of a field, a note, or itself.
    pub special: bool,
    /// A letter of a symbol font.
    pub symbol: Option<u16>,
    /// The index in the table of fonts.
    pub font: Option<u16>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Paragraph {
    pub style: u16,
    /// 0 to 8 for headings.
    pub outline: Option<u8>,
    pub in_table: bool,
    pub ends_row: bool,
    /// Which list, counted from 1, and how deep in it; 0 takes it out of its style's list.
    pub list: Option<u16>,
    pub list_level: Option<u8>,
}

impl Paragraph {
    /// This format, completed by its style's.
    pub fn over(self, style: &Paragraph) -> Paragraph {
        Paragraph {
            outline: self.outline.or(style.outline),
            list: self.list.or(style.list),
            list_level: self.list_level.or(style.list_level),
            ..self
        }
    }

    pub fn is_heading(&self) -> bool {
        self.outline.is_some_and(|level| level < 9)
    }
}

/// Stretches of the stream by rising start, each with its format.
pub struct Stretches<T>(Vec<(u32, u32, T)>);

impl<T: Copy + Default> Stretches<T> {
    /// The format at an offset of the stream, and where the stretch with it ends.
    pub fn at(&self, offset: usize) -> (T, usize) {
        let after = self.0.partition_point(|&(start, _, _)| start as usize <= offset);
        let next = self.0.get(after).map_or(usize::MAX, |&(start, _, _)| start as usize);
        match after.checked_sub(1).and_then(|place| self.0.get(place)) {
            Some(&(_, end, format)) if offset < end as usize => (format, next.min(end as usize)),
            _ => (T::default(), next),
        }
    }

    /// Reads the pages that a table lists; `entry` is how many bytes of a page each stretch has
    /// besides its bounds, the first of which is where its format stands.
    fn read(stream: &[u8], table: &[u8], old: bool, parse: impl Fn(&[u8], usize) -> T, entry: usize) -> Self {
        let width = if old { 2 } else { 4 };
        let count = table.len().saturating_sub(4) / (4 + width);
        let mut all = Vec::new();
        // A page that is listed twice adds nothing.
        let mut seen = HashSet::new();
        for i in 0..count {
            let at = 4 * (count + 1) + width * i;
            let number = if old { short(table, at).map(u32::from) } else { long(table, at) };
            let Some(number) = number else { break };
            let number = number & 0x3f_ffff;
            if !seen.insert(number) {
                continue;
            }
            let start = number as usize * PAGE;
            let Some(page) = stream.get(start..start + PAGE) else { continue };
            let runs = usize::from(page[PAGE - 1]);
            for run in 0..runs {
                let (Some(first), Some(end)) = (long(page, 4 * run), long(page, 4 * run + 4)) else { break };
                let Some(&place) = page.get(4 * (runs + 1) + entry * run) else { break };
                let format = if place == 0 { T::default() } else { parse(page, 2 * usize::from(place)) };
                if first < end {
                    all.push((first, end, format));
                }
            }
        }
        all.sort_by_key(|&(start, end, _)| (start, end));
        Stretches(all)
    }
}

pub fn letters(stream: &[u8], table: &[u8], old: bool) -> Stretches<CharacterFormat> {
    let parse = |page: &[u8], at: usize| {
        let length = page.get(at).map_or(0, |&length| usize::from(length));
        let mut letters = CharacterFormat::default();
        change_characters(&mut letters, clipped(page, at + 1, length), old);
        letters
    };
    Stretches::read(stream, table, old, parse, 1)
}

pub fn paragraphs(stream: &[u8], table: &[u8], old: bool) -> Stretches<Paragraph> {
    let parse = |page: &[u8], at: usize| {
        let count = page.get(at).map_or(0, |&count| usize::from(count));
        let list = match (count, old) {
            (0, false) => {
                let count = page.get(at + 1).map_or(0, |&count| usize::from(count));
                clipped(page, at + 2, 2 * count)
            }
            (_, false) => clipped(page, at + 1, 2 * count - 1),
            (_, true) => clipped(page, at + 1, 2 * count),
        };
        let mut paragraph = Paragraph { style: short(list, 0).unwrap_or(0), ..Paragraph::default() };
        change_paragraph(&mut paragraph, list.get(2..).unwrap_or_default(), old);
        paragraph
    };
    Stretches::read(stream, table, old, parse, if old { 7 } else { 13 })
}

pub fn change_characters(letters: &mut CharacterFormat, changes: &[u8], old: bool) {
    for (change, operand) in (Changes { rest: changes, old }) {
        let on = matches!(operand.first(), Some(1 | 0x81));
        match change {
            0x0800 | 65 => letters.unseen |= on,
            0x083c | 92 => letters.unseen |= on,
            0x0835 | 85 => letters.bold = on,
            0x0836 | 86 => letters.italic = on,
            0x0855 | 117 => letters.special = on,
            0x6a09 => letters.symbol = short(operand, 2),
            0x4a4f | 93 => letters.font = short(operand, 0),
            _ => {}
        }
    }
}

pub fn change_paragraph(paragraph: &mut Paragraph, changes: &[u8], old: bool) {
    for (change, operand) in (Changes { rest: changes, old }) {
        let byte = operand.first().copied().unwrap_or(0);
        match change {
            0x4600 => paragraph.style = short(operand, 0).unwrap_or(0),
            0x2640 => paragraph.outline = Some(byte),
            0x2416 | 24 => paragraph.in_table = byte != 0,
            0x2417 | 0x244c | 25 => paragraph.ends_row |= byte != 0,
            0x460b => paragraph.list = short(operand, 0),
            0x260a => paragraph.list_level = Some(byte),
            _ => {}
        }
    }
}

/// The changes of a list, each a number and its operand.
struct Changes<'a> {
    rest: &'a [u8],
    old: bool,
}

impl<'a> Iterator for Changes<'a> {
    type Item = (u16, &'a [u8]);

    fn next(&mut self) -> Option<Self::Item> {
        let (change, width) =
            if self.old { (u16::from(*self.rest.first()?), 1) } else { (short(self.rest, 0)?, 2) };
        let rest = &self.rest[width..];
        let (skip, length) = if self.old { old_length(change, rest)? } else { length(change, rest)? };
        let operand = rest.get(skip..skip + length)?;
        self.rest = &rest[skip + length..];
        Some((change, operand))
    }
}

/// The number of bytes before the operand and in it, given by the upper bits of a change's number.
fn length(change: u16, rest: &[u8]) -> Option<(usize, usize)> {
    Some(match (change >> 13, change) {
        (0 | 1, _) => (0, 1),
        (2 | 4 | 5, _) => (0, 2),
        (3, _) => (0, 4),
        (7, _) => (0, 3),
        (_, 0xd608 | 0xd606) => (2, usize::from(short(rest, 0)?).saturating_sub(1)),
        // Tabs whose number is not stored: what follows cannot be found.
        (_, 0xc615) if rest.first() == Some(&255) => return None,
        _ => (1, usize::from(*rest.first()?)),
    })
}

/// Word 6 has a table of lengths; this is the part that is needed here.
fn old_length(change: u16, rest: &[u8]) -> Option<(usize, usize)> {
    Some(match change {
        4..=11 | 13 | 14 | 24 | 25 | 29 | 37 | 44 | 50 | 51 => (0, 1),
        2 | 16..=19 | 21 | 22 | 26..=28 | 30..=36 | 38..=43 | 45..=49 => (0, 2),
        3 | 12 | 15 | 23 | 68 | 74 | 81 | 82 | 103 | 105 | 106 | 108 => (1, usize::from(*rest.first()?)),
        65..=67 | 71 | 75 | 85..=92 | 94 | 98 | 100 | 102 | 104 | 117 | 118 => (0, 1),
        69 | 72 | 80 | 93 | 96 | 97 | 99 | 101 | 107 | 109 | 110 => (0, 2),
        73 | 95 => (0, 3),
        20 | 70 => (0, 4),
        83 => (0, 0),
        _ => return None,
    })
}

fn clipped(bytes: &[u8], start: usize, length: usize) -> &[u8] {
    let rest = bytes.get(start..).unwrap_or_default();
    &rest[..rest.len().min(length)]
}
