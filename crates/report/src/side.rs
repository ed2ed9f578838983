//! One of two texts that are shown next to each other, split into words.

use std::fmt::{self, Write};
use std::ops::Range;

use super::CUT;
use super::diff;
use super::text::{counted, escaped};

/// A text and where its words are.
pub struct Side<'a> {
    /// The text, without the mark of a cut.
    pub text: &'a str,
    /// Places of the words that are compared.
    pub words: Vec<Range<usize>>,
    /// Whether the document continues after the text.
    pub is_cut: bool,
}

/// How a run of words is shown.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum StretchKind {
    /// The same in both.
    Plain,
    /// In this text only.
    Marked,
    /// The same in both, far from any difference.
    Skipped,
    /// Elsewhere in the other text.
    Moved,
    /// After the end of the other text: it is unknown whether it differs.
    Beyond,
}

impl<'a> Side<'a> {
    /// Finds the words of a text.
    pub fn new(text: &'a str) -> Self {
        let whole = text.trim_end();
        let text = whole.trim_end_matches(CUT);
        let mut words = diff::words(text);
        let all_compared = words.last().is_none_or(|word| word.end == text.trim_end().len());
        let is_cut = text.len() < whole.len() || !all_compared;
        // The last word may have been cut.
        if is_cut && words.len() > 1 && words.last().is_some_and(|word| word.end == text.len()) {
            words.pop();
        }
        Side { text, words, is_cut }
    }

    /// The words themselves.
    pub fn strings(&self) -> Vec<&'a str> {
        self.words.iter().map(|word| &self.text[word.clone()]).collect()
    }

    /// The text as HTML, with differences in elements named `mark`.
    pub fn write(
        &self,
        out: &mut String,
        stretches: &[(StretchKind, Range<usize>)],
        mark: &str,
    ) -> fmt::Result {
        if stretches.is_empty() {
            return out.write_str("<span class=\"skip\">no words</span>");
        }
        self.write_stretches(out, stretches, mark)?;
        if self.is_cut { write!(out, " {CUT}") } else { Ok(()) }
    }

    /// A part of the text, without the space before it.
    pub fn write_stretches(
        &self,
        out: &mut String,
        stretches: &[(StretchKind, Range<usize>)],
        mark: &str,
    ) -> fmt::Result {
        for (index, (look, words)) in stretches.iter().enumerate() {
            if index > 0 {
                self.write_space_before(out, words.start)?;
            }
            match look {
                StretchKind::Plain => self.write_words(out, words)?,
                StretchKind::Marked => {
                    write!(out, "<{mark}>")?;
                    self.write_words(out, words)?;
                    write!(out, "</{mark}>")?;
                }
                StretchKind::Moved => {
                    out.write_str("<span class=\"moved\">")?;
                    self.write_words(out, words)?;
                    out.write_str("</span>")?;
                }
                StretchKind::Skipped | StretchKind::Beyond => {
                    let count = self.count(words);
                    let count = match look {
                        StretchKind::Beyond => counted(count, "more word"),
                        _ => counted(count, "word") + " alike in both",
                    };
                    write!(out, r#"<bdi class="skip" lang="en">{count}</bdi>"#)?;
                }
            }
        }
        Ok(())
    }

    /// How many of the words a reader would count.
    pub fn count(&self, words: &Range<usize>) -> u64 {
        let strings = words.clone().map(|word| &self.text[self.words[word].clone()]);
        strings.filter(|word| word.contains(char::is_alphanumeric)).count() as u64
    }

    /// Whether a line begins with the word. The end of the text counts as one.
    pub fn starts_line(&self, word: usize) -> bool {
        match (word.checked_sub(1).and_then(|before| self.words.get(before)), self.words.get(word)) {
            (Some(before), Some(word)) => self.text[before.end..word.start].contains('\n'),
            _ => true,
        }
    }

    /// The bytes of the words and of what is between them.
    pub fn bytes(&self, words: &Range<usize>) -> usize {
        if words.is_empty() { 0 } else { self.words[words.end - 1].end - self.words[words.start].start }
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

    /// Reduces white space to what shapes the text: a line break or two, an indent, or one space.
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
