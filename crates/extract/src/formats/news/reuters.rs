//! Reuters-21578: `<REUTERS>` records with categories as lists.

use super::tags::{self, Event, Tags};
use super::{add_field, add_value, headed, printed_date};
use crate::body::Body;
use crate::document::Extracted;
use crate::file::{File, hash_of};
use crate::format::Format;
use crate::formats::names::Names;
use crate::kind::{Category, Kind};
use crate::out::Out;
use crate::reason::Reason;

pub const FORMAT: Format = Format {
    kind: Kind::Reuters,
    category: Category::News,
    summary: "Reuters-21578: each article",
    signs: &[],
    read,
    read_stream: None,
};

fn read(file: &File<'_>, out: &mut Out<'_>) -> Result<(), Reason> {
    let mut names = Names::default();
    for (number, (record, bytes)) in tags::records(file.bytes, "REUTERS").enumerate() {
        let mut document = read_record(&record);
        let part = document.part.take().unwrap_or_else(|| format!("#{}", number + 1));
        document.part = Some(names.unique(&part));
        document.bytes = bytes.len() as u64;
        document.file_hash = hash_of(bytes);
        out.document(document)?;
    }
    Ok(())
}

fn read_record(record: &str) -> Extracted {
    let mut document = Extracted { kind: Kind::Reuters, ..Extracted::default() };
    let (mut body, mut unprocessed) = (Body::default(), Body::default());
    // The current element; elements within TEXT replace it.
    let mut current = String::new();
    let mut content = String::new();
    for event in Tags::new(record) {
        match event {
            Event::Open(name, attributes) if name == "REUTERS" => {
                for (name, value) in tags::attributes(attributes) {
                    match name.as_str() {
                        "newid" => document.part = Some(value),
                        // Whether topics were given, not one of them.
                        "topics" => add_field(&mut document, "has-topics", &value),
                        _ => add_field(&mut document, &name, &value),
                    }
                }
            }
            // One item of a list; the list is the element.
            Event::Open(name, _) if name == "D" => content.clear(),
            Event::Close(name) if name == "D" => {
                add_value(&mut document, &current, &content);
                content.clear();
            }
            Event::Open(name, _) => {
                store_field(&mut document, &current, &content);
                content.clear();
                current = name;
            }
            Event::Close(name) => {
                store_field(&mut document, &current, &content);
                content.clear();
                // The text of an item without subdivisions continues after its title.
                current = if name == "TEXT" { String::new() } else { "TEXT".to_owned() };
            }
            Event::Text(text) => {
                let text = tags::unescaped(text);
                match current.as_str() {
                    "BODY" => paragraphs(&text, &mut body),
                    "TEXT" => paragraphs(&text, &mut unprocessed),
                    _ => content += &text,
                }
            }
        }
    }
    store_field(&mut document, &current, &content);
    let body = if body.is_empty() { unprocessed } else { body };
    (document.text, document.marks) = body.finish();
    headed(&mut document);
    document
}

/// Paragraphs begin with an indented line.
fn paragraphs(text: &str, body: &mut Body) {
    for (number, line) in text.split('\n').enumerate() {
        if line.starts_with("    ") {
            body.block();
        } else if number > 0 {
            body.line();
        }
        body.push(line);
    }
}

fn store_field(document: &mut Extracted, name: &str, content: &str) {
    let value = tags::collapsed(content);
    match name {
        _ if value.is_empty() => {}
        "" | "TEXT" | "BODY" | "REUTERS" => {}
        "TITLE" => document.title = Some(value),
        "AUTHOR" => document.author = Some(value),
        "DATE" => document.date = printed_date(value.split('.').next().unwrap_or_default()),
        _ => add_field(document, name, &value),
    }
}
