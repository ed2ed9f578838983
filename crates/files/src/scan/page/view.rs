//! A document next to the one that is kept, with the differences marked.

use std::collections::VecDeque;
use std::fmt::{self, Write};
use std::ops::Range;

use super::rows::{Row, rows};
use lookalike_report::CUT;
use lookalike_report::side::{Side, StretchKind};
use lookalike_report::text::{count, counted};

/// The most bytes of each text; longer ones are cut, so that no page gets too large to open.
const MOST_BYTES: usize = 20_000;
/// How many bytes before the first difference are shown of texts that are cut.
const LEAD: usize = 1_000;
/// Equal rows with more bytes than this are folded, except next to a difference.
const MOST_SAME: usize = 600;

pub fn view(out: &mut String, kept: &str, duplicate: &str) -> fmt::Result {
    let (from_kept, from_duplicate) =
        if kept.len().max(duplicate.len()) > MOST_BYTES { common_start(kept, duplicate) } else { (0, 0) };
    let (kept_part, duplicate_part) = (part(kept, from_kept), part(duplicate, from_duplicate));
    let (left, right) = (Side::new(&kept_part), Side::new(&duplicate_part));
    if left.words.is_empty() && right.words.is_empty() {
        return out.write_str("<p class=\"nothing\">Neither document has text to show.</p>\n");
    }
    if from_kept > 0 {
        let skipped = count(kept[..from_kept].chars().count() as u64);
        writeln!(out, "<p class=\"nothing\">The first {skipped} characters are alike and not shown.</p>")?;
    }
    let rows = rows(&left, &right);
    if rows.iter().all(Row::is_same) {
        let where_to = if left.is_cut || right.is_cut { ", as far as is shown" } else { "" };
        writeln!(out, "<p class=\"nothing\">The words are the same in both{where_to}.</p>")?;
    }
    out.write_str(
        r#"<div class="beside" role="region" aria-label="Both texts" tabindex="0">
<table><thead><tr><th scope="col" class="kept">Kept</th><th scope="col" class="removed">Duplicate</th></tr></thead>
<tbody>
"#,
    )?;
    let mut next = 0;
    while let Some(row) = rows.get(next) {
        let folded = folded(&rows, next, &left);
        if folded.is_empty() {
            write_row(out, row, &left, &right)?;
            next += 1;
        } else {
            write_folded(out, &rows[folded.clone()], &left)?;
            next = folded.end;
        }
    }
    if left.is_cut || right.is_cut {
        let end = |side: &Side| if side.is_cut { format!("{CUT} goes on") } else { String::new() };
        let (left, right) = (end(&left), end(&right));
        writeln!(out, r#"<tr class="end"><td>{left}</td><td>{right}</td></tr>"#)?;
    }
    out.write_str("</tbody></table>\n</div>\n")
}

fn write_row(out: &mut String, row: &Row, left: &Side, right: &Side) -> fmt::Result {
    out.write_str("<tr>")?;
    for (side, stretches, mark) in [(left, &row.left, "del"), (right, &row.right, "ins")] {
        if stretches.is_empty() {
            out.write_str("<td class=\"none\"></td>")?;
            continue;
        }
        out.write_str("<td lang=\"\" dir=\"auto\">")?;
        side.write_stretches(out, stretches, mark)?;
        out.write_str("</td>")?;
    }
    out.write_str("</tr>\n")
}

/// Text that is the same on both sides is written once, folded.
fn write_folded(out: &mut String, rows: &[Row], left: &Side) -> fmt::Result {
    let words = |row: &Row| row.left.iter().map(|(_, words)| left.count(words)).sum::<u64>();
    let summary = counted(rows.iter().map(words).sum(), "word");
    write!(
        out,
        r#"<tr class="alike"><td colspan="2"><details><summary>{summary} alike in both</summary>
<div lang="" dir="auto">"#
    )?;
    for (index, row) in rows.iter().enumerate() {
        if index > 0 {
            out.write_char('\n')?;
        }
        left.write_stretches(out, &row.left, "del")?;
    }
    out.write_str("</div></details></td></tr>\n")
}

/// The equal rows from this one on that are folded: not next to a difference.
fn folded(rows: &[Row], from: usize, left: &Side) -> Range<usize> {
    let is_same = |row: usize| rows.get(row).is_none_or(Row::is_same);
    let is_far = |row: &usize| is_same(row.saturating_sub(1)) && is_same(*row) && is_same(row + 1);
    let to = from + (from..rows.len()).take_while(is_far).count();
    let stretches = rows[from..to].iter().flat_map(|row| &row.left);
    let bytes: usize = stretches.map(|(_, words): &(StretchKind, Range<usize>)| left.bytes(words)).sum();
    if bytes > MOST_SAME { from..to } else { from..from }
}

/// The text from there on, cut to the length that is shown.
fn part(text: &str, from: usize) -> String {
    let rest = text.get(from..).unwrap_or_default();
    if rest.len() <= MOST_BYTES {
        return rest.to_owned();
    }
    format!("{}{CUT}", &rest[..rest.floor_char_boundary(MOST_BYTES)])
}

/// Where to begin in long texts with the same beginning: a little before the first difference, at
/// the start of a line if there is one. White space and letter case are no difference.
fn common_start(kept: &str, duplicate: &str) -> (usize, usize) {
    // Only the last words are needed in the end, and a text may have millions.
    let mut words = VecDeque::new();
    let mut last_kept = 0;
    let mut last_duplicate = 0;
    let both = letters(kept).zip(letters(duplicate));
    for ((at_kept, a), (at_duplicate, b)) in both {
        if a != b && !a.to_lowercase().eq(b.to_lowercase()) {
            break;
        }
        let (gap_kept, gap_duplicate) = (&kept[last_kept..at_kept], &duplicate[last_duplicate..at_duplicate]);
        if !gap_kept.is_empty() && !gap_duplicate.is_empty() {
            while words.len() > 1
                && words.front().is_some_and(|word: &(usize, usize, bool)| word.0 + 5 * LEAD < at_kept)
            {
                words.pop_front();
            }
            words.push_back((at_kept, at_duplicate, gap_kept.contains('\n') && gap_duplicate.contains('\n')));
        }
        last_kept = at_kept + a.len_utf8();
        last_duplicate = at_duplicate + b.len_utf8();
    }
    let far: Vec<_> = words.iter().filter(|word| word.0 + LEAD <= last_kept).collect();
    let line = far.iter().rev().take_while(|word| word.0 + 4 * LEAD >= last_kept).find(|word| word.2);
    line.or(far.last()).map_or((0, 0), |word| (word.0, word.1))
}

fn letters(text: &str) -> impl Iterator<Item = (usize, char)> {
    text.char_indices().filter(|(_, character)| !character.is_whitespace())
}
