//! Spreadsheets: a row is a line, its cells are separated by a space, sheets are blocks.
//!
//! Sheets may claim any size: a single cell in the last row and column makes a grid of 17 thousand
//! million. Nothing here allocates a grid by such a claim. Excel's XML is read as a stream; the binary
//! forms go through `calamine`, whose grids are checked beforehand.

mod binary;
mod value;
mod xlsx;

use crate::body::Body;
use crate::budget::Budget;
use crate::format::Format;
use crate::kind::{Category, Kind};
use crate::reason::Reason;

pub const XLSX: Format = Format {
    kind: Kind::Xlsx,
    category: Category::Sheet,
    summary: "Excel: a line for each row",
    signs: &[],
    read: xlsx::read,
    read_stream: None,
};

pub const XLS: Format = Format {
    kind: Kind::Xls,
    category: Category::Sheet,
    summary: "Excel before 2007",
    signs: &[],
    read: binary::read_xls,
    read_stream: None,
};

/// Puts cells that come row by row into lines.
#[derive(Default)]
struct Rows {
    body: Body,
    row: u32,
}

impl Rows {
    fn cell(&mut self, row: u32, text: &str, budget: &Budget) -> Result<(), Reason> {
        if row != self.row {
            self.row = row;
            self.body.line();
        }
        self.body.push(" ");
        self.body.push(text);
        // A long text that many cells share is written for each of them.
        match budget.limits().output_bytes {
            most if self.body.len() as u64 > most => {
                Err(Reason::Limit(format!("more than {} MB of text or unpacked data", most >> 20)))
            }
            _ => Ok(()),
        }
    }

    fn end_sheet(&mut self) {
        self.row = 0;
        self.body.block();
    }
}

#[cfg(test)]
mod tests;
