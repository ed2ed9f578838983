//! Word and PowerPoint since 2007: a package of XML parts that name one another by relationships.

mod fields;
mod numbering;
pub mod relations;
mod slides;
mod styles;
mod word;

use std::collections::HashMap;

use crate::body::Body;
use crate::budget::Budget;
use crate::date::normalise;
use crate::document::Extracted;
use crate::file::File;
use crate::format::Format;
use crate::kind::{Category, Kind};
use crate::out::Out;
use crate::reason::Reason;

use super::html;
use super::package::Package;
use super::xml_scanner::{Piece, Scanner, text_of};
use numbering::Numbering;
pub use numbering::written;
use relations::Relations;
use styles::Styles;
use word::Word;

pub const DOCX: Format = Format {
    kind: Kind::Docx,
    category: Category::Word,
    summary: "Word: text with notes and tables, headings, links, images",
    signs: &[],
    read: read_docx,
    read_stream: None,
};

pub const PPTX: Format = Format {
    kind: Kind::Pptx,
    category: Category::Slides,
    summary: "PowerPoint: slides with their notes",
    signs: &[],
    read: read_pptx,
    read_stream: None,
};

pub fn read_docx(file: &File<'_>, out: &mut Out<'_>) -> Result<(), Reason> {
    let mut package = Package::open(file.bytes)?;
    let main = main_part(&mut package, "word/document.xml", out.budget)?;
    let source = part(&mut package, &main, out.budget)?.ok_or_else(|| missing(&package, &main))?;
    let relations = Relations::of(&mut package, &main, out.budget)?;
    let mut related = |kind: &str| match relations.first(kind) {
        Some(target) => Ok(part(&mut package, target, out.budget)?.unwrap_or_default()),
        None => Ok(String::new()),
    };
    let styles = Styles::parse(&related("styles")?);
    let mut numbering = Numbering::parse(&related("numbering")?, &styles);
    let (footnotes, endnotes) = (related("footnotes")?, related("endnotes")?);
    let chunks = chunks(&mut package, &relations, out)?;
    let mut word = Word::new(&styles, &mut numbering, &relations);
    word.notes(&footnotes, &endnotes);
    word.chunks(&chunks);
    word.walk(&source);
    let mut document = Extracted { kind: Kind::Docx, ..Extracted::default() };
    let how = word.broken().map(str::to_owned);
    (document.text, document.marks) = word.finish(&mut document.links);
    for (kind, field) in [("header", "header"), ("footer", "footer")] {
        let text = margins(&mut package, &relations, kind, &styles, out.budget)?;
        if !text.is_empty() {
            document.fields.insert(field.to_owned(), text);
        }
    }
    if document.text.is_empty() {
        // A letterhead: its text is in its margins only.
        let margins: Vec<&str> = document.fields.values().map(String::as_str).collect();
        document.text = margins.join("\n\n");
    }
    properties(&mut package, &mut document, out.budget)?;
    package.doubt(&mut document);
    document.images = package.pictures("word/media/", out)?;
    out.damaged_document(document, how)
}

pub fn read_pptx(file: &File<'_>, out: &mut Out<'_>) -> Result<(), Reason> {
    let mut package = Package::open(file.bytes)?;
    let main = main_part(&mut package, "ppt/presentation.xml", out.budget)?;
    let mut document = Extracted { kind: Kind::Pptx, ..Extracted::default() };
    let how = slides::read(&mut package, &main, &mut document, out.budget)?;
    properties(&mut package, &mut document, out.budget)?;
    package.doubt(&mut document);
    document.images = package.pictures("ppt/media/", out)?;
    out.damaged_document(document, how)
}

/// Word's XML in a single file, of 2003 or as a flat package.
pub fn read_flat(source: &str, kind: Kind, out: &mut Out<'_>) -> Result<(), Reason> {
    let styles = Styles::parse(source);
    let mut numbering = Numbering::parse(source, &styles);
    let relations = Relations::default();
    let mut word = Word::new(&styles, &mut numbering, &relations);
    let how = match first_body(source) {
        Some(body) => {
            word.walk(body);
            word.broken().map(str::to_owned)
        }
        None => Some("no body".to_owned()),
    };
    let mut document = Extracted { kind, ..Extracted::default() };
    (document.text, document.marks) = word.finish(&mut document.links);
    describe(source, &mut document);
    out.damaged_document(document, how)
}

/// A part as text; `None` if there is no such part.
pub fn part(package: &mut Package<'_>, name: &str, budget: &mut Budget) -> Result<Option<String>, Reason> {
    Ok(package.read(name, budget)?.map(|bytes| text_of(&bytes).into_owned()))
}

/// The part that the package names as its document, or otherwise the usual one.
pub fn main_part(package: &mut Package<'_>, usual: &str, budget: &mut Budget) -> Result<String, Reason> {
    let named = Relations::of(package, "", budget)?.first("officeDocument").map(str::to_owned);
    Ok(match named {
        Some(named) if package.names().iter().any(|name| name.eq_ignore_ascii_case(&named)) => named,
        _ => usual.to_owned(),
    })
}

fn missing(package: &Package<'_>, main: &str) -> Reason {
    Reason::Damaged(format!("no {main} among its {} parts", package.names().len()))
}

/// Pieces of other formats inside the text, by their parts. Web pages become part of it; others,
/// which are rare, are documents of their own.
fn chunks(
    package: &mut Package<'_>,
    relations: &Relations,
    out: &mut Out<'_>,
) -> Result<HashMap<String, String>, Reason> {
    let mut chunks = HashMap::new();
    for target in relations.all("aFChunk").take(256) {
        let Some(bytes) = package.read(target, out.budget)? else { continue };
        let is_page = target.ends_with("html") || target.ends_with("htm");
        if is_page || out.kind_of(&bytes, target) == Kind::Html {
            chunks.insert(target.to_owned(), html::page(&text_of(&bytes), false).text);
        } else {
            out.member(target, &bytes)?;
        }
    }
    Ok(chunks)
}

/// The content of all headers or all footers, each text once.
fn margins(
    package: &mut Package<'_>,
    relations: &Relations,
    kind: &str,
    styles: &Styles,
    budget: &mut Budget,
) -> Result<String, Reason> {
    let mut texts: Vec<String> = Vec::new();
    for target in relations.all(kind).take(32) {
        let Some(source) = part(package, target, budget)? else { continue };
        let (nothing, mut numbering) = (Relations::default(), Numbering::default());
        let mut word = Word::new(styles, &mut numbering, &nothing);
        word.walk(&source);
        let (text, _) = word.finish(&mut Default::default());
        if !text.is_empty() && !texts.contains(&text) {
            texts.push(text);
        }
    }
    Ok(texts.join("\n\n"))
}

pub fn properties(
    package: &mut Package<'_>,
    document: &mut Extracted,
    budget: &mut Budget,
) -> Result<(), Reason> {
    let target = Relations::of(package, "", budget)?.first("core-properties").map(str::to_owned);
    if let Some(source) = part(package, target.as_deref().unwrap_or("docProps/core.xml"), budget)? {
        describe(&source, document);
    }
    Ok(())
}

/// The properties of a document, as Office and OpenDocument write them.
pub fn describe(source: &str, document: &mut Extracted) {
    const NAMES: [&str; 14] = [
        "title",
        "creator",
        "modified",
        "date",
        "created",
        "creation-date",
        "language",
        "subject",
        "description",
        "keywords",
        "keyword",
        "initial-creator",
        "Title",
        "Author",
    ];
    let mut found: HashMap<String, String> = HashMap::new();
    let mut scanner = Scanner::new(source);
    while let Some(piece) = scanner.next() {
        let Piece::Open(element) = piece else { continue };
        let name = element.name();
        // The body of a flat file follows its properties.
        if name == "body" {
            break;
        }
        if !NAMES.contains(&name) {
            continue;
        }
        let name = name.to_owned();
        let mut body = Body::default();
        body.push(&scanner.content());
        let (text, _) = body.finish();
        if !text.is_empty() {
            let all = found.entry(name).or_default();
            *all += if all.is_empty() { "" } else { ", " };
            *all += &text;
        }
    }
    let mut first = |names: &[&str]| names.iter().find_map(|name| found.remove(*name));
    document.title = first(&["title", "Title"]);
    document.author = first(&["initial-creator", "creator", "Author"]);
    document.language = first(&["language"]);
    document.date = ["modified", "date", "created", "creation-date"]
        .iter()
        .find_map(|name| first(&[name]).as_deref().and_then(normalise));
    for (field, names) in [
        ("subject", &["subject"][..]),
        ("description", &["description"]),
        ("keywords", &["keywords", "keyword"]),
    ] {
        if let Some(text) = first(names) {
            document.fields.insert(field.to_owned(), text);
        }
    }
}

/// The content of the first `body` of a flat file.
pub fn first_body(source: &str) -> Option<&str> {
    let mut scanner = Scanner::new(source);
    while let Some(piece) = scanner.next() {
        if matches!(&piece, Piece::Open(element) if element.name() == "body") {
            let inner = scanner.pass();
            return Some(inner);
        }
    }
    None
}

#[cfg(test)]
mod tests;
