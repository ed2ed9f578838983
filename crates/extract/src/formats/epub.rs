//! Electronic books: web pages in a zip file, in the order of a spine.

use std::collections::{HashMap, HashSet};

use crate::budget::Budget;
use crate::document::{Extracted, Heading, Mark};
use crate::file::File;
use crate::format::Format;
use crate::kind::{Category, Kind};
use crate::out::Out;
use crate::reason::Reason;

use super::html;
use super::office::describe;
use super::office::relations::resolved;
use super::package::Package;
use super::xml_scanner::{Piece, Scanner, text_of};

pub const FORMAT: Format = Format {
    kind: Kind::Epub,
    category: Category::Book,
    summary: "Books: the chapters in order",
    signs: &[],
    read,
    read_stream: None,
};

pub fn read(file: &File<'_>, out: &mut Out<'_>) -> Result<(), Reason> {
    let mut package = Package::open(file.bytes)?;
    let outline = Outline::of(&mut package, out.budget)?;
    let locked = locked(&mut package, out.budget)?;
    if outline.chapters.iter().any(|chapter| locked.contains(chapter)) {
        return Err(Reason::Encrypted);
    }
    let mut document = Extracted { kind: Kind::Epub, ..Extracted::default() };
    let mut damage = None;
    for chapter in &outline.chapters {
        match package.read(chapter, out.budget) {
            Ok(Some(bytes)) => append(&mut document, html::page(&text_of(&bytes), false)),
            Ok(None) => {}
            Err(Reason::Damaged(how)) => damage = Some(how),
            Err(other) => return Err(other),
        }
    }
    describe(&outline.metadata, &mut document);
    document.head_with_title();
    document.images = package.pictures_of(&|name| outline.images.contains(name), out)?;
    package.doubt(&mut document);
    out.damaged_document(document, damage)
}

/// What a book is made of, by the names of its members.
#[derive(Default)]
struct Outline {
    chapters: Vec<String>,
    images: HashSet<String>,
    /// The file that holds the metadata.
    metadata: String,
}

impl Outline {
    fn of(package: &mut Package<'_>, budget: &mut Budget) -> Result<Self, Reason> {
        let mut text = |name: &str| -> Result<Option<String>, Reason> {
            Ok(package.read(name, budget)?.map(|bytes| text_of(&bytes).into_owned()))
        };
        let container = text("META-INF/container.xml")?.unwrap_or_default();
        let named = Scanner::new(&container).find_map(|piece| match piece {
            Piece::Open(element) if element.name() == "rootfile" => element.attribute("full-path"),
            _ => None,
        });
        let root = match named {
            Some(name) => text(&name)?.map(|source| (name, source)),
            None => None,
        };
        let mut outline = root.map(|(name, source)| Outline::parse(&name, source)).unwrap_or_default();
        if outline.chapters.is_empty() {
            // Without a list of chapters: all pages by name.
            outline.chapters = package.names();
            outline.chapters.retain(|name| {
                let name = name.to_ascii_lowercase();
                name.ends_with(".xhtml") || name.ends_with(".html") || name.ends_with(".htm")
            });
            outline.chapters.sort();
        }
        Ok(outline)
    }

    fn parse(name: &str, source: String) -> Self {
        let folder = name.rsplit_once('/').map_or("", |(folder, _)| folder);
        let mut items: HashMap<String, String> = HashMap::new();
        let mut outline = Outline::default();
        let mut seen = HashSet::new();
        for piece in Scanner::new(&source) {
            let Piece::Open(element) = piece else { continue };
            match element.name() {
                "item" => {
                    let (Some(id), Some(target)) = (element.attribute("id"), element.attribute("href"))
                    else {
                        continue;
                    };
                    let target = resolved(folder, &unescaped(&target));
                    let media_type = element.attribute("media-type").unwrap_or_default();
                    // The table of contents repeats the titles of the chapters.
                    let is_contents = element
                        .attribute("properties")
                        .is_some_and(|all| all.split(' ').any(|one| one == "nav"));
                    if media_type.starts_with("image/") {
                        outline.images.insert(target);
                    } else if !is_contents {
                        items.insert(id, target);
                    }
                }
                "itemref" => {
                    let target = element.attribute("idref").and_then(|id| items.get(&id));
                    outline.chapters.extend(target.filter(|target| seen.insert((*target).clone())).cloned());
                }
                _ => {}
            }
        }
        outline.metadata = source;
        outline
    }
}

/// The encrypted members. Fonts often are, which does not matter here.
fn locked(package: &mut Package<'_>, budget: &mut Budget) -> Result<HashSet<String>, Reason> {
    let bytes = package.read("META-INF/encryption.xml", budget)?.unwrap_or_default();
    let source = text_of(&bytes);
    let references = Scanner::new(&source).filter_map(|piece| match piece {
        Piece::Open(element) if element.name() == "CipherReference" => element.attribute("URI"),
        _ => None,
    });
    Ok(references.map(|name| resolved("", &unescaped(&name))).collect())
}

/// Appends a chapter.
fn append(document: &mut Extracted, chapter: Extracted) {
    if chapter.text.is_empty() {
        return;
    }
    let before = document.text.len();
    if !document.text.is_empty() {
        document.text.push_str("\n\n");
    }
    let shift = document.text.len();
    document.text.push_str(&chapter.text);
    document.marks.extend(chapter.marks.into_iter().map(|mark| Mark {
        start: mark.start + shift,
        end: mark.end + shift,
        ..mark
    }));
    // Most chapters have the title of the book for their own.
    for heading in chapter.headings {
        let at = if heading.at == 0 { before } else { heading.at + shift };
        document.add_heading(Heading { at, ..heading });
    }
    document
        .links
        .extend(chapter.links.into_iter().filter(|link| link.contains("://") || link.starts_with("mailto:")));
}

/// A name without its `%20`.
fn unescaped(name: &str) -> String {
    let mut bytes = Vec::with_capacity(name.len());
    let mut rest = name.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        let digits = after.get(..2).and_then(|digits| std::str::from_utf8(digits).ok());
        match digits.filter(|_| first == b'%').and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            Some(byte) => {
                bytes.push(byte);
                rest = &after[2..];
            }
            None => {
                bytes.push(first);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::super::package::build::zip_of;
    use super::*;
    use crate::{ExtractOutcome, Options, extract};

    const CONTAINER: &str =
        "<container><rootfiles><rootfile full-path='OPS/book.opf'/></rootfiles></container>";
    const BOOK: &str = "<package><metadata><dc:title>T</dc:title><dc:creator>A</dc:creator><dc:creator>B</dc:creator>\
        <dc:language>en</dc:language><dc:date>1999</dc:date></metadata><manifest>\
        <item id='n' href='nav.xhtml' properties='nav'/><item id='1' href='one%20a.xhtml'/><item id='2' href='../two.xhtml'/>\
        </manifest><spine><itemref idref='n'/><itemref idref='2'/><itemref idref='1'/><itemref idref='2'/></spine></package>";

    fn read(more: &[(&str, &str)]) -> ExtractOutcome {
        let mut members = vec![("mimetype", "application/epub+zip"), ("META-INF/container.xml", CONTAINER)];
        members.extend_from_slice(more);
        let mut outcomes = Vec::new();
        extract(&zip_of(&members), "", &Options::default(), &mut |outcome| outcomes.push(outcome));
        outcomes.remove(0)
    }

    #[test]
    fn chapters_in_the_order_of_the_spine() {
        let page = |text: &str| format!("<html><body><p>{text}</p></body></html>");
        let (one, two, nav) = (page("first caf&eacute;"), page("second"), page("contents"));
        let parts =
            [("OPS/book.opf", BOOK), ("OPS/one a.xhtml", &one), ("two.xhtml", &two), ("OPS/nav.xhtml", &nav)];
        let ExtractOutcome::Document(document) = read(&parts) else { panic!() };
        let (second, first) = (document.text.find("second").unwrap(), document.text.find("first").unwrap());
        assert!(second < first, "{}", document.text);
        assert_eq!(document.text.matches("second").count(), 1);
        assert!(!document.text.contains("contents"));
        assert_eq!(document.title.as_deref(), Some("T"));
        assert_eq!(document.author.as_deref(), Some("A, B"));
        assert_eq!(document.language.as_deref(), Some("en"));
        let without_outline = read(&parts[1..]);
        assert!(matches!(without_outline, ExtractOutcome::Document(_)));
    }

    #[test]
    fn a_locked_chapter_is_told_and_a_locked_font_is_not() {
        let locked = |name: &str| format!("<e><CipherData><CipherReference URI='{name}'/></CipherData></e>");
        let (chapter, font) = (locked("two.xhtml"), locked("OPS/font.otf"));
        let parts =
            [("OPS/book.opf", BOOK), ("two.xhtml", "<p>x</p>"), ("META-INF/encryption.xml", &chapter)];
        assert!(matches!(read(&parts), ExtractOutcome::Unreadable { reason: Reason::Encrypted, .. }));
        let parts = [("OPS/book.opf", BOOK), ("two.xhtml", "<p>x</p>"), ("META-INF/encryption.xml", &font)];
        assert!(matches!(read(&parts), ExtractOutcome::Document(_)));
    }

    #[test]
    fn chapters_keep_their_marks() {
        use crate::Tag;
        let chapter = |text: &str| Extracted {
            text: text.to_owned(),
            marks: vec![Mark { tag: Tag::Heading, start: 1, end: 3 }],
            ..Extracted::default()
        };
        let mut document = chapter("abc");
        append(&mut document, chapter("xyz"));
        assert_eq!(document.text, "abc\n\nxyz");
        assert_eq!((document.marks[1].start, document.marks[1].end), (6, 8));
    }
}
