//! NITF, the XML of news agencies.

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

use super::{add_field, add_value, headed, printed_date, tags};
use crate::body::Body;
use crate::document::{Extracted, Tag};
use crate::file::File;
use crate::format::Format;
use crate::formats::text;
use crate::kind::{Category, Kind};
use crate::out::Out;
use crate::reason::Reason;

pub const FORMAT: Format = Format {
    kind: Kind::Nitf,
    category: Category::News,
    summary: "News articles in NITF",
    signs: &[],
    read,
    read_stream: None,
};

fn read(file: &File<'_>, out: &mut Out<'_>) -> Result<(), Reason> {
    let text = text::decode(file.bytes, declared(file.bytes).as_deref());
    // Some agencies repeat the first paragraph before the whole text.
    let mut story = Story { whole_only: text.contains("class=\"full_text\""), ..Story::default() };
    let mut reader = Reader::from_str(&text);
    reader.config_mut().check_end_names = false;
    reader.config_mut().allow_unmatched_ends = true;
    let damage = loop {
        match reader.read_event() {
            Ok(Event::Start(element)) => story.open(&element),
            Ok(Event::Empty(element)) => {
                story.open(&element);
                story.close(&element.name().as_ref().to_ascii_lowercase());
            }
            Ok(Event::End(element)) => story.close(&element.name().as_ref().to_ascii_lowercase()),
            Ok(Event::Text(text)) => story.text(&text),
            Ok(Event::CData(text)) => story.text(&text),
            Ok(Event::GeneralRef(entity)) => {
                story.text(&tags::unescaped(&format!("&{};", &*entity)));
            }
            Ok(Event::Eof) => break None,
            Ok(_) => {}
            Err(error) => break Some(error),
        }
    };
    let document = story.finish();
    match damage {
        Some(error) if document.text.is_empty() => Err(Reason::damaged(error)),
        _ => out.document(document),
    }
}

/// The encoding in the XML declaration.
fn declared(bytes: &[u8]) -> Option<String> {
    let head = String::from_utf8_lossy(&bytes[..bytes.len().min(200)]);
    let (_, after) = head.split_once("encoding=")?;
    let quote = after.chars().next().filter(|quote| matches!(quote, '"' | '\''))?;
    after[1..].split(quote).next().map(str::to_owned)
}

/// The reader's position in the story, and what it has found.
#[derive(Default)]
struct Story {
    document: Extracted,
    body: Body,
    /// Text is read only from the block that has all of it.
    whole_only: bool,
    in_content: bool,
    /// How many blocks are open, and at which of them the whole text began.
    blocks: u32,
    whole_at: Option<u32>,
    /// An element outside of the text whose content is metadata.
    field: Option<String>,
    content: String,
}

impl Story {
    fn open(&mut self, element: &BytesStart<'_>) {
        let name = element.name().as_ref().to_ascii_lowercase();
        let attribute = |wanted: &str| {
            let mut attributes = element.attributes();
            let mut found = attributes.with_checks(false).flatten();
            found
                .find(|attribute| attribute.key.as_ref() == wanted)
                .map(|attribute| tags::unescaped(&attribute.value).into_owned())
        };
        match name.as_str() {
            "nitf" => self.document.language = attribute("xml:lang"),
            "body.content" => self.in_content = true,
            "date.issue" => self.date(attribute("norm")),
            "pubdata" => {
                self.date(attribute("date.publication"));
                for (name, key) in
                    [("publication", "name"), ("url", "ex-ref"), ("section", "position.section")]
                {
                    add_field(&mut self.document, name, &attribute(key).unwrap_or_default());
                }
            }
            "doc-id" => add_field(&mut self.document, "doc-id", &attribute("id-string").unwrap_or_default()),
            "key" => add_value(&mut self.document, "keywords", &attribute("key").unwrap_or_default()),
            "meta" => {
                let name = attribute("name").unwrap_or_default();
                add_value(&mut self.document, &name, &attribute("content").unwrap_or_default());
            }
            "tobject.subject" => {
                for key in ["tobject.subject.type", "tobject.subject.matter", "tobject.subject.detail"] {
                    add_value(&mut self.document, "subject", &attribute(key).unwrap_or_default());
                }
            }
            "block" if self.in_content => {
                self.blocks += 1;
                if attribute("class").as_deref() == Some("full_text") {
                    self.whole_at.get_or_insert(self.blocks);
                }
                self.body.block();
            }
            _ if self.in_content => self.open_in_content(&name, attribute("href")),
            "title" | "hedline" | "hl1" | "hl2" | "headline" | "byline" | "byttl" | "dateline"
            | "abstract" | "copyrite" | "classifier" | "org" | "person" | "location" => {
                self.store_field();
                // A classifier may have its value as an attribute.
                self.content = attribute("value").filter(|_| name == "classifier").unwrap_or_default();
                self.field = Some(name);
            }
            _ => {}
        }
    }

    fn open_in_content(&mut self, name: &str, address: Option<String>) {
        match name {
            "p" | "hl2" | "hl1" | "li" | "ul" | "ol" | "table" | "bq" | "media" | "media-caption" | "pre"
            | "dt" | "dd" | "note" | "fn" => self.body.block(),
            "tr" | "br" => self.body.line(),
            "td" | "th" => self.body.push(" "),
            _ => {}
        }
        if let Some(tag) = mark(name) {
            self.body.open(tag);
        }
        if name == "a" {
            let address = address.map(|address| address.split('#').next().unwrap_or_default().to_owned());
            self.document.links.extend(address.filter(|address| !address.is_empty()));
        }
    }

    fn close(&mut self, name: &str) {
        match name {
            "body.content" => self.in_content = false,
            "block" if self.in_content => {
                if self.whole_at == Some(self.blocks) {
                    self.whole_at = None;
                }
                self.blocks = self.blocks.saturating_sub(1);
                self.body.block();
            }
            _ if self.in_content => {
                if let Some(tag) = mark(name) {
                    self.body.close(tag);
                }
                if matches!(name, "p" | "hl2" | "hl1" | "li" | "table" | "media-caption" | "pre") {
                    self.body.block();
                }
            }
            _ if self.field.as_deref() == Some(name) => self.store_field(),
            _ => {}
        }
    }

    fn text(&mut self, text: &str) {
        if self.in_content {
            if !self.whole_only || self.whole_at.is_some() {
                self.body.push(text);
            }
        } else if self.field.is_some() && self.content.len() < 20_000 {
            self.content += text;
        }
    }

    fn date(&mut self, written: Option<String>) {
        self.document.date =
            self.document.date.take().or_else(|| written.and_then(|date| printed_date(&date)));
    }

    /// Stores the content of an element in its field.
    fn store_field(&mut self) {
        let value = tags::collapsed(&std::mem::take(&mut self.content));
        let Some(name) = self.field.take().filter(|_| !value.is_empty()) else { return };
        match name.as_str() {
            // The actual headline, if there is one, is better than the title of the file.
            "hl1" | "hedline" | "headline" => self.document.title = Some(value),
            "title" => {
                self.document.title.get_or_insert(value);
            }
            // A second headline stands below the first.
            "hl2" => self.body.heading_aside(value),
            "byline" if self.document.author.is_none() => self.document.author = Some(value),
            "byline" | "byttl" => add_field(&mut self.document, "byline", &value),
            "org" | "person" | "location" | "classifier" => add_value(&mut self.document, &name, &value),
            "dateline" | "abstract" | "copyrite" => {
                add_field(&mut self.document, &name, &value);
            }
            _ => {}
        }
    }

    fn finish(mut self) -> Extracted {
        self.store_field();
        let mut document = self.document;
        let headings = self.body.take_headings();
        (document.text, document.marks) = self.body.finish();
        headings.into_iter().for_each(|heading| document.add_heading(heading));
        headed(&mut document);
        Extracted { kind: Kind::Nitf, ..document }
    }
}

fn mark(name: &str) -> Option<Tag> {
    match name {
        "hl2" | "hl1" => Some(Tag::Heading),
        "b" | "strong" => Some(Tag::Bold),
        "em" | "i" => Some(Tag::Italic),
        "a" => Some(Tag::Anchor),
        _ => None,
    }
}
