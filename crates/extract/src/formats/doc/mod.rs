//! Word before 2007: the `WordDocument` stream of a compound file, or the whole file for Word 2.
//!
//! The text is a chain of pieces of the stream (see [`pieces`]). Format pages, which use the stream's
//! offsets, say what is hidden, deleted or a heading (see [`format`]). Headers, footers and comments
//! are left out: they repeat on every page or are not part of the document.

mod format;
mod header;
mod list;
pub mod pictures;
mod pieces;
mod styles;
mod text;

use std::borrow::Cow;

use crate::document::Extracted;
use crate::file::File;
use crate::format::{Format, Sign, Stage};
use crate::kind::{Category, Kind};
use crate::out::Out;
use crate::reason::Reason;

use self::header::{Header, Story, Table};
use self::list::Lists;
use self::text::Text;
use super::codepage;
use super::compound::{self, Compound};

/// The beginning of a Word 2 file, which is older than compound files.
const WORD_2: &[u8] = b"\xdb\xa5\x2d\x00";
const MOST_PICTURES: usize = 64;

pub const FORMAT: Format = Format {
    kind: Kind::Doc,
    category: Category::Word,
    summary: "Word before 2007, back to Word 6",
    signs: &[
        Sign { stage: Stage::Start, recognise: |bytes, _| bytes.starts_with(WORD_2).then_some(Kind::Doc) },
        // One sign for all formats based on compound files.
        Sign { stage: Stage::Directory, recognise: |bytes, _| compound::kind_of(bytes) },
    ],
    read,
    read_stream: None,
};

pub fn read(file: &File<'_>, out: &mut Out<'_>) -> Result<(), Reason> {
    let mut document = Extracted { kind: file.kind, ..Extracted::default() };
    if !file.bytes.starts_with(compound::MAGIC) {
        read_streams(file.bytes, file.bytes, &mut document, out)?;
        return out.document(document);
    }
    let compound = Compound::open(file.bytes)?;
    let stream = compound.root_stream("WordDocument", out.budget)?;
    let stream = stream.ok_or_else(|| Reason::damaged("the text's stream cannot be found"))?;
    let header = Header::read(&stream)?;
    let tables = if header.old {
        Cow::Borrowed(&stream)
    } else {
        let name = if header.second_table { "1Table" } else { "0Table" };
        Cow::Owned(compound.root_stream(name, out.budget)?.unwrap_or_default())
    };
    read_streams(&stream, &tables, &mut document, out)?;
    let data = compound.root_stream("Data", out.budget)?.unwrap_or_default();
    let pictures = pictures::pictures(&data).into_iter().chain(pictures::pictures(&stream));
    document.images = pictures.take(MOST_PICTURES).filter_map(|picture| out.picture(picture)).collect();
    let summary = compound::summary(&compound, out.budget);
    document.title = summary.title;
    document.author = summary.author;
    document.date = summary.date;
    document.fields.extend(summary.subject.map(|subject| ("subject".to_owned(), subject)));
    document.fields.extend(summary.keywords.map(|keywords| ("keywords".to_owned(), keywords)));
    out.document(document)
}

/// Reads the text from its stream and the stream with the tables, which may be the same.
fn read_streams(
    stream: &[u8],
    tables: &[u8],
    document: &mut Extracted,
    out: &mut Out<'_>,
) -> Result<(), Reason> {
    let header = Header::read(stream)?;
    let old = header.old;
    let table = |table| header.table(tables, table);
    let letters = format::letters(stream, table(Table::CharacterPages), old);
    let paragraphs = format::paragraphs(stream, table(Table::ParagraphPages), old);
    let styles = styles::styles(table(Table::Styles), old);
    let fonts = styles::font_pages(table(Table::Fonts), old);
    let pieces = pieces::read(&header, stream, tables);
    let lists = if old { &[] } else { header.table_and_beyond(tables, Table::Lists) };
    let mut lists = Lists::read(lists, if old { &[] } else { table(Table::ListOverrides) });
    let mut text = Text::default();
    for story in [Story::Main, Story::TextBoxes, Story::Footnotes, Story::Endnotes] {
        let (first, end) = header.story(story);
        for piece in pieces.iter().filter(|piece| piece.first < end && piece.end > first) {
            let (mut at, stop) = piece.bytes(first, end, stream.len());
            out.budget.spend(stop.saturating_sub(at) as u64)?;
            while at < stop {
                let (mut run, run_end) = letters.at(at);
                let (paragraph, paragraph_end) = paragraphs.at(at);
                let style = styles.get(usize::from(paragraph.style)).copied().unwrap_or_default();
                format::change_characters(&mut run, piece.changes, old);
                let next = piece.whole_letters(at, run_end.min(paragraph_end)).min(stop);
                let font = run.font.or(style.letters.font).and_then(|font| *fonts.get(usize::from(font))?);
                let old_page = font.filter(|&page| page != 1252).unwrap_or(header.page);
                let letters = &stream[at..next];
                let decoded = match (piece.wide, old) {
                    (true, true) => codepage::decode(&narrowed(letters), old_page),
                    (true, false) => codepage::decode(letters, 1200),
                    (false, true) => codepage::decode(letters, old_page),
                    (false, false) => codepage::decode(letters, 1252),
                };
                text.letters(&decoded, &run, &paragraph.over(&style.paragraph), &mut lists);
                at = next;
                // The numbers of lists are not in the file: they can be longer than all of it.
                if text.body.len() as u64 > out.budget.limits().output_bytes {
                    return Err(Reason::Limit("more text than one document may have".to_owned()));
                }
            }
        }
        text.end();
    }
    document.links = text.links;
    (document.text, document.marks) = text.body.finish();
    Ok(())
}

/// Characters of a code page widened to two bytes; the second is used by characters that need it.
fn narrowed(letters: &[u8]) -> Vec<u8> {
    let mut narrow = Vec::with_capacity(letters.len());
    for &[low, high] in letters.as_chunks::<2>().0 {
        narrow.extend((high >= 0x80).then_some(high));
        narrow.push(low);
    }
    narrow
}

#[cfg(test)]
mod tests;
