//! Writes the kept rows and records, in the format of their inputs with all their columns: the inputs are read
//! once more, and what is not kept is left out.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

use lookalike_core::{Error, Result};
use lookalike_plumbing::files::make_atomic;

use super::pack::Packer;
use crate::format::Layout;
use crate::inputs::Input;
use crate::read::Records;

/// Writes the documents of some inputs with one format and the same columns for which `keep(input, number)`
/// holds; they are numbered from 0 in each input. Not for lines, which are copied by their place.
pub fn write_kept_rows(
    path: &Path,
    inputs: &[(usize, &Input)],
    max_line: u64,
    keep: &dyn Fn(usize, u64) -> bool,
) -> Result<()> {
    let Some((_, first)) = inputs.first() else { return Ok(()) };
    make_atomic(path, |path| {
        let written = write_layout(path, first, inputs, max_line, keep);
        // What a store did not send must not look like documents that were not kept.
        inputs.iter().try_fold((), |(), (_, input)| input.place.checked(Ok(())))?;
        written
    })
}

fn write_layout(
    path: &Path,
    first: &Input,
    inputs: &[(usize, &Input)],
    max_line: u64,
    keep: &dyn Fn(usize, u64) -> bool,
) -> Result<()> {
    match first.format.layout {
        #[cfg(feature = "parquet")]
        Layout::Parquet | Layout::ArrowFile | Layout::ArrowStream => {
            super::columns::write_columns(path, inputs, keep)
        }
        #[cfg(not(feature = "parquet"))]
        Layout::Parquet | Layout::ArrowFile | Layout::ArrowStream => Err(crate::read::refused(first)),
        Layout::Jsonl | Layout::JsonArray | Layout::JsonObjects | Layout::Table { .. } | Layout::Wet => {
            write_records(path, inputs, max_line, keep)
        }
    }
}

/// Rows below the header of the first table, or JSON values; byte for byte.
fn write_records(
    path: &Path,
    inputs: &[(usize, &Input)],
    max_line: u64,
    keep: &dyn Fn(usize, u64) -> bool,
) -> Result<()> {
    let Some((_, first)) = inputs.first() else { return Ok(()) };
    let failed = |source| Error::Io { path: path.to_owned(), source };
    let file = BufWriter::with_capacity(1 << 20, File::create(path).map_err(failed)?);
    let mut out = Packer::new(file, first.format.compression).map_err(failed)?;
    let (opening, between, closing): (&[u8], &[u8], &[u8]) = match first.format.layout {
        Layout::JsonArray => (b"[\n", b",\n", b"\n]\n"),
        _ => (b"", b"\n", b"\n"),
    };
    out.write_all(opening).map_err(failed)?;
    let mut empty = true;
    let mut put = |record: &[u8]| -> std::io::Result<()> {
        out.write_all(if empty { b"" } else { between })?;
        empty = false;
        out.write_all(record)
    };
    for (place, &(index, input)) in inputs.iter().enumerate() {
        let mut records = Records::open(input, max_line)?;
        if let (0, Records::Table { header, .. }) = (place, &records) {
            put(header).map_err(failed)?;
        }
        let mut number = 0;
        while let Some(found) = records.next()? {
            if let (Ok(record), true) = (found, keep(index, number)) {
                put(record).map_err(failed)?;
            }
            number += 1;
        }
    }
    if !empty || opening.len() > 1 {
        out.write_all(closing).map_err(failed)?;
    }
    out.finish().and_then(|mut file| file.flush()).map_err(failed)
}
