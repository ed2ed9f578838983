//! Removes content of the main part that does not belong to the text.

use lookalike_core::hash;

use super::element::Element;
use super::head::Head;
use super::hints::Hints;
use super::outline::{Block, Outline};
use super::tree::Tree;

/// In an article: captions, bylines, lists of links, and the title, which is known already. What is a heading of these is noted.
pub fn article(tree: &Tree<'_>, outline: &mut Outline, root: usize, head: &Head) {
    let prose = outline.sums(tree, 1.0, Block::prose);
    let letters = outline.sums(tree, 1.0, |block| block.letters as f32);
    let linked = outline.sums(tree, 1.0, |block| block.linked as f32);
    let total = prose.get(root).copied().unwrap_or(0.0).max(1.0);
    let mut index = root + 1;
    while index < tree.end(root) {
        if outline.is_skipped(index) {
            if is_shown_header(tree, outline, index) {
                note_headings(tree, outline, index, head);
            }
            index = tree.end(index);
            continue;
        }
        let hints = outline.hints(index);
        let at = |values: &[f32]| values.get(index).copied().unwrap_or(0.0);
        let share = at(&prose) / total;
        let dense = at(&letters) > 0.0 && at(&linked) > 0.7 * at(&letters);
        let skip = match tree.element(index) {
            Element::Text => false,
            Element::Figcaption => true,
            Element::Header => share < 0.1,
            Element::H1 | Element::H2 | Element::H3 => is_title(tree, head, index),
            Element::Ul | Element::Ol | Element::Div | Element::Table | Element::Section if dense => true,
            _ => hints.has(Hints::ABOUT_TEXT) && share < 0.1,
        };
        if skip {
            if !dense {
                note_headings(tree, outline, index, head);
            }
            outline.skip(index);
            index = tree.end(index);
        } else {
            index += 1;
        }
    }
    outline.find_blocks(tree);
    scraps(tree, outline, root);
}

/// Notes the headings in a part that is left out.
fn note_headings(tree: &Tree<'_>, outline: &mut Outline, part: usize, head: &Head) {
    let headings =
        (part..tree.end(part)).filter(|&index| is_title(tree, head, index) && !is_link(tree, index));
    outline.aside.extend(headings);
}

/// Whether a node is a header that people see; the heading in it may be that of the article.
pub fn is_shown_header(tree: &Tree<'_>, outline: &Outline, index: usize) -> bool {
    tree.element(index) == Element::Header && !outline.hints(index).has(Hints::HIDDEN)
}

/// Whether all text of a heading is a link, as the name of the site is.
pub fn is_link(tree: &Tree<'_>, heading: usize) -> bool {
    let mut index = heading;
    while index < tree.end(heading) {
        match tree.element(index) {
            Element::A => index = tree.end(index),
            Element::Text if !tree.source(index).trim().is_empty() => return false,
            _ => index += 1,
        }
    }
    true
}

/// Whether a node is a heading that is or replaces the title of the page.
fn is_title(tree: &Tree<'_>, head: &Head, index: usize) -> bool {
    match tree.element(index) {
        Element::H1 => head.title.is_some(),
        Element::H2 | Element::H3 => head.is_title(&tree.words(index)),
        _ => false,
    }
}

/// For a page that is no article: removes lists of links too short to be headlines.
pub fn menus(tree: &Tree<'_>, outline: &mut Outline) {
    let count = outline.sums(tree, 1.0, |_| 1.0);
    let letters = outline.sums(tree, 1.0, |block| block.letters as f32);
    let linked = outline.sums(tree, 1.0, |block| block.linked as f32);
    let mut index = 0;
    while index < tree.nodes.len() {
        let at = |values: &[f32]| values.get(index).copied().unwrap_or(0.0);
        let skip = tree.element(index).is_list()
            && at(&count) >= 4.0
            && at(&linked) > 0.9 * at(&letters)
            && at(&letters) < 18.0 * at(&count);
        if skip {
            outline.skip(index);
        }
        index = if skip || outline.is_skipped(index) { tree.end(index) } else { index + 1 };
    }
    outline.find_blocks(tree);
}

/// Removes blocks of an article that lead elsewhere, repeat the block before, or are headings
/// without a text.
fn scraps(tree: &Tree<'_>, outline: &mut Outline, root: usize) {
    let range = root..tree.end(root);
    let blocks: Vec<Block> =
        outline.blocks.iter().filter(|block| range.contains(&(block.first as usize))).copied().collect();
    let mut dropped = Vec::new();
    let mut before = None;
    for block in &blocks {
        let words = (block.letters >= 80).then(|| hash_of(tree, block));
        let repeated = words.is_some() && words == before;
        before = words;
        if repeated || is_pointer(tree, block) || is_label(tree, block) {
            dropped.push(*block);
        }
    }
    // Headings at the end have no text below them.
    for block in blocks.iter().rev() {
        if tree.element(block.owner as usize).is_heading() {
            dropped.push(*block);
        } else {
            break;
        }
    }
    for block in dropped {
        for index in block.first as usize..block.last as usize {
            if tree.element(index) == Element::Text {
                outline.skip(index);
            }
        }
    }
}

fn hash_of(tree: &Tree<'_>, block: &Block) -> u64 {
    let texts =
        (block.first as usize..block.last as usize).filter(|&index| tree.element(index) == Element::Text);
    let words = texts.flat_map(|index| tree.source(index).split_whitespace());
    words.fold(0, |sum, word| hash::combine(sum, hash::bytes(word.as_bytes())))
}

/// Phrases that occur alone only around a text, on any site.
const LABELS: [&str; 24] = [
    "ad",
    "advert",
    "advertisement",
    "advertising",
    "anzeige",
    "publicidad",
    "publicidade",
    "publicité",
    "werbung",
    "реклама",
    "comments",
    "share",
    "share this",
    "share this article",
    "sponsored",
    "loading",
    "read more",
    "see also",
    "subscribe",
    "related",
    "related articles",
    "related stories",
    "story continues below",
    "article continues below",
];

fn is_label(tree: &Tree<'_>, block: &Block) -> bool {
    if block.letters > 30 {
        return false;
    }
    let text: String = (block.first as usize..block.last as usize)
        .filter(|&index| tree.element(index) == Element::Text)
        .map(|index| tree.source(index))
        .collect();
    let text = text.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    LABELS.contains(&text.as_str())
}

/// A label and a link, as in `Read more: …`.
fn is_pointer(tree: &Tree<'_>, block: &Block) -> bool {
    let headline = (20..250).contains(&block.linked);
    if !headline || block.linked * 10 < block.letters * 6 || block.linked == block.letters {
        return false;
    }
    let mut texts =
        (block.first as usize..block.last as usize).filter(|&index| tree.element(index) == Element::Text);
    texts.next().is_some_and(|first| {
        let label = tree.source(first).trim();
        label.len() <= 30 && (label.ends_with(':') || label.ends_with('：'))
    })
}
