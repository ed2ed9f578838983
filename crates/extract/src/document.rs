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
    /// Headings that readers see and the text does not hold, by rising place: above all the title.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub headings: Vec<Heading>,
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
    /// The same for what may have several values: `topics`, `classifier`, …
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub lists: BTreeMap<String, Vec<String>>,
    /// Where the document's links lead, without fragments.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub links: BTreeSet<String>,
    /// The texts of links and where these lead, in the order of the document; only if they are asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub anchors: Vec<Anchor>,
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

/// The text of a link.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Anchor {
    /// Where it leads, without a fragment: an address, or a path relative to the document's.
    pub to: String,
    /// What it says.
    pub text: String,
}

/// A heading beside the text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Heading {
    /// The byte of the text before which it stands.
    pub at: usize,
    /// Its own text.
    pub text: String,
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

    /// The most headings beside a text.
    const MOST_HEADINGS: usize = 64;

    /// Notes a heading beside the text, unless one like it is there: what is said twice counts once.
    pub fn add_heading(&mut self, heading: Heading) {
        if self.headings.len() < Self::MOST_HEADINGS
            && has_letters(&heading.text)
            && !self.is_headed(&heading.text)
        {
            let place = self.headings.partition_point(|other| other.at <= heading.at);
            self.headings.insert(place, heading);
        }
    }

    /// Makes the title the first heading, unless some heading says the same.
    pub fn head_with_title(&mut self) {
        if let Some(title) = self.title.as_ref().filter(|title| has_letters(title))
            && !self.is_headed(title)
        {
            self.headings.insert(0, Heading { at: 0, text: title.clone() });
        }
    }

    /// Whether some heading, in the text or beside it, says this.
    fn is_headed(&self, title: &str) -> bool {
        let marked = self.marks.iter().filter(|mark| mark.tag == Tag::Heading);
        let mut within = marked.filter_map(|mark| self.text.get(mark.start..mark.end));
        within.any(|heading| says_same(heading, title))
            || self.headings.iter().any(|heading| says_same(&heading.text, title))
    }

    /// The text as simple HTML that keeps the marks, and with the headings that stand beside it, for features
    /// that use them. Without a text it is empty: headings alone are not compared.
    pub fn marked_up(&self) -> String {
        if self.text.is_empty() {
            return String::new();
        }
        // At the same place ends come first, then headings, then starts; of starts the longer mark first.
        let mut events: Vec<(usize, u8, usize, Event<'_>)> =
            Vec::with_capacity(2 * self.marks.len() + self.headings.len());
        for mark in &self.marks {
            events.push((mark.start, 2, usize::MAX - mark.end, Event::Start(mark.tag)));
            events.push((mark.end, 0, usize::MAX - mark.start, Event::End(mark.tag)));
        }
        events.extend(
            self.headings
                .iter()
                .enumerate()
                .map(|(place, heading)| (heading.at, 1, place, Event::Heading(&heading.text))),
        );
        events.sort_by_key(|&(at, rank, order, _)| (at, rank, order));
        let mut html = String::with_capacity(self.text.len() + 16 * events.len());
        let mut done = 0;
        for (at, _, _, event) in events {
            escape(self.text.get(done..at).unwrap_or_default(), &mut html);
            done = at.max(done);
            match event {
                Event::Start(tag) => html.extend(["<", tag.element(), ">"]),
                Event::End(tag) => html.extend(["</", tag.element(), ">"]),
                Event::Heading(heading) => {
                    // Before the text's first character the gap follows, everywhere else it precedes.
                    html += if at == 0 { "<h1>" } else { "\n\n<h1>" };
                    escape(heading, &mut html);
                    html += if at == 0 { "</h1>\n\n" } else { "</h1>" };
                }
            }
        }
        escape(self.text.get(done..).unwrap_or_default(), &mut html);
        html
    }
}

/// What happens at a place of the text.
enum Event<'a> {
    Start(Tag),
    End(Tag),
    Heading(&'a str),
}

/// Whether two headings have the same letters and digits, in any case.
pub fn says_same(a: &str, b: &str) -> bool {
    letters_of(a).eq(letters_of(b))
}

fn has_letters(text: &str) -> bool {
    text.contains(char::is_alphanumeric)
}

fn letters_of(text: &str) -> impl Iterator<Item = char> {
    text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase)
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

    #[test]
    fn headings_beside_the_text_come_back_where_they_stood() {
        let heading = |at, text: &str| Heading { at, text: text.to_owned() };
        let mut document = Extracted {
            text: "one two\n\nthree".to_owned(),
            marks: vec![
                Mark { tag: Tag::Bold, start: 0, end: 7 },
                Mark { tag: Tag::Heading, start: 9, end: 14 },
            ],
            title: Some("A & B".to_owned()),
            ..Extracted::default()
        };
        document.add_heading(heading(7, "Part"));
        document.add_heading(heading(0, "Kicker"));
        document.head_with_title();
        let marked =
            "<h1>A &amp; B</h1>\n\n<h1>Kicker</h1>\n\n<b>one two</b>\n\n<h1>Part</h1>\n\n<h2>three</h2>";
        assert_eq!(document.marked_up(), marked);
        // Nothing is said twice, in whatever case and punctuation.
        document.head_with_title();
        document.add_heading(heading(14, "PART!"));
        document.add_heading(heading(0, "Three"));
        document.add_heading(heading(0, "* * *"));
        document.title = Some("kicker".to_owned());
        document.head_with_title();
        assert_eq!(document.marked_up(), marked);
        document.text.clear();
        assert_eq!(document.marked_up(), "", "a heading is no text");
    }

    #[test]
    fn headings_are_limited() {
        let mut document = Extracted { text: "x".to_owned(), ..Extracted::default() };
        (0..1000).for_each(|number| document.add_heading(Heading { at: 1, text: format!("No {number}") }));
        assert_eq!(document.headings.len(), Extracted::MOST_HEADINGS);
    }
}
