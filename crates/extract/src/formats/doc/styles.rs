//! Styles and fonts: the default formats of paragraphs, and the code page of each font.

use crate::formats::codepage;
use crate::formats::compound::short;

use super::format::{CharacterFormat, Paragraph, change_characters, change_paragraph};

/// The longest chain of styles based on each other.
const DEEPEST: usize = 16;

/// How a style formats its paragraph and the characters in it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Style {
    pub paragraph: Paragraph,
    pub letters: CharacterFormat,
}

/// A style as it stands in the table, unresolved.
#[derive(Default)]
struct Entry<'a> {
    base: usize,
    /// Styles 1 to 9 are headings in every version of Word, whatever their names.
    built_in: u16,
    paragraph: &'a [u8],
    letters: &'a [u8],
}

pub fn styles(table: &[u8], old: bool) -> Vec<Style> {
    let header = short(table, 0).map_or(0, usize::from);
    let base_bytes = short(table, 4).map_or(0, usize::from);
    let mut rest = table.get(2 + header..).unwrap_or_default();
    let mut entries = Vec::new();
    while let Some(length) = short(rest, 0) {
        let entry = &rest[2..];
        let entry = &entry[..entry.len().min(usize::from(length))];
        entries.push(parse(entry, base_bytes, old).unwrap_or_default());
        rest = &rest[2 + entry.len()..];
    }
    (0..entries.len()).map(|style| resolve(&entries, style, old)).collect()
}

fn parse(entry: &[u8], base_bytes: usize, old: bool) -> Option<Entry<'_>> {
    let kind_and_base = short(entry, 2)?;
    // Only paragraph styles; character styles add little and have another layout.
    if kind_and_base & 15 != 1 {
        return None;
    }
    let name_bytes = if old {
        2 + usize::from(*entry.get(base_bytes)?)
    } else {
        4 + 2 * usize::from(short(entry, base_bytes)?)
    };
    let mut at = (base_bytes + name_bytes).next_multiple_of(2);
    let mut changes = || {
        let length = usize::from(short(entry, at)?);
        let list = entry.get(at + 2..at + 2 + length)?;
        at = (at + 2 + length).next_multiple_of(2);
        Some(list)
    };
    let paragraph = changes().unwrap_or_default().get(2..).unwrap_or_default();
    let letters = changes().unwrap_or_default();
    Some(Entry {
        base: usize::from(kind_and_base >> 4),
        built_in: short(entry, 0)? & 0xfff,
        paragraph,
        letters,
    })
}

fn resolve(entries: &[Entry<'_>], style: usize, old: bool) -> Style {
    let base = |&at: &usize| entries.get(at).map(|entry| entry.base).filter(|&base| base != 0xfff);
    let chain: Vec<usize> = std::iter::successors(Some(style), base).take(DEEPEST).collect();
    let mut resolved = Style::default();
    for entry in chain.iter().rev().filter_map(|&at| entries.get(at)) {
        change_paragraph(&mut resolved.paragraph, entry.paragraph, old);
        change_characters(&mut resolved.letters, entry.letters, old);
        if (1..=9).contains(&entry.built_in) {
            resolved.paragraph.outline = resolved.paragraph.outline.or(Some(entry.built_in as u8 - 1));
        }
    }
    // Bold and italics of a style are not marked: they belong to the style.
    resolved.letters = CharacterFormat { font: resolved.letters.font, ..CharacterFormat::default() };
    resolved
}

/// The code pages of the fonts, in their order; `None` if the font does not name one.
pub fn font_pages(table: &[u8], old: bool) -> Vec<Option<u16>> {
    let mut rest = table.get(if old { 2 } else { 4 }..).unwrap_or_default();
    let mut pages = Vec::new();
    while let [length, after @ ..] = rest {
        let length = usize::from(*length);
        pages.push(after.get(3).filter(|_| length > 3).and_then(|&charset| codepage::of_charset(charset)));
        rest = after.get(length..).unwrap_or_default();
    }
    pages
}
