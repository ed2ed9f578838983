//! The documents that are kept, in their own format with all their columns.

use std::fs::File;
use std::io::Write;
use std::os::unix::fs::FileExt;
use std::path::Path;

use arrow_array::BooleanArray;
use lookalike_core::{Error, Result};
use parquet::arrow::ArrowWriter;
use parquet::file::properties::WriterProperties;

use super::{in_order, partial_name};
use crate::files::Files;
use crate::inputs::{Compression, Input};
use crate::read::batches;

/// Lines to copy that lie close together in one file: what one chunk holds.
pub struct KeptBlock {
    pub store: usize,
    /// Offset and length, without the line end, of each line; rising.
    pub lines: Vec<(u64, u32)>,
}

impl KeptBlock {
    fn bytes(&self) -> u64 {
        self.lines.iter().map(|&(_, length)| u64::from(length) + 1).sum()
    }

    /// Reads the lines, each with a line end: all that lies between the first and the last at once,
    /// then closing the gaps.
    fn read(&self, stores: &Files) -> Result<Vec<u8>> {
        let (Some(&(first, _)), Some(&(last, length))) = (self.lines.first(), self.lines.last()) else {
            return Ok(Vec::new());
        };
        let mut bytes = vec![0; (last - first) as usize + length as usize + 1];
        let line_end = bytes.len() - 1;
        let file = stores.get(self.store)?;
        file.read_exact_at(&mut bytes[..line_end], first).map_err(Error::io(stores.path(self.store)))?;
        let mut end = 0;
        for &(offset, length) in &self.lines {
            let at = (offset - first) as usize;
            bytes.copy_within(at..at + length as usize, end);
            end += length as usize;
            bytes[end] = b'\n';
            end += 1;
        }
        bytes.truncate(end);
        Ok(bytes)
    }
}

/// Writes the kept lines of all blocks, in order.
pub fn write_kept_jsonl(
    path: &Path,
    compression: Compression,
    threads: usize,
    stores: &Files,
    blocks: usize,
    block: impl Fn(usize) -> Result<KeptBlock> + Sync,
) -> Result<()> {
    let partial = partial_name(path);
    let file = File::create(&partial).map_err(Error::io(&partial))?;
    let load = |index| block(index)?.read(stores);
    let failed = |source| Error::Io { path: partial.clone(), source };
    match compression {
        Compression::None => {
            // The lengths are known beforehand, so all threads write at once.
            let mut starts = Vec::with_capacity(blocks);
            let mut end = 0;
            for index in 0..blocks {
                starts.push(end);
                end += block(index)?.bytes();
            }
            let copy = |index: usize| file.write_all_at(&load(index)?, starts[index]).map_err(failed);
            in_order(threads, blocks, copy, |()| Ok(()))?;
        }
        Compression::Gzip => {
            // Each block is a member of its own, so that all threads compress.
            let pack = |index| {
                let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
                encoder.write_all(&load(index)?).map_err(failed)?;
                encoder.finish().map_err(failed)
            };
            in_order(threads, blocks, pack, |bytes| (&file).write_all(&bytes).map_err(failed))?;
        }
        Compression::Zstd => {
            // One frame for all: some readers stop after the first.
            let mut encoder = zstd::Encoder::new(&file, 3).map_err(failed)?;
            in_order(threads, blocks, load, |bytes| encoder.write_all(&bytes).map_err(failed))?;
            encoder.finish().map_err(failed)?;
        }
    }
    drop(file);
    std::fs::rename(&partial, path).map_err(Error::io(path))
}

/// Writes the rows of Parquet files with one schema for which `keep(input, row)` holds.
pub fn write_kept_parquet(
    path: &Path,
    inputs: &[(usize, &Input)],
    keep: impl Fn(usize, u64) -> bool,
) -> Result<()> {
    let partial = partial_name(path);
    let mut writer: Option<ArrowWriter<File>> = None;
    let failed = |error: parquet::errors::ParquetError| Error::Io {
        path: partial.clone(),
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
            let file = File::create(&partial).map_err(Error::io(&partial))?;
            let schema = metadata.schema().clone();
            writer = Some(ArrowWriter::try_new(file, schema, Some(properties)).map_err(failed)?);
        }
        let mut row = 0;
        for batch in batches {
            let batch = batch?;
            let mask: BooleanArray =
                (0..batch.num_rows() as u64).map(|offset| Some(keep(index, row + offset))).collect();
            row += batch.num_rows() as u64;
            let kept = arrow_select::filter::filter_record_batch(&batch, &mask)
                .map_err(|error| Error::Internal(error.to_string()))?;
            if let Some(writer) = &mut writer {
                writer.write(&kept).map_err(failed)?;
            }
        }
    }
    if let Some(writer) = writer {
        writer.close().map_err(failed)?;
        std::fs::rename(&partial, path).map_err(Error::io(path))?;
    }
    Ok(())
}
