//! OpenDocument texts, presentations and spreadsheets, packed or as one flat file.
//!
//! A spreadsheet is read as its tables: its cells contain the text they show, so nothing has to be
//! computed, and cells that are only repeated over a large range cost nothing.

mod lists;
mod styles;
mod walk;

use memchr::memmem;

use crate::body::Body;
use crate::document::Extracted;
use crate::file::File;
use crate::format::Format;
use crate::kind::{Category, Kind};
use crate::out::Out;
use crate::reason::Reason;

use super::office::{describe, first_body};
use super::package::Package;
use super::xml_scanner::{Piece, Scanner, text_of};
use styles::Styles;
use walk::Walk;

pub const ODT: Format = Format {
    kind: Kind::Odt,
    category: Category::Word,
    summary: "OpenDocument text",
    signs: &[],
    read,
    read_stream: None,
};

pub const ODP: Format = Format {
    kind: Kind::Odp,
    category: Category::Slides,
    summary: "OpenDocument presentation",
    signs: &[],
    read,
    read_stream: None,
};

pub const ODS: Format = Format {
    kind: Kind::Ods,
    category: Category::Sheet,
    summary: "OpenDocument spreadsheet",
    signs: &[],
    read,
    read_stream: None,
};

pub fn read(file: &File<'_>, out: &mut Out<'_>) -> Result<(), Reason> {
    let mut package = Package::open(file.bytes)?;
    let mut part = |name: &str| -> Result<String, Reason> {
        Ok(package.read(name, out.budget)?.map(|bytes| text_of(&bytes).into_owned()).unwrap_or_default())
    };
    if is_encrypted(&part("META-INF/manifest.xml")?) {
        return Err(Reason::Encrypted);
    }
    let (content, styles, meta) = (part("content.xml")?, part("styles.xml")?, part("meta.xml")?);
    if content.is_empty() {
        return Err(Reason::Damaged("no content.xml in it".to_owned()));
    }
    let mut document = Extracted { kind: file.kind, ..Extracted::default() };
    let how = fill(&mut document, &content, &[&styles, &content], &styles);
    describe(&meta, &mut document);
    package.doubt(&mut document);
    document.images = package.pictures("Pictures/", out)?;
    out.damaged_document(document, how)
}

/// A document in one XML file (`.fodt`, `.fodp`, `.fods`).
pub fn read_flat(source: &str, kind: Kind, out: &mut Out<'_>) -> Result<(), Reason> {
    let mut document = Extracted { kind, ..Extracted::default() };
    let how = fill(&mut document, source, &[source], source);
    describe(source, &mut document);
    out.damaged_document(document, how)
}

/// Whether the manifest says that a member is encrypted: then all important ones are.
fn is_encrypted(manifest: &str) -> bool {
    memmem::find(manifest.as_bytes(), b"encryption-data").is_some()
}

/// Reads text, marks, links and margins; returns the violation of XML's rules, if there is one.
fn fill(document: &mut Extracted, content: &str, styled: &[&str], pages: &str) -> Option<String> {
    let mut styles = Styles::default();
    styled.iter().for_each(|source| styles.take(source));
    let mut walk = Walk::new(&styles);
    let how = match first_body(content) {
        Some(body) => walk.walk(body),
        None => Some("no body".to_owned()),
    };
    (document.text, document.marks) = walk.finish(&mut document.links);
    for (element, field) in [("header", "header"), ("footer", "footer")] {
        let text = margins(pages, element, &styles);
        if !text.is_empty() {
            document.fields.insert(field.to_owned(), text);
        }
    }
    if document.text.is_empty() {
        // A letterhead: its text is in its margins only.
        let margins: Vec<&str> = document.fields.values().map(String::as_str).collect();
        document.text = margins.join("\n\n");
    }
    how
}

/// The content of all headers or all footers, each text once.
fn margins(source: &str, wanted: &str, styles: &Styles) -> String {
    let mut texts: Vec<String> = Vec::new();
    let mut scanner = Scanner::new(source);
    while let Some(piece) = scanner.next() {
        let Piece::Open(element) = piece else { continue };
        let name = element.name();
        if name == "body" {
            scanner.pass();
            continue;
        }
        if name != wanted
            && name.strip_suffix("-left") != Some(wanted)
            && name.strip_suffix("-first") != Some(wanted)
        {
            continue;
        }
        let inner = scanner.pass();
        let mut walk = Walk::new(styles);
        walk.walk(inner);
        let (text, _) = walk.finish(&mut Default::default());
        if !text.is_empty() && texts.len() < 32 && !texts.contains(&text) {
            texts.push(text);
        }
    }
    let mut body = Body::default();
    texts.iter().for_each(|text| {
        body.lines(text);
        body.block();
    });
    body.finish().0
}

#[cfg(test)]
mod tests;
