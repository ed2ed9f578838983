//! Two texts in rows: corresponding parts of both texts are in the same row.
//!
//! Words are aligned first. A row ends where a line begins in both texts at the same place of the
//! alignment, so paragraphs are side by side however they were changed inside.

use std::ops::Range;

use lookalike_core::passages::{LEAST_WORDS, shared_passages};

use lookalike_report::diff::{self, Block};
use lookalike_report::side::{Side, StretchKind};

/// A row continues until it has this many bytes, so that short lines do not make rows of their own…
const LEAST_BYTES: usize = 60;
/// …except for the first of them, where a difference begins or ends.
const MOST_SHORT: usize = 300;
/// This share of both sides of a row must be the same for the rest to be marked as the difference.
const LEAST_SAME: f64 = 0.25;
/// How far a difference is moved to make it begin with a line.
const FARTHEST: usize = 200;

#[derive(Default)]
pub struct Row {
    pub left: Vec<(StretchKind, Range<usize>)>,
    pub right: Vec<(StretchKind, Range<usize>)>,
}

impl Row {
    pub fn is_same(&self) -> bool {
        self.left.iter().chain(&self.right).all(|(look, _)| *look == StretchKind::Plain)
    }
}

pub fn rows(left: &Side, right: &Side) -> Vec<Row> {
    let mut blocks = diff::compare(&left.strings(), &right.strings());
    begin_with_lines(&mut blocks, left, right);
    let mut rows = cut(&blocks, left, right);
    let moved = (moved(left, right), moved(right, left));
    for row in &mut rows {
        if same_share(&row.left) < LEAST_SAME && same_share(&row.right) < LEAST_SAME {
            // A few common words by chance are only confusing.
            for (look, _) in
                row.left.iter_mut().chain(&mut row.right).filter(|(look, _)| *look == StretchKind::Plain)
            {
                *look = StretchKind::Marked;
            }
        }
        row.left = tidied(std::mem::take(&mut row.left), &moved.0);
        row.right = tidied(std::mem::take(&mut row.right), &moved.1);
    }
    rows
}

/// Inserted text can often be shown at several places: "a *b a* c" or "*a b* a c". If it begins and
/// ends with a line at one of them, that one is chosen.
fn begin_with_lines(blocks: &mut [Block], left: &Side, right: &Side) {
    for index in 1..blocks.len() {
        let [before, here, rest @ ..] = &mut blocks[index - 1..] else { continue };
        let Some(after) = rest.first_mut().filter(|after| after.same && before.same && !here.same) else {
            continue;
        };
        let (side, words) = match (here.left.is_empty(), here.right.is_empty()) {
            (true, false) => (right, here.right.clone()),
            (false, true) => (left, here.left.clone()),
            _ => continue,
        };
        let word = |place: usize| side.text[side.words[place].clone()].to_lowercase();
        let most = before.left.len().saturating_sub(1).min(FARTHEST);
        let can_step = |step: &usize| word(words.start - step) == word(words.end - step);
        let steps = std::iter::once(0).chain((1..=most).take_while(can_step));
        let begins =
            |step: &usize| side.starts_line(words.start - step) && side.starts_line(words.end - step);
        let Some(step) = steps.into_iter().find(begins) else { continue };
        before.left.end -= step;
        before.right.end -= step;
        for range in [&mut here.left, &mut here.right] {
            *range = range.start - step..range.end - step;
        }
        after.left.start -= step;
        after.right.start -= step;
    }
}

fn cut(blocks: &[Block], left: &Side, right: &Side) -> Vec<Row> {
    let mut rows = Vec::new();
    let mut row = Row::default();
    let (mut row_left, mut row_right) = (0, 0);
    for (index, block) in blocks.iter().enumerate() {
        let places = if block.same { block.left.len() } else { 1 };
        let mut from = 0;
        for step in 0..places {
            let (at_left, at_right) = (block.left.start + step, block.right.start + step);
            if !left.starts_line(at_left) || !right.starts_line(at_right) {
                continue;
            }
            let bytes = left.bytes(&(row_left..at_left)).max(right.bytes(&(row_right..at_right)));
            let is_long_enough = bytes >= LEAST_BYTES || (step == 0 && rows.len() < MOST_SHORT);
            if bytes > 0 && is_long_enough {
                row.add_same(block, from..step);
                rows.push(std::mem::take(&mut row));
                (row_left, row_right, from) = (at_left, at_right, step);
            }
        }
        if block.same {
            row.add_same(block, from..places);
        } else {
            let is_last = index + 1 == blocks.len();
            add_different(&mut row.left, &block.left, block.right.len(), is_last && right.is_cut);
            add_different(&mut row.right, &block.right, block.left.len(), is_last && left.is_cut);
        }
    }
    rows.push(row);
    rows.retain(|row| !row.left.is_empty() || !row.right.is_empty());
    rows
}

impl Row {
    fn add_same(&mut self, block: &Block, words: Range<usize>) {
        if block.same && !words.is_empty() {
            let part = |start: usize| start + words.start..start + words.end;
            self.left.push((StretchKind::Plain, part(block.left.start)));
            self.right.push((StretchKind::Plain, part(block.right.start)));
        }
    }
}

/// It is unknown what the other text has after its cut.
fn add_different(
    to: &mut Vec<(StretchKind, Range<usize>)>,
    words: &Range<usize>,
    others: usize,
    other_is_cut: bool,
) {
    let known = if other_is_cut { words.len().min(others) } else { words.len() };
    let parts = [
        (StretchKind::Marked, words.start..words.start + known),
        (StretchKind::Beyond, words.start + known..words.end),
    ];
    to.extend(parts.into_iter().filter(|(_, words)| !words.is_empty()));
}

fn same_share(stretches: &[(StretchKind, Range<usize>)]) -> f64 {
    let all: usize =
        stretches.iter().filter(|(look, _)| *look != StretchKind::Beyond).map(|(_, words)| words.len()).sum();
    let same: usize =
        stretches.iter().filter(|(look, _)| *look == StretchKind::Plain).map(|(_, words)| words.len()).sum();
    if all == 0 { 0.0 } else { same as f64 / all as f64 }
}

/// For each word whether it is part of a passage that the other text has elsewhere.
fn moved(side: &Side, other: &Side) -> Vec<bool> {
    let passages = shared_passages(side.text, other.text, LEAST_WORDS);
    let mut passages = passages.iter().map(|passage| passage.a.clone()).peekable();
    let is_within = |word: &Range<usize>| {
        while passages.next_if(|passage| passage.end <= word.start).is_some() {}
        passages.peek().is_some_and(|passage| passage.start <= word.start && word.end <= passage.end)
    };
    side.words.iter().map(is_within).collect()
}

/// Distinguishes moved text from different text, and joins neighbours of the same kind.
fn tidied(stretches: Vec<(StretchKind, Range<usize>)>, moved: &[bool]) -> Vec<(StretchKind, Range<usize>)> {
    let mut tidy: Vec<(StretchKind, Range<usize>)> = Vec::new();
    let mut add = |look: StretchKind, words: Range<usize>| match tidy.last_mut() {
        Some((last, before)) if *last == look && before.end == words.start => before.end = words.end,
        _ => tidy.push((look, words)),
    };
    for (look, words) in stretches {
        if look != StretchKind::Marked {
            add(look, words);
            continue;
        }
        let is_moved = |word: usize| moved.get(word).copied().unwrap_or(false);
        let mut start = words.start;
        while start < words.end {
            let run = (start..words.end).take_while(|&word| is_moved(word) == is_moved(start)).count();
            // A few words at the edge of a passage do not count as moved.
            let look =
                if is_moved(start) && run >= LEAST_WORDS { StretchKind::Moved } else { StretchKind::Marked };
            add(look, start..start + run);
            start += run;
        }
    }
    tidy
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Rows as text: `[…]` differs, `{…}` moved.
    fn shown(left: &str, right: &str) -> Vec<(String, String)> {
        let (left, right) = (Side::new(left), Side::new(right));
        let cell = |side: &Side, stretches: &[(StretchKind, Range<usize>)]| -> String {
            let words = |words: &Range<usize>| {
                let (start, end) = (side.words[words.start].start, side.words[words.end - 1].end);
                side.text[start..end].replace('\n', "/")
            };
            let parts = stretches.iter().map(|(look, range)| match look {
                StretchKind::Plain => words(range),
                StretchKind::Marked => format!("[{}]", words(range)),
                StretchKind::Moved => format!("{{{}}}", words(range)),
                StretchKind::Skipped | StretchKind::Beyond => format!("+{}", range.len()),
            });
            parts.collect::<Vec<_>>().join(" ")
        };
        let rows = rows(&left, &right);
        rows.iter().map(|row| (cell(&left, &row.left), cell(&right, &row.right))).collect()
    }

    fn pairs<const N: usize>(pairs: [(&str, &str); N]) -> Vec<(String, String)> {
        pairs.map(|(left, right)| (left.to_owned(), right.to_owned())).to_vec()
    }

    const FIRST: &str = "The first paragraph says what this is about, at some length for a line.";
    const SECOND: &str = "Then the second paragraph says something else, and that is long as well.";

    #[test]
    fn paragraphs_stand_side_by_side() {
        let left = format!("{FIRST}\n\n{SECOND}");
        let right = format!("{FIRST}\n{}", SECOND.replace("something else", "nothing new"));
        let (a, b) = SECOND.split_once("something else").unwrap();
        let expected = [
            (FIRST.to_owned(), FIRST.to_owned()),
            (
                format!("{} [something else] {}", a.trim(), b.trim()),
                format!("{} [nothing new] {}", a.trim(), b.trim()),
            ),
        ];
        assert_eq!(shown(&left, &right), expected);
    }

    #[test]
    fn a_new_paragraph_has_a_row_of_its_own() {
        let new = "Then the new paragraph says something else.";
        let rows = shown(&format!("{FIRST}\n{SECOND}"), &format!("{FIRST}\n{new}\n{SECOND}"));
        assert_eq!(rows, pairs([(FIRST, FIRST), ("", &format!("[{new}]")), (SECOND, SECOND)]));
    }

    #[test]
    fn paragraphs_that_changed_places_are_told_from_new_ones() {
        let rows = shown(&format!("{FIRST}\n{SECOND}"), &format!("{SECOND}\n{FIRST}"));
        let inner = |text: &str| text.trim_end_matches('.').to_owned();
        let text: String = rows.iter().map(|(left, right)| format!("{left}|{right}\n")).collect();
        assert!(
            text.contains(&format!("{{{}", inner(FIRST))) || text.contains(&format!("{{{}", inner(SECOND))),
            "{text}"
        );
    }

    #[test]
    fn little_in_common_is_nothing_in_common() {
        let rows = shown("of one thing and all the rest we know", "many of us never saw it");
        assert_eq!(rows, pairs([("[of one thing and all the rest we know]", "[many of us never saw it]")]));
    }

    #[test]
    fn short_lines_share_a_row() {
        let lines: String = (0..10).map(|line| format!("{line}\n")).collect();
        assert_eq!(shown(&lines, &lines).len(), 1);
    }

    #[test]
    fn what_was_cut_off_is_no_difference() {
        let rows = shown(&format!("{FIRST} {SECOND}"), &format!("{FIRST}…"));
        assert_eq!(rows.len(), 1);
        assert!(rows[0].0.contains("+") && !rows[0].0.contains('['), "{rows:?}");
    }

    proptest! {
        #[test]
        fn every_word_is_in_one_row_in_order(left in "([ab.é東 ]{0,3}\n?){0,60}…?", right in "([ab.é東 ]{0,3}\n?){0,60}…?") {
            let (left, right) = (Side::new(&left), Side::new(&right));
            let rows = rows(&left, &right);
            let words = |cells: &[(StretchKind, Range<usize>)]| cells.iter().flat_map(|(_, words)| words.clone()).collect::<Vec<_>>();
            let in_left: Vec<usize> = rows.iter().flat_map(|row| words(&row.left)).collect();
            let in_right: Vec<usize> = rows.iter().flat_map(|row| words(&row.right)).collect();
            prop_assert_eq!(in_left, (0..left.words.len()).collect::<Vec<_>>());
            prop_assert_eq!(in_right, (0..right.words.len()).collect::<Vec<_>>());
            for row in rows.iter().filter(|row| row.is_same()) {
                let strings = |side: &Side, cells: &[(StretchKind, Range<usize>)]| -> Vec<String> {
                    words(cells).into_iter().map(|word| side.text[side.words[word].clone()].to_lowercase()).collect()
                };
                prop_assert_eq!(strings(&left, &row.left), strings(&right, &row.right));
            }
        }
    }
}
