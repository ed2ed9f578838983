//! What control words and symbols do.

use std::collections::BTreeMap;

use crate::document::Tag;
use crate::formats::field;

use super::Reader;
use super::state::Destination;

/// Groups without text of the document, besides those marked as optional.
const NO_TEXT: [&str; 49] = [
    "colortbl",
    "filetbl",
    "listtable",
    "listoverridetable",
    "revtbl",
    "rsidtbl",
    "themedata",
    "colorschememapping",
    "datastore",
    "latentstyles",
    "xmlnstbl",
    "header",
    "headerl",
    "headerr",
    "headerf",
    "footer",
    "footerl",
    "footerr",
    "footerf",
    "ftnsep",
    "ftnsepc",
    "ftncn",
    "aftnsep",
    "aftnsepc",
    "aftncn",
    "annotation",
    "atnid",
    "atnauthor",
    "objdata",
    "objclass",
    "objname",
    "nonshppict",
    "nonesttables",
    "nesttableprops",
    "sp",
    "tc",
    "xe",
    "rxe",
    "private",
    "template",
    "operator",
    "company",
    "doccomm",
    "upr",
    "mmathPr",
    "comment",
    "generator",
    "list",
    "listoverride",
];

/// Groups that are read although they are marked as optional.
const READ_THOUGH_OPTIONAL: [&str; 6] = ["shppict", "shpinst", "shptxt", "ud", "fldinst", "moMath"];

/// The moment of `\creatim`, if its year and day are given.
pub fn date(parts: &BTreeMap<&'static str, i32>) -> Option<String> {
    let part = |name| parts.get(name).copied().unwrap_or(0);
    let text = format!(
        "{:04}-{:02}-{:02}T{:02}:{:02}:00",
        part("yr"),
        part("mo"),
        part("dy"),
        part("hr"),
        part("min")
    );
    crate::date::normalise(&text)
}

impl Reader {
    pub fn word(&mut self, word: &str, number: Option<i32>) {
        self.flush();
        let optional = std::mem::take(&mut self.state.optional);
        self.state.fresh = false;
        if self.state.destination == Destination::Skip && word != "ud" {
            return;
        }
        let is_read =
            !optional || READ_THOUGH_OPTIONAL.contains(&word) || self.wants_html && word == "htmltag";
        if !is_read || NO_TEXT.contains(&word) {
            self.state.outside = self.state.destination;
            self.state.destination = Destination::Skip;
            return;
        }
        if word != "u" {
            self.high_surrogate = None;
        }
        if !self.destination(word) && !self.set(word, number) {
            self.sign(word, number);
        }
    }

    pub fn symbol(&mut self, symbol: u8) {
        match symbol {
            // Anywhere else it has no meaning.
            b'*' => self.state.optional = self.state.fresh,
            b'\\' | b'{' | b'}' => self.bytes(&[symbol]),
            b'~' => self.put(" "),
            b'_' => self.put("\u{2011}"),
            b'\r' | b'\n' => self.paragraph(),
            b'\t' => self.put("\t"),
            // An optional hyphen, parts of an index entry, a formula's bounds.
            _ => {}
        }
    }

    /// Words that determine where the group's text goes.
    fn destination(&mut self, word: &str) -> bool {
        let now = self.state.destination;
        let next = match word {
            "fonttbl" => Destination::Fonts,
            "stylesheet" => Destination::Styles,
            "info" => Destination::Info,
            "title" if now == Destination::Info => Destination::Title,
            "author" if now == Destination::Info => Destination::Author,
            "subject" if now == Destination::Info => Destination::Subject,
            "keywords" if now == Destination::Info => Destination::Keywords,
            "creatim" if now == Destination::Info => Destination::Created,
            "ud" => self.state.outside,
            "pict" => {
                self.picture.clear();
                self.half = None;
                self.wanted = false;
                Destination::Picture
            }
            "footnote" => {
                self.notes.push(String::new());
                Destination::Note
            }
            "fldinst" => {
                if now != Destination::FieldCode {
                    self.code.clear();
                }
                Destination::FieldCode
            }
            "fldrslt" => {
                if now == Destination::Text
                    && let Some(link) = field::link(&self.code)
                {
                    self.links.insert(link);
                    self.state.link = true;
                    self.body.open(Tag::Anchor);
                }
                self.code.clear();
                now
            }
            _ => return false,
        };
        self.state.destination = next;
        true
    }

    /// Words that change the format of the following text, or metadata.
    fn set(&mut self, word: &str, number: Option<i32>) -> bool {
        let on = number != Some(0);
        let value = number.unwrap_or(0);
        let state = &mut self.state;
        match word {
            "b" => state.bold = on,
            "i" => state.italic = on,
            "v" => state.hidden = on,
            "deleted" => state.deleted = on,
            "intbl" => state.in_table = true,
            "plain" => {
                (state.bold, state.italic, state.hidden, state.deleted) = (false, false, false, false);
                state.font = self.default_font;
            }
            "pard" => (state.in_table, state.heading) = (false, false),
            "f" if state.destination == Destination::Fonts => self.fonts.current = value,
            "f" => state.font = value,
            "fcharset" => self.fonts.charset(value),
            "cpg" => self.fonts.code_page(value),
            "deff" => (self.default_font, state.font) = (value, value),
            "s" if state.destination == Destination::Styles => self.style = value,
            "s" => state.heading = self.headings.contains(&value),
            "outlinelevel" if state.destination == Destination::Styles => {
                if (0..9).contains(&value) {
                    self.headings.insert(self.style);
                }
            }
            "outlinelevel" => state.heading = (0..9).contains(&value),
            "uc" => state.stand_ins = value.clamp(0, 16) as u32,
            "ansi" => self.page = 1252,
            "mac" => self.page = 10000,
            "pc" => self.page = 437,
            "pca" => self.page = 850,
            "ansicpg" => self.page = u16::try_from(value).ok().filter(|&page| page > 0).unwrap_or(self.page),
            "htmlrtf" => state.not_html = on,
            "pngblip" | "jpegblip" => self.wanted = true,
            "yr" | "mo" | "dy" | "hr" | "min" if state.destination == Destination::Created => {
                let name = ["yr", "mo", "dy", "hr", "min"].into_iter().find(|name| *name == word);
                self.created.extend(name.map(|name| (name, value)));
            }
            _ => return false,
        }
        true
    }

    /// Words that stand for text.
    fn sign(&mut self, word: &str, number: Option<i32>) {
        match word {
            "u" => self.numbered(number.unwrap_or(0)),
            "par" => self.paragraph(),
            "sect" | "page" | "column" => self.paragraph(),
            "line" | "softline" => self.line(),
            "row" | "nestrow" => {
                self.end_heading();
                self.line();
            }
            "cell" | "nestcell" => {
                self.end_heading();
                self.put("\t");
            }
            "tab" | "emspace" | "enspace" | "qmspace" => self.put("\t"),
            "emdash" => self.put("—"),
            "endash" => self.put("–"),
            "lquote" => self.put("‘"),
            "rquote" => self.put("’"),
            "ldblquote" => self.put("“"),
            "rdblquote" => self.put("”"),
            "bullet" => self.put("•"),
            "zwj" => self.put("\u{200d}"),
            "zwnj" => self.put("\u{200c}"),
            _ => {}
        }
    }

    /// A character by its number, which may be half of a surrogate pair.
    fn numbered(&mut self, number: i32) {
        self.passing = self.state.stand_ins;
        // Numbers above 32767 are written as negative ones.
        let unit = number as u32 & if number < 0 { 0xffff } else { 0x1f_ffff };
        let high = self.high_surrogate.take();
        if (0xd800..0xdc00).contains(&unit) {
            self.high_surrogate = Some(unit as u16);
            return;
        }
        let character = match high {
            Some(high) => char::decode_utf16([high, unit as u16]).next().and_then(Result::ok),
            // Characters of symbol fonts are in the private use area.
            None if (0xf020..0xf100).contains(&unit) => Some('•'),
            None => char::from_u32(unit),
        };
        if let Some(character) = character {
            self.put(character.encode_utf8(&mut [0; 4]));
        }
    }

    fn put(&mut self, text: &str) {
        self.flush();
        self.text(text);
    }

    fn paragraph(&mut self) {
        self.flush();
        match self.state.destination {
            Destination::Text if self.wants_html => self.text("\r\n"),
            Destination::Text => {
                self.end_heading();
                if self.state.hidden || self.state.deleted {
                    return;
                }
                if self.state.in_table { self.body.line() } else { self.body.block() }
            }
            Destination::Note => self.text("\n"),
            _ => {}
        }
    }

    fn line(&mut self) {
        self.flush();
        match self.state.destination {
            Destination::Text if self.wants_html => self.text("\r\n"),
            Destination::Text => self.body.line(),
            _ => self.text(" "),
        }
    }

    fn end_heading(&mut self) {
        self.flush();
        if std::mem::take(&mut self.heading) {
            self.body.close(Tag::Heading);
        }
    }
}
