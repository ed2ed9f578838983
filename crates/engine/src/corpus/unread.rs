//! What was given but not read: lines that are no documents, files that are no corpora.

use std::path::{Path, PathBuf};

use lookalike_core::{Error, Result};
use lookalike_io::hint::instead_of;
use lookalike_io::inputs::{self, Input};
use lookalike_io::names::name_of;
use lookalike_io::record::missing;
use serde::{Deserialize, Serialize};

use super::block::Header;
use super::catalog::Catalog;
use super::source::Source;
use crate::progress::Progress;

/// How many files a warning names; the rest is counted.
const NAMED: usize = 5;

/// Files that a run did not read.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PassedOver {
    /// How many files.
    pub files: u64,
    /// The first of them by name.
    pub first: Vec<String>,
}

impl PassedOver {
    /// How many files are named.
    const NAMED: usize = 100;

    /// For these paths.
    pub fn new(paths: &[PathBuf]) -> Self {
        let first = paths.iter().take(Self::NAMED).map(|path| name_of(path));
        PassedOver { files: paths.len() as u64, first: first.collect() }
    }

    /// Adds others to these.
    pub fn and(mut self, mut others: PassedOver) -> Self {
        self.files += others.files;
        self.first.append(&mut others.first);
        self.first.truncate(Self::NAMED);
        self
    }
}

/// Warns of the first rejected line. If nothing else was read, that is an error: a wrong field name
/// or a wrong file must not look like an empty corpus.
pub fn check_rejected(catalog: &Catalog, source: &dyn Source, progress: &dyn Progress) -> Result<()> {
    let rejected: u64 = catalog.blocks.iter().map(|block| u64::from(block.header.rejected)).sum();
    let Some(block) = catalog.blocks.iter().position(|block| block.header.rejected > 0) else {
        return Ok(());
    };
    let input = catalog.blocks[block].header.input as usize;
    let first = catalog.tail(block)?.rejects.into_iter().next();
    let first = first.map_or(String::new(), |(line, reason)| {
        let reason = source.explain(input, reason);
        format!("{}: line {}: {reason}", catalog.names[input], catalog.line_number(block, line))
    });
    if catalog.len() == catalog.references {
        return Err(Error::Input(format!(
            "no document could be read, {rejected} rejected; the first: {first}"
        )));
    }
    progress.warn(&format!("{rejected} rejected, see rejected.jsonl; the first: {first}"));
    Ok(())
}

/// With `--strict`, the first bad line is an error that names it.
pub fn check_none_rejected(catalog: &Catalog, source: &dyn Source) -> Result<()> {
    let Some(block) = catalog.blocks.iter().position(|block| block.header.rejected > 0) else {
        return Ok(());
    };
    let Some((line, reason)) = catalog.tail(block)?.rejects.into_iter().next() else { return Ok(()) };
    let Header { input, part, .. } = catalog.blocks[block].header;
    let place = match source.is_in_order(input as usize) {
        true => format!("line {}", catalog.line_number(block, line)),
        false => format!("row {} of part {}", line + 1, part + 1),
    };
    let name = &catalog.names[input as usize];
    Err(Error::Input(format!("{name}: {place}: {reason} (--strict stops at the first bad line)")))
}

/// If a document was rejected because it has no text, says which fields it has instead.
pub fn explain_missing(reason: String, input: &Input, text_field: &str, max_line: u64) -> String {
    let an_object = format!("field `{text_field}` is an object, not text");
    if reason != missing(text_field) && reason != an_object {
        return reason;
    }
    instead_of(text_field, input, max_line).unwrap_or(reason)
}

/// Warns of files in the input folders that will not be read.
pub fn warn_passed_over(
    arguments: &[String],
    output: Option<&Path>,
    progress: &dyn Progress,
) -> Result<PassedOver> {
    let passed_over = PassedOver::new(&inputs::passed_over(arguments, output)?);
    if passed_over.files > 0 {
        let named: Vec<&str> = passed_over.first.iter().take(NAMED).map(String::as_str).collect();
        let more = match passed_over.files.saturating_sub(NAMED as u64) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        progress.warn(&format!(
            "passed over, since they are no corpora and lie beside such: {} ({}{more}); name them to read them as \
             documents",
            if passed_over.files == 1 { "1 file".to_owned() } else { format!("{} files", passed_over.files) },
            named.join(", ")
        ));
    }
    Ok(passed_over)
}
