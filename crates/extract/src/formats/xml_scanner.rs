//! XML as a stream of elements and text, tolerating errors where possible.
//!
//! Names come without their prefix: writers choose prefixes freely, and the formats read here have
//! no two elements that differ only in the prefix. Entities that a file declares itself are not
//! expanded, so a few lines cannot become gigabytes; nothing is stored for open elements, so
//! nesting may be of any depth. A violation of the rules ends the stream ([`Scanner::broken`]).

use std::borrow::Cow;

use memchr::memmem;
use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

use crate::formats::text::decode;

pub struct Scanner<'a> {
    reader: Reader<&'a [u8]>,
    source: &'a str,
    /// How many elements are open.
    open: u64,
    broken: Option<String>,
}

pub enum Piece<'a> {
    Open(Element<'a>),
    /// The name without its prefix.
    Close(Cow<'a, str>),
    Text(Cow<'a, str>),
}

pub struct Element<'a>(BytesStart<'a>);

impl<'a> Scanner<'a> {
    pub fn new(source: &'a str) -> Self {
        let mut reader = Reader::from_str(source);
        let settings = reader.config_mut();
        settings.expand_empty_elements = true;
        settings.check_end_names = false;
        settings.allow_unmatched_ends = true;
        settings.allow_dangling_amp = true;
        Scanner { reader, source, open: 0, broken: None }
    }

    /// The violation of the rules that ended the stream, if there is one.
    pub fn broken(&self) -> Option<&str> {
        self.broken.as_deref()
    }

    /// Moves past the end of the element just opened; returns its content, to be read later if
    /// needed.
    pub fn pass(&mut self) -> &'a str {
        let start = self.here();
        let mut depth = 1_u64;
        loop {
            let end = self.here();
            match self.next() {
                Some(Piece::Open(_)) => depth += 1,
                Some(Piece::Close(_)) => depth -= 1,
                Some(Piece::Text(_)) => {}
                None => return self.source.get(start..).unwrap_or_default(),
            }
            if depth == 0 {
                return self.source.get(start..end).unwrap_or_default();
            }
        }
    }

    /// All text up to the end of the element just opened.
    pub fn content(&mut self) -> String {
        let mut text = String::new();
        let mut depth = 1_u64;
        while depth > 0 {
            match self.next() {
                Some(Piece::Open(_)) => depth += 1,
                Some(Piece::Close(_)) => depth -= 1,
                Some(Piece::Text(more)) => text.push_str(&more),
                None => break,
            }
        }
        text
    }

    /// How many bytes of the source were read.
    fn here(&self) -> usize {
        usize::try_from(self.reader.buffer_position()).unwrap_or(usize::MAX)
    }
}

impl<'a> Iterator for Scanner<'a> {
    type Item = Piece<'a>;

    fn next(&mut self) -> Option<Piece<'a>> {
        loop {
            return Some(match self.reader.read_event() {
                Ok(Event::Start(element) | Event::Empty(element)) => {
                    self.open += 1;
                    Piece::Open(Element(element))
                }
                Ok(Event::End(end)) => {
                    self.open = self.open.saturating_sub(1);
                    Piece::Close(match end.name().into_inner() {
                        name if name.contains(':') => Cow::Owned(local(name).to_owned()),
                        name => Cow::Owned(name.to_owned()),
                    })
                }
                Ok(Event::Text(text)) => Piece::Text(text.into_inner()),
                Ok(Event::CData(text)) => Piece::Text(text.into_inner()),
                Ok(Event::GeneralRef(name)) => match entity(&name) {
                    Some(text) => Piece::Text(Cow::Owned(text)),
                    None => continue,
                },
                Ok(Event::Comment(_) | Event::Decl(_) | Event::PI(_) | Event::DocType(_)) => continue,
                Ok(Event::Eof) => {
                    if self.open > 0 && self.broken.is_none() {
                        self.broken = Some("it ends within an element".to_owned());
                    }
                    return None;
                }
                Err(error) => {
                    self.broken = Some(error.to_string());
                    return None;
                }
            });
        }
    }
}

impl Element<'_> {
    /// Without its prefix.
    pub fn name(&self) -> &str {
        local(self.0.name().into_inner())
    }

    /// With its prefix.
    pub fn full_name(&self) -> &str {
        self.0.name().into_inner()
    }

    /// The first attribute of that name, whatever its prefix.
    pub fn attribute(&self, name: &str) -> Option<String> {
        self.find(|key| local(key) == name)
    }

    /// The first attribute of that name with a prefix: `r:id` where there is also an `id`.
    pub fn prefixed(&self, name: &str) -> Option<String> {
        self.find(|key| key.contains(':') && local(key) == name)
    }

    fn find(&self, fits: impl Fn(&str) -> bool) -> Option<String> {
        let mut attributes = self.0.attributes();
        let found = attributes.with_checks(false).flatten().find(|one| fits(one.key.into_inner()))?;
        Some(resolve(&found.value))
    }
}

/// The text of an XML file, in the encoding that it declares.
pub fn text_of(bytes: &[u8]) -> Cow<'_, str> {
    decode(bytes, declared_encoding(bytes))
}

/// The content of the XML declaration, if there is one.
pub fn declared_encoding(bytes: &[u8]) -> Option<&str> {
    let head = bytes.get(..bytes.len().min(200))?;
    let declaration = head.get(..memmem::find(head, b"?>")?)?;
    let after = declaration.get(memmem::find(declaration, b"encoding")? + 8..)?;
    let value = std::str::from_utf8(after).ok()?.trim_start().strip_prefix('=')?.trim_start();
    let quote = value.chars().next().filter(|quote| matches!(quote, '"' | '\''))?;
    value.get(1..)?.split(quote).next()
}

fn local(name: &str) -> &str {
    name.rsplit_once(':').map_or(name, |(_, local)| local)
}

/// The text of a reference: those of XML, characters by number, and those of HTML, which many
/// writers use undeclared. `None` for any other.
fn entity(name: &str) -> Option<String> {
    let written = format!("&{name};");
    let text = htmlize::unescape(&written);
    (text != written).then(|| text.into_owned())
}

fn resolve(value: &str) -> String {
    if value.contains('&') { htmlize::unescape(value).into_owned() } else { value.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(source: &str) -> String {
        Scanner::new(source)
            .map(|piece| match piece {
                Piece::Open(element) => format!("<{}>", element.name()),
                Piece::Close(name) => format!("</{name}>"),
                Piece::Text(text) => text.into_owned(),
            })
            .collect()
    }

    #[test]
    fn prefixes_entities_and_sections() {
        let source = "<w:a x='1'>1 &lt; 2 &#233;&nbsp;<![CDATA[<&]]><b/>&own;</w:a>";
        assert_eq!(shown(source), "<a>1 < 2 \u{e9}\u{a0}<&<b></b></a>");
    }

    #[test]
    fn entities_of_the_file_are_not_expanded() {
        let source = "<!DOCTYPE a [<!ENTITY x 'boom'><!ENTITY y '&x;&x;'>]><a>&y;|</a>";
        assert_eq!(shown(source), "<a>|</a>");
    }

    #[test]
    fn wrong_ends_are_forgiven_and_a_cut_tag_ends_the_stream() {
        assert_eq!(shown("<a>1</b>2</a>3</c>4 & 5"), "<a>1</b>2</a>3</c>4 & 5");
        let mut scanner = Scanner::new("<a>1<b attr='");
        while scanner.next().is_some() {}
        assert!(scanner.broken().is_some());
    }

    #[test]
    fn attributes_by_local_name() {
        let mut scanner = Scanner::new("<p:sldId id='256' r:id='rId&amp;2'>x<i>y</i></p:sldId>z");
        let Some(Piece::Open(element)) = scanner.next() else { panic!() };
        assert_eq!(element.attribute("id").as_deref(), Some("256"));
        assert_eq!(element.prefixed("id").as_deref(), Some("rId&2"));
        assert_eq!(scanner.pass(), "x<i>y</i>");
        assert!(matches!(scanner.next(), Some(Piece::Text(text)) if text == "z"));
    }

    #[test]
    fn encodings_are_declared() {
        assert_eq!(declared_encoding(b"<?xml version='1.0' encoding = 'ISO-8859-1'?>"), Some("ISO-8859-1"));
        assert_eq!(declared_encoding(b"<?xml version='1.0'?><a encoding='x'/>"), None);
        assert_eq!(
            text_of(b"<?xml version='1.0' encoding='windows-1251'?><a>\xcf</a>").chars().nth(48),
            Some('П')
        );
    }
}
