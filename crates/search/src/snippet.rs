//! Snippets: the part of a document that shows best why it was found.

use std::ops::Range;

use lookalike_core::hash;
use lookalike_core::text::for_each_word_span;

use crate::parse::{Item, Parsed};
use crate::schema::TEXT;
use crate::words::cut;

/// Plain text, never markup: it must be escaped for display like any untrusted text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Snippet {
    /// The text, with all white space as single spaces.
    pub text: String,
    /// Byte ranges of `text` that match the query, in order and without overlaps.
    pub marks: Vec<Range<usize>>,
    /// Whether the document has more text before, and after.
    pub cut: [bool; 2],
}

impl Snippet {
    /// The text in pieces, each with whether it matches the query.
    pub fn pieces(&self) -> impl Iterator<Item = (&str, bool)> {
        let edges = self.marks.iter().flat_map(|mark| [(mark.start, false), (mark.end, true)]);
        let mut from = 0;
        let pieces = edges
            .chain([(self.text.len(), false)])
            .map(move |(to, marked)| (&self.text[std::mem::replace(&mut from, to)..to], marked));
        pieces.filter(|(text, _)| !text.is_empty())
    }
}

/// Only this many bytes of a text are searched, so that a giant document causes no delay.
const LOOKED_AT: usize = 256 << 10;

/// A snippet of about `length` bytes.
pub(crate) fn snippet(text: &str, parsed: &Parsed, length: usize) -> Snippet {
    let seen = &text[..text.floor_char_boundary(LOOKED_AT)];
    let mut words: Vec<(Range<usize>, u64)> = Vec::new();
    for_each_word_span(seen, |range, word| words.push((range, hash::bytes(cut(word.as_bytes())))));
    let marks = marks(&words, parsed);
    let window = window(&words, &marks, seen, length);
    let marked = marks.iter().map(|&(at, _)| words[at].0.clone());
    let marked = marked.filter(|mark| window.start <= mark.start && mark.end <= window.end);
    show(text, window.clone(), marked)
}

/// The matching words: their places, and which item of the query they belong to.
fn marks(words: &[(Range<usize>, u64)], parsed: &Parsed) -> Vec<(usize, usize)> {
    let is_of_text = |item: &&Item| item.field.is_none_or(|field| field == TEXT);
    let items: Vec<Vec<u64>> = parsed
        .groups
        .iter()
        .flatten()
        .filter(is_of_text)
        .map(|item| item.words.iter().map(|word| hash::bytes(word.as_bytes())).collect())
        .collect();
    let mut marks = Vec::new();
    for at in 0..words.len() {
        for (number, item) in items.iter().enumerate() {
            let follow = words[at..].iter().map(|word| word.1);
            if follow.take(item.len()).eq(item.iter().copied()) {
                marks.extend((at..at + item.len()).map(|at| (at, number)));
            }
        }
    }
    marks.sort_unstable();
    marks.dedup_by_key(|mark| mark.0);
    marks
}

/// The byte range to show: where most items occur, and among such places the first with most words.
fn window(
    words: &[(Range<usize>, u64)],
    marks: &[(usize, usize)],
    text: &str,
    length: usize,
) -> Range<usize> {
    let items = marks.iter().map(|mark| mark.1 + 1).max().unwrap_or(0);
    let mut counts = vec![0u32; items];
    let (mut distinct, mut end) = (0, 0);
    let (mut best, mut best_value) = (0, (0, 0));
    let place = |mark: usize| &words[marks[mark].0].0;
    for start in 0..marks.len() {
        while end < marks.len() && (end <= start || place(end).end - place(start).start <= length / 2) {
            counts[marks[end].1] += 1;
            distinct += u32::from(counts[marks[end].1] == 1);
            end += 1;
        }
        let value = (distinct, end - start);
        if value > best_value {
            (best, best_value) = (place(start).start, value);
        }
        counts[marks[start].1] -= 1;
        distinct -= u32::from(counts[marks[start].1] == 0);
    }
    // Some whole words before the first mark.
    let earliest = best.saturating_sub(length / 4);
    let first = words.partition_point(|word| word.0.start < earliest);
    let start = if earliest == 0 { 0 } else { words.get(first).map_or(best, |word| word.0.start.min(best)) };
    let limit = text.len().min(start + length);
    let after = words.partition_point(|word| word.0.end <= limit);
    let last =
        if limit == text.len() { limit } else { after.checked_sub(1).map_or(0, |last| words[last].0.end) };
    // A word longer than a snippet is cut.
    let end = if last > start { last } else { text.floor_char_boundary(limit) };
    start..end
}

/// Writes the text with white space and control characters as single spaces.
fn show(text: &str, window: Range<usize>, marks: impl Iterator<Item = Range<usize>>) -> Snippet {
    let mut shown = Snippet { cut: [window.start > 0, window.end < text.len()], ..Snippet::default() };
    let mut at = window.start;
    for mark in marks {
        // One character may count as several words, like ½; it is marked once.
        if mark.start < at {
            continue;
        }
        push(&mut shown.text, &text[at..mark.start]);
        let start = shown.text.len();
        push(&mut shown.text, &text[mark.clone()]);
        shown.marks.push(start..shown.text.len());
        at = mark.end;
    }
    push(&mut shown.text, &text[at.min(window.end)..window.end]);
    shown.text.truncate(shown.text.trim_end().len());
    shown
}

fn push(target: &mut String, text: &str) {
    for character in text.chars() {
        if !character.is_whitespace() && !character.is_control() {
            target.push(character);
        } else if !target.is_empty() && !target.ends_with(' ') {
            target.push(' ');
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse::parse;
    use crate::schema::{Fields, SearchSettings};

    /// The snippet with what was searched for in brackets.
    fn shown(text: &str, query: &str, length: usize) -> String {
        let parsed = parse(query, &Fields::new(&SearchSettings::default()).unwrap()).unwrap();
        let snippet = snippet(text, &parsed, length);
        let pieces = snippet.pieces();
        let pieces = pieces.map(|(text, marked)| if marked { format!("[{text}]") } else { text.to_owned() });
        let [before, after] = snippet.cut.map(|cut| if cut { "…" } else { "" });
        format!("{before}{}{after}", pieces.collect::<String>())
    }

    #[test]
    fn what_was_searched_for_is_marked() {
        for (text, query, expected) in [
            ("One Two\n\n three", "two", "One [Two] three"),
            ("a b a c", "\"a c\"", "a b [a] [c]"),
            ("a b", "-a b title:a", "a [b]"),
            ("L’ÉCOLE e\u{301}te\u{301}", "été école", "L’[ÉCOLE] [e\u{301}te\u{301}]"),
            ("東京タワー", "東京", "[東][京]タワー"),
            ("<b>&amp;</b>", "amp", "<b>&[amp];</b>"),
            ("½ cup", "1 2", "[½] cup"),
            ("no such word", "other", "no such word"),
            ("", "x", ""),
        ] {
            assert_eq!(shown(text, query, 100), expected, "{text}");
        }
    }

    #[test]
    fn the_place_with_most_of_the_query_is_shown() {
        let filler = "filler ".repeat(100);
        let text = format!("alpha {filler}before alpha and beta after {filler}beta");
        let found = shown(&text, "alpha beta", 60);
        assert!(found.starts_with('…') && found.ends_with('…'), "{found}");
        assert!(found.contains("[alpha] and [beta]"), "{found}");
        assert!(shown(&text, "alpha", 60).starts_with("[alpha] filler"));
        let late = format!("{}needle", "x ".repeat(LOOKED_AT));
        assert!(shown(&late, "needle", 20).starts_with("x x x"));
    }

    #[test]
    fn words_longer_than_a_snippet_are_shown_in_part() {
        let long = "é".repeat(500);
        assert_eq!(shown(&long, &long, 21), format!("{}…", "é".repeat(10)));
        let found = shown(&format!("some words before {long} after"), "after", 40);
        assert!(found.ends_with("[after]"), "{found}");
    }
}
