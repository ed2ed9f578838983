//! Excel's binary forms, through `calamine`.
//!
//! `calamine` represents each sheet of an `.xls` file as a grid from its first cell to its last, and
//! allocates as many cells as the sheet claims to have. So that record is overwritten beforehand, and the
//! grids are measured by the cells that exist. `calamine` opens compound files only, with a reader of its
//! own, so `cfb` writes the changed workbook into a new one.

use std::io::{Cursor, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};

use calamine::{Data, Reader, Xls, XlsError, Xlsb, XlsbError};
use cfb::{CompoundFile, Version};

use crate::budget::Budget;
use crate::document::Extracted;
use crate::file::File;
use crate::formats::package::Package;
use crate::kind::Kind;
use crate::out::Out;
use crate::reason::Reason;

use super::{Rows, value};

/// The most cells of all grids together: a quarter of a gigabyte.
const MOST_CELLS: u64 = 8 << 20;

pub fn read_xls(file: &File<'_>, out: &mut Out<'_>) -> Result<(), Reason> {
    let (text, marks) = rows_of_xls(file.bytes, out.budget)?.body.finish();
    out.document(Extracted { kind: Kind::Xls, text, marks, ..Extracted::default() })
}

fn rows_of_xls(bytes: &[u8], budget: &mut Budget) -> Result<Rows, Reason> {
    let mut compound = CompoundFile::open(Cursor::new(bytes)).map_err(Reason::damaged)?;
    let name = ["Workbook", "Book", "WORKBOOK", "BOOK"].into_iter().find(|name| compound.is_stream(name));
    let name = name.ok_or_else(|| Reason::Damaged("no workbook in it".to_owned()))?;
    let mut stream = compound.open_stream(name).map_err(Reason::damaged)?;
    let mut workbook = budget.read_to_end(&mut stream, 0)?;
    if without_dimensions(&mut workbook) > MOST_CELLS {
        return Err(Reason::Limit(format!("sheets that span more than {MOST_CELLS} cells")));
    }
    let compound = compound_of(name, &workbook).map_err(Reason::damaged)?;
    let mut sheets = without_panic(|| Xls::new(Cursor::new(compound)))?.map_err(|error| match error {
        XlsError::Password => Reason::Encrypted,
        other => Reason::damaged(other),
    })?;
    let mut rows = Rows::default();
    for (_, range) in sheets.worksheets() {
        for (row, cells) in range.rows().enumerate() {
            for cell in cells.iter().filter(|cell| !matches!(cell, Data::Empty)) {
                rows.cell(row as u32, &value::shown(cell), budget)?;
            }
        }
        rows.end_sheet();
    }
    Ok(rows)
}

pub fn read_xlsb(file: &File<'_>, mut package: Package<'_>, out: &mut Out<'_>) -> Result<(), Reason> {
    // The decompressed size is counted here, since the library does not count it.
    for name in package.names() {
        package.read(&name, out.budget)?;
    }
    let reason = |error: XlsbError| match error {
        XlsbError::Password => Reason::Encrypted,
        other => Reason::damaged(other),
    };
    let mut book = without_panic(|| Xlsb::new(Cursor::new(file.bytes)))?.map_err(reason)?;
    let mut rows = Rows::default();
    without_panic(|| {
        for name in book.sheet_names() {
            let Ok(mut cells) = book.worksheet_cells_reader(&name) else { continue };
            while let Ok(Some(cell)) = cells.next_cell() {
                let shown = value::shown(&Data::from(cell.get_value().clone()));
                rows.cell(cell.get_position().0, &shown, out.budget)?;
            }
            rows.end_sheet();
        }
        Ok(())
    })??;
    let (text, marks) = rows.body.finish();
    out.document(Extracted { kind: Kind::Xlsx, text, marks, ..Extracted::default() })
}

/// `calamine` panics on some broken records; such a file is reported as damaged.
fn without_panic<T>(read: impl FnOnce() -> T) -> Result<T, Reason> {
    catch_unwind(AssertUnwindSafe(read)).map_err(|_| Reason::Damaged("a broken record".to_owned()))
}

/// A compound file with the workbook in it and nothing else.
fn compound_of(name: &str, workbook: &[u8]) -> std::io::Result<Vec<u8>> {
    let mut compound = CompoundFile::create_with_version(Version::V3, Cursor::new(Vec::new()))?;
    compound.create_stream(name)?.write_all(workbook)?;
    compound.flush()?;
    Ok(compound.into_inner().into_inner())
}

/// Makes every sheet claim a single cell. Returns how many cells the grids of the sheets have.
fn without_dimensions(workbook: &mut [u8]) -> u64 {
    const BEGIN: u16 = 0x0809;
    const END: u16 = 0x000a;
    const DIMENSIONS: u16 = 0x0200;
    let mut cells = 0_u64;
    let mut depth = 0_u32;
    let mut grid = Grid::default();
    let mut rest = workbook;
    while let Some((head, after)) = rest.split_first_chunk_mut::<4>() {
        let kind = u16::from_le_bytes([head[0], head[1]]);
        let length = usize::from(u16::from_le_bytes([head[2], head[3]])).min(after.len());
        let (record, next) = after.split_at_mut(length);
        match kind {
            BEGIN => depth += 1,
            END => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    cells = cells.saturating_add(std::mem::take(&mut grid).cells());
                }
            }
            DIMENSIONS => {
                // First and last row, first and last column, in numbers of four or two bytes.
                let last_row = if length == 10 { 2 } else { 4 };
                record.fill(0);
                for one in [last_row, length.saturating_sub(4)] {
                    if let Some(byte) = record.get_mut(one) {
                        *byte = 1;
                    }
                }
            }
            0x0006 | 0x00bd | 0x00d6 | 0x00fd | 0x0203 | 0x0204 | 0x0205 | 0x027e => {
                let number = |at: usize| Some(u16::from_le_bytes([*record.get(at)?, *record.get(at + 1)?]));
                let (row, column) = (number(0).unwrap_or(0), number(2).unwrap_or(0));
                grid.add(row, column);
                // A row of several numbers ends with its last column.
                if kind == 0x00bd {
                    grid.add(row, number(length.saturating_sub(2)).unwrap_or(0));
                }
            }
            _ => {}
        }
        rest = next;
    }
    cells.saturating_add(grid.cells())
}

#[derive(Default)]
struct Grid {
    /// First and last row, first and last column.
    bounds: Option<[u16; 4]>,
}

impl Grid {
    fn add(&mut self, row: u16, column: u16) {
        let [top, bottom, left, right] = self.bounds.unwrap_or([row, row, column, column]);
        self.bounds = Some([top.min(row), bottom.max(row), left.min(column), right.max(column)]);
    }

    fn cells(self) -> u64 {
        self.bounds.map_or(0, |[top, bottom, left, right]| {
            (u64::from(bottom - top) + 1) * (u64::from(right - left) + 1)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lookalike_core::reading::Limits;

    fn record(kind: u16, content: &[u8]) -> Vec<u8> {
        [&kind.to_le_bytes(), &(content.len() as u16).to_le_bytes(), content].concat()
    }

    #[test]
    fn claims_go_and_cells_count() {
        let number = |row: u16, column: u16| {
            record(0x0203, &[row.to_le_bytes(), column.to_le_bytes(), [0; 2]].concat())
        };
        let sheet = |cells: &[Vec<u8>]| {
            [record(0x0809, &[0; 16]), record(0x0200, &[255; 14]), cells.concat(), record(0x000a, &[])]
                .concat()
        };
        let mut workbook = [sheet(&[number(2, 3), number(4, 9)]), sheet(&[number(0, 0)])].concat();
        assert_eq!(without_dimensions(&mut workbook), 3 * 7 + 1);
        assert_eq!(workbook[24..38], [0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0]);
        let mut far = sheet(&[number(0, 0), number(65535, 255)]);
        assert_eq!(without_dimensions(&mut far), 65536 * 256);
        assert_eq!(without_dimensions(&mut [9, 8, 255, 255, 1]), 0);
    }

    /// A workbook of one sheet that claims the largest possible size.
    fn workbook(cells: &[Vec<u8>]) -> Vec<u8> {
        let begin = |kind: u8| record(0x0809, &[&[0, 6, kind, 0][..], &[0; 12]].concat());
        let sheet = |offset: u32| record(0x0085, &[&offset.to_le_bytes()[..], &[0, 0, 1, 0, b'A']].concat());
        let head = |offset| [begin(5), sheet(offset), record(0x000a, &[])].concat();
        let start = head(0).len() as u32;
        let body = [begin(16), record(0x0200, &[255; 14]), cells.concat(), record(0x000a, &[])];
        compound_of("Workbook", &[head(start), body.concat()].concat()).unwrap()
    }

    fn at(row: u16, column: u16) -> Vec<u8> {
        [row.to_le_bytes(), column.to_le_bytes(), [0; 2]].concat()
    }

    #[test]
    fn cells_of_a_workbook() {
        let number = record(0x0203, &[at(7, 3), 2.5_f64.to_le_bytes().to_vec()].concat());
        let label = record(0x0204, &[at(7, 4), vec![2, 0, 0, b'h', b'i']].concat());
        let last = record(0x0203, &[at(9, 0), 45_f64.to_le_bytes().to_vec()].concat());
        let bytes = workbook(&[number, label, last]);
        let mut budget = Budget::new(&Limits::default(), bytes.len() as u64);
        assert_eq!(rows_of_xls(&bytes, &mut budget).unwrap().body.finish().0, "2.5 hi\n45");
    }

    #[test]
    fn a_row_that_ends_before_it_begins_is_damage() {
        let row = record(0x00bd, &[at(0, 5), vec![0; 4], vec![2, 0]].concat());
        let bytes = workbook(&[row]);
        let mut budget = Budget::new(&Limits::default(), bytes.len() as u64);
        assert!(matches!(rows_of_xls(&bytes, &mut budget).map(|_| ()), Err(Reason::Damaged(_))));
    }

    #[test]
    fn cells_too_far_apart_are_a_limit() {
        let number = |row, column| record(0x0203, &[at(row, column), vec![0; 8]].concat());
        let bytes = workbook(&[number(0, 0), number(65535, 255)]);
        let mut budget = Budget::new(&Limits::default(), bytes.len() as u64);
        assert!(matches!(rows_of_xls(&bytes, &mut budget).map(|_| ()), Err(Reason::Limit(_))));
    }
}
