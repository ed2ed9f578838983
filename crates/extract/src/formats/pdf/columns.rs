//! The order in which the parts of a page are read.
//!
//! If an empty vertical strip separates two bodies of text, the left one is read before the right
//! one. The strip need not cover the whole page: headings above and footnotes below may cross it. So
//! the longest sequence of lines with a common strip is searched, and the parts above and below are
//! treated in the same way. A table also has such strips, but its cells are short; it is read line
//! by line.

use super::rows::Piece;

/// The number of steps into which the width of the page is divided to compare lines.
const STEPS: usize = 512;
/// The narrowest strip between columns, as a multiple of the font's size.
const NARROWEST_STRIP: f64 = 0.9;
/// The least lines on either side of a strip.
const FEWEST_LINES: usize = 3;
/// Columns with shorter lines on average, as a multiple of the font's size, belong to a table.
const SHORTEST_LINES: f64 = 8.0;
/// How many pairs of lines are compared on a page at most; the rest is read as it is.
pub const MOST_COMPARED: usize = 400_000;

type Mask = [u64; STEPS / 64];

/// Pieces that are read together, as lines from top to bottom.
pub type Part = Vec<Vec<Piece>>;

/// The parts of a page in reading order. `comparisons` is how many are still allowed.
pub fn order(pieces: Vec<Piece>, comparisons: &mut usize) -> Vec<Part> {
    let mut parts = Vec::new();
    let mut waiting = vec![lines(pieces)];
    while let Some(part) = waiting.pop() {
        if part.is_empty() {
            continue;
        }
        let cost = part.len().saturating_mul(part.len());
        let cut = if cost <= *comparisons { best_cut(&part) } else { None };
        *comparisons = comparisons.saturating_sub(cost);
        let Some(Cut { first, last, at }) = cut else {
            parts.push(part);
            continue;
        };
        let mut above = part;
        let mut within = above.split_off(first);
        let below = within.split_off(last + 1 - first);
        let (left, right): (Vec<Piece>, Vec<Piece>) =
            within.into_iter().flatten().partition(|piece| piece.right <= at);
        // A stack: what is read first is pushed last.
        waiting.push(below);
        waiting.push(lines(right));
        waiting.push(lines(left));
        waiting.push(above);
    }
    parts
}

/// Pieces of the same height are one line.
fn lines(mut pieces: Vec<Piece>) -> Part {
    pieces.sort_by(|one, other| other.base.total_cmp(&one.base));
    let mut lines: Part = Vec::new();
    for piece in pieces {
        match lines.last_mut() {
            Some(line)
                if line
                    .first()
                    .is_some_and(|first| first.base - piece.base <= 0.3 * first.size.min(piece.size)) =>
            {
                line.push(piece);
            }
            _ => lines.push(vec![piece]),
        }
    }
    for line in &mut lines {
        line.sort_by(|one, other| one.left.total_cmp(&other.left));
    }
    lines
}

struct Cut {
    first: usize,
    last: usize,
    at: f64,
}

fn best_cut(part: &Part) -> Option<Cut> {
    if part.len() < FEWEST_LINES {
        return None;
    }
    let pieces = || part.iter().flatten();
    let left = pieces().map(|piece| piece.left).fold(f64::INFINITY, f64::min);
    let right = pieces().map(|piece| piece.right).fold(f64::NEG_INFINITY, f64::max);
    let mut sizes: Vec<f64> = pieces().map(|piece| piece.size).collect();
    sizes.sort_by(f64::total_cmp);
    let size = *sizes.get(sizes.len() / 2)?;
    let step = (right - left) / STEPS as f64;
    if !(step > 0.0 && size > 0.0) {
        return None;
    }
    let narrowest = (NARROWEST_STRIP * size / step).ceil().max(1.0) as usize;
    let masks: Vec<Mask> = part.iter().map(|line| mask(line, left, step)).collect();

    // For each first line, the last line down to which a strip remains.
    let mut runs: Vec<(usize, usize, usize)> = Vec::new();
    let mut reached = 0;
    for first in 0..part.len() {
        let mut covered: Mask = [0; STEPS / 64];
        let mut run = None;
        for (last, mask) in masks.iter().enumerate().skip(first) {
            covered.iter_mut().zip(mask).for_each(|(covered, word)| *covered |= word);
            match widest_strip(&covered, narrowest) {
                Strip::Between(at) => run = Some((first, last, at)),
                Strip::Beside => {}
                Strip::None => break,
            }
        }
        // A run inside one that began earlier adds nothing.
        if let Some(run) = run.filter(|run| run.1 + 1 - run.0 >= FEWEST_LINES && run.1 >= reached) {
            reached = run.1 + 1;
            runs.push(run);
        }
    }
    runs.sort_by_key(|&(first, last, _)| (std::cmp::Reverse(last - first), first));
    runs.into_iter().take(20).find_map(|(first, last, at)| {
        let at = left + at as f64 * step;
        are_columns(part.get(first..=last)?, at).then_some(Cut { first, last, at })
    })
}

/// Whether both sides are text rather than the cells of a table.
fn are_columns(lines: &[Vec<Piece>], at: f64) -> bool {
    let side = |is_left: bool| {
        let own = lines.iter().flatten().filter(|piece| (piece.right <= at) == is_left);
        let widths: Vec<f64> = own.map(|piece| (piece.right - piece.left) / piece.size.max(1e-6)).collect();
        let mean = widths.iter().sum::<f64>() / widths.len().max(1) as f64;
        widths.len() >= FEWEST_LINES && mean >= SHORTEST_LINES
    };
    side(true) && side(false)
}

fn mask(line: &[Piece], left: f64, step: f64) -> Mask {
    let mut mask = [0_u64; STEPS / 64];
    for piece in line {
        let from = ((piece.left - left) / step).floor().max(0.0) as usize;
        let to = (((piece.right - left) / step).ceil().max(0.0) as usize).min(STEPS);
        for at in from..to {
            if let Some(word) = mask.get_mut(at / 64) {
                *word |= 1 << (at % 64);
            }
        }
    }
    mask
}

enum Strip {
    /// A free strip with text on both sides: the middle of the widest one.
    Between(usize),
    /// Free strips at the edges only: text on the other side may follow.
    Beside,
    None,
}

fn widest_strip(covered: &Mask, narrowest: usize) -> Strip {
    let mut best: Option<(usize, usize)> = None;
    let mut is_beside = false;
    let mut free_from = Some(0);
    for at in 0..=STEPS {
        let is_covered = at == STEPS || covered.get(at / 64).is_some_and(|word| word >> (at % 64) & 1 == 1);
        match (is_covered, free_from) {
            (true, Some(from)) => {
                let width = at - from;
                if width >= narrowest {
                    if from == 0 || at == STEPS {
                        is_beside = true;
                    } else if best.is_none_or(|(widest, _)| width > widest) {
                        best = Some((width, from + width / 2));
                    }
                }
                free_from = None;
            }
            (false, None) => free_from = Some(at),
            _ => {}
        }
    }
    match best {
        Some((_, at)) => Strip::Between(at),
        None if is_beside => Strip::Beside,
        None => Strip::None,
    }
}
