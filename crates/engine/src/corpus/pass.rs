//! One pass over a corpus: its chunks, taken by several threads.

use std::ops::ControlFlow;
use std::sync::atomic::AtomicU64;

use lookalike_core::Result;
use lookalike_core::threads::try_on_threads;
use lookalike_io::record::Fields;
use lookalike_plumbing::log::Log;

use super::block::{BlockBuilder, Header, Layout};
use super::catalog::Block;
use super::source::{ChunkPlace, ChunkReader, Pass};

/// Processes chunks on one thread.
pub trait ChunkWorker {
    /// What the worker returns when there are no more chunks.
    type Output: Send;

    /// Processes the documents of one chunk. A break or an error ends the pass; other threads finish the chunks that
    /// they have begun.
    fn take(&mut self, chunk: &ChunkPlace, documents: &mut dyn ChunkReader) -> Result<ControlFlow<()>>;

    /// Runs on the worker's thread, so that work at the end runs in parallel, too.
    fn finish(self) -> Self::Output;
}

/// Gives every chunk that is not `done` to one of the workers, and returns the workers' results in no
/// particular order. The first error is the result of the pass.
pub fn for_each_chunk<W: ChunkWorker>(
    pass: &dyn Pass,
    fields: &Fields,
    threads: usize,
    done: &(dyn Fn(usize, u64) -> bool + Sync),
    worker: impl Fn() -> W + Sync,
) -> Result<Vec<W::Output>> {
    try_on_threads(threads, |stop| {
        let (mut worker, mut chunks) = (worker(), pass.chunks(fields));
        while !stop.is_set()
            && let Some(chunk) = chunks.next(done)?
        {
            if worker.take(&chunk, &mut *chunks)?.is_break() {
                stop.set();
            }
        }
        Ok(worker.finish())
    })
}

/// Makes a block of each chunk, on one thread.
pub struct BlockWriter<'a> {
    pub layout: &'a Layout,
    pub log: &'a Log,
    /// Bytes of blocks that may still stay in memory.
    pub room: &'a AtomicU64,
    /// Collects the documents of the current chunk.
    pub builder: BlockBuilder,
    pub blocks: Vec<Block>,
}

impl<'a> BlockWriter<'a> {
    pub fn new(layout: &'a Layout, log: &'a Log, room: &'a AtomicU64) -> Self {
        BlockWriter { layout, log, room, builder: BlockBuilder::default(), blocks: Vec::new() }
    }

    /// Stores the chunk whose documents are in the builder, and clears the builder for the next.
    pub fn end_chunk(&mut self, chunk: &ChunkPlace) -> Result<Header> {
        let bytes = self.builder.finish(self.layout, chunk.input, chunk.part, chunk.base, chunk.lines);
        let header = Header::read(&bytes)?;
        let offset = self.log.append(&bytes)?;
        self.blocks.push(Block::new(header, offset, bytes.into(), self.room));
        self.builder.clear();
        Ok(header)
    }
}

/// With `--strict` a bad line ends the pass. The error names the line by its number, which depends on the chunks
/// before it; other threads are reading these and will finish them.
pub fn goes_on(strict: bool, header: &Header) -> ControlFlow<()> {
    if strict && header.rejected > 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
}
