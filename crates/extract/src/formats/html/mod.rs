//! Web pages.
//!
//! A page is scanned into tags and text ([`scan`]), those into a flat tree ([`tree`]), and that into
//! blocks of text ([`outline`]), of which the main ones are kept ([`select`], [`prune`]) and written
//! ([`write`]). What the page says about itself comes from its head ([`head`]). Each step is one pass,
//! so a page takes time in proportion to its length, whatever is in it.

mod address;
mod attribute;
mod build;
mod charset;
mod element;
mod head;
mod hint;
mod inline_image;
mod linked_data;
mod outline;
mod prune;
mod scan;
mod select;
mod structure;
mod tree;
mod words;
mod write;

use std::borrow::Cow;

use crate::body::Body;
use crate::dispatch::{File, Out};
use crate::document::Extracted;
use crate::kind::Kind;
use crate::reason::Reason;

use self::address::Addresses;
use self::element::Element;
use self::head::Head;
use self::outline::Outline;
use self::tree::Tree;
use super::text::{decode, encoding_named};

pub fn read(file: &File<'_>, out: &mut Out<'_>) -> Result<(), Reason> {
    let mut page = page(&decoded(file.bytes, None), out.options.main);
    if !out.options.images {
        page.images.iter_mut().for_each(|picture| picture.look = None);
        page.images.retain(|picture| picture.source.is_some());
    }
    out.document(page)
}

/// The text of a page in the encoding that came with it, or the one that it names itself.
pub fn decoded<'a>(bytes: &'a [u8], sent_as: Option<&str>) -> Cow<'a, str> {
    match sent_as.filter(|label| encoding_named(label).is_some()) {
        Some(label) => decode(bytes, Some(label)),
        None => charset::decode(bytes),
    }
}

/// Reads a page that is decoded already: text and marks, title, author, date, language, links,
/// images (those by address as sources), metadata. With `main` only its main content. Mail, books
/// and crawls use it too.
pub fn page(html: &str, main: bool) -> Extracted {
    let tree = Tree::parse(html);
    let mut outline = Outline::of(&tree);
    let mut head = Head::of(&tree, &outline);
    let root = if main { select::main_part(&tree, &mut outline, &head) } else { 0 };
    let addresses = Addresses::new(head.base.as_deref().or(head.url.as_deref()));
    let mut written = write::write(&tree, &outline, root..tree.end(root), &addresses);
    if main && let Some(article) = head.article.take().filter(|article| is_missing(article, &written.body)) {
        written.body = body_of(&article);
    }
    let (text, marks) = written.body.finish();
    let fields = [
        ("description", head.description),
        ("keywords", head.keywords),
        ("url", head.url),
        ("site", head.site),
    ];
    let fields = fields.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)));
    Extracted {
        kind: Kind::Html,
        text,
        marks,
        title: head.title,
        author: head.author,
        date: head.date,
        language: head.language,
        fields: fields.collect(),
        links: written.links,
        images: written.images,
        structure: structure::structure(&tree),
        ..Extracted::default()
    }
}

/// Whether the article that a page hands to search engines is not to be found in the page, since a
/// script would have to put it there.
fn is_missing(article: &str, found: &Body) -> bool {
    article.len() >= 500 && article.len() > 3 * found.len()
}

/// The text of such an article, which some write as HTML.
fn body_of(article: &str) -> Body {
    let mut body = Body::default();
    if article.contains("</") {
        body.lines(&page(article, false).text);
    } else {
        body.lines(article);
    }
    body
}

/// Whether HTML has an element of this name, in lower case.
pub fn is_known_element(name: &str) -> bool {
    Element::named(name.as_bytes()) != Element::Other
}

/// An address in a text that is no page, if it leads to a page or a person.
pub fn link_target(address: &str) -> Option<String> {
    Addresses::default().target(address)
}

#[cfg(test)]
mod tests;
