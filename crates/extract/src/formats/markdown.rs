//! Markdown.
//!
//! Read as text with its marks: code stays, HTML is read as HTML, and front matter between `---`
//! gives title, author and date.

use pulldown_cmark::{Event, HeadingLevel, Options, Parser, Tag as Markup, TagEnd};

use super::html;
use super::text::decode;
use crate::body::Body;
use crate::date;
use crate::document::{Extracted, Tag};
use crate::file::File;
use crate::format::{Format, Sign, Stage};
use crate::kind::{Category, Kind};
use crate::out::Out;
use crate::picture::Picture;
use crate::reason::Reason;

/// How many images of one document are decoded.
const MOST_IMAGES: usize = 64;

pub const FORMAT: Format = Format {
    kind: Kind::Markdown,
    category: Category::Text,
    summary: "Markdown, with its front matter",
    signs: &[Sign { stage: Stage::Name, recognise: |_, name| is_named(name).then_some(Kind::Markdown) }],
    read,
    read_stream: None,
};

pub fn read(file: &File<'_>, out: &mut Out<'_>) -> Result<(), Reason> {
    out.document(markdown(&decode(file.bytes, None)))
}

/// Whether the file's name says that it is Markdown; its content looks like any text.
pub fn is_named(name: &str) -> bool {
    let lower_name = name.to_ascii_lowercase();
    [".md", ".markdown"].iter().any(|ending| lower_name.ends_with(ending))
}

pub fn markdown(source: &str) -> Extracted {
    let extensions = Options::ENABLE_TABLES
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_YAML_STYLE_METADATA_BLOCKS
        | Options::ENABLE_PLUSES_DELIMITED_METADATA_BLOCKS;
    let mut writer = Writer::default();
    for event in Parser::new_ext(source, extensions) {
        writer.take(event);
    }
    let mut document = writer.document;
    document.kind = Kind::Markdown;
    (document.text, document.marks) = writer.body.finish();
    document.title = document.title.or(writer.heading.filter(|heading| !heading.is_empty()));
    document
}

#[derive(Default)]
struct Writer {
    body: Body,
    document: Extracted,
    /// The first heading of the highest level.
    heading: Option<String>,
    in_heading: bool,
    in_code: bool,
    /// The front matter.
    front: Option<String>,
    /// HTML whose end has not come yet.
    html: Option<String>,
}

impl Writer {
    fn take(&mut self, event: Event<'_>) {
        match event {
            Event::Start(markup) => self.start(&markup),
            Event::End(markup) => self.end(markup),
            Event::Text(text) => self.text(&text),
            Event::Code(text) | Event::InlineMath(text) | Event::DisplayMath(text) => self.body.push(&text),
            Event::Html(html) => match &mut self.html {
                Some(collected) => collected.push_str(&html),
                None => self.body.push(" "),
            },
            Event::InlineHtml(tag) => {
                if tag.get(..3).is_some_and(|start| start.eq_ignore_ascii_case("<br")) {
                    self.body.line();
                }
            }
            Event::SoftBreak => self.body.push(" "),
            Event::HardBreak => self.body.line(),
            Event::Rule => self.body.block(),
            Event::FootnoteReference(_) | Event::TaskListMarker(_) => {}
        }
    }

    fn start(&mut self, markup: &Markup<'_>) {
        match markup {
            Markup::Heading { level, .. } => {
                self.body.block();
                self.body.open(Tag::Heading);
                if *level == HeadingLevel::H1 && self.heading.is_none() {
                    self.in_heading = true;
                    self.heading = Some(String::new());
                }
            }
            Markup::Strong => self.body.open(Tag::Bold),
            Markup::Emphasis => self.body.open(Tag::Italic),
            Markup::Link { dest_url, .. } => {
                self.body.open(Tag::Anchor);
                self.document.links.extend(html::link_target(dest_url));
            }
            Markup::Image { dest_url, .. } => self.image(dest_url),
            Markup::CodeBlock(_) => {
                self.body.block();
                self.in_code = true;
            }
            Markup::HtmlBlock => self.html = Some(String::new()),
            Markup::MetadataBlock(_) => self.front = Some(String::new()),
            Markup::Item | Markup::TableRow | Markup::TableHead => self.body.line(),
            Markup::TableCell => self.body.push(" "),
            Markup::Strikethrough | Markup::Superscript | Markup::Subscript => {}
            _ => self.body.block(),
        }
    }

    fn end(&mut self, markup: TagEnd) {
        match markup {
            TagEnd::Heading(_) => {
                self.body.close(Tag::Heading);
                self.body.block();
                self.in_heading = false;
            }
            TagEnd::Strong => self.body.close(Tag::Bold),
            TagEnd::Emphasis => self.body.close(Tag::Italic),
            TagEnd::Link => self.body.close(Tag::Anchor),
            TagEnd::CodeBlock => {
                self.in_code = false;
                self.body.block();
            }
            TagEnd::HtmlBlock => self.html_block(),
            TagEnd::MetadataBlock(_) => self.front_matter(),
            TagEnd::Item | TagEnd::TableRow | TagEnd::TableHead => self.body.line(),
            TagEnd::TableCell => self.body.push(" "),
            TagEnd::Strikethrough | TagEnd::Superscript | TagEnd::Subscript | TagEnd::Image => {}
            _ => self.body.block(),
        }
    }

    fn text(&mut self, text: &str) {
        if let Some(front) = &mut self.front {
            front.push_str(text);
        } else if self.in_code {
            for (number, line) in text.split('\n').enumerate() {
                if number > 0 {
                    self.body.line();
                }
                self.body.push(line);
            }
        } else {
            self.body.push(text);
            if self.in_heading
                && let Some(heading) = &mut self.heading
            {
                heading.push_str(text);
            }
        }
    }

    fn image(&mut self, source: &str) {
        if self.document.images.len() < MOST_IMAGES
            && let Some(source) = html::link_target(source)
        {
            self.document.images.push(Picture { source: Some(source), ..Picture::default() });
        }
    }

    fn html_block(&mut self) {
        let Some(source) = self.html.take() else { return };
        let page = html::page(&source, false);
        self.body.block();
        self.body.lines(&page.text);
        self.body.block();
        self.document.links.extend(page.links);
        let room = MOST_IMAGES.saturating_sub(self.document.images.len());
        self.document.images.extend(page.images.into_iter().take(room));
    }

    /// Lines `name: value` or `name = "value"`.
    fn front_matter(&mut self) {
        let Some(front) = self.front.take() else { return };
        for line in front.lines() {
            let Some((name, value)) = line.split_once(':').or_else(|| line.split_once('=')) else { continue };
            let value = value.trim().trim_matches(['"', '\'', '[', ']']).trim();
            if value.is_empty() || value.len() > 1000 {
                continue;
            }
            let document = &mut self.document;
            match name.trim().to_ascii_lowercase().as_str() {
                "title" => document.title = Some(value.to_owned()),
                "author" | "authors" => document.author = Some(value.to_owned()),
                "date" | "published" => document.date = date::normalise(value),
                "lang" | "language" => document.language = Some(value.to_owned()),
                "description" | "summary" => {
                    document.fields.insert("description".to_owned(), value.to_owned());
                }
                "tags" | "keywords" => {
                    document.fields.insert("keywords".to_owned(), value.to_owned());
                }
                _ => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn structure_becomes_blocks_and_marks() {
        let source = "---\ntitle: \"The minutes\"\ndate: 2024-05-06\nauthor: Ann\n---\n# Minutes of *May*\n\nAll **agreed**\nto [it](a.md#x), see ![a chart](c.png).\n\n- one\n- two\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```rust\nfn x() {\n  1\n}\n```\n<p>raw <b>html</b></p>\n";
        let document = markdown(source);
        assert_eq!(
            document.text,
            "Minutes of May\n\nAll agreed to it, see a chart.\n\none\ntwo\n\na b\n1 2\n\nfn x() {\n1\n}\n\nraw html"
        );
        assert_eq!(document.title.as_deref(), Some("The minutes"));
        assert_eq!(
            (document.author.as_deref(), document.date.as_deref()),
            (Some("Ann"), Some("2024-05-06T00:00:00"))
        );
        assert_eq!(document.links.iter().collect::<Vec<_>>(), ["a.md"]);
        assert_eq!(document.images[0].source.as_deref(), Some("c.png"));
        let marked: Vec<_> = document.marks.iter().map(|m| (m.tag, &document.text[m.start..m.end])).collect();
        assert_eq!(
            marked,
            [
                (Tag::Heading, "Minutes of May"),
                (Tag::Italic, "May"),
                (Tag::Bold, "agreed"),
                (Tag::Anchor, "it")
            ]
        );
    }

    #[test]
    fn the_first_heading_is_the_title() {
        assert_eq!(markdown("# One\n\n# Two").title.as_deref(), Some("One"));
        assert_eq!(markdown("just text --- here").title, None);
    }
}
