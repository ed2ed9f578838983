use crate::{ExtractOutcome, Kind, Options, Reason, extract};

/// A file of a version, 0 for 5 and 2 for 6, with this text.
fn file(version: u8, text: &[u8]) -> Vec<u8> {
    let mut bytes = b"\xffWPC\x10\0\0\0\x01\x0a".to_vec();
    bytes.extend([version, 1, 0, 0, 0, 0]);
    bytes.extend(text);
    bytes
}

fn read(bytes: &[u8]) -> Result<(String, bool), Reason> {
    let mut outcomes = Vec::new();
    extract(bytes, "", &Options::default(), &mut |outcome| outcomes.push(outcome));
    match outcomes.remove(0) {
        ExtractOutcome::Document(document) => {
            assert_eq!(document.kind, Kind::WordPerfect);
            Ok((document.text.clone(), document.confidence.is_weak()))
        }
        ExtractOutcome::Unreadable { reason, .. } => Err(reason),
    }
}

#[test]
fn version_5_letters_and_codes() {
    let text = b"\xd1\x01\x06\0(no)\x01\xd1Caf\xc0\x29\x01\xc0 \xc3\x0c\xc3bold\xc4\x0c\xc4\x0dwrapped\x0a\
                 co\xa9op\xac here\xc1\x01234567\xc1tab\x0aone\xdc\x00\x04\0\x04\0\x00\xdctwo\xdc\x01\x04\0\x04\0\x01\xdcthree";
    // Lengths count what follows them: contents, the length again, the first two bytes reversed.
    let mut text = text.to_vec();
    text.splice(0..10, b"\xd1\x01\x08\0(no)\x08\0\x01\xd1".iter().copied());
    let (text, weak) = read(&file(0, &text)).unwrap();
    assert_eq!(text, "Café bold wrapped\nco-op here tab\none two\nthree");
    assert!(!weak);
}

#[test]
fn version_6_letters_and_codes() {
    let text = b"Caf\x0f\x80and\xf0\x1c\x04\xf0s\xd0\x04\x0a\0\0\0\0\x0a\0\xd0next\xf1\x00\x01\x00\xf1gone\xf1\x01\x01\x00\xf1\
                 \xe0\x11\x0a\0\0\0\0\x0a\0\xe0line\xccend";
    let (text, weak) = read(&file(2, text)).unwrap();
    assert_eq!(text, "Café and’s\nnext line\nend");
    assert!(!weak);
}

#[test]
fn what_cannot_be_read_says_why() {
    let mut locked = file(2, b"words");
    locked[12] = 7;
    assert_eq!(read(&locked), Err(Reason::Encrypted));
    let mut far = file(0, b"words");
    far[6] = 9;
    assert!(matches!(read(&far), Err(Reason::Damaged(_))));
    let mut other = file(0, b"words");
    other[9] = 1;
    assert!(matches!(read(&other), Err(Reason::Unsupported(_))));
    let rubbish: Vec<u8> = (0..4000u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 13) as u8 | 0x40).collect();
    assert!(read(&file(2, &rubbish)).is_ok_and(|(_, weak)| weak), "codes without an end");
    let whole = file(2, b"Caf\x0f\xd0\x04\x0a\0\0\0\0\x0a\0\xd0x\xf0\x1c\x04\xf0");
    (16..whole.len()).for_each(|end| drop(read(&whole[..end])));
}
