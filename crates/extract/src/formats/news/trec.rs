//! TREC and TIPSTER: `<DOC>` records whose elements differ from source to source.

use super::tags::{self, Event, Tags};
use super::{add_field, headed, printed_date};
use crate::body::Body;
use crate::document::Extracted;
use crate::file::{File, hash_of};
use crate::format::Format;
use crate::formats::html;
use crate::formats::names::Names;
use crate::kind::{Category, Kind};
use crate::out::Out;
use crate::reason::Reason;

const TEXTS: [&str; 5] = ["TEXT", "BODY", "LP", "LEADPARA", "MAINTEXT"];
const TITLES: [&str; 6] = ["HEADLINE", "HEAD", "HL", "TITLE", "TI", "TTL"];
const DATES: [&str; 7] = ["DATE", "DATE1", "DD", "PUBDATE", "DATE_TIME", "DATETIME", "PUBLICATION_DATE"];
const AUTHORS: [&str; 4] = ["BYLINE", "AUTHOR", "AU", "AUTHORS"];
const NUMBERS: [&str; 2] = ["DOCNO", "DOCID"];

/// Elements within others that only separate their text.
const INNER: [&str; 8] = ["P", "H1", "H2", "H3", "H4", "H5", "H6", "BR"];

/// Elements within lines.
const INLINE: [&str; 10] = ["F", "S", "B", "I", "A", "U", "EM", "SUP", "SUB", "FONT"];

pub const FORMAT: Format = Format {
    kind: Kind::Trec,
    category: Category::News,
    summary: "TREC and TIPSTER collections: each record",
    signs: &[],
    read,
    read_stream: None,
};

fn read(file: &File<'_>, out: &mut Out<'_>) -> Result<(), Reason> {
    let mut names = Names::default();
    for (number, (record, bytes)) in tags::records(file.bytes, "DOC").enumerate() {
        let mut document = read_record(&record, out.options.main);
        let part = document.part.take().unwrap_or_else(|| format!("#{}", number + 1));
        document.part = Some(names.unique(&part));
        document.bytes = bytes.len() as u64;
        document.file_hash = hash_of(bytes);
        out.document(document)?;
    }
    Ok(())
}

fn read_record(record: &str, main: bool) -> Extracted {
    let mut document = Extracted { kind: Kind::Trec, ..Extracted::default() };
    let (mut body, mut loose) = (Body::default(), Body::default());
    // The current element, and its text.
    let mut current: Option<String> = None;
    let mut content = String::new();
    for event in Tags::new(record) {
        let in_text = current.as_deref().is_some_and(|name| TEXTS.contains(&name));
        match event {
            Event::Open(name, attributes) if name == "DOC" => {
                let id = tags::attributes(attributes).into_iter().find(|(name, _)| name == "id");
                document.part = id.map(|(_, id)| id);
            }
            Event::Open(name, _) if name == "HTML" && body.is_empty() => {
                return read_page(record, document, main);
            }
            Event::Open(name, _) | Event::Close(name) if INLINE.contains(&name.as_str()) => {}
            Event::Open(name, _) if in_text || INNER.contains(&name.as_str()) => {
                body.block();
                loose.block();
                content.push('\n');
            }
            Event::Open(name, _) => {
                store_field(&mut document, current.take(), &content);
                content.clear();
                body.block();
                loose.block();
                current = Some(name);
            }
            Event::Close(name) if current.as_deref() == Some(&name) => {
                store_field(&mut document, current.take(), &content);
                content.clear();
                body.block();
                loose.block();
            }
            Event::Close(_) => {
                body.block();
                loose.block();
            }
            Event::Text(text) => {
                let text = tags::unescaped(text);
                if in_text {
                    tags::push_lines(&text, &mut body);
                } else if current.as_deref().is_none_or(is_prose) {
                    tags::push_lines(&text, &mut loose);
                }
                if !in_text && current.is_some() && content.len() < 20_000 {
                    content += &text;
                }
            }
        }
    }
    store_field(&mut document, current, &content);
    let body = if body.is_empty() { loose } else { body };
    (document.text, document.marks) = body.finish();
    headed(&mut document);
    document
}

/// Elements that are used as text if there is no other.
fn is_prose(name: &str) -> bool {
    matches!(name, "SUMMARY" | "ABSTRACT" | "CONTENT" | "W" | "DESC" | "NARR")
}

/// Stores the text of an element in its field.
fn store_field(document: &mut Extracted, name: Option<String>, content: &str) {
    let Some(name) = name.filter(|name| !TEXTS.contains(&name.as_str())) else { return };
    let value = tags::collapsed(content);
    let is = |names: &[&str]| names.contains(&name.as_str());
    if value.is_empty() {
    } else if name == "DOCNO" || is(&NUMBERS) && document.part.is_none() {
        document.part = Some(value.chars().take(200).collect());
    } else if is(&TITLES) && document.title.is_none() {
        document.title = Some(value);
    } else if is(&AUTHORS) && document.author.is_none() {
        document.author = Some(value);
    } else if is(&DATES) && document.date.is_none() {
        document.date = printed_date(&value);
        if document.date.is_none() {
            add_field(document, "date", &value);
        }
    } else {
        add_field(document, &name, &value);
    }
}

/// Crawls in this form have a page in each record, after the address and the server's header.
fn read_page(record: &str, described: Extracted, main: bool) -> Extracted {
    let (header, page) = record.split_once("</DOCHDR>").unwrap_or(("", record));
    let mut document = html::page(page, main);
    document.part = described.part;
    let address = header.split_once("<DOCHDR>").and_then(|(_, header)| header.split_whitespace().next());
    if let Some(address) = address {
        document.fields.insert("url".to_owned(), address.to_owned());
    }
    document
}
