//! One document out of a file.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::kind::Kind;
use crate::picture::Picture;

/// What a reader found: text, what the file says of itself, links, images.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Extracted {
    /// Where in the file the document stands (`letters/a.pdf`, a message id, a record's number);
    /// absent when it is the file itself.
    pub part: Option<String>,
    /// The format.
    pub kind: Kind,
    /// Blocks are parted by an empty line, lines within a block by a line end.
    pub text: String,
    /// By rising start; they may nest.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub marks: Vec<Mark>,
    /// As the file has it.
    pub title: Option<String>,
    /// As the file has it.
    pub author: Option<String>,
    /// As ISO 8601, if the file's own date could be understood.
    pub date: Option<String>,
    /// A BCP 47 tag, if the file names its language.
    pub language: Option<String>,
    /// Further metadata: `subject`, `from`, `topics`, `url`, …; names in lower case.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub fields: BTreeMap<String, String>,
    /// Where the document's links lead, without fragments.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub links: BTreeSet<String>,
    /// In the order of the document.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub images: Vec<Picture>,
    /// Of a web page, a sample of what it is built of: the lowest hashes of its elements, sorted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub structure: Vec<u32>,
    /// How sure the reader is that the text is what the document says.
    #[serde(default)]
    pub confidence: Confidence,
    /// What speaks against the text, each in a few words for a person.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub doubts: Vec<String>,
    /// Bytes of the file or part.
    pub bytes: u64,
    /// A 128-bit hash of these bytes, in hexadecimal.
    pub file_hash: String,
}

/// 0 to 1; 1 where nothing speaks against a text. Below [`Confidence::WEAK`] a text is *weak*: it can
/// be found and shown, but is never matched by its text alone and never acted on.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Confidence(f64);

impl Confidence {
    /// Below it a text is weak.
    pub const WEAK: f64 = 0.5;

    /// Anything that is no share becomes the nearest one, and what is no number 0.
    pub fn new(share: f64) -> Self {
        Confidence(if share.is_nan() { 0.0 } else { share.clamp(0.0, 1.0) })
    }

    /// From 0 to 1.
    pub fn value(self) -> f64 {
        self.0
    }

    /// Whether it is below [`Confidence::WEAK`].
    pub fn is_weak(self) -> bool {
        self.0 < Self::WEAK
    }
}

impl Default for Confidence {
    fn default() -> Self {
        Confidence(1.0)
    }
}

/// A stretch of the text that the format marks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mark {
    /// What the format marks it as.
    pub tag: Tag,
    /// Bytes of the text.
    pub start: usize,
    /// Up to, but not including, this byte.
    pub end: usize,
}

/// What formats mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Tag {
    /// A heading.
    Heading,
    /// Strong emphasis.
    Bold,
    /// Emphasis.
    Italic,
    /// The text of a link.
    Anchor,
}

impl Tag {
    /// The HTML element that says the same.
    pub fn element(self) -> &'static str {
        match self {
            Tag::Heading => "h2",
            Tag::Bold => "b",
            Tag::Italic => "i",
            Tag::Anchor => "a",
        }
    }
}

impl Extracted {
    /// Elements in the sample of a page's structure.
    pub const STRUCTURE: usize = 64;

    /// Notes what speaks against the text; the least confidence of all doubts counts.
    pub fn doubt(&mut self, confidence: f64, why: impl Into<String>) {
        if confidence < self.confidence.value() || confidence.is_nan() {
            self.confidence = Confidence::new(confidence);
        }
        self.doubts.push(why.into());
    }

    /// Why the text is weak; nothing where it is not.
    pub fn weakness(&self) -> Option<String> {
        self.confidence.is_weak().then(|| {
            if self.doubts.is_empty() {
                "little of it could be read".to_owned()
            } else {
                self.doubts.join("; ")
            }
        })
    }

    /// The text as plain HTML that keeps the marks, for features that weigh them.
    pub fn marked_up(&self) -> String {
        // Ends before starts at the same place; of starts the longer mark first.
        let mut events: Vec<(usize, bool, usize, Tag)> = Vec::with_capacity(2 * self.marks.len());
        for mark in &self.marks {
            events.push((mark.start, true, usize::MAX - mark.end, mark.tag));
            events.push((mark.end, false, usize::MAX - mark.start, mark.tag));
        }
        events.sort_by_key(|&(at, starts, order, _)| (at, starts, order));
        let mut html = String::with_capacity(self.text.len() + 16 * events.len());
        let mut done = 0;
        for (at, starts, _, tag) in events {
            escape(self.text.get(done..at).unwrap_or_default(), &mut html);
            done = at.max(done);
            html += if starts { "<" } else { "</" };
            html += tag.element();
            html.push('>');
        }
        escape(self.text.get(done..).unwrap_or_default(), &mut html);
        html
    }
}

fn escape(text: &str, out: &mut String) {
    for character in text.chars() {
        match character {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            other => out.push(other),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_confidence_counts_and_all_doubts_are_told() {
        let mut document = Extracted::default();
        assert_eq!((document.confidence.value(), document.weakness()), (1.0, None));
        document.doubt(0.7, "a banner covers it");
        assert_eq!(document.weakness(), None);
        document.doubt(0.2, "a teaser");
        document.doubt(0.9, "no title");
        assert_eq!(document.confidence.value(), 0.2);
        assert_eq!(document.weakness().as_deref(), Some("a banner covers it; a teaser; no title"));
        assert_eq!(Confidence::new(f64::NAN).value(), 0.0);
    }

    #[test]
    fn marks_become_elements() {
        let mark = |tag, start, end| Mark { tag, start, end };
        let document = Extracted {
            text: "A <b>\n\nbold word".to_owned(),
            marks: vec![mark(Tag::Heading, 0, 5), mark(Tag::Bold, 7, 16), mark(Tag::Italic, 12, 16)],
            ..Extracted::default()
        };
        assert_eq!(document.marked_up(), "<h2>A &lt;b&gt;</h2>\n\n<b>bold <i>word</i></b>");
    }
}
