//! From glyphs in drawing order to words.
//!
//! The order of drawing is kept within a word, so that two texts drawn over one another do not mix.

use super::glyph::{Glyph, Style};

/// Gaps in parts of the font's size.
const WIDEST_WITHIN_A_WORD: f64 = 0.1;
const DEEPEST_OVERLAP: f64 = 0.3;
const UNEVEN: f64 = 0.1;
/// A glyph this near to an equal one is drawn twice to look bold.
const SAME_PLACE: f64 = 0.1;

/// In a coordinate system in which writing goes to the right and lines follow downwards.
#[derive(Clone, Debug)]
pub struct Word {
    pub text: String,
    pub left: f64,
    pub right: f64,
    /// The height of the line it stands on.
    pub base: f64,
    pub size: f64,
    pub style: Style,
    /// Whether a space was drawn behind it.
    pub has_space: bool,
}

/// The words among glyphs that all have the same direction.
pub fn words(glyphs: &[Glyph], angle: u16) -> Vec<Word> {
    let (sine, cosine) = f64::from(angle).to_radians().sin_cos();
    let mut words: Vec<Word> = Vec::new();
    let mut is_open = false;
    let mut last: Option<(f64, &str)> = None;
    for glyph in glyphs {
        let left = glyph.x * cosine + glyph.y * sine;
        let base = glyph.y * cosine - glyph.x * sine;
        if glyph.text.trim().is_empty() {
            if let Some(word) = words.last_mut().filter(|_| is_open) {
                word.has_space = true;
            }
            is_open = false;
            continue;
        }
        if let Some(word) = words.last_mut() {
            let is_level = (base - word.base).abs() <= UNEVEN * word.size;
            if let Some((before, text)) = last
                && is_level
                && text == &*glyph.text
                && (left - before).abs() < SAME_PLACE * word.size
            {
                continue;
            }
            let gap = left - word.right;
            if is_open
                && is_level
                && (glyph.size - word.size).abs() <= UNEVEN * word.size
                && gap <= WIDEST_WITHIN_A_WORD * word.size
                && gap >= -DEEPEST_OVERLAP * word.size
            {
                word.text.push_str(&glyph.text);
                word.right = word.right.max(left + glyph.width);
                last = Some((left, &glyph.text));
                continue;
            }
        }
        words.push(Word {
            text: glyph.text.to_string(),
            left,
            right: left + glyph.width,
            base,
            size: glyph.size,
            style: glyph.style,
            has_space: false,
        });
        is_open = true;
        last = Some((left, &glyph.text));
    }
    without_doubles(words)
}

/// Leaves out words that are drawn again at the same place.
fn without_doubles(words: Vec<Word>) -> Vec<Word> {
    use std::collections::HashMap;
    let mut places: HashMap<&str, Vec<(f64, f64)>> = HashMap::new();
    let mut is_kept = Vec::with_capacity(words.len());
    for word in &words {
        let others = places.entry(&word.text).or_default();
        let near = SAME_PLACE * word.size;
        let is_double = others
            .iter()
            .rev()
            .take(32)
            .any(|(left, base)| (left - word.left).abs() < near && (base - word.base).abs() < near);
        if !is_double {
            others.push((word.left, word.base));
        }
        is_kept.push(!is_double);
    }
    let mut is_kept = is_kept.into_iter();
    let mut words = words;
    words.retain(|_| is_kept.next().unwrap_or(true));
    words
}
