//! The rows and records that are kept, in the format of their inputs with all their columns: the inputs are read
//! once more, and what does not stay is left out.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

use arrow_array::{BooleanArray, RecordBatch};
use arrow_ipc::writer::{DictionaryHandling, FileWriter, IpcWriteOptions, StreamWriter};
use arrow_schema::ArrowError;
use lookalike_core::{Error, Result};
use lookalike_plumbing::files::make_atomic;
use parquet::arrow::ArrowWriter;
use parquet::file::properties::WriterProperties;

use super::pack::Packer;
use crate::format::Layout;
use crate::inputs::Input;
use crate::read::{Batches, Next, Records, batches, inner_compression};

/// Writes the documents of some inputs with one format and the same columns for which `keep(input, number)`
/// holds; they are numbered from 0 in each input. Not for lines, which are copied by their place.
pub fn write_kept_rows(
    path: &Path,
    inputs: &[(usize, &Input)],
    max_line: u64,
    keep: &dyn Fn(usize, u64) -> bool,
) -> Result<()> {
    let Some((_, first)) = inputs.first() else { return Ok(()) };
    make_atomic(path, |path| match first.format.layout {
        Layout::Parquet => write_parquet(path, inputs, keep),
        Layout::ArrowFile | Layout::ArrowStream => write_arrow(path, inputs, keep),
        Layout::Jsonl | Layout::JsonArray | Layout::JsonObjects | Layout::Table { .. } => {
            write_records(path, inputs, max_line, keep)
        }
    })
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

/// Either kind of Arrow output.
enum Columns<W: Write> {
    File(FileWriter<W>),
    Stream(StreamWriter<W>),
}

fn write_arrow(path: &Path, inputs: &[(usize, &Input)], keep: &dyn Fn(usize, u64) -> bool) -> Result<()> {
    let Some((_, first)) = inputs.first() else { return Ok(()) };
    let failed = |source| Error::Io { path: path.to_owned(), source };
    let failed_there = |error: ArrowError| failed(std::io::Error::other(error));
    let schema = Batches::open(first, &[])?.schema();
    let options = IpcWriteOptions::default()
        .try_with_compression(inner_compression(first)?)
        .map_err(failed_there)?
        // A file may add to a dictionary, not replace it.
        .with_dictionary_handling(DictionaryHandling::Delta);
    let file = BufWriter::with_capacity(1 << 20, File::create(path).map_err(failed)?);
    let out = Packer::new(file, first.format.compression).map_err(failed)?;
    let mut writer = match first.format.layout {
        Layout::ArrowFile => {
            Columns::File(FileWriter::try_new_with_options(out, &schema, options).map_err(failed_there)?)
        }
        _ => {
            Columns::Stream(StreamWriter::try_new_with_options(out, &schema, options).map_err(failed_there)?)
        }
    };
    for &(index, input) in inputs {
        let mut batches = Batches::open(input, &[])?;
        let mut row = 0;
        // What follows a break was not read before either.
        while let Next::Batch(batch) = batches.next()? {
            let kept = filter(&batch, |offset| keep(index, row + offset))?;
            row += batch.num_rows() as u64;
            if kept.num_rows() > 0 {
                match &mut writer {
                    Columns::File(writer) => writer.write(&kept),
                    Columns::Stream(writer) => writer.write(&kept),
                }
                .map_err(failed_there)?;
            }
        }
    }
    // Either writes its end before it gives the file back.
    let out = match writer {
        Columns::File(writer) => writer.into_inner(),
        Columns::Stream(writer) => writer.into_inner(),
    };
    let mut file = out.map_err(failed_there)?.finish().map_err(failed)?;
    file.flush().map_err(failed)
}

fn filter(batch: &RecordBatch, keep: impl Fn(u64) -> bool) -> Result<RecordBatch> {
    let mask: BooleanArray = (0..batch.num_rows() as u64).map(|offset| Some(keep(offset))).collect();
    arrow_select::filter::filter_record_batch(batch, &mask)
        .map_err(|error| Error::Internal(error.to_string()))
}

fn write_parquet(path: &Path, inputs: &[(usize, &Input)], keep: &dyn Fn(usize, u64) -> bool) -> Result<()> {
    let mut writer: Option<ArrowWriter<File>> = None;
    let failed = |error: parquet::errors::ParquetError| Error::Io {
        path: path.to_owned(),
        source: std::io::Error::other(error),
    };
    for &(index, input) in inputs {
        let (metadata, batches) = batches(input)?;
        if writer.is_none() {
            let compression = metadata
                .metadata()
                .row_groups()
                .first()
                .and_then(|group| group.columns().first())
                .map_or(parquet::basic::Compression::SNAPPY, |column| column.compression());
            let properties = WriterProperties::builder().set_compression(compression).build();
            let file = File::create(path).map_err(Error::io(path))?;
            let schema = metadata.schema().clone();
            writer = Some(ArrowWriter::try_new(file, schema, Some(properties)).map_err(failed)?);
        }
        let mut row = 0;
        for batch in batches {
            let batch = batch?;
            let kept = filter(&batch, |offset| keep(index, row + offset))?;
            row += batch.num_rows() as u64;
            if let Some(writer) = &mut writer {
                writer.write(&kept).map_err(failed)?;
            }
        }
    }
    if let Some(writer) = writer {
        writer.close().map_err(failed)?;
    }
    Ok(())
}
