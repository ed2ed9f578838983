//! Two documents side by side, with the words that differ marked.

use std::fmt::{self, Write};
use std::ops::Range;

use super::PairView;
use crate::diff::{self, Block};
use crate::side::{Side, StretchKind};
use crate::text::{escaped, name, percent, shortened};

/// Longer texts are cut, so that no page gets too large to open.
const MOST_CHARACTERS: usize = 20_000;

/// How many words are shown on each side of a difference; longer stretches without any are left
/// out.
const CONTEXT: usize = 40;

/// Writes a pair with its texts side by side, the words that differ marked.
pub fn pair(out: &mut String, pair: &PairView) -> fmt::Result {
    let keeper_text = shortened(&pair.keeper_text, MOST_CHARACTERS);
    let removed_text = shortened(&pair.removed_text, MOST_CHARACTERS);
    let (keeper, removed) = (Side::new(&keeper_text), Side::new(&removed_text));
    let blocks = diff::compare(&keeper.strings(), &removed.strings());

    write!(out, "<article>\n<h3>{} alike</h3>\n", percent(pair.similarity))?;
    let shares = [
        (pair.contained_in_keeper, "of the removed document is in the kept one"),
        (pair.contains_keeper, "of the kept document is in the removed one"),
    ];
    let shares = shares.into_iter().filter_map(|(share, what)| Some(format!("{} {what}", percent(share?))));
    let mut shares: Vec<String> = shares.collect();
    shares.extend(pair.difference.as_ref().map(|kinds| match kinds.as_str() {
        "none" => "no difference".to_owned(),
        kinds => format!("differs in: {}", escaped(kinds)),
    }));
    if !pair.contradict.is_empty() {
        shares.push(format!("<strong>contradicting {}</strong>", escaped(&pair.contradict.join(", "))));
    }
    if blocks.iter().all(|block| block.same) && !blocks.is_empty() {
        let is_cut = keeper.is_cut || removed.is_cut;
        shares.push(
            if is_cut { "no difference so far into the text" } else { "same words in both" }.to_owned(),
        );
    }
    if !shares.is_empty() {
        writeln!(out, r#"<p class="shares">{}</p>"#, shares.join(" · "))?;
    }
    out.write_str("<div class=\"sides\">\n")?;
    for (label, class, mark, id, side, other) in [
        ("Kept", "kept", "del", &pair.keeper, &keeper, &removed),
        ("Removed", "removed", "ins", &pair.removed, &removed, &keeper),
    ] {
        let is_left = class == "kept";
        let stretches = stretches(&blocks, is_left, other.is_cut);
        write!(
            out,
            r#"<div class="side {class}"><h4><span>{label}</span> {}</h4>
<div class="text" lang="" dir="auto" tabindex="0" role="region" aria-label="{label} text">"#,
            name(id)
        )?;
        side.write(out, &stretches, mark)?;
        out.write_str("</div></div>\n")?;
    }
    out.write_str("</div>\n</article>\n")
}

fn stretches(blocks: &[Block], is_left: bool, other_is_cut: bool) -> Vec<(StretchKind, Range<usize>)> {
    let mut stretches = Vec::new();
    for (index, block) in blocks.iter().enumerate() {
        let (here, there) = if is_left { (&block.left, &block.right) } else { (&block.right, &block.left) };
        let (start, end) = (here.start, here.end);
        if block.same && here.len() > 3 * CONTEXT {
            stretches.push((StretchKind::Plain, start..start + CONTEXT));
            stretches.push((StretchKind::Skipped, start + CONTEXT..end - CONTEXT));
            stretches.push((StretchKind::Plain, end - CONTEXT..end));
        } else if block.same {
            stretches.push((StretchKind::Plain, start..end));
        } else {
            let is_last = index + 1 == blocks.len();
            let known = if is_last && other_is_cut { here.len().min(there.len()) } else { here.len() };
            stretches.push((StretchKind::Marked, start..start + known));
            stretches.push((StretchKind::Beyond, start + known..end));
        }
    }
    stretches.retain(|(_, words)| !words.is_empty());
    stretches
}
