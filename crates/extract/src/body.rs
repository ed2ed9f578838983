//! Builds a document's text: collapses white space, separates blocks, remembers marked stretches.

use crate::document::{Extracted, Heading, Mark, Tag};

/// The most marks within marks; real documents have fewer.
const DEEPEST: usize = 256;

#[derive(Default, Debug)]
pub struct Body {
    text: String,
    marks: Vec<Mark>,
    headings: Vec<Heading>,
    open: Vec<(Tag, usize)>,
    gap: Gap,
}

/// The white space to write before the next character.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
enum Gap {
    #[default]
    None,
    Space,
    Line,
    Block,
}

impl Body {
    /// Adds text within a line; any run of white space becomes one space, also across calls.
    pub fn push(&mut self, text: &str) {
        let mut rest = text;
        while !rest.is_empty() {
            let trimmed = rest.trim_start_matches(is_space);
            if trimmed.len() < rest.len() {
                self.gap = self.gap.max(Gap::Space);
            }
            let end = trimmed.find(is_space).unwrap_or(trimmed.len());
            if end > 0 {
                self.write_gap();
                self.text.push_str(&trimmed[..end]);
            }
            rest = &trimmed[end..];
        }
    }

    /// Adds text whose lines are kept; an empty line begins a block.
    pub fn lines(&mut self, text: &str) {
        for line in text.split('\n') {
            let line = line.trim_end_matches('\r');
            if line.trim_matches(is_space).is_empty() {
                self.block();
            } else {
                self.push(line);
                self.line();
            }
        }
    }

    /// Adds the content of another document as blocks of their own.
    pub fn append(&mut self, other: &Extracted) {
        if other.text.is_empty() {
            return;
        }
        self.block();
        let before = self.text.len();
        self.write_gap();
        let start = self.text.len();
        self.text.push_str(&other.text);
        self.marks.extend(other.marks.iter().map(|mark| Mark {
            start: start + mark.start,
            end: start + mark.end,
            ..*mark
        }));
        self.headings.extend(other.headings.iter().map(|heading| Heading {
            at: if heading.at == 0 { before } else { start + heading.at },
            text: heading.text.clone(),
        }));
        self.block();
    }

    /// Notes a heading that stands here beside the text.
    pub fn heading_aside(&mut self, text: String) {
        self.headings.push(Heading { at: self.text.len(), text });
    }

    /// The headings beside the text, which must be taken before the text is finished.
    pub fn take_headings(&mut self) -> Vec<Heading> {
        std::mem::take(&mut self.headings)
    }

    /// Begins a new line.
    pub fn line(&mut self) {
        self.gap = self.gap.max(Gap::Line);
    }

    /// Begins a new paragraph, heading, cell or item.
    pub fn block(&mut self) {
        self.gap = Gap::Block;
    }

    /// Begins a marked stretch; it may nest, but not so deep that finding its start takes long.
    pub fn open(&mut self, tag: Tag) {
        if self.open.len() < DEEPEST {
            self.open.push((tag, usize::MAX));
        }
    }

    /// Ends the innermost stretch with this tag. A stretch without text leaves no mark.
    pub fn close(&mut self, tag: Tag) {
        let Some(place) = self.open.iter().rposition(|&(other, _)| other == tag) else { return };
        let (tag, start) = self.open.remove(place);
        if start < self.text.len() {
            self.marks.push(Mark { tag, start, end: self.text.len() });
        }
    }

    /// What was written since it had this length.
    pub fn written_since(&self, length: usize) -> &str {
        self.text.get(length..).unwrap_or_default().trim()
    }

    /// How many bytes were written so far.
    pub fn len(&self) -> usize {
        self.text.len()
    }

    pub fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    pub fn finish(mut self) -> (String, Vec<Mark>) {
        while let Some(&(tag, _)) = self.open.last() {
            self.close(tag);
        }
        self.marks.sort_by_key(|mark| (mark.start, usize::MAX - mark.end));
        (self.text, self.marks)
    }

    /// Writes the gap and begins the stretches that wait for their first character.
    fn write_gap(&mut self) {
        if !self.text.is_empty() {
            self.text.push_str(match self.gap {
                Gap::None => "",
                Gap::Space => " ",
                Gap::Line => "\n",
                Gap::Block => "\n\n",
            });
        }
        self.gap = Gap::None;
        let here = self.text.len();
        for (_, start) in self.open.iter_mut().rev().take_while(|(_, start)| *start == usize::MAX) {
            *start = here;
        }
    }
}

/// White space, and control characters without a meaning in text.
fn is_space(character: char) -> bool {
    character.is_whitespace() || character.is_control() || character == '\u{feff}'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_are_marked_and_blocks_parted() {
        let mut body = Body::default();
        body.open(Tag::Heading);
        body.push(" Minutes ");
        body.close(Tag::Heading);
        body.block();
        body.push("All\n  agreed.");
        let (text, marks) = body.finish();
        assert_eq!(text, "Minutes\n\nAll agreed.");
        assert_eq!((marks[0].start, marks[0].end), (0, 7));
    }

    #[test]
    fn gaps_are_as_large_as_the_largest_asked_for() {
        let mut body = Body::default();
        body.block();
        body.push("a ");
        body.line();
        body.push("b");
        body.push("c\u{0}d");
        body.block();
        body.line();
        body.lines("e\r\n f \n\n\ng");
        assert_eq!(body.finish().0, "a\nbc d\n\ne\nf\n\ng");
    }

    #[test]
    fn a_body_within_a_body_keeps_its_marks() {
        let mut body = Body::default();
        body.push("x");
        body.append(&Extracted::default());
        let heading = |at, text: &str| Heading { at, text: text.to_owned() };
        body.append(&Extracted {
            text: "a\nbold".to_owned(),
            marks: vec![Mark { tag: Tag::Bold, start: 2, end: 6 }],
            headings: vec![heading(0, "T"), heading(6, "E")],
            ..Extracted::default()
        });
        body.push("y");
        body.heading_aside("Z".to_owned());
        assert_eq!(body.take_headings(), [heading(1, "T"), heading(9, "E"), heading(12, "Z")]);
        let (text, marks) = body.finish();
        assert_eq!(text, "x\n\na\nbold\n\ny");
        assert_eq!(&text[marks[0].start..marks[0].end], "bold");
    }

    #[test]
    fn marks_hug_their_text() {
        let mut body = Body::default();
        body.push("x");
        body.open(Tag::Bold);
        body.open(Tag::Italic);
        body.push(" y ");
        body.close(Tag::Italic);
        body.open(Tag::Anchor);
        body.close(Tag::Anchor);
        body.push("z");
        let (text, marks) = body.finish();
        assert_eq!(text, "x y z");
        let shown: Vec<(Tag, &str)> =
            marks.iter().map(|mark| (mark.tag, &text[mark.start..mark.end])).collect();
        assert_eq!(shown, [(Tag::Bold, "y z"), (Tag::Italic, "y")]);
    }
}
