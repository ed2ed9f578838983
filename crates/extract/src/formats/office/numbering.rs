//! The numbers before numbered paragraphs, which Word does not store but counts.

use std::collections::{HashMap, HashSet};

use crate::formats::xml_scanner::{Piece, Scanner};

use super::styles::Styles;

const LEVELS: usize = 9;

#[derive(Default)]
pub struct Numbering {
    /// By the id that paragraphs use.
    numbers: HashMap<String, Number>,
    schemes: HashMap<String, Scheme>,
    counters: HashMap<String, [Option<u32>; LEVELS]>,
    /// The numberings whose own start was applied.
    begun: HashSet<(String, usize)>,
}

#[derive(Default)]
struct Number {
    scheme: String,
    /// Replacements for the scheme's own levels and starts.
    levels: [Option<Level>; LEVELS],
    starts: [Option<u32>; LEVELS],
}

#[derive(Default)]
struct Scheme {
    levels: [Level; LEVELS],
    /// A style that names the numbering to use instead.
    link: Option<String>,
}

#[derive(Clone, Default)]
struct Level {
    start: Option<u32>,
    format: String,
    text: String,
    plain_digits: bool,
}

impl Numbering {
    pub fn parse(source: &str, styles: &Styles) -> Self {
        let mut numbering = Numbering::default();
        let mut scheme: Option<(String, Scheme)> = None;
        let mut number: Option<(String, Number)> = None;
        let mut level = 0;
        for piece in Scanner::new(source) {
            let element = match piece {
                Piece::Open(element) => element,
                Piece::Close(name) => {
                    match &*name {
                        "abstractNum" => numbering.schemes.extend(scheme.take()),
                        "num" => numbering.numbers.extend(number.take()),
                        _ => {}
                    }
                    continue;
                }
                Piece::Text(_) => continue,
            };
            let value = || element.attribute("val").unwrap_or_default();
            match (element.name(), &mut scheme, &mut number) {
                ("abstractNum", _, _) => {
                    scheme = element.attribute("abstractNumId").map(|id| (id, Scheme::default()));
                }
                ("num", _, _) => number = element.attribute("numId").map(|id| (id, Number::default())),
                ("lvl" | "lvlOverride", _, _) => {
                    level = element.attribute("ilvl").and_then(|level| level.parse().ok()).unwrap_or(LEVELS);
                }
                ("numStyleLink", Some((_, scheme)), _) => scheme.link = Some(value()),
                ("abstractNumId", None, Some((_, number))) => number.scheme = value(),
                ("startOverride", None, Some((_, number))) => {
                    if let Some(start) = number.starts.get_mut(level) {
                        *start = value().parse().ok();
                    }
                }
                (name, Some((_, scheme)), _) => {
                    if let Some(level) = scheme.levels.get_mut(level) {
                        level.take(name, value());
                    }
                }
                (name, None, Some((_, number))) => {
                    if let Some(level) = number.levels.get_mut(level) {
                        level.get_or_insert_default().take(name, value());
                    }
                }
                _ => {}
            }
        }
        numbering.follow_links(styles);
        numbering
    }

    /// The label of the next paragraph that uses this number at this level; also `None` for
    /// bullets, which are no text.
    pub fn label(&mut self, number_id: &str, level: usize) -> Option<String> {
        let number = self.numbers.get(number_id)?;
        let scheme = self.schemes.get(&number.scheme)?;
        let levels: [&Level; LEVELS] =
            std::array::from_fn(|at| number.levels[at].as_ref().unwrap_or(&scheme.levels[at]));
        let this = *levels.get(level)?;
        let counters = self.counters.entry(number.scheme.clone()).or_default();
        // A level without a start begins at zero.
        let start = |at: usize| levels.get(at).and_then(|level| level.start).unwrap_or(0);
        let fresh = number.starts.get(level).copied().flatten();
        let counted = match (counters.get(level).copied().flatten(), fresh) {
            (_, Some(fresh)) if self.begun.insert((number_id.to_owned(), level)) => fresh,
            (Some(count), _) => count.saturating_add(1),
            (None, _) => start(level),
        };
        for (at, counter) in counters.iter_mut().enumerate() {
            match at {
                at if at < level => *counter = Some(counter.unwrap_or_else(|| start(at))),
                at if at == level => *counter = Some(counted),
                _ => *counter = None,
            }
        }
        if matches!(this.format.as_str(), "bullet" | "none") {
            return None;
        }
        let mut label = String::new();
        let mut characters = this.text.chars().take(100).peekable();
        while let Some(character) = characters.next() {
            let at = characters.peek().and_then(|next| next.to_digit(10)).filter(|_| character == '%');
            match at {
                Some(at @ 1..=9) => {
                    characters.next();
                    let at = at as usize - 1;
                    let count = counters.get(at).copied().flatten().unwrap_or(1);
                    let format = levels.get(at).map_or("", |level| level.format.as_str());
                    label += &written(count, if this.plain_digits { "decimal" } else { format });
                }
                _ => label.push(character),
            }
        }
        Some(label).filter(|label| !label.trim().is_empty())
    }

    /// Gives schemes that only name a style the levels of that style's numbering.
    fn follow_links(&mut self, styles: &Styles) {
        let links: Vec<(String, String)> = self
            .schemes
            .iter()
            .filter_map(|(id, scheme)| {
                let number = styles.get(scheme.link.as_ref()?).number?;
                Some((id.clone(), self.numbers.get(&number)?.scheme.clone()))
            })
            .collect();
        for (id, other) in links {
            let Some(levels) = self.schemes.get(&other).map(|scheme| scheme.levels.clone()) else { continue };
            if let Some(scheme) = self.schemes.get_mut(&id) {
                scheme.levels = levels;
            }
        }
    }
}

impl Level {
    fn take(&mut self, name: &str, value: String) {
        match name {
            "start" => self.start = value.parse().ok(),
            "numFmt" => self.format = value,
            "lvlText" => self.text = value,
            "isLgl" => self.plain_digits = true,
            _ => {}
        }
    }
}

/// A count in a number format. Numbers beyond any list are written as digits.
pub fn written(count: u32, format: &str) -> String {
    match format {
        "lowerLetter" => letters(count).to_lowercase(),
        "upperLetter" => letters(count),
        "lowerRoman" => roman(count).to_lowercase(),
        "upperRoman" => roman(count),
        "decimalZero" => format!("{count:02}"),
        "ordinal" => format!("{count}{}", ordinal_ending(count)),
        "none" | "bullet" => String::new(),
        _ => count.to_string(),
    }
}

fn ordinal_ending(count: u32) -> &'static str {
    match (count % 10, count % 100) {
        (_, 11..=13) => "th",
        (1, _) => "st",
        (2, _) => "nd",
        (3, _) => "rd",
        _ => "th",
    }
}

/// A to Z, AA to ZZ, AAA to ZZZ.
fn letters(count: u32) -> String {
    match count.checked_sub(1) {
        Some(index) if index < 26 * 40 => {
            let letter = char::from(b'A' + (index % 26) as u8);
            std::iter::repeat_n(letter, index as usize / 26 + 1).collect()
        }
        _ => count.to_string(),
    }
}

fn roman(count: u32) -> String {
    const DIGITS: [(u32, &str); 13] = [
        (1000, "M"),
        (900, "CM"),
        (500, "D"),
        (400, "CD"),
        (100, "C"),
        (90, "XC"),
        (50, "L"),
        (40, "XL"),
        (10, "X"),
        (9, "IX"),
        (5, "V"),
        (4, "IV"),
        (1, "I"),
    ];
    if count == 0 || count > 5000 {
        return count.to_string();
    }
    let mut rest = count;
    let mut written = String::new();
    for (worth, digit) in DIGITS {
        while rest >= worth {
            written += digit;
            rest -= worth;
        }
    }
    written
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_written_in_all_ways() {
        let all = |format: &str| [1, 4, 27, 1994].map(|count| written(count, format)).join(" ");
        assert_eq!(all("decimal"), "1 4 27 1994");
        assert_eq!(all("lowerLetter"), "a d aa 1994");
        assert_eq!(all("upperRoman"), "I IV XXVII MCMXCIV");
        assert_eq!(written(7, "decimalZero"), "07");
        assert_eq!(
            [1, 2, 3, 4, 11, 22].map(|count| written(count, "ordinal")),
            ["1st", "2nd", "3rd", "4th", "11th", "22nd"]
        );
    }

    #[test]
    fn levels_count_on_and_begin_anew() {
        let source = "<numbering><abstractNum abstractNumId='3'>\
            <lvl ilvl='0'><start val='1'/><numFmt val='upperRoman'/><lvlText val='%1.'/></lvl>\
            <lvl ilvl='1'><start val='5'/><numFmt val='lowerLetter'/><lvlText val='%1-%2)'/></lvl>\
            <lvl ilvl='2'><numFmt val='bullet'/><lvlText val='o'/></lvl></abstractNum>\
            <num numId='1'><abstractNumId val='3'/></num>\
            <num numId='2'><abstractNumId val='3'/><lvlOverride ilvl='0'><startOverride val='1'/></lvlOverride></num>\
            </numbering>";
        let mut numbering = Numbering::parse(source, &Styles::default());
        let labels: Vec<Option<String>> =
            [("1", 0), ("1", 1), ("1", 1), ("1", 2), ("1", 0), ("1", 1), ("2", 0), ("2", 0)]
                .into_iter()
                .map(|(number, level)| numbering.label(number, level))
                .collect();
        let shown: Vec<&str> = labels.iter().map(|label| label.as_deref().unwrap_or("-")).collect();
        assert_eq!(shown, ["I.", "I-e)", "I-f)", "-", "II.", "II-e)", "I.", "II."]);
        assert_eq!(numbering.label("9", 0), None);
        assert_eq!(numbering.label("1", 99), None);
    }
}
