use crate::formats::compound::tests::{compound_of, outcomes};
use crate::{ExtractOutcome, Extracted, Reason, Tag};

const TEXT_AT: usize = 2048;
const PAGE_AT: usize = 4096;

/// A Word 97 file: one piece of one-byte characters, one of two-byte ones, and formats for
/// stretches of the first.
struct Letter<'a> {
    narrow: &'a [u8],
    wide: &'a str,
    /// How many characters the main text has; the rest is footnotes.
    main: u32,
    formats: &'a [(usize, usize, &'a [u8])],
    flags: u16,
}

impl Letter<'_> {
    fn build(&self) -> Vec<u8> {
        let wide: Vec<u8> = self.wide.encode_utf16().flat_map(u16::to_le_bytes).collect();
        let letters = (self.narrow.len() + wide.len() / 2) as u32;
        let mut stream = vec![0; PAGE_AT + 512];
        let mut put = |at: usize, bytes: &[u8]| stream[at..at + bytes.len()].copy_from_slice(bytes);
        put(0, &0xa5ecu16.to_le_bytes());
        put(2, &193u16.to_le_bytes());
        put(10, &(0x0200 | self.flags).to_le_bytes());
        put(76, &self.main.to_le_bytes());
        put(80, &(letters - self.main).to_le_bytes());
        put(152, &93u16.to_le_bytes());
        put(TEXT_AT, self.narrow);
        put(TEXT_AT + 1024, &wide);
        let page = self.page();
        put(PAGE_AT, &page);
        let places = [0, self.narrow.len() as u32, letters].map(u32::to_le_bytes).concat();
        let mut pieces = vec![2];
        pieces.extend((places.len() as u32 + 16).to_le_bytes());
        pieces.extend(places);
        for place in [0x4000_0000 | (2 * TEXT_AT as u32), TEXT_AT as u32 + 1024] {
            pieces.extend([0, 0]);
            pieces.extend(place.to_le_bytes());
            pieces.extend([0, 0]);
        }
        let pages = [0, u32::MAX, (PAGE_AT / 512) as u32].map(u32::to_le_bytes).concat();
        put(154 + 8 * 33, &[0, pieces.len() as u32].map(u32::to_le_bytes).concat());
        put(154 + 8 * 12, &[pieces.len() as u32, pages.len() as u32].map(u32::to_le_bytes).concat());
        compound_of(&[("/WordDocument", &stream), ("/1Table", &[pieces, pages].concat())])
    }

    /// A page of formats, filled from its end.
    fn page(&self) -> Vec<u8> {
        let mut page = vec![0; 512];
        let count = self.formats.len();
        let mut at = 511;
        for (i, (start, end, changes)) in self.formats.iter().enumerate() {
            for (place, offset) in [(4 * i, start), (4 * i + 4, end)] {
                page[place..place + 4].copy_from_slice(&((TEXT_AT + offset) as u32).to_le_bytes());
            }
            at = (at - changes.len() - 1) & !1;
            page[at] = changes.len() as u8;
            page[at + 1..at + 1 + changes.len()].copy_from_slice(changes);
            page[4 * (count + 1) + i] = (at / 2) as u8;
        }
        page[511] = count as u8;
        page
    }
}

fn read_one(file: &[u8]) -> Extracted {
    match outcomes(file).remove(0) {
        ExtractOutcome::Document(document) => *document,
        other => panic!("{other:?}"),
    }
}

#[test]
fn pieces_fields_cells_and_notes() {
    let narrow =
        b"Caf\xe9 \x13HYPERLINK \"http://a.example/\"\x14here\x15 de\xadad soft.\rone\x07two\x07\x07";
    let wide = "Žižek\u{b}next\rA note\r";
    let main = narrow.len() as u32 + 11;
    let letter = Letter { narrow, wide, main, formats: &[(0, 4, b"\x35\x08\x01"), (4, 5, b"")], flags: 0 };
    let document = read_one(&letter.build());
    assert_eq!(document.text, "Café here dead soft.\n\none two Žižek\nnext\n\nA note");
    assert_eq!(document.links.into_iter().collect::<Vec<_>>(), ["http://a.example/"]);
    let marked: Vec<(Tag, &str)> =
        document.marks.iter().map(|mark| (mark.tag, &document.text[mark.start..mark.end])).collect();
    assert_eq!(marked, [(Tag::Bold, "Café"), (Tag::Anchor, "here")]);
}

#[test]
fn what_is_deleted_or_hidden_is_left_out() {
    let formats: [(usize, usize, &[u8]); 4] =
        [(0, 5, b""), (5, 10, b"\x00\x08\x01"), (10, 15, b"\x3c\x08\x01"), (15, 20, b"\x00\x08\x00")];
    let letter = Letter { narrow: b"seen gone hide kept\r", wide: "", main: 20, formats: &formats, flags: 0 };
    assert_eq!(read_one(&letter.build()).text, "seen kept");
}

#[test]
fn encrypted_files_say_so() {
    let letter = Letter { narrow: b"secret", wide: "", main: 6, formats: &[], flags: 0x0100 };
    let outcome = outcomes(&letter.build()).remove(0);
    assert_eq!(outcome, ExtractOutcome::Unreadable { part: None, reason: Reason::Encrypted });
}

#[test]
fn a_field_without_end_does_not_swallow_the_next_story() {
    let narrow = b"text \x13PAGE lost\rlost\r";
    let letter = Letter { narrow, wide: "A note\r", main: narrow.len() as u32, formats: &[], flags: 0 };
    assert_eq!(read_one(&letter.build()).text, "text\n\nA note");
}

#[test]
fn cut_files_do_no_harm() {
    let file = Letter {
        narrow: b"some text\r",
        wide: "more\r",
        main: 15,
        formats: &[(0, 4, b"\x35\x08\x01")],
        flags: 0,
    }
    .build();
    for end in (0..file.len()).step_by(7) {
        assert_eq!(outcomes(&file[..end]).len(), 1);
    }
}
