//! From words to pieces of lines.

use super::words::Word;

/// As multiples of the font's size: how far words of one line may differ in height, and the gap
/// that separates two pieces of a line, which may belong to two columns.
const UNEVEN: f64 = 0.25;
const PIECE_GAP: f64 = 1.0;
/// Text that is smaller than its neighbour by this factor can be superscript or subscript.
const SMALLER: f64 = 0.85;
/// A gap of this width is a space even if none was drawn.
const SPACE: f64 = 0.12;

/// A stretch of a line without a wide gap.
#[derive(Clone, Debug)]
pub struct Piece {
    /// From left to right.
    pub words: Vec<Word>,
    pub left: f64,
    pub right: f64,
    pub base: f64,
    pub size: f64,
}

/// The pieces from top to bottom, those of one line from left to right.
pub fn pieces(mut words: Vec<Word>) -> Vec<Piece> {
    words.sort_by(|one, other| other.base.total_cmp(&one.base));
    let mut pieces = Vec::new();
    let mut row: Vec<Word> = Vec::new();
    // The height of the row is that of most of its characters.
    let (mut sum, mut weight, mut size) = (0.0, 0.0, 0.0_f64);
    for word in words {
        if !row.is_empty() && sum / weight - word.base > UNEVEN * size.min(word.size) {
            split(std::mem::take(&mut row), &mut pieces);
            (sum, weight, size) = (0.0, 0.0, 0.0);
        }
        let own = word.text.len().max(1) as f64;
        (sum, weight, size) = (sum + own * word.base, weight + own, size.max(word.size));
        row.push(word);
    }
    split(row, &mut pieces);
    attach_small(&mut pieces);
    pieces
}

/// Whether a space stands between two neighbours of a line.
pub fn is_space_between(one: &Word, other: &Word) -> bool {
    one.has_space || other.left - one.right > SPACE * one.size.min(other.size)
}

fn split(mut row: Vec<Word>, pieces: &mut Vec<Piece>) {
    row.sort_by(|one, other| one.left.total_cmp(&other.left));
    let mut piece: Option<Piece> = None;
    for word in row {
        if let Some(open) = &mut piece {
            if word.left - open.right <= PIECE_GAP * open.size.max(word.size) {
                open.right = open.right.max(word.right);
                open.size = open.size.max(word.size);
                open.words.push(word);
                continue;
            }
            pieces.extend(piece.take());
        }
        piece = Some(Piece {
            left: word.left,
            right: word.right,
            base: word.base,
            size: word.size,
            words: vec![word],
        });
    }
    pieces.extend(piece);
}

/// Adds superscript and subscript pieces to the line they belong to.
fn attach_small(pieces: &mut Vec<Piece>) {
    for small in 0..pieces.len() {
        let Some(host) = host_of(pieces, small) else { continue };
        let words = pieces.get_mut(small).map(|piece| std::mem::take(&mut piece.words)).unwrap_or_default();
        let Some(host) = pieces.get_mut(host) else { continue };
        for word in words {
            host.left = host.left.min(word.left);
            host.right = host.right.max(word.right);
            let place = host.words.partition_point(|other| other.left <= word.left);
            host.words.insert(place, word);
        }
    }
    pieces.retain(|piece| !piece.words.is_empty());
}

/// The larger piece to which a small one is superscript or subscript.
fn host_of(pieces: &[Piece], small: usize) -> Option<usize> {
    const FARTHEST: usize = 40;
    let piece = pieces.get(small)?;
    if piece.words.is_empty() || piece.words.len() > 6 {
        return None;
    }
    let near = small.saturating_sub(FARTHEST)..pieces.len().min(small + FARTHEST);
    near.filter(|&index| index != small).find(|&index| {
        let Some(host) = pieces.get(index) else { return false };
        let touches = piece.left >= host.left - 0.4 * host.size && piece.left <= host.right + 0.4 * host.size;
        let rise = piece.base - host.base;
        !host.words.is_empty()
            && piece.size <= SMALLER * host.size
            && touches
            && rise > -0.4 * host.size
            && rise < 0.7 * host.size
    })
}
