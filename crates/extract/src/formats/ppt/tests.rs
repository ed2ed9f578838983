use super::record::kind;
use crate::formats::compound::tests::{compound_of, outcomes};
use crate::{ExtractOutcome, Extracted, Kind, Reason};

fn record(instance: u16, kind: u16, is_container: bool, data: &[u8]) -> Vec<u8> {
    let first = instance << 4 | if is_container { 15 } else { 0 };
    let mut bytes = [first, kind].map(u16::to_le_bytes).concat();
    bytes.extend((data.len() as u32).to_le_bytes());
    bytes.extend(data);
    bytes
}

fn header(of: u32) -> Vec<u8> {
    record(0, kind::TEXT_HEADER, false, &of.to_le_bytes())
}

fn narrow(text: &[u8]) -> Vec<u8> {
    record(0, kind::TEXT_BYTES, false, text)
}

fn wide(text: &str) -> Vec<u8> {
    let units: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
    record(0, kind::TEXT_CHARS, false, &units)
}

fn persist(reference: u32, id: u32) -> Vec<u8> {
    record(0, kind::SLIDE_PERSIST, false, &[reference, 0, 0, id, 0].map(u32::to_le_bytes).concat())
}

/// Two slides, of which the second stands first in the stream, and notes to the first; an older slide
/// that a later save replaced.
fn streams(key: u32) -> (Vec<u8>, Vec<u8>) {
    let boxed = |inside: Vec<u8>| {
        let text = record(0, kind::CLIENT_TEXTBOX, true, &inside);
        record(0, 1036, true, &record(0, 0xf002, true, &record(0, 0xf004, true, &text)))
    };
    let reference = |number: u32| record(0, kind::OUTLINE_TEXT_REF, false, &number.to_le_bytes());
    let slides = [
        persist(2, 256),
        header(0),
        narrow(b"First title"),
        header(1),
        wide("Žižek\rand others\u{b}here"),
        persist(3, 257),
        header(0),
        narrow(b"Second title"),
    ]
    .concat();
    let list = |instance, data: &[u8]| record(instance, kind::SLIDE_LIST, true, data);
    let link = record(
        0,
        kind::HYPERLINK,
        true,
        &record(1, kind::STRING, false, &wide("https://a.example/x#y")[8..]),
    );
    let document = [
        record(0, kind::EXTERNAL_OBJECTS, true, &link),
        list(0, &slides),
        list(1, &[persist(9, 1), header(0), narrow(b"Click to edit")].concat()),
        list(2, &persist(4, 300)),
    ]
    .concat();
    let notes_atom = record(0, kind::NOTES_ATOM, false, &[256_u32, 0].map(u32::to_le_bytes).concat());
    let mut main = Vec::new();
    let mut places = Vec::new();
    for bytes in [
        record(0, kind::SLIDE, true, &boxed(narrow(b"Of an older save"))),
        record(0, kind::SLIDE, true, &boxed([reference(0), narrow(b"Caf\xe9 box")].concat())),
        record(0, kind::SLIDE, true, &boxed([narrow(b"Free box"), reference(1), reference(0)].concat())),
        record(0, kind::NOTES, true, &[notes_atom, boxed(narrow(b"A note"))].concat()),
        record(0, kind::DOCUMENT, true, &document),
    ] {
        places.push(main.len() as u32);
        main.extend(bytes);
    }
    let [old, second, first, notes, document] = places[..] else { panic!() };
    let mut save = |before: u32, directory: &[u32]| {
        let at = main.len() as u32;
        main.extend(record(
            0,
            kind::PERSIST_DIRECTORY,
            false,
            &directory.iter().flat_map(|w| w.to_le_bytes()).collect::<Vec<_>>(),
        ));
        let edit = main.len() as u32;
        let fields = [0, 0, before, at, 1, 5, 0, key];
        main.extend(record(0, kind::USER_EDIT, false, &fields.map(u32::to_le_bytes).concat()));
        edit
    };
    let before = save(0, &[1 | 2 << 20, document, old]);
    let last = save(before, &[2 | 3 << 20, first, second, notes]);
    let mut current = vec![0; 12];
    current.extend([0xe391_c05f_u32, last].map(u32::to_le_bytes).concat());
    (main, current)
}

fn read(file: &[u8]) -> Extracted {
    match outcomes(file).remove(0) {
        ExtractOutcome::Document(document) => *document,
        other => panic!("{other:?}"),
    }
}

#[test]
fn slides_in_order_with_their_notes_and_without_what_was_replaced() {
    let (main, current) = streams(0);
    let found = read(&compound_of(&[("/PowerPoint Document", &main), ("/Current User", &current)]));
    assert_eq!(found.kind, Kind::Ppt);
    assert_eq!(
        found.text,
        "Free box\n\nŽižek\nand others\nhere\n\nFirst title\n\nA note\n\nSecond title\n\nCafé box"
    );
    assert_eq!(found.title.as_deref(), Some("First title"));
    assert_eq!(found.links.iter().collect::<Vec<_>>(), ["https://a.example/x"]);
    assert_eq!((found.weakness(), found.marks.len()), (None, 2));
    // The place of the last save is found without the stream that names it.
    assert_eq!(read(&compound_of(&[("/PowerPoint Document", &main)])).text, found.text);
    let dual =
        [("/PP97_DUALSTORAGE/PowerPoint Document", &main[..]), ("/PP97_DUALSTORAGE/Current User", &current)];
    assert_eq!(read(&compound_of(&dual)).text, found.text);
}

#[test]
fn a_lost_directory_leaves_the_slides() {
    let (main, _) = streams(0);
    let end = main.len() - 150;
    let found = read(&compound_of(&[("/PowerPoint Document", &main[..end])]));
    assert!(found.text.contains("Second title") && found.text.contains("A note"), "{}", found.text);
    assert_eq!(found.doubts.len(), 1);
    for end in (0..main.len()).step_by(3) {
        outcomes(&compound_of(&[("/PowerPoint Document", &main[..end])]));
    }
}

#[test]
fn a_locked_file_is_told() {
    let (main, mut current) = streams(7);
    let locked = compound_of(&[("/PowerPoint Document", &main), ("/Current User", &current)]);
    assert_eq!(outcomes(&locked), [ExtractOutcome::Unreadable { part: None, reason: Reason::Encrypted }]);
    let (main, _) = streams(0);
    current[12..16].copy_from_slice(&0xf3d1_c4df_u32.to_le_bytes());
    let locked = compound_of(&[("/PowerPoint Document", &main), ("/Current User", &current)]);
    assert_eq!(outcomes(&locked), [ExtractOutcome::Unreadable { part: None, reason: Reason::Encrypted }]);
}
