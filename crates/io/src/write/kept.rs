//! Writes the kept lines unchanged.

use std::fs::File;
use std::io::Write;
use std::os::unix::fs::FileExt;
use std::path::Path;

use lookalike_core::threads::try_in_order;
use lookalike_core::{Error, Result};
use lookalike_plumbing::files::make_atomic;

use super::pack::Packer;
use crate::decode::Compression;
use crate::files::Files;

/// Lines to copy that are close together in one file: those of one chunk.
pub struct KeptBlock {
    /// The number of the file that has the lines.
    pub store: usize,
    /// Offset and length, without the line end, of each line; rising.
    pub lines: Vec<(u64, u32)>,
}

impl KeptBlock {
    fn bytes(&self) -> u64 {
        self.lines.iter().map(|&(_, length)| u64::from(length) + 1).sum()
    }

    /// Reads the lines, each with a line end: everything between the first and the last at once,
    /// then closes the gaps.
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
    make_atomic(path, |partial| write_blocks(partial, compression, threads, stores, blocks, block))
}

fn write_blocks(
    path: &Path,
    compression: Compression,
    threads: usize,
    stores: &Files,
    blocks: usize,
    block: impl Fn(usize) -> Result<KeptBlock> + Sync,
) -> Result<()> {
    let failed = |source| Error::Io { path: path.to_owned(), source };
    let file = File::create(path).map_err(failed)?;
    let load = |index| block(index)?.read(stores);
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
            try_in_order(threads, blocks, copy, |()| Ok(()))?;
        }
        Compression::Gzip | Compression::Xz | Compression::Bzip2 => {
            // Each block is a member of its own, so that all threads can compress.
            let pack = |index| {
                let mut packer = Packer::new(Vec::new(), compression).map_err(failed)?;
                packer.write_all(&load(index)?).map_err(failed)?;
                packer.finish().map_err(failed)
            };
            // A file without members is not a valid file of this kind.
            if blocks == 0 {
                (&file).write_all(&pack_nothing(compression).map_err(failed)?).map_err(failed)?;
            }
            try_in_order(threads, blocks, pack, |bytes| (&file).write_all(&bytes).map_err(failed))?;
        }
        Compression::Zstd | Compression::Lz4 => {
            // One frame for all: some readers stop after the first.
            let mut packer = Packer::new(&file, compression).map_err(failed)?;
            try_in_order(threads, blocks, load, |bytes| packer.write_all(&bytes).map_err(failed))?;
            packer.finish().map_err(failed)?;
        }
    }
    Ok(())
}

fn pack_nothing(compression: Compression) -> std::io::Result<Vec<u8>> {
    Packer::new(Vec::new(), compression)?.finish()
}
