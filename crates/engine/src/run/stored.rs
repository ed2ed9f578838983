//! Reads the results of a complete run back from its folder.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

use lookalike_core::{Error, Result};
use serde::Deserialize;
use serde_json::value::RawValue;

use super::report::Report;
use super::work::{PAIRS, REPORT};

/// The report of a complete run.
pub fn stored_report(output: &Path) -> Result<Report> {
    let path = output.join(REPORT);
    let mut text = String::new();
    for part in parts_of(&path)? {
        text += &std::fs::read_to_string(&part).map_err(Error::io(&part))?;
    }
    serde_json::from_str(&text).map_err(|error| Error::Incompatible(format!("{}: {error}", path.display())))
}

/// Calls `visit` with every pair of a complete run: both ids as JSON, and how alike the two are.
pub fn for_each_stored_pair(
    output: &Path,
    mut visit: impl FnMut(&str, &str, f64) -> Result<()>,
) -> Result<()> {
    #[derive(Deserialize)]
    struct Pair<'a> {
        #[serde(borrow)]
        a: &'a RawValue,
        #[serde(borrow)]
        b: &'a RawValue,
        similarity: f64,
    }
    for path in parts_of(&output.join(PAIRS))? {
        let mut lines = BufReader::with_capacity(1 << 20, File::open(&path).map_err(Error::io(&path))?);
        let mut line = String::new();
        while lines.read_line(&mut line).map_err(Error::io(&path))? > 0 {
            let pair: Pair<'_> = serde_json::from_str(&line)
                .map_err(|error| Error::Incompatible(format!("{}: {error}", path.display())))?;
            visit(pair.a.get(), pair.b.get(), pair.similarity)?;
            line.clear();
        }
    }
    Ok(())
}

/// The file itself, or the files of a folder of that name, by which a cluster writes it in parts. What else engines leave
/// there, marks and checksums, begins with `_` or a dot.
pub fn parts_of(path: &Path) -> Result<Vec<PathBuf>> {
    if !path.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let mut parts = Vec::new();
    for entry in std::fs::read_dir(path).map_err(Error::io(path))? {
        let entry = entry.map_err(Error::io(path))?;
        if !entry.file_name().to_string_lossy().starts_with(['_', '.']) {
            parts.push(entry.path());
        }
    }
    parts.sort();
    Ok(parts)
}
