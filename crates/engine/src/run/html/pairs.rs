//! Two documents side by side, with the words that differ marked.

use std::fmt::{self, Write};
use std::ops::Range;

use super::diff::{self, Block};
use super::text::{counted, escaped, name, percent, shortened};
use super::{CUT, PairView};

/// Longer texts are cut, so that no page gets too large to open.
const MOST_CHARACTERS: usize = 20_000;

/// Words shown on each side of a difference; longer stretches without any are left out.
const CONTEXT: usize = 40;

/// One text of a pair.
struct Side<'a> {
    text: &'a str,
    words: Vec<Range<usize>>,
    /// Whether the document goes on after the text.
    is_cut: bool,
}

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

/// How a run of words is shown.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Look {
    Plain,
    Marked,
    /// The same in both, far from any difference.
    Skipped,
    /// After the end of the other text: no one knows whether it differs.
    Beyond,
}

fn stretches(blocks: &[Block], is_left: bool, other_is_cut: bool) -> Vec<(Look, Range<usize>)> {
    let mut stretches = Vec::new();
    for (index, block) in blocks.iter().enumerate() {
        let (here, there) = if is_left { (&block.left, &block.right) } else { (&block.right, &block.left) };
        let (start, end) = (here.start, here.end);
        if block.same && here.len() > 3 * CONTEXT {
            stretches.push((Look::Plain, start..start + CONTEXT));
            stretches.push((Look::Skipped, start + CONTEXT..end - CONTEXT));
            stretches.push((Look::Plain, end - CONTEXT..end));
        } else if block.same {
            stretches.push((Look::Plain, start..end));
        } else {
            let is_last = index + 1 == blocks.len();
            let known = if is_last && other_is_cut { here.len().min(there.len()) } else { here.len() };
            stretches.push((Look::Marked, start..start + known));
            stretches.push((Look::Beyond, start + known..end));
        }
    }
    stretches.retain(|(_, words)| !words.is_empty());
    stretches
}

impl<'a> Side<'a> {
    fn new(text: &'a str) -> Self {
        let whole = text.trim_end();
        let text = whole.trim_end_matches(CUT);
        let mut words = diff::words(text);
        let all_compared = words.last().is_none_or(|word| word.end == text.trim_end().len());
        let is_cut = text.len() < whole.len() || !all_compared;
        // The last word may have been cut in two.
        if is_cut && words.len() > 1 && words.last().is_some_and(|word| word.end == text.len()) {
            words.pop();
        }
        Side { text, words, is_cut }
    }

    fn strings(&self) -> Vec<&'a str> {
        self.words.iter().map(|word| &self.text[word.clone()]).collect()
    }

    fn write(&self, out: &mut String, stretches: &[(Look, Range<usize>)], mark: &str) -> fmt::Result {
        if stretches.is_empty() {
            return out.write_str("<span class=\"skip\">no words</span>");
        }
        for (look, words) in stretches {
            self.write_space_before(out, words.start)?;
            match look {
                Look::Plain => self.write_words(out, words)?,
                Look::Marked => {
                    write!(out, "<{mark}>")?;
                    self.write_words(out, words)?;
                    write!(out, "</{mark}>")?;
                }
                Look::Skipped | Look::Beyond => {
                    let strings = words.clone().map(|word| &self.text[self.words[word].clone()]);
                    let count = strings.filter(|word| word.contains(char::is_alphanumeric)).count();
                    let count = match look {
                        Look::Beyond => counted(count as u64, "more word"),
                        _ => counted(count as u64, "word") + " alike in both",
                    };
                    write!(out, r#"<bdi class="skip" lang="en">{count}</bdi>"#)?;
                }
            }
        }
        if self.is_cut { write!(out, " {CUT}") } else { Ok(()) }
    }

    fn write_words(&self, out: &mut String, words: &Range<usize>) -> fmt::Result {
        for word in words.clone() {
            if word > words.start {
                self.write_space_before(out, word)?;
            }
            write!(out, "{}", escaped(&self.text[self.words[word].clone()]))?;
        }
        Ok(())
    }

    /// White space shrinks to what shapes the text: a line break or two, an indent, or one space.
    fn write_space_before(&self, out: &mut String, word: usize) -> fmt::Result {
        let Some(before) = word.checked_sub(1) else { return Ok(()) };
        let space = &self.text[self.words[before].end..self.words[word].start];
        match space.rsplit_once('\n') {
            Some((breaks, indent)) => {
                out.write_str(if breaks.contains('\n') { "\n\n" } else { "\n" })?;
                out.extend(indent.chars().take(8).map(|_| ' '));
                Ok(())
            }
            None if space.is_empty() => Ok(()),
            None => out.write_char(' '),
        }
    }
}
