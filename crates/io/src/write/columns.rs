//! Writes the kept rows of columnar files, with all their columns.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

use arrow_array::{BooleanArray, RecordBatch};
use arrow_ipc::writer::{DictionaryHandling, FileWriter, IpcWriteOptions, StreamWriter};
use arrow_schema::ArrowError;
use lookalike_core::{Error, Result};
use parquet::arrow::ArrowWriter;
use parquet::file::properties::WriterProperties;

use super::pack::Packer;
use crate::format::Layout;
use crate::inputs::Input;
use crate::read::{Batches, Next, batches, inner_compression};

/// Writes the rows of some inputs with one format and the same columns for which `keep(input, row)` holds. The caller gives the file its name when it is complete.
pub fn write_columns(
    path: &Path,
    inputs: &[(usize, &Input)],
    keep: &dyn Fn(usize, u64) -> bool,
) -> Result<()> {
    match inputs.first() {
        Some((_, first)) if first.format.layout == Layout::Parquet => write_parquet(path, inputs, keep),
        _ => write_arrow(path, inputs, keep),
    }
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
        // What follows a break was not read before, either.
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
    // Both write their end before they return the file.
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
