//! Cells of CSV files that spreadsheets and strict readers take for what they are.

use crate::text::cell;

/// Text from documents or names that no spreadsheet takes for a formula.
pub fn foreign(text: &str) -> String {
    // Some spreadsheets look behind white space, and take the wide forms for the same.
    let is_formula = text.starts_with(['\t', '\r', '\n'])
        || text.trim_start().starts_with(['=', '+', '-', '@', '＝', '＋', '－', '＠']);
    if is_formula { format!("'{text}") } else { text.to_owned() }
}

/// A similarity or share, with as many digits as say something.
pub fn figure(similarity: Option<f64>) -> String {
    similarity.map_or(String::new(), cell)
}

/// A cell as CSV: in quotes where it needs them.
pub fn quoted(field: String) -> String {
    // Spaces at the ends would be lost on programs that trim what is not quoted.
    if field.contains([',', '"', '\r', '\n']) || field.trim().len() < field.len() {
        format!("\"{}\"", field.replace('"', "\"\""))
    } else {
        field
    }
}
