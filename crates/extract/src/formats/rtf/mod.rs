//! Rich Text Format, and the web pages that Outlook wraps in it.
//!
//! Uses a stack of groups instead of recursion. The first control word of a group determines what it
//! holds, and groups that are not text (fonts, pictures, headers, optional ones) are skipped. The
//! numbers of lists are in the file itself. Headers, footers and comments are left out, and notes
//! follow the text, as with Word's other formats.

mod control;
mod state;
mod token;

use std::collections::{BTreeMap, BTreeSet};

use crate::body::Body;
use crate::document::{Extracted, Tag};
use crate::file::File;
use crate::format::{Format, Sign, Stage};
use crate::kind::{Category, Kind};
use crate::out::Out;
use crate::picture::Picture;
use crate::reason::Reason;

use self::state::{Destination, Fonts, State};
use self::token::{Token, Tokens};
use super::codepage;

/// The most groups within groups; deeper ones are only counted.
const DEEPEST: usize = 10_000;
const MOST_PICTURES: usize = 64;
/// How much of a field's code or a title is kept.
const LONGEST_SNIPPET: usize = 4096;

/// How far the beginning is searched after other text.
const SEARCHED: usize = 4096;

pub const FORMAT: Format = Format {
    kind: Kind::Rtf,
    category: Category::Word,
    summary: "Rich Text Format",
    signs: &[
        Sign { stage: Stage::Start, recognise: |bytes, _| bytes.starts_with(b"{\\rtf").then_some(Kind::Rtf) },
        Sign {
            stage: Stage::BehindText,
            recognise: |bytes, _| is_behind_other_text(bytes).then_some(Kind::Rtf),
        },
    ],
    read,
    read_stream: None,
};

/// Whether the beginning follows other text; then it must be at the start of a line.
pub fn is_behind_other_text(bytes: &[u8]) -> bool {
    start(bytes).is_some()
}

fn start(bytes: &[u8]) -> Option<usize> {
    let head = &bytes[..bytes.len().min(SEARCHED)];
    memchr::memmem::find_iter(head, b"{\\rtf1")
        .find(|&at| head[..at].trim_ascii_start().is_empty() || matches!(head[at - 1], b'\n' | b'\r' | 0xbf))
}

pub fn read(file: &File<'_>, out: &mut Out<'_>) -> Result<(), Reason> {
    let document = document(&file.bytes[start(file.bytes).unwrap_or(0)..], out);
    out.document(Extracted { kind: file.kind, ..document })
}

/// Reads text, links, pictures and metadata of RTF, which may come from a message.
pub fn document(bytes: &[u8], out: &Out<'_>) -> Extracted {
    let mut reader = Reader::new(false);
    reader.read(bytes, &|picture| out.picture(picture));
    let notes = std::mem::take(&mut reader.notes);
    for note in notes.iter().filter(|note| !note.trim().is_empty()) {
        reader.body.block();
        reader.body.lines(note);
    }
    let snippet = |text: &str| Some(text.trim().to_owned()).filter(|text| !text.is_empty());
    let (text, marks) = reader.body.finish();
    let mut document = Extracted { kind: Kind::Rtf, text, marks, ..Extracted::default() };
    document.title = snippet(&reader.title);
    document.author = snippet(&reader.author);
    document.date = control::date(&reader.created);
    for (name, text) in [("subject", &reader.subject), ("keywords", &reader.keywords)] {
        document.fields.extend(snippet(text).map(|text| (name.to_owned(), text)));
    }
    document.links = reader.links;
    document.images = reader.images;
    document
}

/// The page that Outlook wrapped, if it did.
pub fn html_within(bytes: &[u8]) -> Option<String> {
    memchr::memmem::find(&bytes[..bytes.len().min(4096)], b"\\fromhtml")?;
    let mut reader = Reader::new(true);
    reader.read(bytes, &|_| None);
    Some(reader.html).filter(|html| !html.trim().is_empty())
}

/// Decodes pictures.
type DecodePicture<'a> = &'a dyn Fn(&[u8]) -> Option<Picture>;

struct Reader {
    state: State,
    stack: Vec<State>,
    /// How many groups are open beyond the deepest that is kept.
    too_deep: usize,
    fonts: Fonts,
    /// Outline levels of styles that are headings.
    headings: BTreeSet<i32>,
    style: i32,
    page: u16,
    default_font: i32,
    /// Characters that are not decoded yet, and their code page.
    pending: Vec<u8>,
    pending_page: u16,
    high_surrogate: Option<u16>,
    /// How many characters to skip after one that was given by its number.
    passing: u32,
    body: Body,
    bold: bool,
    italic: bool,
    heading: bool,
    notes: Vec<String>,
    code: String,
    links: BTreeSet<String>,
    title: String,
    author: String,
    subject: String,
    keywords: String,
    created: BTreeMap<&'static str, i32>,
    picture: Vec<u8>,
    /// Whether the picture's data can be decoded.
    wanted: bool,
    half: Option<u8>,
    images: Vec<Picture>,
    wants_html: bool,
    html: String,
}

impl Reader {
    fn new(wants_html: bool) -> Self {
        Reader {
            state: State { stand_ins: 1, ..State::default() },
            stack: Vec::new(),
            too_deep: 0,
            fonts: Fonts::default(),
            headings: BTreeSet::new(),
            style: 0,
            page: 1252,
            default_font: 0,
            pending: Vec::new(),
            pending_page: 1252,
            high_surrogate: None,
            passing: 0,
            body: Body::default(),
            bold: false,
            italic: false,
            heading: false,
            notes: Vec::new(),
            code: String::new(),
            links: BTreeSet::new(),
            title: String::new(),
            author: String::new(),
            subject: String::new(),
            keywords: String::new(),
            created: BTreeMap::new(),
            picture: Vec::new(),
            wanted: false,
            half: None,
            images: Vec::new(),
            wants_html,
            html: String::new(),
        }
    }

    fn read(&mut self, bytes: &[u8], decode: DecodePicture<'_>) {
        for token in Tokens::new(bytes) {
            match token {
                Token::Open => self.open(),
                Token::Close => {
                    self.close(decode);
                    // Content after the document does not belong to it.
                    if self.stack.is_empty() {
                        break;
                    }
                }
                Token::Text(text) => self.bytes(text),
                Token::Hex(byte) => self.bytes(&[byte]),
                // The replacement of a character may be a control word.
                Token::Word(_, _) | Token::Symbol(_) | Token::Binary(_) if self.passing > 0 => {
                    self.passing -= 1
                }
                Token::Word(word, number) => self.word(word, number),
                Token::Symbol(symbol) => self.symbol(symbol),
                Token::Binary(data) => {
                    if self.state.destination == Destination::Picture && self.wanted {
                        self.picture.extend_from_slice(data);
                    }
                }
            }
        }
        self.flush();
        while !self.stack.is_empty() {
            self.close(decode);
        }
    }

    fn open(&mut self) {
        self.flush();
        self.passing = 0;
        if self.stack.len() < DEEPEST {
            self.stack.push(self.state);
        } else {
            self.too_deep += 1;
        }
        self.state.link = false;
        self.state.optional = false;
        self.state.fresh = true;
    }

    fn close(&mut self, decode: DecodePicture<'_>) {
        self.flush();
        self.passing = 0;
        if self.too_deep > 0 {
            self.too_deep -= 1;
            return;
        }
        let Some(outer) = self.stack.pop() else { return };
        let inner = std::mem::replace(&mut self.state, outer);
        if inner.link {
            self.body.close(Tag::Anchor);
        }
        if inner.destination == Destination::Picture && outer.destination != Destination::Picture {
            let picture = std::mem::take(&mut self.picture);
            if !picture.is_empty() && self.images.len() < MOST_PICTURES {
                self.images.extend(decode(&picture));
            }
            self.wanted = false;
        }
    }

    /// Letters in the code page of their font.
    fn bytes(&mut self, text: &[u8]) {
        let passed = (self.passing as usize).min(text.len());
        self.passing -= passed as u32;
        let text = &text[passed..];
        self.state.fresh = false;
        match self.state.destination {
            Destination::Skip | Destination::Info | Destination::Created | Destination::Fonts => {}
            Destination::Picture => self.picture_digits(text),
            _ if text.is_empty() => {}
            _ => {
                self.high_surrogate = None;
                let page = self.fonts.page(self.state.font).unwrap_or(self.page);
                if page != self.pending_page {
                    self.flush();
                    self.pending_page = page;
                }
                self.pending.extend_from_slice(text);
            }
        }
    }

    fn picture_digits(&mut self, text: &[u8]) {
        if !self.wanted {
            return;
        }
        for digit in text.iter().filter_map(|&byte| char::from(byte).to_digit(16)) {
            match self.half.take() {
                None => self.half = Some(digit as u8),
                Some(high) => self.picture.push(16 * high + digit as u8),
            }
        }
    }

    /// Decodes the waiting characters and writes them.
    fn flush(&mut self) {
        if self.pending.is_empty() {
            return;
        }
        let bytes = std::mem::take(&mut self.pending);
        let text = if self.fonts.is_symbol(self.state.font) && self.state.destination == Destination::Text {
            // It is unknown which signs a symbol font shows; ASCII characters may well be text.
            String::from_utf8_lossy(&bytes).replace('\u{fffd}', "•")
        } else {
            codepage::decode(&bytes, self.pending_page)
        };
        self.text(&text);
        self.pending = bytes;
        self.pending.clear();
    }

    /// Writes text to its destination.
    fn text(&mut self, text: &str) {
        if self.wants_html {
            if self.state.destination == Destination::Text && !self.state.not_html {
                self.html.push_str(text);
            }
            return;
        }
        let snippet = match self.state.destination {
            Destination::Text => return self.shown(text),
            Destination::Note => {
                if let Some(note) =
                    self.notes.last_mut().filter(|_| !self.state.hidden && !self.state.deleted)
                {
                    note.push_str(text);
                }
                return;
            }
            Destination::FieldCode => &mut self.code,
            Destination::Title => &mut self.title,
            Destination::Author => &mut self.author,
            Destination::Subject => &mut self.subject,
            Destination::Keywords => &mut self.keywords,
            _ => return,
        };
        if snippet.len() < LONGEST_SNIPPET {
            snippet.push_str(text);
        }
    }

    fn shown(&mut self, text: &str) {
        if self.state.hidden || self.state.deleted {
            return;
        }
        if self.state.heading && !self.heading && !text.trim().is_empty() {
            self.heading = true;
            self.body.open(Tag::Heading);
        }
        for (now, wanted, tag) in
            [(&mut self.bold, self.state.bold, Tag::Bold), (&mut self.italic, self.state.italic, Tag::Italic)]
        {
            if *now != wanted {
                *now = wanted;
                if wanted { self.body.open(tag) } else { self.body.close(tag) }
            }
        }
        self.body.push(text);
    }
}

#[cfg(test)]
mod tests;
