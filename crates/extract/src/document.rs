//! One document out of a file.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::kind::Kind;
use crate::picture::Picture;

/// What a reader found: text, metadata, links, images.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Extracted {
    /// Where in the file the document stands (`letters/a.pdf`, a message id, a record's number);
    /// absent when it is the file itself.
    pub part: Option<String>,
    /// The format.
    pub kind: Kind,
    /// Blocks are separated by an empty line, lines within a block by a line end.
    pub text: String,
    /// By rising start; they may nest.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub marks: Vec<Mark>,
    /// The title in the file.
    pub title: Option<String>,
    /// The author in the file.
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
    /// The images, in the order of the document.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub images: Vec<Picture>,
    /// For a web page, a sample of its structure: the lowest hashes of its elements, sorted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub structure: Vec<u32>,
    /// How certain the reader is that the text is the content of the document.
    #[serde(default)]
    pub confidence: Confidence,
    /// Reasons to doubt the text, each in a few words for people.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub doubts: Vec<String>,
    /// Bytes of the file or part.
    pub bytes: u64,
    /// A 128-bit hash of these bytes, in hexadecimal.
    pub file_hash: String,
}

/// From 0 to 1; 1 if there is no reason to doubt a text. Below [`Confidence::WEAK`] a text is *weak*:
/// it can be found and shown, but is never matched by its text alone and never acted on.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Confidence(f64);

impl Confidence {
    /// Texts with a lower confidence are weak.
    pub const WEAK: f64 = 0.5;

    /// Values outside the range become the nearest valid one; NaN becomes 0.
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
    pub const STRUCTURE: usize = lookalike_core::streams::STRUCTURE_ITEMS;

    /// What the document says of itself, by name: the stream `metadata`.
    pub fn metadata(&self) -> impl Iterator<Item = (&'static str, &str)> {
        let given = [
            ("title", &self.title),
            ("author", &self.author),
            ("date", &self.date),
            ("language", &self.language),
        ];
        given.into_iter().filter_map(|(name, value)| Some((name, value.as_deref()?)))
    }

    /// Notes a reason to doubt the text; the lowest confidence of all doubts counts.
    pub fn doubt(&mut self, confidence: f64, why: impl Into<String>) {
        if confidence < self.confidence.value() || confidence.is_nan() {
            self.confidence = Confidence::new(confidence);
        }
        self.doubts.push(why.into());
    }

    /// Why the text is weak; `None` if it is not.
    pub fn weakness(&self) -> Option<String> {
        self.confidence.is_weak().then(|| {
            if self.doubts.is_empty() {
                "little of it could be read".to_owned()
            } else {
                self.doubts.join("; ")
            }
        })
    }

    /// The text as simple HTML that keeps the marks, for features that use them.
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
