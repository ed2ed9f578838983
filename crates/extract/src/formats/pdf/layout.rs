//! From the glyphs of a page to its text, in reading order.
//!
//! We use our own code because no library in Rust was both right and robust: `pdf-extract` agrees with
//! `pdftotext` to a word F1 of 0.93 to 0.96 and panics on 19 of 366 files, `lopdf` to 0.83; this to 0.961,
//! without a panic.

use std::collections::BTreeMap;

use super::columns::{MOST_COMPARED, Part, order};
use super::glyph::{Glyph, Style};
use super::rows::{Piece, is_space_between, pieces};
use super::words::{Word, words};
use crate::body::Body;
use crate::document::Tag;

/// The distance that separates paragraphs, as a multiple of the usual distance of lines.
const PARAGRAPH_GAP: f64 = 1.35;
/// Lines whose sizes differ by more belong to different paragraphs.
const OTHER_SIZE: f64 = 1.2;
/// A heading is this much larger than the page's text, and not longer than this.
const HEADING_SIZE: f64 = 1.2;
const LONGEST_HEADING: usize = 200;

/// Writes the page as blocks.
pub fn write(glyphs: Vec<Glyph>, body: &mut Body) {
    let mut directions: BTreeMap<u16, Vec<Glyph>> = BTreeMap::new();
    for glyph in glyphs {
        directions.entry(glyph.angle).or_default().push(glyph);
    }
    // Text in the most frequent direction is read first.
    let mut directions: Vec<(u16, Vec<Glyph>)> = directions.into_iter().collect();
    directions.sort_by_key(|(_, glyphs)| std::cmp::Reverse(glyphs.len()));
    let mut comparisons = MOST_COMPARED;
    for (angle, glyphs) in directions {
        let words = words(&glyphs, angle);
        let usual = usual_size(&words);
        for part in order(pieces(words), &mut comparisons) {
            for block in blocks(part) {
                write_block(&block, usual, body);
            }
        }
    }
    body.block();
}

/// The size that most characters have.
fn usual_size(words: &[Word]) -> f64 {
    let mut sizes: Vec<(f64, usize)> = words.iter().map(|word| (word.size, word.text.len())).collect();
    sizes.sort_by(|one, other| one.0.total_cmp(&other.0));
    let half = sizes.iter().map(|(_, length)| length).sum::<usize>() / 2;
    let mut passed = 0;
    sizes
        .iter()
        .find(|(_, length)| {
            passed += length;
            passed >= half
        })
        .map_or(0.0, |(size, _)| *size)
}

fn size_of(line: &[Piece]) -> f64 {
    line.iter().map(|piece| piece.size).fold(0.0, f64::max)
}

fn base_of(line: &[Piece]) -> f64 {
    line.first().map_or(0.0, |piece| piece.base)
}

/// Groups lines into paragraphs by the distance between them.
fn blocks(part: Part) -> Vec<Part> {
    let mut distances: Vec<f64> =
        part.windows(2).filter_map(|pair| Some(base_of(pair.first()?) - base_of(pair.last()?))).collect();
    distances.sort_by(f64::total_cmp);
    let usual = distances.get(distances.len() / 2).copied().unwrap_or(0.0);
    let mut blocks: Vec<Part> = Vec::new();
    for line in part {
        if let Some(block) = blocks.last_mut()
            && let Some(above) = block.last()
        {
            let distance = base_of(above) - base_of(&line);
            let (one, other) = (size_of(above), size_of(&line));
            let is_same_size = one.max(other) <= OTHER_SIZE * one.min(other);
            let nearest = usual.min(2.0 * one.max(other));
            if is_same_size && distance <= PARAGRAPH_GAP * nearest.max(one.max(other)) {
                block.push(line);
                continue;
            }
        }
        blocks.push(vec![line]);
    }
    blocks
}

fn write_block(block: &Part, usual: f64, body: &mut Body) {
    let length: usize =
        block.iter().flatten().flat_map(|piece| &piece.words).map(|word| word.text.len()).sum();
    let size = block.first().map_or(0.0, |line| size_of(line));
    let is_heading = size >= HEADING_SIZE * usual && length <= LONGEST_HEADING;
    if is_heading {
        body.open(Tag::Heading);
    }
    let texts: Vec<Vec<(String, Style)>> = block.iter().map(|line| tokens(line)).collect();
    let mut style = Style::default();
    for (index, line) in texts.iter().enumerate() {
        let next = texts.get(index + 1).and_then(|line| line.first());
        for (place, (text, own)) in line.iter().enumerate() {
            restyle(&mut style, *own, body);
            let is_last = place + 1 == line.len();
            match text.strip_suffix(['-', '\u{ad}']).filter(|_| is_last) {
                Some(whole) if next.is_some() && goes_on(whole) => body.push(whole),
                _ => {
                    body.push(text);
                    if is_last { body.line() } else { body.push(" ") }
                }
            }
        }
    }
    restyle(&mut style, Style::default(), body);
    if is_heading {
        body.close(Tag::Heading);
    }
    body.block();
}

/// Whether a word that ends with a hyphen at the end of a line can continue in the next.
fn goes_on(start: &str) -> bool {
    start.chars().next_back().is_some_and(char::is_alphanumeric)
}

fn restyle(now: &mut Style, wanted: Style, body: &mut Body) {
    for (is_on, is_wanted, tag) in
        [(now.bold, wanted.bold, Tag::Bold), (now.italic, wanted.italic, Tag::Italic)]
    {
        match (is_on, is_wanted) {
            (false, true) => body.open(tag),
            (true, false) => body.close(tag),
            _ => {}
        }
    }
    *now = wanted;
}

/// The line's words in reading order: joined if there is no space between them, and from right to
/// left for scripts written that way.
fn tokens(line: &[Piece]) -> Vec<(String, Style)> {
    let mut tokens: Vec<(String, Style)> = Vec::new();
    let mut before: Option<&Word> = None;
    for piece in line {
        for (index, word) in piece.words.iter().enumerate() {
            match (before, tokens.last_mut()) {
                (Some(before), Some(token)) if index > 0 && !is_space_between(before, word) => {
                    token.0.push_str(&word.text);
                }
                _ => tokens.push((word.text.clone(), word.style)),
            }
            before = Some(word);
        }
    }
    let count = |test: fn(char) -> bool| {
        tokens.iter().flat_map(|token| token.0.chars()).filter(|&character| test(character)).count()
    };
    let (leftwards, letters) = (count(is_leftward), count(char::is_alphabetic));
    if leftwards > 0 {
        for token in &mut tokens {
            if token.0.chars().any(is_leftward) {
                token.0 = turned(&token.0);
            }
        }
        if leftwards * 2 > letters {
            tokens.reverse();
        }
    }
    tokens
}

/// The token read from the right, with numbers and foreign words in it from the left.
fn turned(token: &str) -> String {
    let is_rightward = |character: char| character.is_alphanumeric() && !is_leftward(character);
    let mut turned = String::with_capacity(token.len());
    let mut end = token.len();
    for (place, character) in token.char_indices().rev() {
        if is_rightward(character) {
            continue;
        }
        let after = place + character.len_utf8();
        turned.push_str(&token[after..end]);
        turned.push(character);
        end = place;
    }
    turned.push_str(&token[..end]);
    turned
}

/// Hebrew, Arabic, and the scripts written like them.
fn is_leftward(character: char) -> bool {
    matches!(character, '\u{590}'..='\u{8ff}' | '\u{fb1d}'..='\u{fdff}' | '\u{fe70}'..='\u{feff}')
}
