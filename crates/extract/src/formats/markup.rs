//! Recognises the formats that are written in tags.
//!
//! The beginning decides: a document type, or the first element. Text that mentions tags begins
//! with text; and if it begins with a tag, nothing closes that tag.

use std::borrow::Cow;

use super::html;
use super::mail;
use super::markdown;
use crate::format::{Sign, Stage};
use crate::kind::Kind;

/// How much of a file's beginning is examined.
const HEAD: usize = 8192;
/// How much of its end is examined.
const TAIL: usize = 1024;

/// The signs of all these formats.
pub const SIGNS: [Sign; 2] = [
    Sign {
        stage: Stage::Markup,
        recognise: |bytes, name| {
            let kind = kind_of_markup(bytes)?;
            // Markdown may begin with some HTML.
            let is_part = kind == Kind::Html && markdown::is_named(name) && !is_whole_page(bytes);
            Some(if is_part { Kind::Markdown } else { kind })
        },
    },
    Sign {
        stage: Stage::Name,
        recognise: |bytes, name| {
            let lower_name = name.to_ascii_lowercase();
            let is_named = [".html", ".htm", ".xhtml"].iter().any(|ending| lower_name.ends_with(ending));
            (is_named && has_tags(bytes)).then_some(Kind::Html)
        },
    },
];

/// HTML, XML, NITF, TREC or Reuters, if it is any of them.
fn kind_of_markup(bytes: &[u8]) -> Option<Kind> {
    let head = readable(bytes.get(..HEAD.min(bytes.len()))?)?;
    let prologue = Prologue::of(&head);
    if let Some(kind) = prologue.document_type.as_deref().and_then(of_document_type) {
        return Some(kind);
    }
    let root = name_at(prologue.rest);
    let kind = match root.to_ascii_lowercase().as_str() {
        "" if prologue.xml => Kind::Xml,
        "" => return page_behind_text(&head, bytes),
        "nitf" => Kind::Nitf,
        "reuters" => Kind::Reuters,
        // Gigaword has the number as an attribute.
        "doc" if contains(&head, "<docno") || contains(&head, "<doc id=") && contains(&head, "<text>") => {
            Kind::Trec
        }
        "html" => Kind::Html,
        _ if prologue.xml => Kind::Xml,
        "head" | "body" | "frameset" => Kind::Html,
        name @ ("svg" | "math") => return unknown_root(prologue.rest, name, bytes),
        name if html::is_known_element(name) => return fragment(prologue.rest, name),
        name => return unknown_root(prologue.rest, name, bytes),
    };
    Some(kind)
}

/// Whether a file is a page from its first tag on, rather than text with some HTML in it.
fn is_whole_page(bytes: &[u8]) -> bool {
    let head = bytes.get(..HEAD.min(bytes.len())).and_then(readable);
    head.is_some_and(|head| {
        let prologue = Prologue::of(&head);
        prologue.document_type.is_some()
            || matches!(name_at(prologue.rest).to_ascii_lowercase().as_str(), "html" | "head" | "body")
    })
}

/// Whether a text has HTML tags anywhere. Prose may have them, too; use this only if the name says that
/// the file is a page.
fn has_tags(bytes: &[u8]) -> bool {
    let head = bytes.get(..HEAD.min(bytes.len())).and_then(readable);
    head.is_some_and(|head| {
        head.match_indices('<').any(|(at, _)| {
            let name = name_at(&head[at..]).to_ascii_lowercase();
            let ends = &head[at + 1 + name.len()..];
            html::is_known_element(&name) && ends.starts_with(['>', ' ', '/', '\n', '\r', '\t'])
        })
    })
}

/// What may stand before the first element.
struct Prologue<'a> {
    /// Begins with an XML declaration.
    xml: bool,
    document_type: Option<String>,
    rest: &'a str,
}

impl<'a> Prologue<'a> {
    fn of(head: &'a str) -> Self {
        let mut rest = head.trim_start_matches(['\u{feff}', '\u{0}']).trim_start();
        let xml = rest.get(..5).is_some_and(|start| start.eq_ignore_ascii_case("<?xml"));
        let mut document_type = None;
        loop {
            let past = |end: &str| {
                rest.find(end).map_or("", |found| rest.get(found + end.len()..).unwrap_or_default())
            };
            rest = if rest.starts_with("<!--") {
                past("-->")
            } else if rest.starts_with("<?") {
                past(">")
            } else if let Some(declaration) =
                rest.get(..9).filter(|start| start.eq_ignore_ascii_case("<!doctype"))
            {
                let name = rest.get(declaration.len()..).unwrap_or_default().trim_start();
                let end =
                    name.find(|c: char| c.is_whitespace() || matches!(c, '>' | '[')).unwrap_or(name.len());
                document_type = name.get(..end).map(str::to_ascii_lowercase);
                // Declarations of its own stand in square brackets.
                let tag_end = rest.find('>').unwrap_or(rest.len());
                if rest.find('[').is_some_and(|bracket| bracket < tag_end) { past("]") } else { past(">") }
                    .trim_start()
                    .trim_start_matches('>')
            } else {
                break;
            }
            .trim_start();
        }
        Prologue { xml, document_type, rest }
    }
}

fn of_document_type(name: &str) -> Option<Kind> {
    match name {
        "html" => Some(Kind::Html),
        "nitf" => Some(Kind::Nitf),
        "lewis" => Some(Kind::Reuters),
        _ => None,
    }
}

/// The name of the tag that the text begins with; empty if it does not begin with one.
fn name_at(text: &str) -> &str {
    let Some(rest) = text.strip_prefix('<') else { return "" };
    let ends = |c: char| !(c.is_alphanumeric() || matches!(c, '-' | '_' | ':' | '.'));
    let name = rest.get(..rest.find(ends).unwrap_or(rest.len())).unwrap_or_default();
    if name.starts_with(|c: char| c.is_alphabetic() || c == '_') { name } else { "" }
}

/// HTML without a page around it is recognised by an end tag, by an attribute of the first tag, or
/// by an element that needs no end tag.
fn fragment(text: &str, first: &str) -> Option<Kind> {
    let ended = text.match_indices("</").any(|(at, _)| {
        let name = text.get(at + 1..).map(name_at_end).unwrap_or_default();
        html::is_known_element(&name.to_ascii_lowercase())
    });
    let tag = text.get(..text.find('>').unwrap_or(0)).unwrap_or_default();
    let attributes = tag.contains("=\"") || tag.contains("='");
    let empty = matches!(first, "meta" | "link" | "base" | "img" | "hr");
    (ended || attributes || empty).then_some(Kind::Html)
}

fn name_at_end(text: &str) -> &str {
    let rest = text.strip_prefix('/').unwrap_or_default();
    rest.get(..rest.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(rest.len())).unwrap_or_default()
}

/// XML needs no declaration, but its root element is closed, or declares a namespace.
fn unknown_root(text: &str, name: &str, bytes: &[u8]) -> Option<Kind> {
    let tail = bytes.get(bytes.len().saturating_sub(TAIL)..).and_then(readable)?;
    let tag = text.get(..text.find('>')?).unwrap_or_default();
    let closed = tail.trim_end_matches(['\0', ' ', '\n', '\r', '\t']).ends_with('>')
        && tail.contains(&format!("</{name}"));
    (closed || tag.ends_with('/') || tag.contains("xmlns")).then_some(Kind::Xml)
}

/// Some pages are preceded by warnings of programs, empty forms and the like.
fn page_behind_text(head: &str, bytes: &[u8]) -> Option<Kind> {
    let lower = head.to_ascii_lowercase();
    let begins = ["<!doctype html", "<html"].iter().any(|start| {
        lower.find(start).is_some_and(|at| {
            at < 1024
                && lower
                    .get(..at)
                    .is_some_and(|before| before.is_empty() || before.ends_with(['\n', '>', ' ']))
        })
    });
    let tail = bytes.get(bytes.len().saturating_sub(TAIL)..).and_then(readable)?;
    (begins && contains(&tail, "</html") && mail::kind_of_mail(bytes).is_none()).then_some(Kind::Html)
}

fn contains(text: &str, lower: &str) -> bool {
    text.to_ascii_lowercase().contains(lower)
}

/// A part of a file as text, exact for ASCII in UTF-8, UTF-16, UTF-32 and all 8-bit encodings; `None` if
/// it is not text.
fn readable(bytes: &[u8]) -> Option<Cow<'_, str>> {
    if let Some(text) = super::text::utf32(bytes) {
        return Some(Cow::Owned(text));
    }
    let odd_nul =
        |first: usize| bytes.iter().skip(first).step_by(2).take(32).filter(|&&byte| byte == 0).count();
    let wide = match bytes {
        [0xff, 0xfe, ..] => Some(encoding_rs::UTF_16LE),
        [0xfe, 0xff, ..] => Some(encoding_rs::UTF_16BE),
        [b'<', 0, ..] if odd_nul(1) > 8 => Some(encoding_rs::UTF_16LE),
        [0, b'<', ..] if odd_nul(0) > 8 => Some(encoding_rs::UTF_16BE),
        // The end part of a file in UTF-16 may begin in the middle of a character.
        _ if odd_nul(0) > 24 => Some(encoding_rs::UTF_16BE),
        _ if odd_nul(1) > 24 => Some(encoding_rs::UTF_16LE),
        _ => None,
    };
    match wide {
        Some(encoding) => Some(encoding.decode(bytes).0),
        None => Some(String::from_utf8_lossy(bytes)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_tags_decide() {
        for (text, expected) in [
            ("<!DOCTYPE HTML PUBLIC '-//W3C//DTD HTML 4.01//EN'>x", Some(Kind::Html)),
            ("\u{feff}\n<!-- saved from somewhere -->\n<HTML><p>x", Some(Kind::Html)),
            ("<?xml version='1.0'?><!DOCTYPE html PUBLIC 'x' 'y'><html xmlns='z'/>", Some(Kind::Html)),
            ("<?xml version='1.0'?>\n<html xmlns='http://www.w3.org/1999/xhtml'>", Some(Kind::Html)),
            ("<?xml version='1.0'?><p>x</p>", Some(Kind::Xml)),
            ("<?xml version='1.0'?>", Some(Kind::Xml)),
            ("<div class=x>a</div> b", Some(Kind::Html)),
            ("<p>one<p>two <b>three</b>", Some(Kind::Html)),
            ("<meta charset=utf-8>text", Some(Kind::Html)),
            ("<td class=\"x\">text", Some(Kind::Html)),
            ("<note><to>a</to></note>\n", Some(Kind::Xml)),
            ("<svg xmlns='http://www.w3.org/2000/svg'><path", Some(Kind::Xml)),
            ("<?xml version='1.0'?><!DOCTYPE nitf SYSTEM 'x.dtd'><nitf>", Some(Kind::Nitf)),
            ("<nitf><head/></nitf>", Some(Kind::Nitf)),
            ("<!DOCTYPE lewis SYSTEM \"lewis.dtd\">\n<REUTERS TOPICS=\"YES\">", Some(Kind::Reuters)),
            ("<REUTERS NEWID=\"1\">", Some(Kind::Reuters)),
            ("<DOC>\n<DOCNO> AP-1 </DOCNO>\n<TEXT>", Some(Kind::Trec)),
            ("<DOC id=\"AFP_1\" type=\"story\">\n<TEXT>\n<P>x", Some(Kind::Trec)),
            ("<!DOCTYPE note [<!ENTITY a 'b'>]><note>&a;</note>", Some(Kind::Xml)),
            ("Warning: x in y on line 3\n<html><body>x</body></html>", Some(Kind::Html)),
            ("A page begins with <html> and ends so.", None),
            ("<p> begins a paragraph, and <b> bold text.", None),
            ("<me@example.org> wrote: see <html>", None),
            ("<3 you", None),
            ("plain", None),
            ("", None),
        ] {
            assert_eq!(kind_of_markup(text.as_bytes()), expected, "{text}");
        }
    }

    #[test]
    fn wide_encodings() {
        let wide = |text: &str, little: bool| -> Vec<u8> {
            let units = text.encode_utf16();
            units.flat_map(|unit| if little { unit.to_le_bytes() } else { unit.to_be_bytes() }).collect()
        };
        let page = "<!doctype html><html><p>something</p></html>";
        for bytes in [wide(page, true), wide(page, false), wide(&format!("\u{feff}{page}"), true)] {
            assert_eq!(kind_of_markup(&bytes), Some(Kind::Html));
        }
        assert_eq!(
            kind_of_markup(&wide(&format!("\u{feff}<a-b>{}</a-b>", "x".repeat(9000)), false)),
            Some(Kind::Xml)
        );
    }

    #[test]
    fn whole_pages_and_parts() {
        assert!(is_whole_page(b"<!doctype html><p>x"));
        assert!(!is_whole_page(b"<p align=center>x</p>\n\n# Title"));
    }
}
