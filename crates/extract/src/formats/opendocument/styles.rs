//! What OpenDocument's styles say: bold and italic; how lists and headings are numbered.

use std::collections::HashMap;

use crate::formats::xml_scanner::{Element, Piece, Scanner};

/// The longest chain of styles; a longer one is circular or malicious.
const CHAIN: usize = 16;
pub const LEVELS: usize = 10;

#[derive(Default)]
pub struct Styles {
    /// By family and name.
    styles: HashMap<(String, String), Style>,
    lists: HashMap<String, ListStyle>,
    pub outline: ListStyle,
}

#[derive(Default)]
struct Style {
    parent: Option<String>,
    font_style: FontStyle,
}

#[derive(Clone, Copy, Default)]
pub struct FontStyle {
    pub bold: Option<bool>,
    pub italic: Option<bool>,
}

pub type ListStyle = [Option<Level>; LEVELS];

/// A level whose items have numbers.
#[derive(Clone)]
pub struct Level {
    pub format: &'static str,
    pub prefix: String,
    pub suffix: String,
    pub shown: usize,
    pub start: u32,
}

/// Where the current level belongs.
enum Lists {
    None,
    Outline,
    Named(String),
}

impl Styles {
    /// Adds the styles of a file.
    pub fn take(&mut self, source: &str) {
        let mut current: Option<(String, String)> = None;
        let mut list = Lists::None;
        for piece in Scanner::new(source) {
            match piece {
                Piece::Open(element) => match element.name() {
                    "style" => {
                        let key = (element.attribute("family"), element.attribute("name"));
                        current = key.0.zip(key.1);
                        if let Some(key) = &current {
                            let parent = element.attribute("parent-style-name");
                            self.styles
                                .insert(key.clone(), Style { parent, font_style: FontStyle::default() });
                        }
                    }
                    "text-properties" => {
                        if let Some(style) = current.as_ref().and_then(|key| self.styles.get_mut(key)) {
                            style.font_style = font_style(&element);
                        }
                    }
                    "list-style" => {
                        list = element.attribute("name").map_or(Lists::None, Lists::Named);
                        if let Lists::Named(name) = &list {
                            self.lists.insert(name.clone(), ListStyle::default());
                        }
                    }
                    "outline-style" => list = Lists::Outline,
                    "list-level-style-number" | "outline-level-style" => self.level(&element, &list),
                    "body" => break,
                    _ => {}
                },
                Piece::Close(name) => match &*name {
                    "style" => current = None,
                    "list-style" | "outline-style" => list = Lists::None,
                    _ => {}
                },
                Piece::Text(_) => {}
            }
        }
    }

    /// The properties of text with this style, including those inherited.
    pub fn font_style(&self, family: &str, name: &str) -> FontStyle {
        let mut whole = FontStyle::default();
        let mut next = Some(name.to_owned());
        for _ in 0..CHAIN {
            let Some(style) = next.and_then(|name| self.styles.get(&(family.to_owned(), name))) else {
                break;
            };
            whole.bold = whole.bold.or(style.font_style.bold);
            whole.italic = whole.italic.or(style.font_style.italic);
            next = style.parent.clone();
        }
        whole
    }

    /// Whether a paragraph of that style is the title of the document.
    pub fn is_title(&self, name: &str) -> bool {
        let mut next = Some(name);
        for _ in 0..CHAIN {
            match next {
                Some("Title" | "Subtitle") => return true,
                Some(name) => {
                    let style = self.styles.get(&("paragraph".to_owned(), name.to_owned()));
                    next = style.and_then(|style| style.parent.as_deref());
                }
                None => return false,
            }
        }
        false
    }

    pub fn list(&self, name: &str) -> Option<&ListStyle> {
        self.lists.get(name)
    }

    fn level(&mut self, element: &Element<'_>, list: &Lists) {
        let number = |name: &str| element.attribute(name).and_then(|value| value.parse::<usize>().ok());
        let levels = match list {
            Lists::None => return,
            Lists::Outline => Some(&mut self.outline),
            Lists::Named(name) => self.lists.get_mut(name),
        };
        let place = number("level").and_then(|level| level.checked_sub(1));
        let Some(level) = levels.zip(place).and_then(|(levels, place)| levels.get_mut(place)) else { return };
        let format = match element.attribute("num-format").as_deref() {
            Some("a") => "lowerLetter",
            Some("A") => "upperLetter",
            Some("i") => "lowerRoman",
            Some("I") => "upperRoman",
            None | Some("") => return,
            _ => "decimal",
        };
        *level = Some(Level {
            format,
            prefix: element.attribute("num-prefix").unwrap_or_default(),
            suffix: element.attribute("num-suffix").unwrap_or_default(),
            shown: number("display-levels").unwrap_or(1).clamp(1, LEVELS),
            start: number("start-value").and_then(|start| u32::try_from(start).ok()).unwrap_or(1),
        });
    }
}

fn font_style(element: &Element<'_>) -> FontStyle {
    let weight = element
        .attribute("font-weight")
        .map(|weight| weight == "bold" || weight.parse::<u32>().is_ok_and(|weight| weight >= 600));
    FontStyle {
        bold: weight,
        italic: element.attribute("font-style").map(|style| style == "italic" || style == "oblique"),
    }
}
