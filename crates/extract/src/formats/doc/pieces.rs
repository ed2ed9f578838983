//! The piece table: which bytes of the stream are the characters of the text, in their order. A
//! file that was saved quickly has new pieces at its end instead of a new text.

use crate::formats::compound::{long, short};

use super::header::{Header, Table};

/// The most changes of a piece; they are repeated for each of its stretches.
const LONGEST_CHANGES: usize = 256;

/// Consecutive characters.
#[derive(Clone, Debug, PartialEq)]
pub struct Piece<'a> {
    /// The number of the first character among all characters.
    pub first: u32,
    /// The number after the last character.
    pub end: u32,
    /// The offset of the first byte in the stream.
    pub offset: usize,
    /// Whether a character has two bytes.
    pub wide: bool,
    /// Changes to the characters' format made after the piece was written.
    pub changes: &'a [u8],
}

impl Piece<'_> {
    /// The bytes of its characters from `first` to `end`, in a stream that ends at `length`.
    pub fn bytes(&self, first: u32, end: u32, length: usize) -> (usize, usize) {
        let place = |letter: u32| {
            let letters = (letter.clamp(self.first, self.end) - self.first) as usize;
            self.offset.saturating_add(letters * self.width()).min(length)
        };
        (place(first), place(end))
    }

    /// The end of a stretch, moved so that no character is cut in two and at least one is in it.
    pub fn whole_letters(&self, start: usize, end: usize) -> usize {
        let bytes = end.saturating_sub(start).clamp(1, 1 << 30);
        start + bytes.next_multiple_of(self.width())
    }

    fn width(&self) -> usize {
        if self.wide { 2 } else { 1 }
    }
}

pub fn read<'a>(header: &Header, stream: &[u8], tables: &'a [u8]) -> Vec<Piece<'a>> {
    let table = header.table(tables, Table::Pieces);
    let pieces = parse(table, header.old, header.wide_pages);
    if pieces.is_empty() { vec![whole(header, stream)] } else { pieces }
}

/// Without a table the text is one piece; its bytes show how wide its characters are.
fn whole(header: &Header, stream: &[u8]) -> Piece<'static> {
    let (start, end) = (header.text.0 as usize, header.text.1 as usize);
    let rest = stream.get(start..).unwrap_or_default();
    let text = &rest[..rest.len().min(end.saturating_sub(start))];
    let zeros = text.iter().skip(1).step_by(2).filter(|&&byte| byte == 0).count();
    let wide = header.wide_pages || !header.old && zeros * 4 > text.len();
    let letters = if wide { text.len() / 2 } else { text.len() };
    Piece { first: 0, end: letters as u32, offset: start, wide, changes: &[] }
}

fn parse(table: &[u8], old: bool, wide_pages: bool) -> Vec<Piece<'_>> {
    let mut changes: Vec<&[u8]> = Vec::new();
    let mut rest = table;
    // First the lists of changes, then the pieces.
    while let [1, after @ ..] = rest {
        let length = short(after, 0).map_or(0, usize::from);
        let Some(list) = after.get(2..2 + length) else { return Vec::new() };
        changes.push(list);
        rest = &after[2 + length..];
    }
    let [2, after @ ..] = rest else { return Vec::new() };
    let Some(length) = long(after, 0) else { return Vec::new() };
    let body = &after[4..];
    let body = &body[..body.len().min(length as usize)];
    let count = body.len().saturating_sub(4) / 12;
    let piece = |i: usize| {
        let (first, end) = (long(body, 4 * i)?, long(body, 4 * i + 4)?);
        let descriptor = 4 * (count + 1) + 8 * i;
        let place = long(body, descriptor + 2)?;
        let change = short(body, descriptor + 6)?;
        let packed = place & 0x4000_0000 != 0;
        let place = place & 0x3fff_ffff;
        let (offset, wide) = match (old, packed) {
            (true, _) => (place, wide_pages),
            (false, true) => (place / 2, false),
            (false, false) => (place, true),
        };
        let list = if change & 1 == 1 { changes.get(usize::from(change >> 1)) } else { None };
        let changes = list.map_or(&[][..], |list| &list[..list.len().min(LONGEST_CHANGES)]);
        Some(Piece { first, end, offset: offset as usize, wide, changes })
    };
    let pieces = (0..count).map_while(piece);
    pieces.filter(|piece| piece.first < piece.end).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_of_both_widths() {
        let mut table = vec![1, 2, 0, 0xaa, 0xbb, 2];
        let mut body = Vec::new();
        for first in [0u32, 5, 9] {
            body.extend(first.to_le_bytes());
        }
        for (place, change) in [(0x4000_0000u32 | 2048, 0u16), (4096, 1)] {
            body.extend([0, 0]);
            body.extend(place.to_le_bytes());
            body.extend(change.to_le_bytes());
        }
        table.extend((body.len() as u32).to_le_bytes());
        table.extend(body);
        let pieces = parse(&table, false, false);
        assert_eq!(pieces[0], Piece { first: 0, end: 5, offset: 1024, wide: false, changes: &[] });
        assert_eq!(pieces[1], Piece { first: 5, end: 9, offset: 4096, wide: true, changes: &[0xaa, 0xbb] });
        for end in 0..table.len() {
            parse(&table[..end], false, false);
        }
    }
}
