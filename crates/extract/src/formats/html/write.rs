//! From a part of the tree to text, marks, links and images.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ops::Range;

use super::address::Addresses;
use super::attribute::Attributes;
use super::element::Element;
use super::inline_image;
use super::outline::Outline;
use super::tree::Tree;
use crate::body::Body;
use crate::document::{Anchor, Tag};
use crate::picture::Picture;

/// How many images of one document are decoded.
const MOST_IMAGES: usize = 64;
/// How many texts of links are kept of one page.
const MOST_ANCHORS: usize = 1000;
/// Longer ones are teasers, not names.
const LONGEST_ANCHOR: usize = 200;

/// What is written, in the order of the page.
#[derive(Default)]
pub struct Written {
    pub body: Body,
    pub links: BTreeSet<String>,
    pub anchors: Vec<Anchor>,
    pub images: Vec<Picture>,
}

/// Writes the nodes of a range that are not skipped.
pub fn write(tree: &Tree<'_>, outline: &Outline, range: Range<usize>, addresses: &Addresses) -> Written {
    let mut written = Written::default();
    // The link that is open: where its element ends, where it leads, and how long the text before it is.
    let mut link: Option<(usize, String, usize)> = None;
    let mut open: Vec<(usize, Element)> = Vec::new();
    let mut preserved = 0_u32;
    let mut index = range.start;
    // Headings above the part, and then those that are left out of it.
    let mut aside = outline.aside.iter().copied().peekable();
    while let Some(heading) = aside.next_if(|&heading| heading < range.start) {
        written.body.heading_aside(tree.words(heading));
    }
    while index < range.end {
        while let Some(&(end, element)) = open.last()
            && end <= index
        {
            open.pop();
            preserved -= u32::from(is_preserved(element));
            leave(element, &mut written.body);
        }
        if let Some((_, to, from)) = link.take_if(|(end, ..)| *end <= index) {
            written.anchor(to, from);
        }
        if outline.is_skipped(index) {
            index = tree.end(index);
            while let Some(heading) = aside.next_if(|&heading| heading < index) {
                written.body.heading_aside(tree.words(heading));
            }
            continue;
        }
        match tree.element(index) {
            Element::Text => text(tree.source(index), preserved > 0, &mut written.body),
            element => {
                preserved += u32::from(is_preserved(element));
                enter(element, &mut written.body);
                match element {
                    Element::A => {
                        if let Some(target) = addresses.link(tree.source(index)) {
                            link = Some((tree.end(index), target.clone(), written.body.len()));
                            written.links.insert(target);
                        }
                    }
                    Element::Img if written.images.len() < MOST_IMAGES => {
                        written.images.extend(image(tree.source(index), addresses));
                    }
                    _ => {}
                }
                if element.is_block() || mark(element).is_some() {
                    open.push((tree.end(index), element));
                }
            }
        }
        index += 1;
    }
    for (_, element) in open.into_iter().rev() {
        leave(element, &mut written.body);
    }
    if let Some((_, to, from)) = link {
        written.anchor(to, from);
    }
    written
}

impl Written {
    /// Notes the text of a link that has ended.
    fn anchor(&mut self, to: String, from: usize) {
        let text = self.body.written_since(from);
        if self.anchors.len() < MOST_ANCHORS
            && text.contains(char::is_alphanumeric)
            && text.len() <= LONGEST_ANCHOR
        {
            let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
            self.anchors.push(Anchor { to, text });
        }
    }
}

fn is_preserved(element: Element) -> bool {
    matches!(element, Element::Pre | Element::Listing | Element::Xmp)
}

fn mark(element: Element) -> Option<Tag> {
    match element {
        Element::B | Element::Strong => Some(Tag::Bold),
        Element::I | Element::Em => Some(Tag::Italic),
        Element::A => Some(Tag::Anchor),
        heading if heading.is_heading() => Some(Tag::Heading),
        _ => None,
    }
}

fn enter(element: Element, body: &mut Body) {
    gap(element, body);
    if let Some(tag) = mark(element) {
        body.open(tag);
    }
}

fn leave(element: Element, body: &mut Body) {
    if let Some(tag) = mark(element) {
        body.close(tag);
    }
    gap(element, body);
}

/// What separates an element from what is before and after it.
fn gap(element: Element, body: &mut Body) {
    match element {
        Element::Br | Element::Tr | Element::Li | Element::Dt | Element::Dd => body.line(),
        Element::Td | Element::Th => body.push(" "),
        Element::Option | Element::Button | Element::Label | Element::Img => body.push(" "),
        block if block.is_block() => body.block(),
        _ => {}
    }
}

fn text(source: &str, preserved: bool, body: &mut Body) {
    let mut text = match memchr::memchr(b'&', source.as_bytes()) {
        Some(_) => htmlize::unescape(source),
        None => Cow::Borrowed(source),
    };
    // Soft hyphens show where a word may be divided, not that it is.
    if memchr::memmem::find(text.as_bytes(), "\u{ad}".as_bytes()).is_some() {
        text = Cow::Owned(text.replace('\u{ad}', ""));
    }
    if !preserved {
        body.push(&text);
        return;
    }
    for (number, line) in text.split('\n').enumerate() {
        if number > 0 {
            body.line();
        }
        body.push(line);
    }
}

fn image(tag: &str, addresses: &Addresses) -> Option<Picture> {
    let mut picture = Picture::default();
    let (mut source, mut lazy) = (None, None);
    for (name, value) in Attributes::of(tag) {
        match name.to_ascii_lowercase().as_str() {
            "src" => source = Some(value),
            "data-src" | "data-original" | "data-lazy-src" => lazy = Some(value),
            "width" => picture.width = pixels(value),
            "height" => picture.height = pixels(value),
            _ => {}
        }
    }
    // An image of one pixel counts visitors.
    if picture.width == 1 || picture.height == 1 {
        return None;
    }
    // An image that loads later replaces the one given here.
    let source = lazy.or(source)?;
    if source.trim_start().get(..5).is_some_and(|start| start.eq_ignore_ascii_case("data:")) {
        return inline_image::decode(source).and_then(|bytes| crate::picture::read_picture(&bytes));
    }
    picture.source = addresses.image(source);
    picture.source.is_some().then_some(picture)
}

fn pixels(value: &str) -> u32 {
    value.trim().trim_end_matches("px").parse().unwrap_or(0)
}
