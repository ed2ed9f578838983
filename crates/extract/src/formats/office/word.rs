//! The text of a Word document in reading order.
//!
//! One pass over the XML, without a tree: a small state records what is open. Text boxes are
//! anchored in the middle of a paragraph; they are read when it ends, so that its sentences stay
//! whole. Footnotes and endnotes follow the whole text, in the order of their references.

use std::collections::{BTreeSet, HashMap};

use crate::body::Body;
use crate::document::{Mark, Tag};
use crate::formats::xml_scanner::{Element, Piece, Scanner};

use super::fields::Fields;
use super::numbering::Numbering;
use super::relations::{Relations, without_fragment};
use super::styles::{Styles, is_heading_level, is_on};

/// The most text boxes within text boxes; Word itself allows none.
const DEPTH: usize = 8;

pub struct Word<'a> {
    styles: &'a Styles,
    numbering: &'a mut Numbering,
    relations: &'a Relations,
    body: Body,
    links: BTreeSet<String>,
    notes: HashMap<(Note, String), &'a str>,
    chunks: Option<&'a HashMap<String, String>>,
    /// Notes in the order in which the text refers to them.
    noted: Vec<&'a str>,
    broken: Option<String>,
    bold: bool,
    italic: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Note {
    Foot,
    End,
}

/// What is open while a story (the body, a note, a text box) is read.
#[derive(Default)]
struct Story<'s> {
    paragraph: Paragraph,
    run: Run,
    in_paragraph_properties: bool,
    in_text: bool,
    fields: Fields,
    /// For each table that is open, whether its cell has a paragraph already.
    tables: Vec<bool>,
    /// For each choice between two forms of the same content, whether one was taken.
    choices: Vec<bool>,
    boxes: Vec<&'s str>,
}

#[derive(Default)]
struct Paragraph {
    begun: bool,
    heading: bool,
    style: Option<String>,
    outline: Option<bool>,
    number: Option<String>,
    level: Option<usize>,
}

#[derive(Default, Clone, Copy)]
struct Run {
    bold: bool,
    italic: bool,
}

impl<'a> Word<'a> {
    pub fn new(styles: &'a Styles, numbering: &'a mut Numbering, relations: &'a Relations) -> Self {
        Word {
            styles,
            numbering,
            relations,
            body: Body::default(),
            links: BTreeSet::new(),
            notes: HashMap::new(),
            chunks: None,
            noted: Vec::new(),
            broken: None,
            bold: false,
            italic: false,
        }
    }

    /// Registers footnotes and endnotes before the text is read.
    pub fn notes(&mut self, footnotes: &'a str, endnotes: &'a str) {
        for (source, kind, name) in [(footnotes, Note::Foot, "footnote"), (endnotes, Note::End, "endnote")] {
            let mut scanner = Scanner::new(source);
            while let Some(piece) = scanner.next() {
                let Piece::Open(element) = piece else { continue };
                if element.name() != name {
                    continue;
                }
                let id = element.attribute("id").unwrap_or_default();
                let inner = scanner.pass();
                self.notes.insert((kind, id), inner);
            }
        }
    }

    /// Registers texts in parts of other formats.
    pub fn chunks(&mut self, chunks: &'a HashMap<String, String>) {
        self.chunks = Some(chunks);
    }

    /// Reads the main text and then its notes.
    pub fn walk(&mut self, source: &str) {
        self.story(source, 0);
        for note in std::mem::take(&mut self.noted) {
            self.story(note, 1);
        }
    }

    /// The violation of XML's rules in the main text, if there is one.
    pub fn broken(&self) -> Option<&str> {
        self.broken.as_deref()
    }

    pub fn finish(self, links: &mut BTreeSet<String>) -> (String, Vec<Mark>) {
        links.extend(self.links);
        self.body.finish()
    }

    fn story(&mut self, source: &str, depth: usize) {
        let mut story = Story::default();
        let mut scanner = Scanner::new(source);
        self.body.block();
        while let Some(piece) = scanner.next() {
            match piece {
                Piece::Open(element) => self.open(&element, &mut story, &mut scanner, depth),
                Piece::Close(name) => self.close(&name, &mut story, depth),
                Piece::Text(text) if !story.in_text => story.fields.text(&text),
                Piece::Text(text) if story.fields.is_result() => {
                    self.begin(&mut story);
                    self.set_emphasis(story.run.bold, story.run.italic);
                    self.body.push(&text);
                }
                Piece::Text(_) => {}
            }
        }
        self.end_paragraph(&mut story, depth);
        if depth == 0 {
            self.broken = scanner.broken().map(str::to_owned);
        }
    }

    fn open<'s>(
        &mut self,
        element: &Element<'_>,
        story: &mut Story<'s>,
        scanner: &mut Scanner<'s>,
        depth: usize,
    ) {
        match element.name() {
            // Deleted text, earlier properties, tab stops, comments; ruby text accompanies its base.
            "del" | "moveFrom" | "delText" | "delInstrText" | "pPrChange" | "rPrChange" | "sectPrChange"
            | "tblPrChange" | "trPrChange" | "tcPrChange" | "tabs" | "sectPr" | "sdtPr" | "rt"
            | "binData" | "fldData" | "comment" | "annotation" => {
                scanner.pass();
            }
            "AlternateContent" => story.choices.push(false),
            "Choice" | "Fallback" => match story.choices.last_mut() {
                Some(taken) if *taken => {
                    scanner.pass();
                }
                Some(taken) => *taken = true,
                None => {}
            },
            "txbxContent" => {
                let inner = scanner.pass();
                if depth < DEPTH {
                    story.boxes.push(inner);
                }
            }
            "p" => {
                self.end_paragraph(story, depth);
                match story.tables.last_mut() {
                    Some(any) if *any => self.body.line(),
                    Some(any) => *any = true,
                    None => self.body.block(),
                }
            }
            "pPr" => story.in_paragraph_properties = true,
            "r" => story.run = Run::default(),
            "t" => story.in_text = true,
            "tab" | "ptab" => self.body.push(" "),
            "br" | "cr" => self.body.line(),
            "noBreakHyphen" => self.body.push("\u{2011}"),
            "tbl" => {
                self.body.block();
                story.tables.push(false);
            }
            "tr" => self.body.line(),
            "tc" => {
                self.body.push(" ");
                if let Some(any) = story.tables.last_mut() {
                    *any = false;
                }
            }
            "hyperlink" => {
                self.link(element.prefixed("id").and_then(|id| self.relations.link(&id)));
                self.link(element.attribute("dest").and_then(|target| without_fragment(&target)));
                self.body.open(Tag::Anchor);
            }
            "fldSimple" => {
                story.fields.begin(&element.attribute("instr").unwrap_or_default());
                self.field_result(story);
            }
            "fldChar" => match element.attribute("fldCharType").as_deref() {
                Some("begin") => story.fields.begin(""),
                Some("separate") => self.field_result(story),
                _ => self.field_end(story),
            },
            "altChunk" => {
                let target = element.prefixed("id").and_then(|id| self.relations.part(&id));
                if let Some(text) = self.chunks.zip(target).and_then(|(chunks, target)| chunks.get(target)) {
                    self.body.block();
                    self.body.lines(text);
                }
            }
            "footnoteReference" => self.note(Note::Foot, element),
            "endnoteReference" => self.note(Note::End, element),
            _ => self.property(element, story),
        }
    }

    fn close(&mut self, name: &str, story: &mut Story<'_>, depth: usize) {
        match name {
            "p" => {
                self.begin(story);
                self.end_paragraph(story, depth);
            }
            "pPr" => {
                story.in_paragraph_properties = false;
                story.run = Run::default();
                self.begin(story);
            }
            "r" => story.run = Run::default(),
            "t" => story.in_text = false,
            "tbl" => {
                story.tables.pop();
                self.body.block();
            }
            "tr" => self.body.line(),
            "hyperlink" => self.body.close(Tag::Anchor),
            "fldSimple" => self.field_end(story),
            "AlternateContent" => {
                story.choices.pop();
            }
            _ => {}
        }
    }

    /// Properties of the open paragraph or run.
    fn property(&mut self, element: &Element<'_>, story: &mut Story<'_>) {
        let value = || element.attribute("val").unwrap_or_default();
        let (paragraph, run) = (&mut story.paragraph, &mut story.run);
        match element.name() {
            "b" => run.bold = is_on(element),
            "i" => run.italic = is_on(element),
            "rStyle" => {
                let style = self.styles.get(&value());
                run.bold |= style.bold.unwrap_or(false);
                run.italic |= style.italic.unwrap_or(false);
            }
            "pStyle" if story.in_paragraph_properties => paragraph.style = Some(value()),
            "outlineLvl" if story.in_paragraph_properties => {
                paragraph.outline = Some(is_heading_level(&value()))
            }
            "numId" if story.in_paragraph_properties => paragraph.number = Some(value()),
            "ilvl" if story.in_paragraph_properties => paragraph.level = value().parse().ok(),
            _ => {}
        }
    }

    /// Called when a paragraph's properties are known: writes its number, and marks it if it is a
    /// heading.
    fn begin(&mut self, story: &mut Story<'_>) {
        let paragraph = &mut story.paragraph;
        if std::mem::replace(&mut paragraph.begun, true) {
            return;
        }
        let style = paragraph.style.as_deref().map(|id| self.styles.get(id)).unwrap_or_default();
        if paragraph.outline.or(style.heading).unwrap_or(false) {
            paragraph.heading = true;
            self.body.open(Tag::Heading);
        }
        if let Some(number) = paragraph.number.as_ref().or(style.number.as_ref()) {
            let level = paragraph.level.or(style.level).unwrap_or(0);
            if let Some(label) = self.numbering.label(number, level) {
                self.body.push(&label);
                self.body.push(" ");
            }
        }
    }

    fn end_paragraph(&mut self, story: &mut Story<'_>, depth: usize) {
        self.set_emphasis(false, false);
        if std::mem::take(&mut story.paragraph).heading {
            self.body.close(Tag::Heading);
        }
        if story.tables.is_empty() {
            self.body.block();
        }
        for text in std::mem::take(&mut story.boxes) {
            self.story(text, depth + 1);
            self.body.block();
        }
    }

    /// Sets whether the following text is bold or italic.
    fn set_emphasis(&mut self, bold: bool, italic: bool) {
        for (is, wanted, tag) in [(&mut self.bold, bold, Tag::Bold), (&mut self.italic, italic, Tag::Italic)]
        {
            match (std::mem::replace(is, wanted), wanted) {
                (false, true) => self.body.open(tag),
                (true, false) => self.body.close(tag),
                _ => {}
            }
        }
    }

    fn field_result(&mut self, story: &mut Story<'_>) {
        if let Some(target) = story.fields.result() {
            self.link(target.and_then(|target| without_fragment(&target)));
            self.body.open(Tag::Anchor);
        }
    }

    fn field_end(&mut self, story: &mut Story<'_>) {
        if story.fields.end() {
            self.set_emphasis(false, false);
            self.body.close(Tag::Anchor);
        }
    }

    fn link(&mut self, target: Option<String>) {
        self.links.extend(target);
    }

    /// Each note is read once, however often the text refers to it.
    fn note(&mut self, kind: Note, element: &Element<'_>) {
        let id = element.attribute("id").unwrap_or_default();
        self.noted.extend(self.notes.remove(&(kind, id)));
    }
}
