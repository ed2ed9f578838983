//! The encoding that a page declares.

use std::borrow::Cow;

use memchr::memmem;

use crate::formats::text;

/// Browsers look for a declaration this far.
const HEAD: usize = 4096;

/// A page's text in the encoding that it declares or seems to have.
pub fn decode(bytes: &[u8]) -> Cow<'_, str> {
    // UTF-16 without a byte order mark; it would otherwise be read as one byte per character.
    match bytes {
        [b'<', 0, next, 0, ..] if *next != 0 => encoding_rs::UTF_16LE.decode(bytes).0,
        [0, b'<', 0, next, ..] if *next != 0 => encoding_rs::UTF_16BE.decode(bytes).0,
        _ => text::decode(bytes, declared(bytes).as_deref()),
    }
}

/// The label in `<meta charset=…>`, `<meta http-equiv … content="…; charset=…">` or an XML
/// declaration.
fn declared(bytes: &[u8]) -> Option<String> {
    let head = bytes.get(..HEAD.min(bytes.len()))?.to_ascii_lowercase();
    if head.trim_ascii_start().starts_with(b"<?xml") {
        let declaration = head.get(..memmem::find(&head, b"?>").unwrap_or(0)).unwrap_or_default();
        if let Some(label) = label_after(declaration, b"encoding") {
            return Some(label);
        }
    }
    let mut from = 0;
    while let Some(found) = memmem::find(head.get(from..)?, b"<meta") {
        let start = from + found;
        let tag = head.get(start..)?;
        let end = memchr::memchr(b'>', tag).unwrap_or(tag.len());
        if let Some(label) = label_after(tag.get(..end)?, b"charset") {
            return Some(label);
        }
        from = start + 5;
    }
    None
}

/// The label in `name = "label"`, with or without quotes.
fn label_after(text: &[u8], name: &[u8]) -> Option<String> {
    let rest = text.get(memmem::find(text, name)? + name.len()..)?.trim_ascii_start();
    let rest = rest.strip_prefix(b"=")?.trim_ascii_start();
    let rest = rest.strip_prefix(b"\"").or_else(|| rest.strip_prefix(b"'")).unwrap_or(rest);
    let ends = |byte: &u8| !(byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b':' | b'.'));
    let label = rest.get(..rest.iter().position(ends).unwrap_or(rest.len()))?;
    let label = std::str::from_utf8(label).ok()?;
    (!label.is_empty()).then(|| label.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wide_characters_without_a_mark() {
        let page = "<p>\u{e9}</p>";
        let little: Vec<u8> = page.encode_utf16().flat_map(u16::to_le_bytes).collect();
        let big: Vec<u8> = page.encode_utf16().flat_map(u16::to_be_bytes).collect();
        assert_eq!((decode(&little).as_ref(), decode(&big).as_ref()), (page, page));
    }

    #[test]
    fn labels_in_all_places() {
        for (html, expected) in [
            ("<html><META CharSet='Shift_JIS'>", Some("shift_jis")),
            (
                "<meta name=x><meta http-equiv=Content-Type content=\"text/html; charset=gb2312\">",
                Some("gb2312"),
            ),
            ("<?xml version='1.0' encoding='iso-8859-2'?><html>", Some("iso-8859-2")),
            ("<p>charset=x</p>", None),
            ("<meta charset=", None),
        ] {
            assert_eq!(declared(html.as_bytes()).as_deref(), expected, "{html}");
        }
    }
}
