//! Web pages.
//!
//! A page is scanned into tags and text ([`scan`]), these become a flat tree ([`tree`]), and that
//! becomes blocks of text ([`outline`]), of which the main ones are kept ([`select`], [`prune`]) and
//! written ([`write`]). A result that does not fit the page is doubted, and the page is read again in
//! another way ([`reading`], [`judge`]). Metadata comes from its head ([`head`]). Each step is one
//! pass, so the time is proportional to the length of the page, whatever it contains.

mod address;
mod archive;
mod attribute;
mod build;
mod charset;
mod element;
mod head;
mod hints;
mod inline_image;
mod judge;
mod linked_data;
mod outline;
mod prune;
mod reading;
mod scan;
mod select;
mod structure;
mod tag_hints;
mod tree;
mod words;
mod write;

use std::borrow::Cow;

use crate::document::Extracted;
use crate::file::File;
use crate::format::Format;
use crate::kind::{Category, Kind};
use crate::out::Out;
use crate::reason::Reason;

use self::address::Addresses;
use self::element::Element;
use self::head::Head;
use self::outline::Outline;
use self::tree::Tree;
use super::text::{decode, encoding_named};

pub const FORMAT: Format = Format {
    kind: Kind::Html,
    category: Category::Web,
    summary: "Web pages: main content or all, metadata, links, images",
    signs: &[],
    read,
    read_stream: None,
};

pub fn read(file: &File<'_>, out: &mut Out<'_>) -> Result<(), Reason> {
    let mut page = page(&decoded(file.bytes, None), out.options.main);
    if !out.options.images {
        page.images.iter_mut().for_each(|picture| picture.perceptual_hash = None);
        page.images.retain(|picture| picture.source.is_some());
    }
    out.document(page)
}

/// The text of a page in the encoding given from outside, or the one that it declares.
pub fn decoded<'a>(bytes: &'a [u8], sent_as: Option<&str>) -> Cow<'a, str> {
    match sent_as.filter(|label| encoding_named(label).is_some()) {
        Some(label) => decode(bytes, Some(label)),
        None => charset::decode(bytes),
    }
}

/// Reads a decoded page: text and marks, title, author, date, language, links, images (those with
/// an address as sources), metadata. With `main` only its main content. Mail, books and crawls use
/// it, too.
pub fn page(html: &str, main: bool) -> Extracted {
    let tree = Tree::parse(html);
    let outline = Outline::of(&tree);
    let head = Head::of(&tree, &outline);
    let addresses = Addresses::new(head.base.as_deref().or(head.url.as_deref()));
    let reading = if main {
        reading::main_content(&tree, outline, &head, &addresses)
    } else {
        reading::whole(&tree, &outline, &addresses)
    };
    let fields = [
        ("description", head.description),
        ("keywords", head.keywords),
        ("url", head.url),
        ("site", head.site),
    ];
    let fields = fields.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)));
    let mut page = Extracted {
        kind: Kind::Html,
        text: reading.text,
        marks: reading.marks,
        title: head.title,
        author: head.author,
        date: head.date,
        language: head.language,
        fields: fields.collect(),
        links: reading.written.links,
        anchors: reading.written.anchors,
        images: reading.written.images,
        structure: structure::structure(&tree),
        ..Extracted::default()
    };
    reading.headings.into_iter().for_each(|heading| page.add_heading(heading));
    page.head_with_title();
    if let Some(doubt) = reading.doubt.filter(|_| !page.text.is_empty()) {
        page.doubt(doubt.confidence, doubt.why);
    }
    page
}

/// Whether HTML has an element of this name, in lower case.
pub fn is_known_element(name: &str) -> bool {
    Element::named(name.as_bytes()) != Element::Other
}

/// The target of an address in a text that is no page, if it leads to a page or a person.
pub fn link_target(address: &str) -> Option<String> {
    Addresses::default().target(address)
}

#[cfg(test)]
mod tests;
