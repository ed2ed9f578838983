//! Cells of CSV files that spreadsheets and strict readers interpret correctly.

use crate::text::cell;

/// Text from documents or names, escaped so that no spreadsheet treats it as a formula.
pub fn foreign(text: &str) -> String {
    // Some spreadsheets ignore leading white space, and treat full-width forms as the same.
    let is_formula = text.starts_with(['\t', '\r', '\n'])
        || text.trim_start().starts_with(['=', '+', '-', '@', '＝', '＋', '－', '＠']);
    if is_formula { format!("'{text}") } else { text.to_owned() }
}

/// A similarity or share, with its significant digits.
pub fn figure(similarity: Option<f64>) -> String {
    similarity.map_or(String::new(), cell)
}

/// A cell of CSV, quoted if necessary.
pub fn quoted(field: String) -> String {
    // Programs that trim unquoted cells would lose spaces at the ends.
    if field.contains([',', '"', '\r', '\n']) || field.trim().len() < field.len() {
        format!("\"{}\"", field.replace('"', "\"\""))
    } else {
        field
    }
}
