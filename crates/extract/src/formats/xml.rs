//! XML without a specific reader: the text of its elements, one line for each element that is on a
//! line of its own.
//!
//! Which elements are blocks cannot be known in general. Elements that vocabularies commonly use
//! within a sentence continue the line; all others separate lines, and a few separate paragraphs.

use crate::body::Body;
use crate::document::{Extracted, Tag};
use crate::file::File;
use crate::format::Format;
use crate::kind::{Category, Kind};
use crate::out::Out;
use crate::reason::Reason;

use super::markup;
use super::xml_scanner::{Element, Piece, Scanner, text_of};
use super::{office, opendocument};

/// The title is the first element of that name, if it comes this early: in the root or its header.
const TITLE_DEPTH: usize = 5;

pub const FORMAT: Format = Format {
    kind: Kind::Xml,
    category: Category::Web,
    summary: "XML of any other kind: the text of all elements",
    // The sign of all formats written in tags.
    signs: &markup::SIGNS,
    read,
    read_stream: None,
};

pub fn read(file: &File<'_>, out: &mut Out<'_>) -> Result<(), Reason> {
    let text = text_of(file.bytes);
    match root(&text).as_deref() {
        Some("office:document") => return opendocument::read_flat(&text, file.kind, out),
        Some("w:wordDocument" | "pkg:package") => return office::read_flat(&text, file.kind, out),
        _ => {}
    }
    let (document, how) = any(&text);
    out.damaged_document(Extracted { kind: file.kind, ..document }, how)
}

/// The name of the outermost element, with its prefix.
fn root(text: &str) -> Option<String> {
    Scanner::new(text).take(100).find_map(|piece| match piece {
        Piece::Open(element) => Some(element.full_name().to_owned()),
        _ => None,
    })
}

/// The document, and the violation of XML's rules, if there is one.
fn any(text: &str) -> (Extracted, Option<String>) {
    let mut document = Extracted::default();
    let mut body = Body::default();
    let mut title: Option<String> = None;
    let mut in_title = false;
    // In drawings these are no text; other vocabularies may use such names for anything.
    let mut is_drawing = false;
    let mut depth = 0_usize;
    let mut scanner = Scanner::new(text);
    while let Some(piece) = scanner.next() {
        match piece {
            Piece::Open(element) => {
                depth += 1;
                if depth == 1 {
                    document.language = element.attribute("lang").filter(|tag| !tag.trim().is_empty());
                }
                if let Some(link) = link_of(&element) {
                    document.links.insert(link);
                }
                let name = element.name();
                is_drawing |= name == "svg";
                if is_drawing && matches!(name, "style" | "script") {
                    depth -= 1;
                    scanner.pass();
                } else if is_title(name) {
                    in_title = title.is_none() && depth <= TITLE_DEPTH;
                    body.block();
                    body.open(Tag::Heading);
                } else {
                    part(&mut body, name);
                }
            }
            Piece::Close(name) => {
                depth = depth.saturating_sub(1);
                if is_title(&name) {
                    in_title = false;
                    body.close(Tag::Heading);
                    body.block();
                } else {
                    part(&mut body, &name);
                }
            }
            Piece::Text(more) => {
                if in_title && !more.trim().is_empty() {
                    title.get_or_insert_default().push_str(&more);
                }
                body.push(&more);
            }
        }
    }
    document.title = title.map(|title| title.split_whitespace().collect::<Vec<_>>().join(" "));
    (document.text, document.marks) = body.finish();
    (document, scanner.broken().map(str::to_owned))
}

fn is_title(name: &str) -> bool {
    ["title", "head", "h1", "h2", "h3", "h4", "headline", "heading"]
        .iter()
        .any(|one| name.eq_ignore_ascii_case(one))
}

fn link_of(element: &Element<'_>) -> Option<String> {
    let link = element.attribute("href")?;
    let link = link.split('#').next()?.trim();
    (link.starts_with("http://") || link.starts_with("https://")).then(|| link.to_owned())
}

/// How the start or end of an element affects its line.
fn part(body: &mut Body, name: &str) {
    const INLINE: [&str; 47] = [
        "a",
        "abbr",
        "acronym",
        "b",
        "bold",
        "cite",
        "citetitle",
        "code",
        "command",
        "email",
        "emph",
        "emphasis",
        "em",
        "ext-link",
        "filename",
        "font",
        "foreign",
        "function",
        "g",
        "hi",
        "i",
        "italic",
        "link",
        "literal",
        "mark",
        "name",
        "num",
        "orig",
        "person",
        "phrase",
        "q",
        "quote",
        "ref",
        "rs",
        "s",
        "sc",
        "seg",
        "span",
        "strong",
        "sub",
        "sup",
        "systemitem",
        "term",
        "tt",
        "u",
        "ulink",
        "xref",
    ];
    const PARAGRAPH: [&str; 17] = [
        "p",
        "para",
        "simpara",
        "section",
        "sect1",
        "sect2",
        "sect3",
        "chapter",
        "div",
        "table",
        "list",
        "body",
        "abstract",
        "note",
        "blockquote",
        "article",
        "item",
    ];
    let name = name.to_ascii_lowercase();
    if INLINE.contains(&name.as_str()) {
    } else if PARAGRAPH.contains(&name.as_str()) {
        body.block();
    } else {
        body.line();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_stay_whole_and_blocks_part() {
        let (document, broken) = any(
            "<book xml:lang='de'><info><title>Ein <b>Buch</b></title><author>A. B.</author></info>\
             <chapter><title>Eins</title><para>Ein <emphasis>Satz</emphasis>,<xref href='http://x.test/a#b'/> ganz.</para>\
             <para>Noch\n einer.</para><row><c>1</c><c>2</c></row></chapter></book>",
        );
        assert_eq!(broken, None);
        assert_eq!(document.text, "Ein Buch\n\nA. B.\n\nEins\n\nEin Satz, ganz.\n\nNoch einer.\n\n1\n2");
        assert_eq!(document.title.as_deref(), Some("Ein Buch"));
        assert_eq!(document.language.as_deref(), Some("de"));
        assert_eq!(document.links.iter().collect::<Vec<_>>(), ["http://x.test/a"]);
    }

    #[test]
    fn style_sheets_and_scripts_are_no_text() {
        let (document, _) =
            any("<svg><style>.a { fill: red }</style><script>go()</script><text>A label</text></svg>");
        assert_eq!(document.text, "A label");
    }

    #[test]
    fn what_stands_before_a_fault_is_kept() {
        let (document, broken) = any("<a><p>kept</p><p>this too</p><p x='");
        assert_eq!(document.text, "kept\n\nthis too");
        assert!(broken.is_some());
    }
}
