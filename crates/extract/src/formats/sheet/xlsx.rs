//! Excel's XML as a stream of cells.

use std::collections::HashSet;

use crate::budget::Budget;
use crate::document::Extracted;
use crate::file::File;
use crate::formats::office::relations::Relations;
use crate::formats::office::{main_part, part, properties};
use crate::formats::package::Package;
use crate::formats::xml_scanner::{Element, Piece, Scanner};
use crate::kind::Kind;
use crate::out::Out;
use crate::reason::Reason;

use super::{Rows, binary, value};

/// The most shared texts and formats of any workbook.
const MOST_SHARED: usize = 8 << 20;
const MOST_FORMATS: usize = 1 << 16;

pub fn read(file: &File<'_>, out: &mut Out<'_>) -> Result<(), Reason> {
    let mut package = Package::open(file.bytes)?;
    let main = main_part(&mut package, "xl/workbook.xml", out.budget)?;
    if main.ends_with(".bin") || package.names().iter().any(|name| name == "xl/workbook.bin") {
        return binary::read_xlsb(file, package, out);
    }
    let relations = Relations::of(&mut package, &main, out.budget)?;
    let workbook =
        part(&mut package, &main, out.budget)?.ok_or_else(|| Reason::Damaged(format!("no {main} in it")))?;
    let mut related = |kind: &str| match relations.first(kind) {
        Some(target) => Ok(part(&mut package, target, out.budget)?.unwrap_or_default()),
        None => Ok(String::new()),
    };
    let shared = Shared::parse(&related("sharedStrings")?);
    let dates = date_formats(&related("styles")?);
    let (sheets, is_1904) = sheets(&workbook, &relations);
    let reader = Reader { shared: &shared, dates: &dates, is_1904 };
    let mut rows = Rows::default();
    let mut how = None;
    for sheet in sheets {
        let Some(source) = part(&mut package, &sheet, out.budget)? else { continue };
        how = reader.sheet(&source, &mut rows, out.budget)?.or(how);
        rows.end_sheet();
    }
    let mut document = Extracted { kind: Kind::Xlsx, ..Extracted::default() };
    (document.text, document.marks) = rows.body.finish();
    properties(&mut package, &mut document, out.budget)?;
    document.images = package.pictures("xl/media/", out)?;
    package.doubt(&mut document);
    out.damaged_document(document, how)
}

/// The sheets' parts in their order, and whether days are counted from 1904.
fn sheets(workbook: &str, relations: &Relations) -> (Vec<String>, bool) {
    let mut sheets = Vec::new();
    let mut is_1904 = false;
    for piece in Scanner::new(workbook) {
        let Piece::Open(element) = piece else { continue };
        match element.name() {
            "sheet" => {
                let target = element.prefixed("id").and_then(|id| relations.part(&id).map(str::to_owned));
                sheets.extend(target);
            }
            "workbookPr" => {
                is_1904 = matches!(element.attribute("date1904").as_deref(), Some("1" | "true"));
            }
            _ => {}
        }
    }
    if sheets.is_empty() {
        sheets = relations.all("worksheet").map(str::to_owned).collect();
    }
    // A sheet that is listed several times is read once.
    let mut seen = HashSet::new();
    sheets.retain(|sheet| seen.insert(sheet.clone()));
    (sheets, is_1904)
}

/// Texts that cells name by number, in one string.
#[derive(Default)]
struct Shared {
    text: String,
    ends: Vec<usize>,
}

impl Shared {
    fn parse(source: &str) -> Self {
        let mut shared = Shared::default();
        let mut in_text = false;
        let mut scanner = Scanner::new(source);
        while let Some(piece) = scanner.next() {
            match piece {
                // The pronunciation of the text.
                Piece::Open(element) if element.name() == "rPh" => {
                    scanner.pass();
                }
                Piece::Open(element) => in_text = element.name() == "t",
                Piece::Close(name) => {
                    in_text = false;
                    if name == "si" && shared.ends.len() < MOST_SHARED {
                        shared.ends.push(shared.text.len());
                    }
                }
                Piece::Text(text) if in_text => shared.text.push_str(&text),
                Piece::Text(_) => {}
            }
        }
        shared
    }

    fn get(&self, index: &str) -> Option<&str> {
        let index: usize = index.trim().parse().ok()?;
        let end = *self.ends.get(index)?;
        let start = index.checked_sub(1).and_then(|before| self.ends.get(before)).copied().unwrap_or(0);
        self.text.get(start..end)
    }
}

/// For each cell format by number, whether it shows a date.
fn date_formats(styles: &str) -> Vec<bool> {
    let mut own: HashSet<String> = HashSet::new();
    let mut formats = Vec::new();
    let mut in_cells = false;
    for piece in Scanner::new(styles) {
        match piece {
            Piece::Open(element) => match element.name() {
                "numFmt" if element.attribute("formatCode").is_some_and(|code| is_date_code(&code)) => {
                    own.extend(element.attribute("numFmtId"));
                }
                "cellXfs" => in_cells = true,
                "xf" if in_cells && formats.len() < MOST_FORMATS => {
                    let id = element.attribute("numFmtId").unwrap_or_default();
                    let built_in = matches!(id.parse(), Ok(14..=22 | 27..=36 | 45..=47 | 50..=58_u32));
                    formats.push(built_in || own.contains(&id));
                }
                _ => {}
            },
            Piece::Close(name) if name == "cellXfs" => in_cells = false,
            _ => {}
        }
    }
    formats
}

/// Whether a format has a letter of dates outside of quotes, colours and escapes.
fn is_date_code(code: &str) -> bool {
    let (mut quoted, mut bracketed, mut escaped) = (false, false, false);
    for character in code.chars() {
        match character {
            _ if escaped => escaped = false,
            '\\' | '_' | '*' => escaped = true,
            '"' => quoted = !quoted,
            '[' => bracketed = true,
            ']' => bracketed = false,
            'd' | 'D' | 'y' | 'Y' | 'h' | 'H' | 's' | 'S' if !quoted && !bracketed => return true,
            'm' | 'M' if !quoted && !bracketed => return true,
            _ => {}
        }
    }
    false
}

struct Reader<'a> {
    shared: &'a Shared,
    dates: &'a [bool],
    is_1904: bool,
}

#[derive(Default)]
struct Cell {
    kind: String,
    format: usize,
    text: String,
    reads: bool,
}

impl Reader<'_> {
    /// Returns the violation of XML's rules, if there is one.
    fn sheet(&self, source: &str, rows: &mut Rows, budget: &Budget) -> Result<Option<String>, Reason> {
        let mut row = 0;
        let mut cell = Cell::default();
        let mut scanner = Scanner::new(source);
        while let Some(piece) = scanner.next() {
            match piece {
                Piece::Open(element) => match element.name() {
                    "row" => row += 1,
                    "c" => cell = Cell::of(&element),
                    "v" | "t" => cell.reads = true,
                    "f" | "rPh" | "headerFooter" | "extLst" => {
                        scanner.pass();
                    }
                    _ => {}
                },
                Piece::Close(name) => match &*name {
                    "v" | "t" => cell.reads = false,
                    "c" => {
                        let text = self.shown(&cell);
                        if !text.is_empty() {
                            rows.cell(row, &text, budget)?;
                        }
                        cell = Cell::default();
                    }
                    _ => {}
                },
                Piece::Text(text) if cell.reads => cell.text.push_str(&text),
                Piece::Text(_) => {}
            }
        }
        Ok(scanner.broken().map(str::to_owned))
    }

    fn shown(&self, cell: &Cell) -> String {
        let text = cell.text.as_str();
        match cell.kind.as_str() {
            "s" => self.shared.get(text).unwrap_or_default().to_owned(),
            "str" | "inlineStr" | "e" | "d" => text.to_owned(),
            "b" => value::of_bool(text.trim() == "1").to_owned(),
            _ => match text.trim().parse::<f64>() {
                Ok(number) if self.dates.get(cell.format).copied().unwrap_or(false) => {
                    value::of_days(number, self.is_1904)
                }
                Ok(number) => value::of_number(number),
                Err(_) => text.to_owned(),
            },
        }
    }
}

impl Cell {
    fn of(element: &Element<'_>) -> Self {
        Cell {
            kind: element.attribute("t").unwrap_or_default(),
            format: element.attribute("s").and_then(|format| format.parse().ok()).unwrap_or(0),
            ..Cell::default()
        }
    }
}
