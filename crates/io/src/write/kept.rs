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
use crate::inputs::Input;
use crate::read::{Chunk, ReadOptions, Reader};

/// The lines of one chunk that are copied.
pub struct KeptBlock {
    /// The chunk: the number of its input, its part, and where it begins.
    pub input: usize,
    /// See [`Chunk::part`].
    pub part: u64,
    /// See [`Chunk::base`].
    pub base: u64,
    /// Where each line begins in the chunk, and its length without the line end; rising.
    pub lines: Vec<(u32, u32)>,
}

impl KeptBlock {
    fn bytes(&self) -> u64 {
        self.lines.iter().map(|&(_, length)| u64::from(length) + 1).sum()
    }

    /// From the first line to the last, in the chunk.
    fn extent(&self) -> Option<(usize, usize)> {
        let (&(first, _), &(last, length)) = (self.lines.first()?, self.lines.last()?);
        Some((first as usize, last as usize + length as usize))
    }

    /// Closes the gaps between lines in `bytes`, which begin with the first, and gives each a line end.
    fn join(&self, mut bytes: Vec<u8>) -> Vec<u8> {
        let first = self.lines.first().map_or(0, |&(start, _)| start);
        // For the end of the last line, if it has none.
        bytes.push(b'\n');
        let mut end = 0;
        for &(start, length) in &self.lines {
            let at = (start - first) as usize;
            bytes.copy_within(at..at + length as usize, end);
            end += length as usize;
            bytes[end] = b'\n';
            end += 1;
        }
        bytes.truncate(end);
        bytes
    }
}

/// Where kept lines are copied from.
pub struct KeptFrom<'a> {
    /// The inputs that blocks name.
    pub inputs: &'a [Input],
    /// Those of them that are read where they are.
    pub files: &'a Files,
    /// How the others were read.
    pub options: &'a ReadOptions,
    /// Worker threads.
    pub threads: usize,
}

impl KeptFrom<'_> {
    /// Writes the kept lines of all blocks, in order. Blocks are in the order of inputs and parts.
    pub fn write_jsonl(
        &self,
        path: &Path,
        compression: Compression,
        blocks: usize,
        block: impl Fn(usize) -> Result<KeptBlock> + Sync,
    ) -> Result<()> {
        make_atomic(path, |partial| self.write_blocks(partial, compression, blocks, block))
    }

    fn write_blocks(
        &self,
        path: &Path,
        compression: Compression,
        blocks: usize,
        block: impl Fn(usize) -> Result<KeptBlock> + Sync,
    ) -> Result<()> {
        let failed = |source| Error::Io { path: path.to_owned(), source };
        let file = File::create(path).map_err(failed)?;
        let mut again = Again { from: self, open: None, chunk: Chunk::default() };
        let mut numbers = 0..blocks;
        let next = || {
            let Some(index) = numbers.next() else { return Ok(None) };
            let block = block(index)?;
            let bytes = if self.inputs[block.input].is_in_place() { None } else { Some(again.read(&block)?) };
            Ok(Some((index, block, bytes)))
        };
        let load = |block: &KeptBlock, bytes: Option<Vec<u8>>| match bytes {
            Some(bytes) => Ok(block.join(bytes)),
            None => self.read_in_place(block),
        };
        match compression {
            Compression::None => {
                // The lengths are known beforehand, so all threads write at once.
                let mut starts = Vec::with_capacity(blocks);
                let mut end = 0;
                for index in 0..blocks {
                    starts.push(end);
                    end += block(index)?.bytes();
                }
                let copy = |(index, block, bytes): (usize, KeptBlock, Option<Vec<u8>>)| {
                    file.write_all_at(&load(&block, bytes)?, starts[index]).map_err(failed)
                };
                try_in_order(self.threads, next, copy, |()| Ok(()))?;
            }
            Compression::Gzip | Compression::Xz | Compression::Bzip2 => {
                // Each block is a member of its own, so that all threads can compress.
                let pack = |(_, block, bytes): (usize, KeptBlock, Option<Vec<u8>>)| {
                    let mut packer = Packer::new(Vec::new(), compression).map_err(failed)?;
                    packer.write_all(&load(&block, bytes)?).map_err(failed)?;
                    packer.finish().map_err(failed)
                };
                // A file without members is not a valid file of this kind.
                if blocks == 0 {
                    (&file).write_all(&pack_nothing(compression).map_err(failed)?).map_err(failed)?;
                }
                try_in_order(self.threads, next, pack, |bytes| (&file).write_all(&bytes).map_err(failed))?;
            }
            Compression::Zstd | Compression::Lz4 => {
                // One frame for all: some readers stop after the first.
                let mut packer = Packer::new(&file, compression).map_err(failed)?;
                let load = |(_, block, bytes): (usize, KeptBlock, Option<Vec<u8>>)| load(&block, bytes);
                try_in_order(self.threads, next, load, |bytes| packer.write_all(&bytes).map_err(failed))?;
                packer.finish().map_err(failed)?;
            }
        }
        Ok(())
    }

    /// Reads everything between the first and the last line at once.
    fn read_in_place(&self, block: &KeptBlock) -> Result<Vec<u8>> {
        let Some((first, end)) = block.extent() else { return Ok(Vec::new()) };
        let mut bytes = vec![0; end - first];
        let file = self.files.get(block.input)?;
        let path = self.files.path(block.input);
        file.read_exact_at(&mut bytes, block.base + first as u64).map_err(Error::io(path))?;
        Ok(block.join(bytes))
    }
}

/// Reads inputs again from their beginning, one after the other.
struct Again<'a> {
    from: &'a KeptFrom<'a>,
    open: Option<(usize, Reader)>,
    chunk: Chunk,
}

impl Again<'_> {
    /// The bytes from the first line of a block to the last.
    fn read(&mut self, block: &KeptBlock) -> Result<Vec<u8>> {
        let Some((first, end)) = block.extent() else { return Ok(Vec::new()) };
        let KeptFrom { inputs, options, .. } = self.from;
        if self.open.as_ref().is_none_or(|&(input, _)| input != block.input) {
            self.open = None;
            let input = std::slice::from_ref(&inputs[block.input]);
            let reader = Reader::open(input, (*options).clone())?;
            self.open = Some((block.input, reader));
        }
        let changed =
            || Error::Incompatible(format!("{} changed while it was being read", inputs[block.input].name));
        let Some((_, reader)) = &self.open else { return Err(changed()) };
        while reader.next(&mut self.chunk, &|_, part| part < block.part)? {
            if self.chunk.part == block.part {
                let bytes = self.chunk.bytes();
                return bytes.get(first..end).map(<[u8]>::to_vec).ok_or_else(changed);
            }
        }
        Err(changed())
    }
}

fn pack_nothing(compression: Compression) -> std::io::Result<Vec<u8>> {
    Packer::new(Vec::new(), compression)?.finish()
}
