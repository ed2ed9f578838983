//! Finds the main part of a page and leaves out what does not belong to it.

use super::element::Element;
use super::hint::Hints;
use super::outline::{Block, Outline};
use super::tree::Tree;

/// The element that holds the main content, after skipping what is not content. `None` if no part
/// stands out; then what is not skipped is the best there is.
pub fn main_part(tree: &Tree<'_>, outline: &mut Outline) -> Option<usize> {
    skip_frames(tree, outline);
    let root = best_root(tree, outline)?;
    prune(tree, outline, root);
    Some(root)
}

/// Whether a block reads like running text.
fn is_prose(block: &Block) -> bool {
    block.letters >= 40 && (block.stops > 0 || block.letters >= 120) && block.linked * 2 < block.letters
}

/// For each node the sum over the blocks in it.
fn sums(tree: &Tree<'_>, outline: &Outline, value: impl Fn(&Block) -> f32) -> Vec<f32> {
    let mut sums = vec![0.0; tree.nodes.len()];
    for block in &outline.blocks {
        if let Some(sum) = sums.get_mut(block.owner as usize) {
            *sum += value(block);
        }
    }
    for index in (1..sums.len()).rev() {
        let sum = sums[index];
        if sum != 0.0
            && let Some(outer) = sums.get_mut(tree.parent(index))
        {
            *outer += sum;
        }
    }
    sums
}

fn skip_frames(tree: &Tree<'_>, outline: &mut Outline) {
    let prose =
        sums(
            tree,
            outline,
            |block| if is_prose(block) { (block.letters - block.linked) as f32 } else { 0.0 },
        );
    let total = prose.first().copied().unwrap_or(0.0);
    let mut index = 0;
    while index < tree.nodes.len() {
        if outline.is_skipped(index) {
            index = tree.end(index);
            continue;
        }
        let hints = outline.hints(index);
        let share = prose.get(index).copied().unwrap_or(0.0) / total.max(1.0);
        let element = tree.element(index);
        let bad = Hints(
            Hints::NAVIGATION.0
                | Hints::FRAME.0
                | Hints::SHARE.0
                | Hints::RELATED.0
                | Hints::COMMENT.0
                | Hints::ADVERT.0
                | Hints::SIGN_UP.0,
        );
        let limit = if hints.has(Hints::COMMENT) { 0.8 } else { 0.4 };
        let skip = match element {
            Element::Html | Element::Body | Element::Text | Element::Main => false,
            Element::Button => true,
            _ => hints.has(bad) && !hints.has(Hints::ARTICLE_BODY) && share < limit,
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

fn best_root(tree: &Tree<'_>, outline: &Outline) -> Option<usize> {
    let value = |block: &Block| {
        let free = block.letters.saturating_sub(block.linked) as f32;
        let element = tree.element(block.owner as usize);
        if is_prose(block) {
            return free;
        }
        if element.is_heading() {
            return 0.0;
        }
        if block.linked * 2 >= block.letters {
            return -(block.letters as f32).min(60.0);
        }
        -10.0
    };
    let sums = sums(tree, outline, value);
    let mut best = None;
    let mut best_sum = 0.0;
    for (index, &sum) in sums.iter().enumerate() {
        // Later is deeper, and the deepest of equals holds the least else.
        if sum > 0.0 && sum >= best_sum {
            best = Some(index);
            best_sum = sum;
        }
    }
    best
}

fn prune(tree: &Tree<'_>, outline: &mut Outline, root: usize) {
    let prose =
        sums(
            tree,
            outline,
            |block| if is_prose(block) { (block.letters - block.linked) as f32 } else { 0.0 },
        );
    let letters = sums(tree, outline, |block| block.letters as f32);
    let linked = sums(tree, outline, |block| block.linked as f32);
    let total = prose.get(root).copied().unwrap_or(0.0);
    let mut index = root + 1;
    while index < tree.end(root) {
        if outline.is_skipped(index) {
            index = tree.end(index);
            continue;
        }
        let hints = outline.hints(index);
        let at = |values: &Vec<f32>| values.get(index).copied().unwrap_or(0.0);
        let share = at(&prose) / total.max(1.0);
        let bad = Hints(Hints::CAPTION.0 | Hints::BYLINE.0 | Hints::TAGS.0);
        let element = tree.element(index);
        let dense = at(&linked) / at(&letters).max(1.0);
        let skip = match element {
            Element::Text => false,
            Element::Figcaption | Element::H1 => true,
            Element::Ul | Element::Ol | Element::Div | Element::Table | Element::Section | Element::P
                if dense > 0.7 && at(&letters) > 0.0 && element != Element::P =>
            {
                true
            }
            _ => hints.has(bad) && share < 0.1,
        };
        if skip {
            outline.skip(index);
            index = tree.end(index);
        } else {
            index += 1;
        }
    }
}
