//! What holds within a group: where its text goes and how it is set.

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
    /// Where text went before the group that is passed over.
    pub outside: Destination,
    /// Nothing of the group was read yet.
    pub fresh: bool,
    /// The group began with the mark (`\*`) that a reader which does not know it may skip it.
    pub optional: bool,
    pub font: i32,
    /// How many characters stand in for one that is given by its number.
    pub stand_ins: u32,
    pub bold: bool,
    pub italic: bool,
    pub hidden: bool,
    pub deleted: bool,
    pub in_table: bool,
    pub heading: bool,
    /// The group is the shown text of a link.
    pub link: bool,
    /// Of a page that was wrapped in RTF: what is not the page's own.
    pub not_html: bool,
}

/// Fonts by number, for the code pages of their letters.
#[derive(Default)]
pub struct Fonts {
    pages: BTreeMap<i32, u16>,
    symbols: BTreeMap<i32, ()>,
    /// The one being described.
    pub current: i32,
}

impl Fonts {
    pub fn charset(&mut self, charset: i32) {
        match charset {
            2 => drop(self.symbols.insert(self.current, ())),
            // The usual set is the document's; 0 is as often wrong as right in documents that are not Western.
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
