//! From characters with their formats to text: paragraphs, cells, fields, notes.

use std::collections::BTreeSet;

use crate::body::Body;
use crate::document::Tag;
use crate::formats::field;

use super::format::{CharacterFormat, Paragraph};
use super::list::Lists;

/// The longest code of a field; a longer one has lost its end.
const LONGEST_CODE: usize = 4096;
const DEEPEST_FIELD: usize = 64;

#[derive(Default)]
pub struct Text {
    pub body: Body,
    pub links: BTreeSet<String>,
    fields: Vec<Field>,
    /// How many open fields are still in their code.
    in_code: usize,
    bold: bool,
    italic: bool,
    heading: bool,
    /// Whether the paragraph has begun.
    begun: bool,
}

#[derive(Default)]
struct Field {
    code: String,
    /// Whether the code is over and the result, which is shown, has begun.
    shown: bool,
    is_link: bool,
}

impl Text {
    /// Adds characters of one format; a paragraph of a list is counted.
    pub fn letters(
        &mut self,
        text: &str,
        letters: &CharacterFormat,
        paragraph: &Paragraph,
        lists: &mut Lists,
    ) {
        if letters.unseen && !text.contains(['\u{13}', '\u{14}', '\u{15}']) {
            return;
        }
        let mut rest = text;
        while !rest.is_empty() {
            let end = rest.find(is_control).unwrap_or(rest.len());
            if end > 0 {
                self.begin(paragraph, lists);
                self.mark(letters);
                self.text(&rest[..end], letters);
            }
            let mut after = rest[end..].chars();
            if let Some(control) = after.next() {
                self.control(control, letters, paragraph, lists);
            }
            rest = after.as_str();
        }
    }

    /// Ends a story; fields do not reach into the next.
    pub fn end(&mut self) {
        while self.fields.pop().is_some_and(|field| field.is_link) {
            self.body.close(Tag::Anchor);
        }
        self.fields.clear();
        self.in_code = 0;
        self.end_paragraph();
        self.mark(&CharacterFormat::default());
        self.body.block();
    }

    fn begin(&mut self, paragraph: &Paragraph, lists: &mut Lists) {
        if self.begun || self.in_code > 0 {
            return;
        }
        self.begun = true;
        if paragraph.is_heading() {
            self.heading = true;
            self.body.open(Tag::Heading);
        }
        if let Some(list) = paragraph.list.filter(|&list| list > 0) {
            self.body.push(&lists.label(list, paragraph.list_level.unwrap_or(0)));
            self.body.push(" ");
        }
    }

    fn text(&mut self, text: &str, letters: &CharacterFormat) {
        if self.in_code > 0 {
            // The code of the innermost field that is not shown yet; results within it belong to it.
            if let Some(field) = self.fields.iter_mut().rev().find(|field| !field.shown)
                && field.code.len() < LONGEST_CODE
            {
                field.code.push_str(text);
            }
            return;
        }
        match letters.symbol {
            Some(symbol) => self.body.push(&symbol_text(symbol)),
            None => self.body.push(text),
        }
    }

    fn control(
        &mut self,
        control: char,
        letters: &CharacterFormat,
        paragraph: &Paragraph,
        lists: &mut Lists,
    ) {
        match control {
            // Fields that are nested deeper than in any real document are not tracked separately.
            '\u{13}' if self.fields.len() >= DEEPEST_FIELD => {}
            '\u{13}' => {
                self.fields.push(Field::default());
                self.in_code += 1;
            }
            '\u{14}' => self.show_field(),
            '\u{15}' => self.end_field(),
            _ if self.in_code > 0 || letters.unseen => {}
            '\r' => {
                // A list paragraph has its number even if it has no words.
                self.begin(paragraph, lists);
                self.end_paragraph();
                if paragraph.in_table { self.body.line() } else { self.body.block() }
            }
            '\u{7}' => {
                self.begin(paragraph, lists);
                self.end_paragraph();
                if paragraph.ends_row { self.body.line() } else { self.body.push("\t") }
            }
            '\u{c}' | '\u{e}' => {
                self.end_paragraph();
                self.body.block();
            }
            '\u{b}' => self.body.line(),
            '\t' => self.body.push("\t"),
            '\u{1e}' => {
                self.begin(paragraph, lists);
                self.body.push("\u{2011}");
            }
            _ => {}
        }
    }

    fn show_field(&mut self) {
        let Some(field) = self.fields.last_mut().filter(|field| !field.shown) else { return };
        field.shown = true;
        self.in_code -= 1;
        if let Some(link) = field::link(&field.code) {
            field.is_link = true;
            self.links.insert(link);
            self.body.open(Tag::Anchor);
        }
    }

    fn end_field(&mut self) {
        let Some(field) = self.fields.pop() else { return };
        if !field.shown {
            self.in_code -= 1;
        }
        if field.is_link {
            self.body.close(Tag::Anchor);
        }
    }

    fn end_paragraph(&mut self) {
        self.begun = false;
        if std::mem::take(&mut self.heading) {
            self.body.close(Tag::Heading);
        }
    }

    fn mark(&mut self, letters: &CharacterFormat) {
        for (now, wanted, tag) in
            [(&mut self.bold, letters.bold, Tag::Bold), (&mut self.italic, letters.italic, Tag::Italic)]
        {
            if *now != wanted {
                *now = wanted;
                if wanted { self.body.open(tag) } else { self.body.close(tag) }
            }
        }
    }
}

/// Characters that Word uses as signs; a soft hyphen is not part of the word.
fn is_control(character: char) -> bool {
    character < ' ' || character == '\u{1f}' || character == '\u{ad}'
}

/// Characters of symbol fonts are in the private use area; it is not known which sign they show.
fn symbol_text(symbol: u16) -> String {
    match char::from_u32(u32::from(symbol)) {
        Some(character) if !(0xe000..=0xf8ff).contains(&symbol) => character.to_string(),
        _ => "•".to_owned(),
    }
}
