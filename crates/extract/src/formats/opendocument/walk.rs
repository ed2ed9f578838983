//! The text of an OpenDocument body in reading order.
//!
//! As with Word, text boxes are read when the paragraph that holds them ends, and notes after the
//! text.

use std::collections::BTreeSet;

use crate::body::Body;
use crate::document::{Mark, Tag};
use crate::formats::xml_scanner::{Element, Piece, Scanner};

use super::lists::Lists;
use super::styles::Styles;

/// Text boxes within text boxes.
const DEPTH: usize = 8;

pub struct Walk<'a> {
    styles: &'a Styles,
    lists: Lists<'a>,
    body: Body,
    links: BTreeSet<String>,
}

/// What is open while a story (the body, a note, a text box) is read.
#[derive(Default)]
struct Story<'s> {
    /// For each paragraph that is open, whether it is a heading.
    paragraphs: Vec<bool>,
    spans: Vec<Span>,
    /// For each table that is open, whether its cell has a paragraph already.
    tables: Vec<bool>,
    /// Whether the frame is the slide's title.
    title: bool,
    boxes: Vec<&'s str>,
    notes: Vec<&'s str>,
}

#[derive(Default)]
struct Span {
    bold: bool,
    italic: bool,
}

impl<'a> Walk<'a> {
    pub fn new(styles: &'a Styles) -> Self {
        Walk { styles, lists: Lists::new(styles), body: Body::default(), links: BTreeSet::new() }
    }

    /// Reads a body; returns the violation of XML's rules, if there is one.
    pub fn walk(&mut self, source: &str) -> Option<String> {
        let mut notes = Vec::new();
        let broken = self.story(source, 0, &mut notes);
        for note in notes {
            self.story(note, DEPTH, &mut Vec::new());
        }
        broken
    }

    pub fn finish(self, links: &mut BTreeSet<String>) -> (String, Vec<Mark>) {
        links.extend(self.links);
        self.body.finish()
    }

    fn story<'s>(&mut self, source: &'s str, depth: usize, notes: &mut Vec<&'s str>) -> Option<String> {
        let mut story = Story::default();
        let mut scanner = Scanner::new(source);
        self.body.block();
        while let Some(piece) = scanner.next() {
            match piece {
                Piece::Open(element) => self.open(&element, &mut story, &mut scanner),
                Piece::Close(name) => self.close(&name, &mut story),
                Piece::Text(text) => {
                    if !story.paragraphs.is_empty() {
                        self.body.push(&text);
                    }
                }
            }
            if story.paragraphs.is_empty() && !story.boxes.is_empty() {
                for text in std::mem::take(&mut story.boxes) {
                    if depth < DEPTH {
                        self.story(text, depth + 1, notes);
                    }
                    self.body.block();
                }
            }
        }
        for _ in story.paragraphs.iter().filter(|heading| **heading) {
            self.body.close(Tag::Heading);
        }
        self.body.block();
        notes.append(&mut story.notes);
        scanner.broken().map(str::to_owned)
    }

    fn open<'s>(&mut self, element: &Element<'_>, story: &mut Story<'s>, scanner: &mut Scanner<'s>) {
        match element.name() {
            // Deleted text, comments, reading aids, data.
            "tracked-changes" | "annotation" | "ruby-text" | "note-citation" | "binary-data" | "forms"
            | "covered-table-cell" | "script" | "event-listeners" | "hidden-text" | "settings" => {
                scanner.pass();
            }
            // Descriptions of drawings; a field that shows the document's title has this name too.
            "title" | "desc" if element.full_name().starts_with("svg:") => {
                scanner.pass();
            }
            "section" if element.attribute("display").is_some_and(|display| display == "none") => {
                scanner.pass();
            }
            "note-body" => {
                let inner = scanner.pass();
                story.notes.push(inner);
            }
            "text-box" if !story.paragraphs.is_empty() => {
                let inner = scanner.pass();
                story.boxes.push(inner);
            }
            "p" | "h" => self.paragraph(element, story),
            "span" => self.span(element, story),
            "a" => {
                let target = element.attribute("href").unwrap_or_default();
                let target = target.split('#').next().unwrap_or_default().trim();
                if !target.is_empty() {
                    self.links.insert(target.to_owned());
                }
                self.body.open(Tag::Anchor);
            }
            "s" | "tab" => self.body.push(" "),
            "line-break" => self.body.line(),
            "page" | "frame" | "custom-shape" if story.paragraphs.is_empty() => {
                self.body.block();
                story.title = element.attribute("class").is_some_and(|class| class == "title");
            }
            "table" => {
                self.body.block();
                story.tables.push(false);
            }
            "table-row" => self.body.line(),
            "table-cell" => {
                self.body.push(" ");
                if let Some(any) = story.tables.last_mut() {
                    *any = false;
                }
            }
            "list" => {
                let goes_on = element.attribute("continue-numbering").is_some_and(|value| value == "true")
                    || element.attribute("continue-list").is_some();
                self.lists.open_list(element.attribute("style-name"), goes_on);
            }
            "list-item" => {
                self.lists.open_item(element.attribute("start-value").and_then(|start| start.parse().ok()));
            }
            _ => {}
        }
    }

    fn close(&mut self, name: &str, story: &mut Story<'_>) {
        match name {
            "p" | "h" => {
                match story.paragraphs.pop() {
                    Some(true) => self.body.close(Tag::Heading),
                    Some(false) => {}
                    None => return,
                }
                if story.tables.is_empty() {
                    self.body.block();
                }
            }
            "span" => {
                let Some(span) = story.spans.pop() else { return };
                if span.italic {
                    self.body.close(Tag::Italic);
                }
                if span.bold {
                    self.body.close(Tag::Bold);
                }
            }
            "a" => self.body.close(Tag::Anchor),
            "table" => {
                story.tables.pop();
                self.body.block();
            }
            "table-row" => self.body.line(),
            "frame" | "page" => story.title = false,
            "list" => self.lists.close_list(),
            _ => {}
        }
    }

    fn paragraph(&mut self, element: &Element<'_>, story: &mut Story<'_>) {
        match story.tables.last_mut() {
            Some(any) if *any => self.body.line(),
            Some(any) => *any = true,
            None => self.body.block(),
        }
        let style = element.attribute("style-name").unwrap_or_default();
        let is_heading = element.name() == "h";
        let heading = is_heading || story.title || self.styles.is_title(&style);
        if heading {
            self.body.open(Tag::Heading);
        }
        let label = if self.lists.is_in_list() {
            self.lists.take_label()
        } else if is_heading && element.attribute("is-list-header").is_none_or(|value| value != "true") {
            let level = element.attribute("outline-level").and_then(|level| level.parse().ok()).unwrap_or(1);
            self.lists.heading(level)
        } else {
            None
        };
        if let Some(label) = label {
            self.body.push(&label);
            self.body.push(" ");
        }
        story.paragraphs.push(heading);
    }

    fn span(&mut self, element: &Element<'_>, story: &mut Story<'_>) {
        let font_style = self.styles.font_style("text", &element.attribute("style-name").unwrap_or_default());
        let span =
            Span { bold: font_style.bold.unwrap_or(false), italic: font_style.italic.unwrap_or(false) };
        if span.bold {
            self.body.open(Tag::Bold);
        }
        if span.italic {
            self.body.open(Tag::Italic);
        }
        story.spans.push(span);
    }
}
