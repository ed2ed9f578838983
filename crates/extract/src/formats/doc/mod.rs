//! Word before 2007: the `WordDocument` stream of a compound file, or the whole file for Word 2.
//!
//! The text is a chain of pieces of the stream (see [`pieces`]); what is hidden, deleted or a
//! heading is told by format pages that go by the stream's offsets (see [`format`]). Headers, footers
//! and comments are left out: they repeat on every page or are not the document's.

mod format;
mod header;
mod list;
mod pieces;
mod styles;
mod text;

use std::borrow::Cow;

use crate::dispatch::{File, Out};
use crate::document::Extracted;
use crate::reason::Reason;

use self::header::{Header, Story, Table};
use self::list::Lists;
use self::text::Text;
use super::codepage;
use super::compound::{self, Compound};

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
    let summary = compound::summary(&compound, out.budget);
    document.title = summary.title;
    document.author = summary.author;
    document.date = summary.date;
    document.fields.extend(summary.subject.map(|subject| ("subject".to_owned(), subject)));
    document.fields.extend(summary.keywords.map(|keywords| ("keywords".to_owned(), keywords)));
    out.document(document)
}

/// The text out of the stream that holds it and the one with the tables, which may be the same.
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
                format::change_letters(&mut run, &piece.changes, old);
                let next = piece.whole_letters(at, run_end.min(paragraph_end)).min(stop);
                let font = run.font.or(style.letters.font).and_then(|font| *fonts.get(usize::from(font))?);
                let page = match (piece.wide, old) {
                    (true, _) => 1200,
                    (false, false) => 1252,
                    (false, true) => font.filter(|&page| page != 1252).unwrap_or(header.page),
                };
                let paragraph = paragraph.over(&style.paragraph);
                text.letters(&codepage::decode(&stream[at..next], page), &run, &paragraph, &mut lists);
                at = next;
            }
        }
        text.end();
    }
    document.links = text.links;
    (document.text, document.marks) = text.body.finish();
    Ok(())
}
