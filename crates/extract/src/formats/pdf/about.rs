//! The metadata of a PDF: the information dictionary, the XMP packet, the catalog.

use hayro_syntax::Pdf;
use hayro_syntax::object::{self, DateTime, Dict, Stream};
use quick_xml::Reader;
use quick_xml::events::Event;

use super::stream;
use crate::date::normalise;
use crate::document::Extracted;

/// A longer packet is ignored.
const LONGEST_PACKET: u64 = 4 << 20;
const LONGEST_VALUE: usize = 4096;

pub fn fill(document: &mut Extracted, pdf: &Pdf, catalog: &Dict<'_>) {
    let information = pdf.metadata();
    let text = |bytes: &Option<Box<[u8]>>| bytes.as_deref().and_then(|bytes| tidy(&text_string(bytes)));
    document.title = text(&information.title);
    document.author = text(&information.author);
    document.date = information.creation_date.or(information.modification_date).and_then(|date| shown(&date));
    for (name, value) in [
        ("subject", &information.subject),
        ("keywords", &information.keywords),
        ("creator", &information.creator),
        ("producer", &information.producer),
    ] {
        if let Some(value) = text(value) {
            document.fields.insert(name.to_owned(), value);
        }
    }
    let language = catalog.get::<object::String<'_>>("Lang").map(|tag| text_string(tag.as_bytes()));
    document.language = language.and_then(|tag| tidy(&tag));
    if document.title.is_none() || document.author.is_none() || document.date.is_none() {
        packet(document, catalog);
    }
}

/// A string of a document as text: UTF-16 or UTF-8 if it begins with a byte order mark, otherwise
/// Latin 1 with PDF's own additions.
pub fn text_string(bytes: &[u8]) -> String {
    if let Some(rest) = bytes.strip_prefix(b"\xfe\xff") {
        return utf16(rest, u16::from_be_bytes);
    }
    if let Some(rest) = bytes.strip_prefix(b"\xff\xfe") {
        return utf16(rest, u16::from_le_bytes);
    }
    if let Some(rest) = bytes.strip_prefix(b"\xef\xbb\xbf") {
        return String::from_utf8_lossy(rest).into_owned();
    }
    bytes.iter().map(|&byte| document_character(byte)).collect()
}

fn utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> String {
    let units = bytes.as_chunks::<2>().0.iter().map(|&pair| unit(pair));
    let characters = char::decode_utf16(units).map(|unit| unit.unwrap_or(char::REPLACEMENT_CHARACTER));
    // Between two escapes is the language of the following text, which is not text itself.
    let mut within = false;
    characters
        .filter(|&character| {
            within ^= character == '\u{1b}';
            !within && character != '\u{1b}'
        })
        .collect()
}

fn document_character(byte: u8) -> char {
    const FROM_24: [char; 8] = ['˘', 'ˇ', 'ˆ', '˙', '˝', '˛', '˚', '˜'];
    const FROM_128: [char; 31] = [
        '•', '†', '‡', '…', '—', '–', 'ƒ', '⁄', '‹', '›', '−', '‰', '„', '“', '”', '‘', '’', '‚', '™', 'ﬁ',
        'ﬂ', 'Ł', 'Œ', 'Š', 'Ÿ', 'Ž', 'ı', 'ł', 'œ', 'š', 'ž',
    ];
    let added = match byte {
        24..=31 => FROM_24.get(usize::from(byte - 24)),
        128..=158 => FROM_128.get(usize::from(byte - 128)),
        160 => Some(&'€'),
        _ => None,
    };
    added.copied().unwrap_or(char::from(byte))
}

fn tidy(text: &str) -> Option<String> {
    let words: Vec<&str> =
        text.split(|character: char| character.is_whitespace() || character.is_control()).collect();
    let text = words.into_iter().filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ");
    (!text.is_empty() && text.len() <= LONGEST_VALUE).then_some(text)
}

fn shown(date: &DateTime) -> Option<String> {
    let DateTime { year, month, day, hour, minute, second, utc_offset_hour, utc_offset_minute } = date;
    let sign = if *utc_offset_hour < 0 { '-' } else { '+' };
    let zone = utc_offset_hour.unsigned_abs();
    normalise(&format!(
        "{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}{sign}{zone:02}:{utc_offset_minute:02}"
    ))
}

/// Adds what is still missing from the XMP packet.
fn packet(document: &mut Extracted, catalog: &Dict<'_>) {
    let Some(stream) = catalog.get::<Stream<'_>>("Metadata") else { return };
    let Some(bytes) = stream::unpacked(&stream, LONGEST_PACKET) else { return };
    let text = crate::formats::text::decode(&bytes, None);
    let mut reader = Reader::from_str(&text);
    let mut inside: Option<&str> = None;
    let mut value = String::new();
    loop {
        match reader.read_event() {
            Ok(Event::Start(element) | Event::Empty(element)) => {
                for attribute in element.attributes().flatten() {
                    keep(document, attribute.key.as_ref(), &attribute.value);
                }
                inside = wanted(element.name().as_ref()).or(inside);
            }
            Ok(Event::End(element)) => {
                if let Some(name) = inside {
                    keep(document, name, &value);
                }
                value.clear();
                if wanted(element.name().as_ref()) == inside {
                    inside = None;
                }
            }
            Ok(Event::Text(text)) if inside.is_some() => value.push_str(&text),
            Ok(Event::GeneralRef(name)) if inside.is_some() => value.extend(["&", &*name, ";"]),
            Ok(Event::Eof) | Err(_) => return,
            Ok(_) => {}
        }
    }
}

fn wanted(name: &str) -> Option<&'static str> {
    ["dc:title", "dc:creator", "xmp:CreateDate"].into_iter().find(|wanted| *wanted == name)
}

fn keep(document: &mut Extracted, name: &str, value: &str) {
    let Some(value) = tidy(&htmlize::unescape(value)) else { return };
    match wanted(name) {
        Some("dc:title") => document.title = document.title.take().or(Some(value)),
        Some("dc:creator") => document.author = document.author.take().or(Some(value)),
        Some(_) => document.date = document.date.take().or_else(|| normalise(&value)),
        None => {}
    }
}
