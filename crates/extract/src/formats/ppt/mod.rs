//! PowerPoint before 2007: the stream `PowerPoint Document` of a compound file.
//!
//! The stream is a heap of records to which every save appends; a directory written by the last save says
//! which of them are current (see [`directory`]). The text of titles and bullets is in a list in the
//! order of the slides; that of other boxes is in the slides themselves, which refer to the list. Notes
//! are pages of their own. Masters are left out: their text belongs to the template.

mod directory;
mod record;
#[cfg(test)]
mod tests;

use crate::body::Body;
use crate::document::{Extracted, Tag};
use crate::file::File;
use crate::format::Format;
use crate::kind::{Category, Kind};
use crate::out::Out;
use crate::reason::Reason;

use self::directory::Directory;
use self::record::{Record, kind, records};
use super::compound::{self, Compound, ROOT, long};
use super::doc::pictures;

const MOST_PICTURES: usize = 64;
/// The most boxes within groups. The format has no limit.
const DEEPEST: usize = 32;

pub const FORMAT: Format = Format {
    kind: Kind::Ppt,
    category: Category::Slides,
    summary: "PowerPoint before 2007, back to PowerPoint 97",
    signs: &[],
    read,
    read_stream: None,
};

pub fn read(file: &File<'_>, out: &mut Out<'_>) -> Result<(), Reason> {
    let compound = Compound::open(file.bytes)?;
    // A file for two versions has the newer one in a separate storage.
    let place = compound.find(ROOT, "PP97_DUALSTORAGE").unwrap_or(ROOT);
    let mut stream = |name: &str| {
        let found = compound.find(place, name).or_else(|| compound.find(ROOT, name));
        found.map(|entry| compound.stream(entry, out.budget)).transpose()
    };
    let main = stream("PowerPoint Document")?;
    let main = main.ok_or_else(|| Reason::damaged("the stream with the slides cannot be found"))?;
    let current = stream("Current User")?.unwrap_or_default();
    let images = stream("Pictures")?.unwrap_or_default();
    let directory = Directory::read(&main, &current)?;
    let mut document = Extracted { kind: file.kind, ..Extracted::default() };
    let mut reader = Reader { body: Body::default(), title: None };
    match &directory {
        Some(directory) => reader.presentation(&main, directory),
        None => reader.heap(&main),
    }
    if reader.body.is_empty() && directory.is_some() {
        // A directory that leads nowhere is as good as none.
        reader.heap(&main);
    }
    document.links = links(&main);
    let title = reader.title.take();
    (document.text, document.marks) = reader.body.finish();
    if directory.is_none() && !document.text.is_empty() {
        document.doubt(0.6, "its directory of slides is lost; all that was ever saved is read");
    }
    if out.options.images {
        let pictures = pictures::pictures(&images).into_iter().take(MOST_PICTURES);
        document.images = pictures.filter_map(|picture| out.picture(picture)).collect();
    }
    let summary = compound::summary(&compound, out.budget);
    document.title = summary.title.or(title);
    document.author = summary.author;
    document.date = summary.date;
    document.fields.extend(summary.subject.map(|subject| ("subject".to_owned(), subject)));
    document.fields.extend(summary.keywords.map(|keywords| ("keywords".to_owned(), keywords)));
    out.document(document)
}

struct Reader {
    body: Body,
    /// The title of the first slide that has one.
    title: Option<String>,
}

/// A text of the list, with its role.
struct Listed<'a> {
    header: Option<u32>,
    text: Record<'a>,
}

/// A page in the list of its kind.
struct Page<'a> {
    reference: u32,
    /// Its number, by which notes name their slide.
    id: u32,
    texts: Vec<Listed<'a>>,
}

impl Reader {
    /// The slides in their order, each with its notes.
    fn presentation(&mut self, main: &[u8], directory: &Directory) {
        let Some(document) = directory.record(main, directory.document) else { return };
        let slides = pages(&document, 0);
        let notes: Vec<(u32, Page<'_>)> = pages(&document, 2)
            .into_iter()
            .filter_map(|page| Some((slide_of_notes(&directory.record(main, page.reference)?)?, page)))
            .collect();
        for slide in &slides {
            self.page(main, directory, slide, kind::SLIDE);
            for (_, page) in notes.iter().filter(|(of, _)| *of == slide.id) {
                self.page(main, directory, page, kind::NOTES);
            }
        }
    }

    fn page(&mut self, main: &[u8], directory: &Directory, page: &Page<'_>, expected: u16) {
        self.body.block();
        let mut used = vec![false; page.texts.len()];
        if let Some(record) = directory.record(main, page.reference).filter(|record| record.kind == expected)
        {
            self.boxes(&record, &page.texts, &mut used, 0);
        }
        // Texts that no box refers to are still shown in the outline.
        for (listed, _) in page.texts.iter().zip(&used).filter(|(_, used)| !**used) {
            self.text(&listed.text, listed.header);
        }
    }

    /// The texts of a page's boxes, in drawing order.
    fn boxes(&mut self, within: &Record<'_>, listed: &[Listed<'_>], used: &mut [bool], depth: usize) {
        if depth > DEEPEST {
            return;
        }
        let mut header = None;
        for record in records(within.data) {
            match record.kind {
                kind::TEXT_HEADER => header = long(record.data, 0),
                kind::TEXT_CHARS | kind::TEXT_BYTES => self.text(&record, header),
                kind::OUTLINE_TEXT_REF => {
                    let at = long(record.data, 0).unwrap_or(u32::MAX) as usize;
                    if let (Some(text), Some(used)) = (listed.get(at), used.get_mut(at)) {
                        *used = true;
                        self.text(&text.text, text.header);
                    }
                }
                _ if record.is_container() || record.kind == kind::CLIENT_TEXTBOX => {
                    self.boxes(&record, listed, used, depth + 1);
                }
                _ => {}
            }
        }
    }

    fn text(&mut self, record: &Record<'_>, header: Option<u32>) {
        let text = record.text();
        // 0 is a title, 6 a centred title.
        let is_title = matches!(header, Some(0 | 6));
        self.body.block();
        if is_title {
            self.body.open(Tag::Heading);
            if self.title.is_none() && !text.trim().is_empty() {
                self.title = Some(text.split_whitespace().collect::<Vec<_>>().join(" "));
            }
        }
        // A star alone stands for a number or a date that is filled in when the slide is shown.
        let paragraphs = text.split(['\r', '\n', '\u{b}']).filter(|paragraph| paragraph.trim() != "*");
        for (number, paragraph) in paragraphs.enumerate() {
            if number > 0 {
                self.body.line();
            }
            self.body.push(paragraph);
        }
        if is_title {
            self.body.close(Tag::Heading);
        }
        self.body.block();
    }

    /// Every slide and every page of notes, whether or not it is in use.
    fn heap(&mut self, main: &[u8]) {
        for record in records(main) {
            match record.kind {
                kind::DOCUMENT => {
                    for listed in pages(&record, 0).iter().flat_map(|page| &page.texts) {
                        self.text(&listed.text, listed.header);
                    }
                }
                kind::SLIDE | kind::NOTES => self.boxes(&record, &[], &mut [], 0),
                _ => {}
            }
        }
    }
}

/// The pages in one of the document's lists: 0 slides, 1 masters, 2 notes.
fn pages<'a>(document: &Record<'a>, list: u16) -> Vec<Page<'a>> {
    let lists = records(document.data)
        .filter(|record| record.kind == kind::SLIDE_LIST && record.instance == list)
        .flat_map(|list| records(list.data));
    let mut pages: Vec<Page<'a>> = Vec::new();
    let mut header = None;
    for record in lists {
        match record.kind {
            kind::SLIDE_PERSIST => {
                let number = |at| long(record.data, at).unwrap_or_default();
                pages.push(Page { reference: number(0), id: number(12), texts: Vec::new() });
            }
            kind::TEXT_HEADER => header = long(record.data, 0),
            kind::TEXT_CHARS | kind::TEXT_BYTES => {
                if let Some(page) = pages.last_mut() {
                    page.texts.push(Listed { header: header.take(), text: record });
                }
            }
            _ => {}
        }
    }
    pages
}

/// The number of the slide that a page of notes belongs to.
fn slide_of_notes(notes: &Record<'_>) -> Option<u32> {
    records(notes.data).find(|record| record.kind == kind::NOTES_ATOM).and_then(|atom| long(atom.data, 0))
}

/// Where links lead, wherever the document keeps them.
fn links(main: &[u8]) -> std::collections::BTreeSet<String> {
    let documents = records(main).filter(|record| record.kind == kind::DOCUMENT);
    let lists = documents.flat_map(|document| records(document.data));
    let links =
        lists.filter(|record| record.kind == kind::EXTERNAL_OBJECTS).flat_map(|list| records(list.data));
    links
        .filter(|record| record.kind == kind::HYPERLINK)
        .flat_map(|link| records(link.data))
        .filter(|record| record.kind == kind::STRING && record.instance == 1)
        .map(|record| record.text())
        .filter(|target| target.starts_with("http://") || target.starts_with("https://"))
        .map(|target| target.split('#').next().unwrap_or_default().to_owned())
        .collect()
}
