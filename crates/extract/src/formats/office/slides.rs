//! The slides of a presentation in their order, each with its notes.

use crate::body::Body;
use crate::budget::Budget;
use crate::document::{Extracted, Tag};
use crate::formats::package::Package;
use crate::formats::xml_scanner::{Element, Piece, Scanner};
use crate::reason::Reason;

use super::part;
use super::relations::Relations;

/// Fills in the text; returns the violation of XML's rules, if there is one.
pub fn read(
    package: &mut Package<'_>,
    main: &str,
    document: &mut Extracted,
    budget: &mut Budget,
) -> Result<Option<String>, Reason> {
    let mut reader = Slides { body: Body::default(), document, broken: None };
    for slide in order(package, main, budget)? {
        let Some(source) = part(package, &slide, budget)? else { continue };
        let relations = Relations::of(package, &slide, budget)?;
        reader.shapes(&source, &relations);
        for kind in ["diagramData", "notesSlide"] {
            for target in relations.all(kind) {
                if let Some(source) = part(package, target, budget)? {
                    reader.shapes(&source, &Relations::of(package, target, budget)?);
                }
            }
        }
    }
    let Slides { body, document, broken } = reader;
    (document.text, document.marks) = body.finish();
    Ok(broken)
}

/// The slides as the presentation lists them, or all there are if it lists none.
fn order(package: &mut Package<'_>, main: &str, budget: &mut Budget) -> Result<Vec<String>, Reason> {
    let relations = Relations::of(package, main, budget)?;
    let source = part(package, main, budget)?.unwrap_or_default();
    let mut slides: Vec<String> = Scanner::new(&source)
        .filter_map(|piece| match piece {
            Piece::Open(element) if element.name() == "sldId" => {
                Some(relations.part(&element.prefixed("id")?)?.to_owned())
            }
            _ => None,
        })
        .collect();
    if slides.is_empty() {
        let number =
            |name: &str| name.chars().filter(char::is_ascii_digit).collect::<String>().parse::<u64>().ok();
        slides = package.names();
        slides.retain(|name| name.starts_with("ppt/slides/slide") && name.ends_with(".xml"));
        slides.sort_by_key(|name| number(name));
    }
    Ok(slides)
}

struct Slides<'a> {
    body: Body,
    document: &'a mut Extracted,
    broken: Option<String>,
}

/// The open elements of a slide.
#[derive(Default)]
struct Shape {
    title: bool,
    bold: bool,
    italic: bool,
    anchor: bool,
    in_text: bool,
    in_cell: bool,
    choices: Vec<bool>,
}

impl Slides<'_> {
    fn shapes(&mut self, source: &str, relations: &Relations) {
        self.body.block();
        let mut shape = Shape::default();
        let mut scanner = Scanner::new(source);
        while let Some(piece) = scanner.next() {
            match piece {
                Piece::Open(element) => self.open(&element, &mut shape, &mut scanner, relations),
                Piece::Close(name) => self.close(&name, &mut shape),
                Piece::Text(text) if shape.in_text => self.body.push(&text),
                Piece::Text(_) => {}
            }
        }
        self.end_run(&mut shape);
        if shape.title {
            self.body.close(Tag::Heading);
        }
        if let Some(how) = scanner.broken() {
            self.broken = Some(how.to_owned());
        }
    }

    fn open(
        &mut self,
        element: &Element<'_>,
        shape: &mut Shape,
        scanner: &mut Scanner<'_>,
        relations: &Relations,
    ) {
        match element.name() {
            "AlternateContent" => shape.choices.push(false),
            "Choice" | "Fallback" => match shape.choices.last_mut() {
                Some(taken) if *taken => {
                    scanner.pass();
                }
                Some(taken) => *taken = true,
                None => {}
            },
            // The slide's number and date are not text of the author.
            "fld"
                if element
                    .attribute("type")
                    .is_some_and(|kind| kind == "slidenum" || kind.starts_with("datetime")) =>
            {
                scanner.pass();
            }
            "ph" if matches!(element.attribute("type").as_deref(), Some("title" | "ctrTitle"))
                && !shape.title =>
            {
                shape.title = true;
                self.body.open(Tag::Heading);
            }
            "p" if shape.in_cell => self.body.push(" "),
            "p" => self.body.line(),
            "sp" | "graphicFrame" | "tbl" => self.body.block(),
            "tr" => self.body.line(),
            "tc" => {
                shape.in_cell = true;
                self.body.push(" ");
            }
            "rPr" => {
                let is_on =
                    |name| element.attribute(name).is_some_and(|value| value == "1" || value == "true");
                shape.bold = is_on("b");
                shape.italic = is_on("i");
                if shape.bold {
                    self.body.open(Tag::Bold);
                }
                if shape.italic {
                    self.body.open(Tag::Italic);
                }
            }
            "hlinkClick" => {
                let target = element.prefixed("id").and_then(|id| relations.link(&id));
                if target.is_some() && !shape.anchor {
                    shape.anchor = true;
                    self.body.open(Tag::Anchor);
                }
                self.document.links.extend(target);
            }
            "t" => shape.in_text = true,
            "br" => self.body.line(),
            "tab" => self.body.push(" "),
            _ => {}
        }
    }

    fn close(&mut self, name: &str, shape: &mut Shape) {
        match name {
            "AlternateContent" => {
                shape.choices.pop();
            }
            "t" => shape.in_text = false,
            "r" => self.end_run(shape),
            "tc" => shape.in_cell = false,
            "sp" => {
                if std::mem::take(&mut shape.title) {
                    self.body.close(Tag::Heading);
                }
                self.end_run(shape);
                self.body.block();
            }
            "tbl" => self.body.block(),
            _ => {}
        }
    }

    fn end_run(&mut self, shape: &mut Shape) {
        for (is, tag) in
            [(&mut shape.anchor, Tag::Anchor), (&mut shape.italic, Tag::Italic), (&mut shape.bold, Tag::Bold)]
        {
            if std::mem::take(is) {
                self.body.close(tag);
            }
        }
    }
}
