//! Poppler's `pdftotext`, for users who prefer its result.

use crate::formats::program;
use crate::reason::Reason;
use lookalike_core::reading::Limits;

/// The output of the program, in UTF-8.
pub fn run(bytes: &[u8], limits: &Limits) -> Result<String, Reason> {
    let said = program::run("pdftotext", &["-q", "-enc", "UTF-8", "-", "-"], bytes, limits)?;
    if !said.status.success() && said.output.is_empty() {
        return Err(match said.status.code() {
            // Its exit code 3 stands for permissions and passwords.
            Some(3) => Reason::Encrypted,
            _ => Reason::damaged("pdftotext cannot read it"),
        });
    }
    Ok(String::from_utf8_lossy(&said.output).into_owned())
}
