//! The state of a group: where its text goes and how it is formatted.

use std::collections::BTreeMap;

use crate::formats::codepage;

/// Where text goes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Destination {
    #[default]
    Text,
    Skip,
    Note,
    FieldCode,
    Fonts,
    Styles,
    Info,
    Title,
    Subject,
    Author,
    Keywords,
    Created,
    Picture,
}

#[derive(Clone, Copy, Debug, Default)]
pub struct State {
    pub destination: Destination,
    /// The destination before the skipped group.
    pub outside: Destination,
    /// Whether nothing of the group has been read yet.
    pub fresh: bool,
    /// Whether the group began with the mark (`\*`) that allows readers to skip it.
    pub optional: bool,
    pub font: i32,
    /// How many characters replace one that is given by its number.
    pub stand_ins: u32,
    pub bold: bool,
    pub italic: bool,
    pub hidden: bool,
    pub deleted: bool,
    pub in_table: bool,
    pub heading: bool,
    /// Whether the group is the shown text of a link.
    pub link: bool,
    /// For a page wrapped in RTF: whether the content is not the page's own.
    pub not_html: bool,
}

/// Fonts by number, for the code pages of their letters.
#[derive(Default)]
pub struct Fonts {
    pages: BTreeMap<i32, u16>,
    symbols: BTreeMap<i32, ()>,
    /// The font that is being described.
    pub current: i32,
}

impl Fonts {
    pub fn charset(&mut self, charset: i32) {
        match charset {
            2 => drop(self.symbols.insert(self.current, ())),
            // The usual set means the document's; in documents that are not Western, 0 is wrong as often as
            // right.
            0 | 1 => {}
            _ => {
                let page = u8::try_from(charset).ok().and_then(codepage::of_charset);
                self.pages.extend(page.map(|page| (self.current, page)));
            }
        }
    }

    pub fn code_page(&mut self, page: i32) {
        self.pages.extend(u16::try_from(page).ok().filter(|&page| page > 0).map(|page| (self.current, page)));
    }

    pub fn page(&self, font: i32) -> Option<u16> {
        self.pages.get(&font).copied()
    }

    pub fn is_symbol(&self, font: i32) -> bool {
        self.symbols.contains_key(&font)
    }
}
