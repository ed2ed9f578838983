//! What Word's styles say about their text: headings, bold and italic, numbering.

use std::collections::HashMap;

use crate::formats::xml_scanner::{Element, Piece, Scanner};

/// The longest chain of styles; a longer one is circular or malicious.
const CHAIN: usize = 16;

#[derive(Default)]
pub struct Styles(HashMap<String, Style>);

#[derive(Clone, Default)]
pub struct Style {
    parent: Option<String>,
    pub heading: Option<bool>,
    pub bold: Option<bool>,
    pub italic: Option<bool>,
    pub number: Option<String>,
    pub level: Option<usize>,
}

impl Styles {
    pub fn parse(source: &str) -> Self {
        let mut styles = HashMap::new();
        let mut current: Option<(String, Style)> = None;
        let mut scanner = Scanner::new(source);
        while let Some(piece) = scanner.next() {
            match piece {
                Piece::Open(element) if element.name() == "style" => {
                    current = element.attribute("styleId").map(|id| (id, Style::default()));
                }
                // The settings of a table style for rows and columns do not apply to all text.
                Piece::Open(element) if element.name() == "tblStylePr" => {
                    scanner.pass();
                }
                Piece::Open(element) => {
                    if let Some((_, style)) = &mut current {
                        style.take(&element);
                    }
                }
                Piece::Close(name) if name == "style" => styles.extend(current.take()),
                _ => {}
            }
        }
        Styles(styles)
    }

    /// The properties of text with this style, including those inherited.
    pub fn get(&self, id: &str) -> Style {
        let mut whole = Style::default();
        let mut next = Some(id.to_owned());
        for _ in 0..CHAIN {
            let Some(style) = next.and_then(|id| self.0.get(&id)) else { break };
            whole.heading = whole.heading.or(style.heading);
            whole.bold = whole.bold.or(style.bold);
            whole.italic = whole.italic.or(style.italic);
            whole.level = whole.level.or(style.level);
            whole.number = whole.number.or_else(|| style.number.clone());
            next = style.parent.clone();
        }
        whole
    }
}

impl Style {
    fn take(&mut self, element: &Element<'_>) {
        let value = || element.attribute("val").unwrap_or_default();
        match element.name() {
            "basedOn" => self.parent = Some(value()),
            "name" => {
                let name = value().to_lowercase();
                if name.starts_with("heading ") || name == "title" || name == "subtitle" {
                    self.heading = Some(true);
                }
            }
            "outlineLvl" => self.heading = Some(is_heading_level(&value())),
            "b" => self.bold = Some(is_on(element)),
            "i" => self.italic = Some(is_on(element)),
            "numId" => self.number = Some(value()),
            "ilvl" => self.level = value().parse().ok(),
            _ => {}
        }
    }
}

/// Level 9 is body text.
pub fn is_heading_level(value: &str) -> bool {
    value.parse::<u8>().is_ok_and(|level| level < 9)
}

/// A switch such as `<w:b/>` or `<w:b w:val="0"/>`.
pub fn is_on(element: &Element<'_>) -> bool {
    !matches!(element.attribute("val").as_deref(), Some("0" | "false" | "off" | "none"))
}
