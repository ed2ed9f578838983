//! Reads the main content of a page, judges the result, and reads the page again in another way if
//! the doubt is strong.
//!
//! First the main part is searched ([`select`]). If it does not fit the page ([`judge`]), the page is
//! read as its author marked it (`articleBody`), as a script would show it, without captions, or from
//! its data for search engines. The reading with the least doubt is taken, together with its doubt:
//! so a page that cannot be read is known as such.

use std::ops::Range;

use super::address::Addresses;
use super::head::Head;
use super::hints::Hints;
use super::judge::{self, Doubt, Evidence};
use super::outline::{Block, Outline};
use super::select;
use super::tree::Tree;
use super::write::{self, Written};
use crate::body::Body;
use crate::document::{Heading, Mark};

/// How much longer other content of a page must be to be tried.
const MUCH: usize = 3;
/// Shorter texts for search engines are summaries.
const LEAST_ARTICLE: usize = 500;

/// A text, and what speaks against it.
pub struct Reading {
    pub text: String,
    pub marks: Vec<Mark>,
    /// Headings that are left out of the text.
    pub headings: Vec<Heading>,
    pub written: Written,
    pub doubt: Option<Doubt>,
    letters: usize,
}

impl Reading {
    fn new(mut written: Written) -> Reading {
        let headings = written.body.take_headings();
        let (text, marks) = std::mem::take(&mut written.body).finish();
        let letters = judge::letters(&text);
        Reading { text, marks, headings, written, doubt: None, letters }
    }

    fn confidence(&self) -> f64 {
        self.doubt.as_ref().map_or(1.0, |doubt| doubt.confidence)
    }
}

/// The whole page, without a doubt.
pub fn whole(tree: &Tree<'_>, outline: &Outline, addresses: &Addresses) -> Reading {
    Reading::new(write::write(tree, outline, 0..tree.end(0), addresses))
}

/// The main content, read in the way that fits the page best.
pub fn main_content(tree: &Tree<'_>, mut outline: Outline, head: &Head, addresses: &Addresses) -> Reading {
    let visible = outline.blocks.iter().map(|block| block.letters as usize).sum();
    let shown = outline.skipped.clone();
    let bodies = own_bodies(tree, &outline);
    let root = select::main_part(tree, &mut outline, head);
    let first = read(tree, &outline, root..tree.end(root), addresses);
    let article = head.article.as_deref().map(|article| (article, judge::letters(article)));
    let is_long = |letters: usize| letters > MUCH * first.letters;
    let more = Others {
        body: is_long(bodies as usize),
        hidden: is_long(outline.hidden_prose as usize),
        article: article.is_some_and(|(text, letters)| text.len() >= LEAST_ARTICLE && is_long(letters)),
    };
    let mut evidence = Evidence { visible, own_body: 0 };
    let mut readings = vec![first];
    let doubt = judge::doubt(&readings[0].text, head, evidence);
    if doubt.is_none() && !more.body && !more.hidden && !more.article {
        return readings.swap_remove(0);
    }
    let fresh = |outline: &mut Outline| {
        outline.skipped.clone_from(&shown);
        outline.find_blocks(tree);
    };
    if more.body || doubt.is_some() {
        fresh(&mut outline);
        if let Some(root) = select::own_body(tree, &mut outline, head) {
            let reading = read(tree, &outline, root..tree.end(root), addresses);
            evidence.own_body = evidence.own_body.max(reading.letters);
            readings.push(reading);
        }
    }
    if more.article
        && let Some((article, letters)) = article
    {
        evidence.own_body = evidence.own_body.max(letters);
        readings.push(handed_over(article, &readings[0]));
    }
    if doubt.is_some() {
        fresh(&mut outline);
        select::skip_captions(tree, &mut outline);
        let root = select::main_part(tree, &mut outline, head);
        readings.push(read(tree, &outline, root..tree.end(root), addresses));
    }
    // Hidden content is shown last, since that cannot be undone.
    if more.hidden {
        fresh(&mut outline);
        outline.show_hidden(tree);
        let root = select::main_part(tree, &mut outline, head);
        let reading = read(tree, &outline, root..tree.end(root), addresses);
        // Dialogs are hidden, too, but are not about the subject of the page.
        let fits = judge::agreement(head, &reading.text.to_lowercase()).is_some_and(|share| share >= 0.5);
        if fits && reading.letters >= LEAST_ARTICLE {
            evidence.own_body = evidence.own_body.max(reading.letters);
            readings.push(reading);
        }
    }
    for reading in &mut readings {
        reading.doubt = judge::doubt(&reading.text, head, evidence);
    }
    // Of equally good ones the first.
    let best = readings.into_iter().reduce(
        |best, other| {
            if other.confidence() > best.confidence() { other } else { best }
        },
    );
    best.unwrap_or_else(|| Reading::new(Written::default()))
}

/// What could be read instead.
struct Others {
    body: bool,
    hidden: bool,
    article: bool,
}

fn read(tree: &Tree<'_>, outline: &Outline, range: Range<usize>, addresses: &Addresses) -> Reading {
    Reading::new(write::write(tree, outline, range, addresses))
}

/// Letters of prose in the longest element that is called the body of an article.
fn own_bodies(tree: &Tree<'_>, outline: &Outline) -> f32 {
    let is_body = |hints: &Hints| hints.has(Hints::ARTICLE_BODY);
    if !outline.hints.iter().any(is_body) {
        return 0.0;
    }
    let prose = outline.sums(tree, 1.0, Block::prose);
    let bodies = outline.hints.iter().zip(prose).filter(|(hints, _)| is_body(hints));
    bodies.map(|(_, prose)| prose).fold(0.0, f32::max)
}

/// The article from the data for search engines, which some write as HTML, with the links and images
/// found in the page.
fn handed_over(article: &str, page: &Reading) -> Reading {
    let mut body = Body::default();
    if article.contains("</") {
        body.lines(&super::page(article, false).text);
    } else {
        body.lines(article);
    }
    let Written { links, anchors, images, .. } = &page.written;
    let (links, anchors, images) = (links.clone(), anchors.clone(), images.clone());
    Reading::new(Written { body, links, anchors, images })
}
