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

/// Shorter runs of lines are copied faster by reading and writing than one by one.
const SHORTEST_RUN: u64 = 8 << 10;

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
    /// Lines that follow each other: where they begin in the chunk, and their length, the end of the last line left out.
    fn runs(&self) -> impl Iterator<Item = (u32, u64)> {
        let follows = |a: &(u32, u32), b: &(u32, u32)| u64::from(a.0) + u64::from(a.1) + 1 == u64::from(b.0);
        self.lines.chunk_by(follows).filter_map(|run| {
            let (&(first, _), &(last, length)) = (run.first()?, run.last()?);
            Some((first, u64::from(last) + u64::from(length) - u64::from(first)))
        })
    }

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
                    if bytes.is_none() && self.copy_in_place(&block, &file, starts[index]).map_err(failed)? {
                        return Ok(());
                    }
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

    /// Has the system copy the lines of a block to a place in another file, which spares them the way through this
    /// process. Returns whether it did: not every system and not every pair of files can, and short runs of lines are
    /// copied faster together.
    fn copy_in_place(&self, block: &KeptBlock, to: &File, mut at: u64) -> std::io::Result<bool> {
        if block.bytes() < SHORTEST_RUN * block.runs().count() as u64 {
            return Ok(false);
        }
        let Ok(from) = self.files.get(block.input) else { return Ok(false) };
        let file_end = from.metadata()?.len();
        for (start, length) in block.runs() {
            let start = block.base + u64::from(start);
            // With its end, which only the last line of a file may lack.
            let has_end = start + length < file_end;
            if !copy_range(&from, start, to, at, length + u64::from(has_end))? {
                return Ok(false);
            }
            if !has_end {
                to.write_all_at(b"\n", at + length)?;
            }
            at += length + 1;
        }
        Ok(true)
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

/// Whether the system copied these bytes of a file into another one.
#[cfg(target_os = "linux")]
fn copy_range(from: &File, mut start: u64, to: &File, mut at: u64, length: u64) -> std::io::Result<bool> {
    use rustix::io::Errno;
    let end = start + length;
    while start < end {
        let wanted = usize::try_from(end - start).unwrap_or(usize::MAX);
        match rustix::fs::copy_file_range(from, Some(&mut start), to, Some(&mut at), wanted) {
            // The file became shorter, which reading it tells.
            Ok(0) => return Ok(false),
            Ok(_) | Err(Errno::INTR) => {}
            Err(Errno::NOSPC) => return Err(Errno::NOSPC.into()),
            // Other file systems, or none that can. Whatever else it is, reading and writing will tell.
            Err(_) => return Ok(false),
        }
    }
    Ok(true)
}

#[cfg(not(target_os = "linux"))]
fn copy_range(_: &File, _: u64, _: &File, _: u64, _: u64) -> std::io::Result<bool> {
    Ok(false)
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn options() -> ReadOptions {
        ReadOptions { max_line: 1 << 20, columns: Vec::new(), text: "text".into(), cursors: 1 }
    }

    /// Blocks of some lines of a text, cut after every few lines.
    fn blocks_of(text: &str, kept: &[bool], lines_each: usize) -> (Vec<KeptBlock>, String) {
        let (mut blocks, mut expected, mut base) = (Vec::new(), String::new(), 0u64);
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        for (part, some) in lines.chunks(lines_each).enumerate() {
            let (mut chosen, mut start) = (Vec::new(), 0u32);
            for (number, line) in some.iter().enumerate() {
                let content = line.strip_suffix('\n').unwrap_or(line);
                if kept[(part * lines_each + number) % kept.len()] && !content.is_empty() {
                    chosen.push((start, content.len() as u32));
                    expected.push_str(content);
                    expected.push('\n');
                }
                start += line.len() as u32;
            }
            blocks.push(KeptBlock { input: 0, part: part as u64, base, lines: chosen });
            base += u64::from(start);
        }
        (blocks, expected)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(40))]

        /// Long runs go one way and short ones another.
        #[test]
        fn kept_lines_are_those_of_the_file(
            lengths in proptest::collection::vec(prop_oneof![0usize..40, 5_000usize..30_000], 1..30),
            kept in proptest::collection::vec(any::<bool>(), 1..30),
            lines_each in 1usize..12,
            ends in any::<bool>(),
        ) {
            let line = |(place, &length): (usize, &usize)| {
                char::from(b'a' + (place % 26) as u8).to_string().repeat(length)
            };
            let mut text = lengths.iter().enumerate().map(line).collect::<Vec<_>>().join("\n");
            text.push_str(if ends { "\n" } else { "" });
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("in.jsonl");
            std::fs::write(&path, &text).unwrap();
            let (blocks, expected) = blocks_of(&text, &kept, lines_each);
            let files = Files::new(vec![path.clone()]);
            let from = KeptFrom { inputs: &[], files: &files, options: &options(), threads: 2 };
            let out = File::create(folder.path().join("out")).unwrap();
            let mut at = 0;
            for block in &blocks {
                // Whether or not the system can copy here, what a run uses gives the same.
                if !from.copy_in_place(block, &out, at).unwrap() {
                    out.write_all_at(&from.read_in_place(block).unwrap(), at).unwrap();
                }
                at += block.bytes();
            }
            prop_assert_eq!(std::fs::read_to_string(folder.path().join("out")).unwrap(), expected);
        }
    }

    /// A file that became shorter is told by reading it, not copied in part.
    #[test]
    fn what_is_gone_is_not_copied() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("in.jsonl");
        std::fs::write(&path, "x".repeat(20_000)).unwrap();
        let files = Files::new(vec![path]);
        let from = KeptFrom { inputs: &[], files: &files, options: &options(), threads: 1 };
        let block = KeptBlock { input: 0, part: 0, base: 0, lines: vec![(0, 30_000)] };
        let out = File::create(folder.path().join("out")).unwrap();
        assert!(!from.copy_in_place(&block, &out, 0).unwrap());
        assert!(from.read_in_place(&block).is_err());
    }
}
