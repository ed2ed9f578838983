//! Word before 2007: the `WordDocument` stream of a compound file, or the whole file for Word 2.
//!
//! The text is a chain of pieces of the stream (see [`pieces`]); what is hidden, deleted or a
//! heading is told by format pages that go by the stream's offsets (see [`format`]). Headers, footers
//! and comments are left out: they repeat on every page or are not the document's.

mod format;
mod header;
mod pieces;
mod story;

use std::borrow::Cow;

use crate::dispatch::{File, Out};
use crate::document::Extracted;
use crate::reason::Reason;

use self::header::{Header, Table};
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

fn read_streams(stream: &[u8], tables: &[u8], document: &mut Extracted, out: &mut Out<'_>) -> Result<(), Reason> {
    let header = Header::read(stream)?;
    let pieces = pieces::read(&header, stream, tables);
    let letters = format::letters(stream, header.table(tables, Table::CharacterPages), header.old);
    let paragraphs = format::paragraphs(stream, header.table(tables, Table::ParagraphPages), header.old);
    let page = codepage::of_language(header.language);
    let mut story = story::Story::default();
    for which in [header::Story::Main, header::Story::TextBoxes, header::Story::Footnotes, header::Story::Endnotes] {
        let (first, end) = header.story(which);
        for piece in pieces.iter().filter(|piece| piece.first < end && piece.end > first) {
            let width = if piece.wide { 2 } else { 1 };
            let place = |letter: u32| {
                let letters = letter.clamp(piece.first, piece.end) - piece.first;
                (piece.offset + letters as usize * width).min(stream.len())
            };
            let (mut at, stop) = (place(first), place(end));
            out.budget.spend(stop.saturating_sub(at) as u64)?;
            while at < stop {
                let (mut run, run_end) = letters.at(at);
                let (paragraph, paragraph_end) = paragraphs.at(at);
                let next = run_end.min(paragraph_end).min(stop);
                // Wide letters are not cut in two.
                let next = (at + (next - at).next_multiple_of(width)).min(stop);
                let text = codepage::decode(&stream[at..next], if piece.wide { 1200 } else if header.old { page } else { 1252 });
                format::change_letters(&mut run, &piece.changes, header.old);
                let is_heading = (1..=9).contains(&paragraph.style) || paragraph.outline.is_some_and(|level| level < 9);
                story.letters(&text, &run, &paragraph, is_heading, &mut String::new);
                at = next;
            }
        }
        story.end();
    }
    document.links = story.links;
    (document.text, document.marks) = story.body.finish();
    Ok(())
}
