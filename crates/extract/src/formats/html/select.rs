//! Finds the main part of a page.
//!
//! Running text is found by its sentences, not by its element: a block is worth its letters if it
//! reads like prose, and costs something if it is a link or a fragment. The part with the highest
//! worth is the main one. Text counts less for an element the deeper it is below it, so that an
//! article wins over the page that also holds teasers for other articles. The names of classes
//! decide what is left out beforehand (menus, comments, related articles) and how much text is
//! needed to accept a part as an article.

use super::element::Element;
use super::head::Head;
use super::hints::Hints;
use super::outline::{Block, Outline};
use super::prune;
use super::tree::Tree;

/// The factor by which each level of nesting reduces the worth of a block.
const DECAY: f32 = 0.9;
/// With less prose it is no article.
const LEAST_PROSE: f32 = 100.0;

/// An element named like a notice is one only if it has a smaller share of the page's letters.
const NOTICE: f32 = 0.25;

/// The element that holds the main content, after skipping what is not content. If the page is no
/// article (a list, a forum, a front page), everything but its frame is kept.
pub fn main_part(tree: &Tree<'_>, outline: &mut Outline, head: &Head) -> usize {
    let shown = outline.skipped.clone();
    let everything = letters(outline);
    outline.aside.clear();
    skip_aside(tree, outline, Hints::ASIDE);
    if let Some(root) = best_root(tree, outline)
        && is_convincing(tree, outline, head, root, everything)
    {
        let root = narrowed(tree, outline, head, root);
        outline.aside.extend(heading_above(tree, outline, root));
        prune::article(tree, outline, root, head);
        return root;
    }
    outline.skipped.clone_from(&shown);
    outline.find_blocks(tree);
    skip_aside(tree, outline, Hints::AROUND_LISTS);
    prune::menus(tree, outline);
    let left = letters(outline);
    if left < LEAST_PROSE && left * 2.0 < everything || left * 20.0 < everything {
        outline.skipped = shown;
        outline.find_blocks(tree);
        return 0;
    }
    named_part(tree, outline).unwrap_or(0)
}

/// The outermost element named as the main one or the body, if much of the text is in it.
fn named_part(tree: &Tree<'_>, outline: &Outline) -> Option<usize> {
    let letters = outline.sums(tree, 1.0, |block| block.letters as f32);
    let of = |index: usize| letters.get(index).copied().unwrap_or(0.0);
    let named = Hints::MAIN.with(Hints::ARTICLE_BODY);
    (0..tree.nodes.len())
        .find(|&index| outline.hints(index).has(named) && of(index) * 3.0 >= of(0) && of(index) > 0.0)
}

/// The element that the page itself names as the body of its article, without parts that do not
/// belong to it; of several the one with the most prose.
pub fn own_body(tree: &Tree<'_>, outline: &mut Outline, head: &Head) -> Option<usize> {
    outline.aside.clear();
    skip_aside(tree, outline, Hints::ASIDE);
    let prose = outline.sums(tree, 1.0, Block::prose);
    let bodies = (1..tree.nodes.len())
        .filter(|&index| outline.hints(index).has(Hints::ARTICLE_BODY))
        .map(|index| (prose.get(index).copied().unwrap_or(0.0), index));
    let (letters, root) = bodies.max_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(&a.1)))?;
    (letters >= LEAST_PROSE).then(|| {
        outline.aside.extend(heading_above(tree, outline, root));
        prune::article(tree, outline, root, head);
        root
    })
}

/// The last main heading before a part and outside of it.
fn heading_above(tree: &Tree<'_>, outline: &Outline, root: usize) -> Option<usize> {
    let (mut above, mut index) = (None, 0);
    while index < root {
        if outline.is_skipped(index) && !prune::is_shown_header(tree, outline, index) {
            index = tree.end(index);
            continue;
        }
        if tree.element(index) == Element::H1 && tree.end(index) <= root && !prune::is_link(tree, index) {
            above = Some(index);
        }
        index += 1;
    }
    above
}

/// Skips captions of pictures; a gallery has more of them than an article has text.
pub fn skip_captions(tree: &Tree<'_>, outline: &mut Outline) {
    for index in 0..tree.nodes.len() {
        let is_caption =
            tree.element(index) == Element::Figcaption || outline.hints(index).has(Hints::CAPTION);
        if is_caption && !outline.hints(index).has(Hints::ANY_BODY) {
            outline.skip(index);
        }
    }
    outline.find_blocks(tree);
}

/// Skips elements whose names say that they are no content, unless they hold too much of the page's
/// prose.
fn skip_aside(tree: &Tree<'_>, outline: &mut Outline, aside: Hints) {
    let prose = outline.sums(tree, 1.0, Block::prose);
    let total = prose.first().copied().unwrap_or(0.0).max(1.0);
    let letters = outline.sums(tree, 1.0, |block| block.letters as f32);
    let all = letters.first().copied().unwrap_or(0.0).max(1.0);
    let mut index = 0;
    while index < tree.nodes.len() {
        if outline.is_skipped(index) {
            index = tree.end(index);
            continue;
        }
        let hints = outline.hints(index);
        let share = prose.get(index).copied().unwrap_or(0.0) / total;
        // Comments may be longer than what they comment on.
        let limit = if hints.has(Hints::COMMENT) { 0.8 } else { 0.4 };
        let skip = match tree.element(index) {
            Element::Header => is_of_page(tree, index) && share < limit,
            Element::Html | Element::Body | Element::Text | Element::Main => false,
            Element::Button => true,
            // A list has hardly any prose, so its footer may have most of it and still be a footer.
            _ if hints.has(Hints::NOTICE) && letters.get(index).copied().unwrap_or(0.0) < NOTICE * all => {
                hints.has(aside) && !hints.has(Hints::ARTICLE_BODY)
            }
            _ => hints.has(aside) && !hints.has(Hints::ARTICLE_BODY) && share < limit,
        };
        if skip {
            outline.skip(index);
            index = tree.end(index);
        } else {
            index += 1;
        }
    }
    outline.find_blocks(tree);
}

/// Whether a header belongs to the page, not to something in it.
fn is_of_page(tree: &Tree<'_>, header: usize) -> bool {
    let mut index = header;
    while index != 0 {
        index = tree.parent(index);
        if matches!(
            tree.element(index),
            Element::Article | Element::Section | Element::Main | Element::Li | Element::Td
        ) {
            return false;
        }
    }
    true
}

fn best_root(tree: &Tree<'_>, outline: &Outline) -> Option<usize> {
    let sums = outline.sums(tree, DECAY, |block| worth(block, tree.element(block.owner as usize)));
    let mut best = None;
    let mut best_sum = 0.0;
    for (index, &sum) in sums.iter().enumerate() {
        // Later nodes are deeper, and the deepest of equals holds the least besides.
        if sum > 0.0 && sum >= best_sum {
            best = Some(index);
            best_sum = sum;
        }
    }
    best.map(|root| with_neighbours(tree, outline, root))
}

/// If the best is a single block, takes the element around it: headings and short paragraphs stand
/// beside it.
fn with_neighbours(tree: &Tree<'_>, outline: &Outline, root: usize) -> usize {
    let count = outline.sums(tree, 1.0, |_| 1.0);
    let letters = outline.sums(tree, 1.0, |block| block.letters as f32);
    let at = |values: &[f32], index: usize| values.get(index).copied().unwrap_or(0.0);
    let mut around = root;
    while around != 0 && at(&count, around) < 2.0 {
        around = tree.parent(around);
    }
    if at(&letters, around) <= 2.0 * at(&letters, root) { around } else { root }
}

fn worth(block: &Block, element: Element) -> f32 {
    if block.is_prose() {
        // A long listing is worth no more than the text that explains it.
        return if element == Element::Pre { block.prose() * 0.3 } else { block.prose() };
    }
    if element.is_heading() {
        return 0.0;
    }
    if block.linked * 2 >= block.letters {
        return -(block.letters as f32).min(60.0);
    }
    // Cells and items are short by nature.
    if matches!(element, Element::Td | Element::Th | Element::Li | Element::Dd | Element::Dt) {
        0.0
    } else {
        -10.0
    }
}

/// Whether the part is an article rather than the longest of many fragments. The more signs of an
/// article there are, the smaller a share of the page is enough.
fn is_convincing(tree: &Tree<'_>, outline: &Outline, head: &Head, root: usize, everything: f32) -> bool {
    let prose_blocks = outline.blocks.iter().filter(|block| block.is_prose() && is_within(tree, block, root));
    let (count, prose) =
        prose_blocks.fold((0.0, 0.0), |(count, sum), block| (count + 1.0, sum + block.prose()));
    let signs = [head.is_article, is_called_body(tree, outline, root), is_headed(tree, outline, head, root)];
    let long_paragraphs = prose >= 160.0 * count;
    let (of_rest, of_all) = match signs.iter().filter(|&&sign| sign).count() {
        0 if long_paragraphs => (0.25, 0.2),
        0 => (0.7, 0.3),
        1 => (0.25, 0.02),
        _ => (0.12, 0.0),
    };
    prose >= LEAST_PROSE && prose >= of_rest * letters(outline) && prose >= of_all * everything
}

fn is_within(tree: &Tree<'_>, block: &Block, root: usize) -> bool {
    (root..tree.end(root)).contains(&(block.first as usize))
}

/// Whether an element or one around it is named as the body of an article.
fn is_called_body(tree: &Tree<'_>, outline: &Outline, root: usize) -> bool {
    let mut index = root;
    while index != 0 {
        if outline.hints(index).has(Hints::ANY_BODY) {
            return true;
        }
        index = tree.parent(index);
    }
    false
}

/// Whether the page's title stands as a heading in or before the part.
fn is_headed(tree: &Tree<'_>, outline: &Outline, head: &Head, root: usize) -> bool {
    let title = head.title.as_deref().unwrap_or_default();
    title.split_whitespace().count() >= 3 && title_heading(tree, outline, head, 0..tree.end(root)).is_some()
}

/// The heading in a range of nodes that repeats the page's title.
fn title_heading(
    tree: &Tree<'_>,
    outline: &Outline,
    head: &Head,
    range: std::ops::Range<usize>,
) -> Option<usize> {
    range
        .filter(|&index| tree.element(index).is_heading() && !outline.is_skipped(index))
        .find(|&index| head.is_title(&tree.words(index)))
}

/// A part of the root that certainly contains the whole article.
fn narrowed(tree: &Tree<'_>, outline: &Outline, head: &Head, root: usize) -> usize {
    let prose = outline.sums(tree, 1.0, Block::prose);
    let of = |index: usize| prose.get(index).copied().unwrap_or(0.0);
    // Of several articles the one under the page's title.
    if let Some(heading) = title_heading(tree, outline, head, root + 1..tree.end(root)) {
        let mut index = heading;
        while index > root {
            index = tree.parent(index);
            if tree.element(index) == Element::Article && index > root && of(index) >= 2.0 * LEAST_PROSE {
                return index;
            }
        }
    }
    // The element named as the body, without what is above and below it.
    let mut best = root;
    for index in root + 1..tree.end(root) {
        if outline.hints(index).has(Hints::ANY_BODY) && of(index) >= 0.85 * of(root) {
            best = index;
        }
    }
    best
}

fn letters(outline: &Outline) -> f32 {
    outline.blocks.iter().map(|block| block.letters as f32).sum()
}
